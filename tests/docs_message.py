#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs_message.py ROOT -- COMPILER FLAG...

Checks the compile error that README.md shows: its first program, with the mistake that the text names, has to be refused
with the `error:` and `note:` lines shown there. Line numbers and what stands between those lines may differ, so any GCC
will do.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

RIGHT = "ts::halo<1, 1>(u, ts::edge::zero), v), ts::copy(v, u)"
WRONG = "ts::halo<1, 1>(u, ts::edge::zero), u)"


def facts(text):
    return re.findall(r"(?:error: static assertion failed: .*|note: ‘tessera::.* evaluates to false)$", text, re.MULTILINE)


def main():
    split = sys.argv.index("--")
    root, command = pathlib.Path(sys.argv[1]), sys.argv[split + 1:]
    readme = (root / "README.md").read_text(encoding="utf-8")
    program = re.search(r"^```cpp examples/01_heat\.cpp\n(.*?)^```", readme, re.MULTILINE | re.DOTALL).group(1)
    shown = facts(re.search(r"^```\n(In file included from.*?)^```", readme, re.MULTILINE | re.DOTALL).group(1))
    if program.count(RIGHT) != 1 or len(shown) != 2:
        sys.exit("README.md: the program or its error is not where it was")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "heat.cpp"
        path.write_text(program.replace(RIGHT, WRONG), encoding="utf-8")
        text = subprocess.run(command + [str(path)], capture_output=True, text=True,
                              env=dict(os.environ, LC_ALL="C.UTF-8", GCC_COLORS="")).stderr
    if facts(text) != shown:
        sys.exit("README.md shows\n  " + "\n  ".join(shown) + "\nbut the compiler says\n" + text)


if __name__ == "__main__":
    main()
