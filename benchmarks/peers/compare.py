#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times a bundled model and what a user would pick instead on the same work, in turns, and prints Markdown tables.

  compare.py [ROW …] --ours build/release/benchmarks/bench.models.encoder

Run by benchmarks/compare.sh, which builds and installs what this needs; docs/benchmarks.md says how figures are taken.
"""
import argparse
import dataclasses
import json
import math
import os
import random
import selectors
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = ["torch", "torch_compile", "onnxruntime", "onnxruntime_fused", "openvino"]
CLEAN_SHARE = 0.97     # of the CPU time that all threads could have used; below, others took a core
CLEAN_ROUNDS = 7       # rounds with a clean sample that a figure rests on
FIRST_ID, CLS, SEP, VOCABULARY = 1000, 101, 102, 30522   # of words and marks in BERT's uncased vocabulary


@dataclasses.dataclass(frozen=True)
class Row:
    """What is timed: one sequence of `tokens`, or the sentences in groups of `batch`."""
    model: str
    tokens: int = 0
    batch: int = 1

    def group(self):
        return "one sequence" if self.tokens else "256 sentences"

    def peers(self):
        """Peers that take part: those that are made for one shape do not where there are several."""
        return [p for p in PEERS if self.tokens or p not in ("torch_compile", "onnxruntime_fused")]


ROWS = {"bert_base_128": Row("bert_base", tokens=128), "bert_large_384": Row("bert_large", tokens=384),
        "minilm_l6_128": Row("minilm_l6", tokens=128), "minilm_sentences_32": Row("minilm_l6", batch=32),
        "minilm_sentences_1": Row("minilm_l6", batch=1)}


# --- Work -------------------------------------------------------------------------------------------------------------

def made_up(length, source):
    return [CLS] + [source.randrange(FIRST_ID, VOCABULARY) for _ in range(length - 2)] + [SEP]


def made_up_sentences():
    """256 sequences whose lengths are log-normal (median 15 tokens, sigma 0.8), cut to 6 … 88: many short, few long."""
    source = random.Random(0)
    return [made_up(min(88, max(6, round(math.exp(source.gauss(math.log(15), 0.8))))), source) for _ in range(256)]


def workload(row, sentences):
    """The content of the file that contenders of this row read."""
    if row.tokens:
        return {"sequences": [made_up(row.tokens, random.Random(0))], "batch": 1}
    return {"sequences": sentences, "batch": row.batch}


# --- Samples and figures ----------------------------------------------------------------------------------------------

def clean(answer, threads):
    """Milliseconds of those passes of a round in which no other process took a core."""
    return [ms for ms, share in zip(answer["ms"], answer["share"]) if share >= CLEAN_SHARE * threads]


def clean_rounds(answers, threads):
    return sum(bool(clean(answer, threads)) for answer in answers)


def round_times(answers, threads):
    """-> (the fastest of each round's clean passes, None where there is none; whether they are clean). With fewer than
    CLEAN_ROUNDS clean rounds all passes count, and the figure is marked. The fastest, since other tenants of a machine
    take cache and memory, which no CPU time shows, for moments shorter than a round."""
    if clean_rounds(answers, threads) >= CLEAN_ROUNDS:
        kept = [clean(answer, threads) for answer in answers]
        return [min(ms) if ms else None for ms in kept], True
    return [min(answer["ms"]) for answer in answers], False


def median_time(times):
    return statistics.median(t for t in times if t is not None)


def ratio(ours, theirs):
    """Median of the rounds' ratios, over those rounds in which both have a time; None if there is none."""
    pairs = [a / b for a, b in zip(ours, theirs) if a is not None and b is not None]
    return statistics.median(pairs) if pairs else None


def figures(row, threads, contenders, bounds):
    """What a table shows of a row. `contenders` is {name: {"rounds": answers, "difference": …} or {"error": …}}, ours
    first; `bounds` are answers to `bound`. Times are in milliseconds."""
    ours_name, ours = next(iter(contenders.items()))
    result = {"row": row, "threads": threads, "ours": ours_name, "peers": {}}
    if "error" in ours:
        return result | {"error": ours["error"]}
    times, is_clean = round_times(ours["rounds"], threads)
    result |= {"ms": median_time(times), "clean": is_clean, "rounds": len(times),
               "gflop": bounds[0]["gflop"], "bound_ms": statistics.median(b["bound_ms"] for b in bounds)}
    # Each round's share of the peak that was measured in the same round.
    shares = [result["gflop"] * 1e3 / t / (peak * threads) for t, peak in zip(times, ours["peaks"]) if t is not None]
    result |= {"of_peak": statistics.median(shares), "of_bound": result["bound_ms"] / result["ms"]}
    for name, other in list(contenders.items())[1:]:
        if "error" in other:
            result["peers"][name] = {"error": other["error"]}
            continue
        theirs, is_clean = round_times(other["rounds"], threads)
        result["peers"][name] = {"ms": median_time(theirs), "clean": is_clean, "ratio": ratio(times, theirs),
                                 "difference": other["difference"], "is_peer": name in PEERS}
    return result


def best_peer(figure):
    """Name of the peer that took the least time; None if none ran. Other builds of ours are no peers."""
    ran = {name: p["ms"] for name, p in figure["peers"].items() if p.get("is_peer") and "ms" in p}
    return min(ran, key=ran.get) if ran else None


def milliseconds(ms, is_clean=True):
    return (f"{ms:.2f}" if ms < 10 else f"{ms:.1f}" if ms < 1000 else f"{ms:.0f}") + ("" if is_clean else "\\*")


def table(figures_of_group):
    """A Markdown table, a line for each row."""
    columns = []
    for figure in figures_of_group:
        columns += [name for name in figure["peers"] if name not in columns]
    lines = [["row", "threads", "ours, ms", "% of FMA peak", "% of bound", "best peer", "its ms", "ours ÷ best peer",
              *(f"÷ {name}" for name in columns), "largest difference"]]
    for figure in figures_of_group:
        line = [figure["row"], str(figure["threads"])]
        if "error" in figure:
            lines.append(line + ["—"] * (len(lines[0]) - 2))
            continue
        best = best_peer(figure)
        winner = figure["peers"].get(best, {})
        ratios = {name: f"{p['ratio']:.3f}" for name, p in figure["peers"].items() if p.get("ratio") is not None}
        differences = [p["difference"] for p in figure["peers"].values() if "difference" in p]
        line += [milliseconds(figure["ms"], figure["clean"]), f"{100 * figure['of_peak']:.0f}",
                 f"{100 * figure['of_bound']:.0f}", best or "—",
                 milliseconds(winner["ms"], winner["clean"]) if best else "—", ratios.get(best, "—"),
                 *(ratios.get(name, "—") for name in columns), f"{max(differences):.1e}" if differences else "—"]
        lines.append(line)
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def labels(programs):
    """A name for each program of ours: "ours" if it is the only one, else the part of its path that differs."""
    if len(programs) == 1:
        return ["ours"]
    paths = [os.path.abspath(p) for p in programs]
    if len(set(paths)) < len(paths):
        raise ValueError("--ours names the same program twice")
    common = os.path.commonpath(paths)
    names = [os.path.relpath(p, common) for p in paths]
    ending = os.path.join("", "benchmarks", os.path.basename(paths[0]))
    if all(n.endswith(ending) and n != ending for n in names):
        names = [n[:-len(ending)].rstrip(os.sep) or n for n in names]
    return names


# --- Contenders -------------------------------------------------------------------------------------------------------

class Failure(Exception):
    """A contender said that something is wrong, or ended."""


class Contender:
    """A process that obeys lines; see benchmarks/contender.hpp. What it writes to its standard error is kept."""

    def __init__(self, name, command, nice=0):
        self.name, self.log = name, tempfile.TemporaryFile()
        try:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log,
                                            start_new_session=True)
        except OSError as failure:
            raise Failure(str(failure)) from None
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.process.stdout, selectors.EVENT_READ)
        self.pending = b""
        if nice:
            raise_priority(self.process.pid, nice)

    def read(self, timeout_s):
        """The next line, decoded."""
        end = time.monotonic() + timeout_s
        while b"\n" not in self.pending:
            if not self.selector.select(max(0, end - time.monotonic())):
                raise Failure(f"no answer within {timeout_s:.0f} s")
            piece = os.read(self.process.stdout.fileno(), 1 << 16)
            if not piece:
                raise Failure(self.last_words())
            self.pending += piece
        line, _, self.pending = self.pending.partition(b"\n")
        answer = json.loads(line)
        if "error" in answer:
            raise Failure(answer["error"])
        return answer

    def ask(self, line, timeout_s=600):
        try:
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            raise Failure(self.last_words()) from None
        return self.read(timeout_s)

    def last_words(self):
        try:
            status = self.process.wait(30)
        except subprocess.TimeoutExpired:
            return "closed its standard output"
        self.log.seek(0)
        lines = self.log.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else f"ended with status {status}"

    def close(self):
        for action in (self.process.stdin.close, lambda: self.process.wait(10)):
            try:
                action()
            except (OSError, subprocess.TimeoutExpired):
                self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.selector.close()
        self.log.close()


