#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py [--build DIR] [--forward] [--only TEXT] [--threads N] [--march ISA] [--more SEED] [CASES...]

Runs the cases of a conformance kit: every folder below CASES with a case.json (default: ../shared/conformance/cases
beside the repository). Operators become programs of the graph level, many in one source file, compiled with the installed
compiler; models run through tessera-run of the build folder. Prints a table of PASS, FAIL and `later`: what the library
cannot do yet. Fails where a case does, or where a group that is listed in passed.txt has become `later`.
--accept adds the groups that pass now to passed.txt, for review; --more adds the cases of make_cases.py.
"""
import argparse
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
KIT = os.path.join(os.path.dirname(ROOT), "shared", "conformance")
PASSED = os.path.join(HERE, "passed.txt")
sys.path.insert(0, HERE)
import make_cases  # noqa: E402
from operators import Later, source, statements  # noqa: E402


class NotAtHand(Later):
    """Files that do not come with the repository: says nothing about the library."""


def group_of(case):
    """The unit of passed.txt: an operator, one activation function, or a model."""
    name = case.get("op") or case.get("model") or case.get("optimizer") or "other"
    if name == "activation":
        name += "-" + case["attrs"]["function"]
    if case["group"] == "real" and "vocab" in case and "weights" not in case:
        name += "-tokenizer"
    return f"{case['group']}/{name}"


def find_cases(folders, only):
    for top in folders:
        if not os.path.isdir(top):
            sys.exit(f"{top}: no such folder")
        for folder, subfolders, files in os.walk(top):
            subfolders.sort()
            if "case.json" in files:
                with open(os.path.join(folder, "case.json"), encoding="utf-8") as text:
                    case = json.load(text)
                if only in case["name"]:
                    yield folder, case


# --- Comparison -------------------------------------------------------------------------------------------------------

def compare(folder, produced, case, forward):
    """None, or what is wrong with the produced files: the rule of the kit's README, section 5."""
    for name, wanted in case["outputs"].items():
        if forward and name.startswith("d_"):
            continue
        path = os.path.join(produced, name + ".npy")
        if not os.path.exists(path):
            if wanted.get("optional"):
                continue
            return f"{name} was not produced"
        got, shape = np.load(path), tuple(wanted["shape"])
        if [n for n in got.shape if n != 1] != [n for n in shape if n != 1]:
            return f"{name} has shape {got.shape}, expected {shape}"
        got = got.reshape(shape)
        expected = os.path.join(folder, "expected", name)
        if wanted["kind"] == "exact":
            different = int((got != np.load(expected + ".npy")).sum())
            if different:
                return f"{name}: {different} integers differ"
            continue
        if not np.isfinite(got).all():
            return f"{name} is not finite"
        if wanted["stored"] == "samples":
            if "stats" in wanted:
                whole = got.astype(np.float64)
                sums = {"sum": whole.sum(), "abs_sum": np.abs(whole).sum(), "l2": np.sqrt((whole ** 2).sum())}
                for key, value in sums.items():
                    scale = wanted["stats"]["l2" if key == "l2" else "abs_sum"]
                    if not abs(value - wanted["stats"][key]) <= wanted["rtol"] * scale:
                        return f"{name}: {key} is {value:.8g}, expected {wanted['stats'][key]:.8g}"
            want, got = np.load(expected + ".values.npy"), got.ravel()[np.load(expected + ".index.npy")]
        else:
            want = np.load(expected + ".npy")
        error = np.abs(got.astype(np.float64) - want)
        wrong = ~(error <= wanted["atol"] + wanted["rtol"] * np.abs(want.astype(np.float64)))
        if wrong.any():
            return f"{name}: {int(wrong.sum())} of {wrong.size} elements over the limit, largest error {error.max():.3g}"
    return None


def kit_check(folders):
    """check() of the kit's own check.py where one lies near the cases: the independent judge."""
    for folder in [*(os.path.join(top, up) for top in folders for up in (".", "..", "../..")), KIT]:
        path = os.path.join(folder, "check.py")
        if os.path.exists(path):
            specification = importlib.util.spec_from_file_location("kit_check", path)
            module = importlib.util.module_from_spec(specification)
            specification.loader.exec_module(module)
            return module.check
    return None


# --- Running ----------------------------------------------------------------------------------------------------------

