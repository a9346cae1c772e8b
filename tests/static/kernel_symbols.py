#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kernel_symbols.py SOURCE -- COMPILER FLAG...

Compiles a program and reads its symbols: a vertex's functions are named after the vertex and its accesses, never after
the program, or one program's kernels could not serve another. Prints those that are and returns 1."""
import pathlib
import re
import subprocess
import sys
import tempfile


def main():
    split = sys.argv.index("--")
    (source,), compiler = sys.argv[1:split], sys.argv[split + 1:]
    with tempfile.TemporaryDirectory() as folder:
        target = pathlib.Path(folder, "program.o")
        subprocess.run([*compiler, "-c", source, "-o", target], check=True)
        symbols = subprocess.run(["nm", "-C", target], capture_output=True, text=True, check=True).stdout
    of_vertices = re.compile(r"detail::(run|bind|construct)_vertex<|detail::set_state<|::compute\(\)")
    kernels = [line.split(maxsplit=2)[-1] for line in symbols.splitlines() if of_vertices.search(line)]
    wrong = [name for name in kernels if "program_type" in name or "graph_program" in name or "checked_program" in name]
    for name in wrong:
        print(name)
    print(f"{len(kernels)} symbols of vertices; {len(wrong)} of them name a program")
    return 1 if wrong or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())