def raise_priority(pid, nice):
    """Of a process that leads a session: its threads, and its group where the kernel schedules sessions as groups."""
    try:
        os.setpriority(os.PRIO_PROCESS, pid, nice)
        with open(f"/proc/{pid}/autogroup", "w", encoding="ascii") as group:
            group.write(str(nice))
    except OSError:
        pass


def pin(pid, cpus):
    """Every thread of a process."""
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            os.sched_setaffinity(int(task), cpus)
        except OSError:
            pass   # it has ended


def take_turns(contenders, threads, options, bounds):
    """Rounds of all contenders, ours first, until each has enough clean ones or the time is spent. One that fails leaves;
    returns {name: message}. Fills in each one's `rounds`, the `peaks` of ours, and `bounds`."""
    failures = {}
    ours = contenders[0]
    for contender in contenders:
        contender.rounds = []
    ours.peaks = []
    begin, number = time.monotonic(), 0
    while True:
        active = [c for c in contenders if c.name not in failures]
        enough = all(clean_rounds(c.rounds, threads) >= CLEAN_ROUNDS for c in active)
        if number >= options.rounds and (enough or time.monotonic() - begin > options.budget):
            return failures
        ours.peaks.append(ours.ask("peak")["gflops"])
        if number % 4 == 0:
            bounds.append(ours.ask("bound"))
        for contender in active if number % 2 == 0 else active[::-1]:   # so that a drift meets all alike
            time.sleep(0.05)   # threads of the one before may spin for a while
            try:
                contender.rounds.append(contender.ask(f"round {options.round_s}"))
            except Failure as failure:
                if contender is ours:
                    raise
                failures[contender.name] = str(failure)
        number += 1