def call(command, timeout):
    """Runs a program; None, or the last line it wrote when it failed."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=timeout)
    except subprocess.TimeoutExpired:
        return f"no result after {timeout} s"
    if done.returncode == 0:
        return None
    text = (done.stderr or done.stdout).strip().splitlines()
    return text[-1] if text else f"ended with {done.returncode}"


class Operators:
    """Compiles operator cases, many in one program since each program costs its headers, and runs them."""
    TOGETHER = 20

    def __init__(self, work, arguments):
        self.work, self.arguments, self.programs = work, arguments, {}

    def compile(self, name, cases):
        text = source(cases)
        path, program = os.path.join(self.work, name + ".cpp"), os.path.join(self.work, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        flags = ["-std=c++20", "-O2", "-march=" + self.arguments.march, "-I" + os.path.join(ROOT, "include"), "-I" + HERE]
        cache = ["ccache"] if shutil.which("ccache") else []
        for command in ([*cache, self.arguments.compiler, *flags, "-c", path, "-o", program + ".o"],
                        [self.arguments.compiler, program + ".o", "-o", program, "-pthread"]):
            done = subprocess.run(command, capture_output=True, text=True, errors="replace")
            if done.returncode != 0:
                break
        else:
            return program, None
        with open(path + ".log", "w", encoding="utf-8") as log:
            log.write(done.stderr)
        first = next((line for line in done.stderr.splitlines() if "error:" in line), "the compiler failed")
        return None, f"does not compile: {first.split('error:')[-1].strip()[:160]} (see {os.path.relpath(path, ROOT)}.log)"

    def prepare(self, cases):
        """cases: list of (index, case). Fills self.programs[index] = (program, problem)."""
        cases = sorted(cases, key=lambda member: (member[1]["op"], member[1]["name"]))
        chunks = max(-(-len(cases) // self.TOGETHER), min(len(os.sched_getaffinity(0)), len(cases)))
        size = -(-len(cases) // max(chunks, 1))

        def compile_group(number):
            began, members = time.time(), cases[number * size:(number + 1) * size]
            if not members:
                return
            program, problem = self.compile(f"operators_{number}", members)
            if program is None and len(members) > 1:      # one bad case must not take the others with it
                for index, case in members:
                    self.programs[index] = self.compile(f"operator_{index}", [(index, case)])
            else:
                for index, _ in members:
                    self.programs[index] = (program, problem)
            names = f"{members[0][1]['name']} … {members[-1][1]['name']}"
            print(f"compiled {len(members)} cases, {names}: {time.time() - began:.1f} s", flush=True)

        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            list(pool.map(compile_group, range(chunks)))

    def run(self, index, folder, out):
        program, problem = self.programs[index]
        return problem or call([program, str(index), os.path.join(folder, "inputs"), out, str(self.arguments.threads)], 600)


class Models:
    """Runs model and tokenizer cases through tessera-run."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.program = os.path.join(arguments.build, "bin", "tessera-run")
        self.names = set()
        if os.path.exists(self.program):
            listing = subprocess.run([self.program, "--list"], capture_output=True, text=True, check=False).stdout
            self.names = {line.split()[0].rstrip(":") for line in listing.splitlines() if line[:1].strip()}

    def weights(self, case, file):
        """A file of real weights, by the last part of its name: from --weights, what examples/quickstart.sh keeps, the kit."""
        cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "tessera")
        kept = [os.path.join(cache, name) for name in (sorted(os.listdir(cache)) if os.path.isdir(cache) else [])]
        for folder in (self.arguments.weights, *kept, os.path.join(KIT, "weights")):
            path = os.path.join(folder, os.path.basename(file)) if folder else ""
            if path and os.path.exists(path) and self.is_right(path, case["weights"] if "weights" in case else {}):
                return path
        raise NotAtHand(f"weights missing: {os.path.basename(file)} in --weights FOLDER")

    @staticmethod
    def is_right(path, weights):
        if "sha256" not in weights:
            return True
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == weights["sha256"]

    def command(self, folder, case):
        if case["model"] not in self.names:
            raise Later(f"model {case['model']}" if self.names else "tessera-run is not built")
        command = [self.program, case["model"], "--threads", str(self.arguments.threads)]
        if "vocab" in case:
            texts = [name for name in sorted(os.listdir(os.path.join(folder, "inputs"))) if name.endswith(".json")]
            return command + ["--vocab", self.weights(case, case["vocab"]),
                              "--tokenize", os.path.join(folder, "inputs", texts[0])]
        weights = case["weights"]
        command += ["--weights", f"synthetic:{int(weights['seed'])}" if weights["kind"] == "synthetic"
                    else self.weights(case, weights["file"])]
        configuration = case.get("config") or {}
        for name in case["inputs"]:
            if name not in configuration:
                command += ["--input", f"{name}={os.path.join(folder, 'inputs', name + '.npy')}"]
        for key, value in configuration.items():
            command += ["--config", f"{key}={int(value) if isinstance(value, bool) else value}"]
        return command

    def run(self, folder, case, out):
        problem = call(self.command(folder, case) + ["--output", out], 1800)
        embeddings = os.path.join(out, "sentence_embedding.npy")
        if "cosine" in case["outputs"] and os.path.exists(embeddings):     # of what was produced: lengths are 1
            rows = np.load(embeddings).astype(np.float64)
            np.save(os.path.join(out, "cosine.npy"), (rows @ rows.T).astype(np.float32))
        return problem


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", default=[os.path.join(KIT, "cases")])
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"), help="build folder with bin/tessera-run")
    parser.add_argument("--forward", action="store_true", help="operators without their gradients")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--march", default="native", help="instruction set of the operator programs")
    parser.add_argument("--compiler", default=os.environ.get("CXX", "g++"))
    parser.add_argument("--weights", default="", help="folder with model.safetensors and vocab.txt of MiniLM")
    parser.add_argument("--accept", action="store_true", help="add the groups that pass to passed.txt")
    parser.add_argument("--more", type=int, metavar="SEED", help="operator cases of other sizes, made from this seed, besides")
    parser.add_argument("-q", "--quiet", action="store_true", help="print only what does not pass")
    arguments = parser.parse_args()

    work = os.path.join(os.path.abspath(arguments.build), "conformance", arguments.march)
    os.makedirs(work, exist_ok=True)
    folders = list(arguments.cases)
    if arguments.more is not None:
        folders.append(os.path.join(work, f"made-{arguments.more}"))
        shutil.rmtree(folders[-1], ignore_errors=True)
        make_cases.make(folders[-1], arguments.more)
    cases = list(enumerate(find_cases(folders, arguments.only)))
    if not cases:
        sys.exit("no case found")
    judge = kit_check(arguments.cases)
    operators, models = Operators(work, arguments), Models(arguments)

    # What can run, and what is later: before anything is compiled.
    later, not_at_hand, to_compile = {}, set(), []
    for index, (folder, case) in cases:
        try:
            if case["group"] == "ops":
                if not arguments.forward:
                    raise Later("gradients: --forward leaves them out")
                statements(case)
                to_compile.append((index, case))
            elif case["group"] in ("models", "real"):
                models.command(folder, case)
            else:
                raise Later(f"{case['group']}/")
        except Later as reason:
            later[index] = str(reason)
            if isinstance(reason, NotAtHand):
                not_at_hand.add(index)
    if not os.path.exists(os.path.join(ROOT, "include", "tessera", "graph.hpp")):
        later.update((index, "the graph level") for index, _ in to_compile)
        to_compile = []
    operators.prepare(to_compile)

    with open(PASSED, encoding="utf-8") as lines:
        once_passed = {line.strip() for line in lines if line.strip() and not line.startswith("#")}
    counts, status_of_group, width = {"PASS": 0, "FAIL": 0, "later": 0}, {}, max(len(case["name"]) for _, (_, case) in cases)
    for index, (folder, case) in cases:
        out = os.path.join(work, "out", str(index))
        shutil.rmtree(out, ignore_errors=True)
        os.makedirs(out)
        began, detail = time.time(), ""
        if index in later:
            status, detail = "later", later[index]
            if group_of(case) in once_passed and index not in not_at_hand:
                status, detail = "FAIL", f"passed once, now later: {detail}"
        else:
            detail = operators.run(index, folder, out) if case["group"] == "ops" else models.run(folder, case, out)
            detail = detail or compare(folder, out, case, arguments.forward)
            if not detail and judge:
                printed = os.path.join(out, "check.txt")
                with open(printed, "w", encoding="utf-8") as text:
                    stdout, sys.stdout = sys.stdout, text
                    try:
                        agreed = judge(folder, out, forward=arguments.forward) == 0
                    finally:
                        sys.stdout = stdout
                if not agreed:
                    detail = f"check.py disagrees, see {os.path.relpath(printed, ROOT)}"
            status = "FAIL" if detail else "PASS"
        counts[status] += 1
        status_of_group.setdefault(group_of(case), set()).add(status)
        if status != "PASS" or not arguments.quiet:
            seconds = f"{time.time() - began:6.2f} s" if status != "later" else ""
            print(f"{status:5} {case['name']:{width}} {seconds:9} {detail or ''}".rstrip(), flush=True)

    if arguments.accept:
        once_passed |= {group for group, status in status_of_group.items() if status == {"PASS"}}
        with open(PASSED, "w", encoding="utf-8") as file:
            file.write("# Groups that have passed; they may not become `later` again. Written by run.py --accept.\n")
            file.writelines(group + "\n" for group in sorted(once_passed))
    print(f"{arguments.march}, {arguments.threads} thread(s)")
    print(f"{counts['PASS']} passed, {counts['FAIL']} failed, {counts['later']} later")
    return 1 if counts["FAIL"] else 0


if __name__ == "__main__":
    sys.exit(main())
