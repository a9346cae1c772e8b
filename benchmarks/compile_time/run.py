#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What programs written with the library cost to compile.

run.py             table: GCC seconds and peak MB at -O2, clang instantiations (class and function templates)
run.py --gate      instantiations only; fails where one is more than 3 % above baseline.txt
run.py --update    writes baseline.txt anew, for review with the change that moved it

The list is programs.txt. Counts are the same on every run of one clang with one standard library, seconds are not: only
counts are gated, against the line of baseline.txt that names this compiler.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BASELINE = os.path.join(HERE, "baseline.txt")
LIMIT = 1.03


def programs(path):
    """(name, gated) of each listed program that exists."""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            line = line.split("#")[0].split()
            if not line:
                continue
            file = "include/" + line[0][1:-1] if line[0].startswith("<") else line[0]
            if os.path.exists(os.path.join(ROOT, file)):
                yield line[0], line[1] == "gate"


def source_of(name, folder):
    if not name.startswith("<"):
        return os.path.join(ROOT, name)
    path = os.path.join(folder, "header.cpp")
    with open(path, "w", encoding="utf-8") as source:
        source.write(f"#include {name}\nint main() {{}}\n")
    return path


def compile_program(compiler, flags, source, output):
    """Compiles and returns (seconds of CPU, peak megabytes); the compiler's message ends the run."""
    process = subprocess.Popen([compiler, *flags, "-I" + os.path.join(ROOT, "include"), "-c", source, "-o", output],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{source} does not compile with {compiler}:\n{text}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def instantiations(clang, flags, source, folder):
    """InstantiateClass and InstantiateFunction events of -ftime-trace."""
    output = os.path.join(folder, "traced.o")
    compile_program(clang, [*flags, "-O0", "-ftime-trace", "-ftime-trace-granularity=0"], source, output)
    with open(os.path.join(folder, "traced.json"), encoding="utf-8") as trace:
        events = json.load(trace)["traceEvents"]
    return sum(event["name"] in ("InstantiateClass", "InstantiateFunction") for event in events)


def version_of(compiler):
    """`clang-19/libstdc++-12`: what the counts depend on."""
    text = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
    major = re.search(r"(\d+)\.\d+\.\d+", text).group(1)
    macros = subprocess.run([compiler, "-std=c++20", "-x", "c++", "-dM", "-E", "-include", "version", "/dev/null"],
                            capture_output=True, text=True, check=True).stdout
    library = re.search(r"_GLIBCXX_RELEASE (\d+)", macros)
    return f"clang-{major}/libstdc++-{library.group(1) if library else 'none'}"


def dependency_versions():
    """The versions of xsimd and Boost, whose templates are counted as well."""
    found = []
    for name, header, pattern in (("xsimd", "xsimd/config/xsimd_config.hpp", r"XSIMD_VERSION_MAJOR (\d+)"),
                                  ("boost", "boost/version.hpp", r'BOOST_LIB_VERSION "([\d_]+)"')):
        for folder in ("/usr/include", "/usr/local/include"):
            path = os.path.join(folder, header)
            if os.path.exists(path):
                with open(path, encoding="utf-8", errors="replace") as text:
                    found.append(f"{name}-{re.search(pattern, text.read()).group(1).replace('_', '.')}")
                break
    return found


def read_baseline(key):
    counts = {}
    if os.path.exists(BASELINE):
        with open(BASELINE, encoding="utf-8") as lines:
            for line in lines:
                words = line.split("#")[0].split()
                if len(words) == 3 and words[0] == key:
                    counts[words[1]] = int(words[2])
    return counts


def write_baseline(key, counts):
    kept = []
    if os.path.exists(BASELINE):
        with open(BASELINE, encoding="utf-8") as lines:
            kept = [line for line in lines if line.strip() and not line.startswith("#") and line.split()[0] != key]
    with open(BASELINE, "w", encoding="utf-8") as file:
        file.write("# Instantiations by toolchain and program; written by run.py --update, reviewed like code.\n")
        file.writelines(kept)
        file.writelines(f"{key} {name} {count}\n" for name, count in counts.items())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gate", action="store_true", help="count instantiations and compare, without GCC")
    parser.add_argument("--update", action="store_true", help="write baseline.txt anew")
    parser.add_argument("--gcc", default="g++")
    parser.add_argument("--clang", default="clang++-19")
    parser.add_argument("--march", default="x86-64-v3", help="instruction set of all rows (default: %(default)s)")
    arguments = parser.parse_args()

    flags = ["-std=c++20", "-march=" + arguments.march]
    key = "/".join([version_of(arguments.clang), *dependency_versions()])
    baseline = read_baseline(key)
    counts, above = {}, []
    print(f"{key}, {arguments.march}")
    print(f"{'program':40} {'gcc -O2 s':>10} {'MB':>6} {'instantiations':>15} {'baseline':>9}")
    for name, gated in programs(os.path.join(HERE, "programs.txt")):
        if arguments.gate and not gated:
            continue
        with tempfile.TemporaryDirectory() as folder:
            source = source_of(name, folder)
            count = instantiations(arguments.clang, flags, source, folder)
            seconds = megabytes = None
            if not arguments.gate:
                seconds, megabytes = compile_program(arguments.gcc, [*flags, "-O2"], source,
                                                     os.path.join(folder, "measured.o"))
        if gated:
            counts[name] = count
            if name in baseline and count > baseline[name] * LIMIT:
                above.append(name)
        print(f"{name:40} {f'{seconds:.2f}' if seconds else '-':>10} {f'{megabytes:.0f}' if megabytes else '-':>6} "
              f"{count:>15} {baseline.get(name, '-'):>9}")
    if arguments.update:
        write_baseline(key, counts)
        return 0
    if not baseline:
        print(f"no baseline for {key}: nothing is gated")
    elif missing := [name for name in counts if name not in baseline]:
        print(f"not in baseline.txt: {', '.join(missing)}; run --update and review")
        return 1
    for name in above:
        print(f"{name}: {counts[name]} instantiations, more than 3 % above {baseline[name]}")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