def run_row(name, commands, options):
    """Times one row; `commands` is {name: command}, ours first. -> (what figures() takes as contenders, bounds)"""
    running, result, bounds = [], {label: {} for label in commands}, []
    first = next(iter(commands))
    cpus = sorted(os.sched_getaffinity(0))

    def fails(label, message):
        print(f"{name}: {label}: {message}", file=sys.stderr, flush=True)
        result[label] = {"error": message}

    try:
        with tempfile.TemporaryDirectory() as folder:
            arrays = {}
            for label, command in commands.items():
                contender = None
                try:
                    contender = Contender(label, command, options.nice)
                    running.append(contender)
                    ready = contender.read(options.setup)
                    pin(contender.process.pid, cpus[-options.threads:])
                    arrays[label] = os.path.join(folder, f"{len(arrays)}.npy")
                    contender.ask(f"save {arrays[label]}")
                    print(f"{name}: {label} is set up ({ready['setup_s']:.1f} s)", file=sys.stderr, flush=True)
                    result[label] = ready
                except Failure as failure:
                    if contender is not None:
                        running.remove(contender)
                        contender.close()
                    fails(label, str(failure))
                    if label == first:
                        return result, bounds
            for label, path in arrays.items():
                if "error" not in result[label]:
                    result[label]["difference"] = difference(arrays[first], path)
        try:
            for label, message in take_turns(running, options.threads, options, bounds).items():
                fails(label, message)
        except Failure as failure:
            fails(first, str(failure))
            return result, bounds
        result[first]["peaks"] = running[0].peaks
        for contender in running:
            if "error" not in result[contender.name]:
                result[contender.name]["rounds"] = contender.rounds
        return result, bounds
    finally:
        for contender in running:
            contender.close()


def difference(path, other):
    """The largest difference of two arrays' elements; infinite if their shapes differ."""
    import numpy as np
    a, b = np.load(path), np.load(other)
    return float(np.abs(a - b).max()) if a.shape == b.shape else math.inf


# --- The program ------------------------------------------------------------------------------------------------------

