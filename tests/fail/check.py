#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check.py CASE.cpp... -- COMPILER FLAG...

The first line of a case is `// EXPECT: regex`. Compiled with -DTESSERA_MUST_FAIL it has to be refused with exactly one
`error:` line, and the regular expression has to match somewhere in what the compiler says; compiled without, it has to
be accepted. Prints the message and returns 1 otherwise.

check.py --self-test -- COMPILER FLAG...   shows the checker cases that it has to reject.
"""
import os
import re
import subprocess
import sys
import tempfile

MARK = "// EXPECT: "


def compile_case(path, command):
    # Messages are English and uncoloured whatever the user's settings are.
    environment = dict(os.environ, LC_ALL="C", GCC_COLORS="")
    done = subprocess.run(command + [path], capture_output=True, text=True, errors="replace", env=environment)
    return done.returncode, done.stdout + done.stderr


def problems(path, command):
    """What is wrong with a case, as a list of sentences."""
    with open(path, encoding="utf-8") as case:
        first = case.readline().rstrip("\n")
    if not first.startswith(MARK):
        return [f"the first line is not `{MARK}regex`"]
    expected = first[len(MARK):].strip()
    found = []

    status, text = compile_case(path, command)
    if status != 0:
        found.append("it does not compile with the mistake taken out:\n" + text)

    status, text = compile_case(path, command + ["-DTESSERA_MUST_FAIL"])
    errors = [line for line in text.splitlines() if re.search(r"\b(fatal )?error: ", line)]
    if status == 0:
        found.append("it compiles, but must not")
    elif len(errors) != 1:
        found.append(f"{len(errors)} errors instead of one:\n" + "\n".join(errors) + "\n\n" + text)
    if status != 0 and not re.search(expected, text):
        found.append(f"no line matches {expected!r}:\n" + text)
    return found


SELF_TEST = {
    "accepted.cpp": (None, "// EXPECT: impossible<3>\ntemplate <int> constexpr bool impossible = false;\n"
                           "#ifdef TESSERA_MUST_FAIL\nstatic_assert(impossible<3>);\n#endif\nint main() {}\n"),
    "no_expectation.cpp": ("first line", "int main() {}\n"),
    "compiles.cpp": ("it compiles, but must not", "// EXPECT: x\nint main() {}\n"),
    "never_compiles.cpp": ("does not compile with the mistake", "// EXPECT: x\nint main() { return x; }\n"),
    "two_errors.cpp": ("2 errors", "// EXPECT: left\n#ifdef TESSERA_MUST_FAIL\nint a = left;\nint b = right;\n#endif\n"),
    "other_text.cpp": ("no line matches", "// EXPECT: elsewhere\n#ifdef TESSERA_MUST_FAIL\nint a = left;\n#endif\n"),
}


def self_test(command):
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (complaint, text) in SELF_TEST.items():
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as case:
                case.write(text)
            found = problems(path, command)
            if (not found) if complaint is None else any(complaint in line for line in found):
                continue
            wrong += 1
            print(f"{name}: expected {complaint!r}, got {found}")
    return wrong


def main():
    if "--" not in sys.argv:
        sys.exit(__doc__)
    split = sys.argv.index("--")
    cases, command = sys.argv[1:split], sys.argv[split + 1:]
    if cases == ["--self-test"]:
        sys.exit(1 if self_test(command) else 0)
    failed = 0
    for path in cases:
        found = problems(path, command)
        failed += bool(found)
        for line in found:
            print(f"{path}: {line}")
    sys.exit(1 if failed or not cases else 0)


if __name__ == "__main__":
    main()
