#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The figures that compare.py makes of samples, and its turns, with contenders that only pretend to work."""
import os
import sys
import tempfile
import textwrap
import types
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "benchmarks", "peers"))
import compare  # noqa: E402


def rounds(*times, share=1.0):
    return [{"ms": [t], "share": [share]} for t in times]


class Samples(unittest.TestCase):
    def test_passes_that_lost_the_core_are_dropped(self):
        answer = {"ms": [10, 20, 30], "share": [1.0, 0.5, 0.98]}
        self.assertEqual(compare.clean(answer, 1), [10, 30])
        self.assertEqual(compare.clean({"ms": [10, 20], "share": [1.99, 1.5]}, 2), [10])

    def test_a_round_counts_by_the_fastest_of_its_clean_passes(self):
        answers = rounds(*[5.0] * 7) + [{"ms": [0.5, 2, 1, 90], "share": [0.4, 1, 1, 1]}, {"ms": [70], "share": [0.5]}]
        times, is_clean = compare.round_times(answers, 1)
        self.assertTrue(is_clean)
        self.assertEqual(times, [5.0] * 7 + [1, None])
        self.assertEqual(compare.median_time(times), 5.0)

    def test_with_too_few_clean_rounds_all_count_and_are_marked(self):
        times, is_clean = compare.round_times(rounds(*[5.0] * 6) + rounds(8.0, share=0.5), 1)
        self.assertFalse(is_clean)
        self.assertEqual(times, [5.0] * 6 + [8.0])

    def test_the_ratio_is_the_median_of_the_rounds_ratios(self):
        # Both get slower in the second round: the quotient of medians would be 1.5.
        self.assertEqual(compare.ratio([10, 20, 30], [20, 40, 10]), 0.5)
        self.assertEqual(compare.ratio([10, None, 30], [20, 1, None]), 0.5)
        self.assertIsNone(compare.ratio([None, 1], [1, None]))


class Work(unittest.TestCase):
    def test_sentences_are_the_same_in_every_run_and_of_the_stated_lengths(self):
        made = compare.made_up_sentences()
        self.assertEqual(made, compare.made_up_sentences())
        lengths = sorted(map(len, made))
        self.assertEqual(len(made), 256)
        self.assertEqual((lengths[0], lengths[-1]), (6, 88))
        self.assertTrue(14 <= lengths[128] <= 16, lengths[128])

    def test_workloads(self):
        one = compare.workload(compare.ROWS["bert_base_128"], [])
        self.assertEqual((len(one["sequences"]), len(one["sequences"][0]), one["batch"]), (1, 128, 1))
        some = compare.workload(compare.ROWS["minilm_sentences_32"], [[101, 102]])
        self.assertEqual(some, {"sequences": [[101, 102]], "batch": 32})

    def test_peers_made_for_one_shape_take_no_part_where_there_are_several(self):
        self.assertIn("torch_compile", compare.ROWS["bert_base_128"].peers())
        self.assertEqual(compare.ROWS["minilm_sentences_1"].peers(), ["torch", "onnxruntime", "openvino"])


