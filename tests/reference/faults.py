#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the test: every fault that tessera/plan/fault.hpp can plant must make the engine differ from the interpreter.

    tests/reference/faults.py [--fault K ...] [--seed S] [--compiler C]

For each fault, programs that contain what it spoils are compiled with it, a few at a time, until one differs. That one
is then compiled without the fault, and must agree.
"""
import argparse
import os
import sys
import tempfile
import time

import generator
import run

# What a program must contain, and what it had better not: a loop whose predicate is spoiled may never end.
WANTED = {
    1: ({"halo"}, {"repeat_while", "if"}), 2: ({"copy seen"}, {"repeat_while", "if"}), 3: ({"halo"}, {"repeat_while"}), 4: ({"temporaries"}, {"repeat_while"}),
    5: ({"uneven"}, {"repeat_while"}), 6: ({"if"}, {"repeat_while"}), 7: ({"swap seen"}, {"repeat_while"}),
    8: ({"patch"}, {"repeat_while"}), 9: ({"carried"}, {"repeat_while"}), 10: ({"copy seen"}, {"repeat_while"}),
}
NAMES = {
    1: "no barrier between a write and a read of it", 2: "no barrier before an overwrite of what is still read",
    3: "halos are one element too narrow", 4: "a tensor's last step is not part of its live range",
    5: "the last, partial tile is left out", 6: "the other branch is taken", 7: "a view is stale after a swap",
    8: "a partial write counts as a complete one", 9: "liveness ignores the way back of loops",
    10: "a copy becomes a swap though its source is read later",
}


def choose(programs, fault):
    """Small programs that contain what the fault spoils, the shortest first; swaps and races need several tiles."""
    wanted, unwanted = WANTED[fault]
    fits = [p for p in programs if wanted <= p.features and not p.large and p.tiles > (3 if fault in (1, 2) else 1)]
    if fault in (1, 2, 7):
        fits = [p for p in fits if p.shared]
    return sorted(fits, key=lambda p: (len(unwanted & p.features), p.records))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fault", type=int, nargs="*", default=sorted(WANTED))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--march", default="")
    parser.add_argument("--flags", default="")
    parser.add_argument("--at-once", type=int, default=3, help="programs of one compilation")
    parser.add_argument("--tries", type=int, default=8, help="compilations for one fault")
    options = parser.parse_args()
    programs = [p for seed in range(options.seed, options.seed + 3) for p in generator.generate(seed, 60)[0]]
    missed = []
    for fault in options.fault:
        begin, found, tried = time.time(), [], 0
        chosen = choose(programs, fault)
        given = ["--compiler", options.compiler, "--march", options.march, "--flags=" + options.flags, "--quiet", "--jobs",
                 "1", "--timeout", "25", "--group", str(options.at_once)]
        settings = run.arguments(given + ["--fault", str(fault)])
        with tempfile.TemporaryDirectory() as folder:
            for i in range(0, min(len(chosen), options.tries * options.at_once), options.at_once):
                part = chosen[i:i + options.at_once]
                result = run.run_programs(settings, part, folder)
                tried += len(part)
                found = [p for p in part if p.name in result.different][:1]
                found = [p.name for p in found if run.run_programs(run.arguments(given), [p], folder).same]
                if found:
                    break
        print("fault %2d  %-58s %s  (%d programs, %.0f s)" % (
            fault, NAMES[fault], "found by " + ", ".join(found) if found else "NOT FOUND", tried, time.time() - begin))
        sys.stdout.flush()
        if not found:
            missed.append(fault)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
