#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""symbols.py LAYER... -- OBJECT OBJECT...

Objects of one source for different instruction sets, compiled with -g. A function that several of them define under one
name would be merged by the linker: one copy stays, and a CPU without its instructions ends the program. Prints those that
come from headers of the named layers and returns 1. (What std instantiates is merged, too; the library cannot name that.)
"""
import collections
import re
import subprocess
import sys


def weak_functions(path):
    """(name, file) of the functions that the linker may merge."""
    text = subprocess.run(["nm", "-C", "-l", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        symbol, _, source = line.partition("\t")
        _, kind, name = symbol.split(maxsplit=2)
        if kind == "W":
            yield name, source


def main():
    split = sys.argv.index("--")
    layers, objects = sys.argv[1:split], sys.argv[split + 1:]
    inside = re.compile(r"/tessera/(" + "|".join(layers) + ")/")
    defined = collections.Counter(entry for path in objects for entry in {(n, s.split(":")[0]) for n, s in weak_functions(path)})
    own = {entry: count for entry, count in defined.items() if inside.search(entry[1])}
    shared = sorted(entry for entry, count in own.items() if count > 1)
    for name, source in shared:
        print(f"{source}: {name}")
    print(f"{len(own)} weak functions of {', '.join(layers)}; {len(shared)} of them in more than one object")
    return 1 if shared or not own else 0


if __name__ == "__main__":
    sys.exit(main())