class Figures(unittest.TestCase):
    BOUNDS = [{"gflop": 2.0, "bound_ms": 7.0}, {"gflop": 2.0, "bound_ms": 8.0}, {"gflop": 2.0, "bound_ms": 100.0}]

    def figure(self, threads=1):
        contenders = {"ours": {"rounds": rounds(*[10.0] * 7, share=threads), "peaks": [250.0] * 7},
                      "torch": {"rounds": rounds(*[20.0] * 7, share=threads), "difference": 1e-6},
                      "onnxruntime": {"error": "out of memory"},
                      "openvino": {"rounds": rounds(*[12.5] * 7, share=0.5), "difference": 3e-6}}
        return compare.figures("row", threads, contenders, self.BOUNDS)

    def test_shares_of_peak_and_bound(self):
        figure = self.figure()
        self.assertEqual((figure["ms"], figure["bound_ms"]), (10.0, 8.0))
        self.assertAlmostEqual(figure["of_peak"], 0.8)     # 200 of 250 GFLOP/s
        self.assertAlmostEqual(figure["of_bound"], 0.8)
        self.assertAlmostEqual(self.figure(threads=2)["of_peak"], 0.4)

    def test_best_peer_is_a_peer_that_ran(self):
        figure = self.figure()
        self.assertEqual(compare.best_peer(figure), "openvino")
        figure["peers"]["build/other"] = {"ms": 1.0, "clean": True, "ratio": 10.0, "difference": 0.0, "is_peer": False}
        self.assertEqual(compare.best_peer(figure), "openvino")
        self.assertIsNone(compare.best_peer({"peers": {"torch": {"error": "no"}}}))

    def test_table(self):
        lines = compare.table([self.figure()]).splitlines()
        self.assertEqual(lines[0], "| row | threads | ours, ms | % of FMA peak | % of bound | best peer | its ms | "
                                   "ours ÷ best peer | ÷ torch | ÷ onnxruntime | ÷ openvino | largest difference |")
        self.assertEqual(lines[1].count("---"), 12)
        self.assertEqual(lines[2], "| row | 1 | 10.0 | 80 | 80 | openvino | 12.5\\* | 0.800 | 0.500 | — | 0.800 | "
                                   "3.0e-06 |")

    def test_a_row_that_failed_is_dashes(self):
        failed = compare.figures("bad", 1, {"ours": {"error": "no"}, "torch": {}}, [])
        cells = compare.table([self.figure(), failed]).splitlines()[3].split(" | ")
        self.assertEqual(cells[:2], ["| bad", "1"])
        self.assertEqual(cells[2:], ["—"] * 9 + ["— |"])

    def test_labels_of_programs(self):
        self.assertEqual(compare.labels(["x/y"]), ["ours"])
        self.assertEqual(compare.labels(["/r/build/a/benchmarks/b.e", "/r/build/c/benchmarks/b.e"]), ["a", "c"])
        self.assertEqual(compare.labels(["/r/new", "/r/old"]), ["new", "old"])
        with self.assertRaises(ValueError):
            compare.labels(["/r/new", "/r/new"])


PRETENDER = textwrap.dedent("""
    import json, shutil, sys
    ms, source, breaks_at = float(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    answers = {"peak": {"gflops": 100.0}, "bound": {"gflop": 1.0, "bound_ms": 9.0}}
    print(json.dumps({"setup_s": 0.1, "version": "pretender"}), flush=True)
    count = 0
    for line in sys.stdin:
        command, _, rest = line.strip().partition(" ")
        if command == "round":
            count += 1
            if count == breaks_at:
                sys.exit("it broke")
            answers["round"] = {"ms": [ms, 1000.0], "share": [1.0, 0.1]}
        if command == "save":
            shutil.copy(source, rest)
            answers["save"] = {}
        print(json.dumps(answers[command]), flush=True)
""")


class Turns(unittest.TestCase):
    def run_row(self, **breaks_at):
        import numpy as np
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "pretender.py")
            with open(script, "w", encoding="utf-8") as file:
                file.write(PRETENDER)
            commands = {}
            for number, (name, ms) in enumerate((("ours", 10.0), ("torch", 20.0), ("openvino", 15.0))):
                array = os.path.join(folder, f"{name}.npy")
                np.save(array, np.full((2, 3), 1 + number / 4, np.float32))
                commands[name] = [sys.executable, script, str(ms), array, str(breaks_at.get(name, 0))]
            commands["onnxruntime"] = [os.path.join(folder, "missing")]
            options = types.SimpleNamespace(threads=1, rounds=9, round_s=0.01, budget=0.0, setup=60, nice=0)
            stderr, sys.stderr = sys.stderr, open(os.devnull, "w", encoding="utf-8")
            try:
                contenders, bounds = compare.run_row("row", commands, options)
            finally:
                sys.stderr.close()
                sys.stderr = stderr
        return contenders, compare.figures("row", 1, contenders, bounds)

    def test_a_peer_that_breaks_leaves_the_others(self):
        contenders, figure = self.run_row(openvino=3)
        self.assertEqual(len(contenders["ours"]["rounds"]), 9)
        self.assertEqual(figure["ms"], 10.0)
        self.assertEqual(figure["of_bound"], 0.9)
        self.assertEqual(figure["peers"]["torch"]["ratio"], 0.5)
        self.assertEqual(figure["peers"]["torch"]["difference"], 0.25)
        self.assertEqual(figure["peers"]["openvino"], {"error": "it broke"})
        self.assertIn("missing", figure["peers"]["onnxruntime"]["error"])

    def test_without_ours_there_is_no_row(self):
        _, figure = self.run_row(ours=2)
        self.assertEqual(figure["error"], "it broke")


try:
    import numpy  # noqa: F401
except ImportError:
    del Turns


if __name__ == "__main__":
    unittest.main()