def cpu_model():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return os.uname().machine


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="of " + ", ".join(ROWS) + "; default: all")
    parser.add_argument("--rows", dest="more_rows", default="", metavar="ROW,…", help="the same, with commas")
    parser.add_argument("--peers", default=",".join(PEERS), metavar="PEER,…",
                        help="of " + ", ".join(PEERS) + ", or none; default: all")
    parser.add_argument("--ours", action="append", default=[], metavar="PROGRAM",
                        help="bench.models.encoder of a build; given again, the builds are compared with the first")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--sentences", metavar="FILE", help='ids of sentences: {"sentences": [{"ids": [2, …]}, …]}')
    parser.add_argument("--rounds", type=int, default=9, help="at least, for each row (default 9)")
    parser.add_argument("--round", dest="round_s", type=float, default=1.5, metavar="S",
                        help="for passes of one contender, at least one (default 1.5)")
    parser.add_argument("--budget", type=float, default=300, metavar="S",
                        help="for more rounds, where other jobs took the core (default 300)")
    parser.add_argument("--setup", type=float, default=1200, metavar="S", help="longest that a contender may set up")
    parser.add_argument("--nice", type=int, default=0, metavar="N",
                        help="priority of the contenders; -20 (root) keeps other jobs of the machine off their core")
    parser.add_argument("--cache", metavar="DIR", help="for weights, exported and compiled models")
    parser.add_argument("--json", metavar="FILE", help="every sample, written after each row")
    options = parser.parse_args()
    options.rows += [row for row in options.more_rows.split(",") if row]
    options.rows = options.rows or list(ROWS)
    options.peers = [] if options.peers == "none" else options.peers.split(",")
    for kind, given, known in (("row", options.rows, ROWS), ("peer", options.peers, PEERS)):
        for one in given:
            if one not in known:
                parser.error(f"there is no {kind} {one}; known are {', '.join(known)}")
    if not options.ours:
        parser.error("--ours is missing: the program bench.models.encoder of a build")
    if not 1 <= options.threads <= len(os.sched_getaffinity(0)):
        parser.error(f"--threads is 1 to {len(os.sched_getaffinity(0))} here")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    options.cache = options.cache or os.environ.get("TESSERA_PEERS") or os.path.join(home, "tessera", "peers")
    return options


def commands_of(row, workload_path, options):
    """{name: command}, ours first."""
    script = [sys.executable, os.path.join(HERE, "contender.py")]
    made = subprocess.run([*script, "weights", row.model, "--cache", options.cache], stdout=subprocess.PIPE, check=True)
    weights, threads = made.stdout.decode().strip(), ["--threads", str(options.threads)]
    commands = {label: [program, row.model, weights, workload_path, *threads]
                for label, program in zip(labels(options.ours), options.ours)}
    for peer in options.peers:
        if peer in row.peers():
            commands[peer] = [*script, peer, row.model, workload_path, *threads, "--cache", options.cache]
    return commands


def main():
    options = arguments()
    os.makedirs(options.cache, exist_ok=True)
    sentences = made_up_sentences()
    if options.sentences:
        with open(options.sentences, encoding="utf-8") as file:
            sentences = [s["ids"] for s in json.load(file)["sentences"]]
    groups, versions, stored = {}, {}, []
    for name in options.rows:
        row = ROWS[name]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "workload.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(workload(row, sentences), file)
            contenders, bounds = run_row(name, commands_of(row, path, options), options)
        for contender in contenders.values():
            if "version" in contender:
                versions[", ".join(contender[k] for k in ("version", "isa") if k in contender)] = None
        figure = figures(name, options.threads, contenders, bounds)
        groups.setdefault(row.group(), []).append(figure)
        print(table([figure]), file=sys.stderr, flush=True)
        stored.append({"figure": figure, "contenders": contenders, "bounds": bounds})
        if options.json:
            with open(options.json, "w", encoding="utf-8") as file:
                json.dump({"cpu": cpu_model(), "rows": stored}, file, indent=1)
    all_figures = [figure for group in groups.values() for figure in group]
    for group, of_group in groups.items():
        print(f"### {group}, {options.threads} thread{'s' * (options.threads > 1)}\n\n{table(of_group)}\n")
    print(f"{cpu_model()}; {'; '.join(versions)}" + (f"; ours is {labels(options.ours)[0]}" if options.ours[1:] else ""))
    if any(not p.get("clean", True) for f in all_figures for p in (f, *f["peers"].values())):
        print("\n\\* other jobs of the machine took part of the core in nearly every round")
    return 1 if any("error" in figure for figure in all_figures) else 0


if __name__ == "__main__":
    sys.exit(main())
