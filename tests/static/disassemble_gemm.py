#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the largest matrix-product kernel and reads its machine code: the loop over the depth must hold one
full-width fused multiply-add per accumulator and touch no stack.

    tests/static/disassemble_gemm.py [--compiler g++ --compiler clang++-19 …] [--flags=-O2 …]

Exit status 0 if every compiler passes for every instruction set, 77 if there is no objdump for x86-64."""

import argparse
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = """
#include <tessera/codelets/detail/gemm_kernel.hpp>
namespace kernels = tessera::codelets::detail;
template void kernels::gemm_kernel<kernels::gemm_tile.rows, 1>(kernels::gemm_step const&);
"""
# instruction set -> register, accumulators (gemm_tile)
ISAS = {"x86-64-v4": ("zmm", 28), "x86-64-v3": ("ymm", 12)}


def instructions(text):
    """(address, mnemonic, operands) of each line of objdump."""
    for line in text.splitlines():
        match = re.match(r"\s*([0-9a-f]+):\s+(?:\{?\w*\}?\s+)?([a-z][\w.]*)\s*(.*)", line)
        if match:
            yield int(match[1], 16), match[2], match[3]


def depth_loop(code):
    """The innermost loop with the most multiply-adds: from the target of a backward jump to the jump."""
    best = []
    for position, (address, mnemonic, operands) in enumerate(code):
        target = re.match(r"([0-9a-f]+)\b", operands)
        if not mnemonic.startswith("j") or not target or int(target[1], 16) >= address:
            continue
        body = [i for i in code[: position + 1] if i[0] >= int(target[1], 16)]
        inner = any(
            m.startswith("j") and (t := re.match(r"([0-9a-f]+)\b", o)) and int(target[1], 16) <= int(t[1], 16) < a
            for a, m, o in body[:-1]
        )
        multiply_adds = sum(m.startswith("vfmadd") for _, m, _ in body)
        if not inner and multiply_adds > sum(m.startswith("vfmadd") for _, m, _ in best):
            best = body
    return best


def faults(compiler, flags, isa):
    register, accumulators = ISAS[isa]
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder, "kernel.cpp"), pathlib.Path(folder, "kernel.o")
        source.write_text(SOURCE)
        command = [compiler, "-std=c++20", f"-march={isa}", f"-I{ROOT / 'include'}", *flags, "-c", source, "-o", target]
        subprocess.run(command, check=True)
        text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", target], check=True, capture_output=True, text=True)
    loop = depth_loop(list(instructions(text.stdout)))
    multiply_adds = [o for _, m, o in loop if m.startswith("vfmadd") and m.endswith("ps")]
    if not multiply_adds or len(multiply_adds) % accumulators:
        yield f"{len(multiply_adds)} multiply-adds in the loop, a multiple of {accumulators} expected"
    for operands in multiply_adds:
        if f"%{register}" not in operands:
            yield f"a multiply-add of another width: {operands}"
    for _, mnemonic, operands in loop:
        if "(%rsp" in operands or "(%rbp" in operands:
            yield f"stack traffic: {mnemonic} {operands}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", action="append", help="default: the g++ and clang++ found")
    parser.add_argument("--flags", action="append", help="default: -O2 and -O3, one after the other")
    arguments = parser.parse_args()
    if platform.machine() not in ("x86_64", "AMD64") or not shutil.which("objdump"):
        print("skipped: needs objdump on x86-64")
        return 77
    clang = [f"clang++{version}" for version in ("-19", "-18", "-17", "-16", "")]
    found = [next((c for c in names if shutil.which(c)), None) for names in (["g++"], clang)]
    failed = False
    for compiler in arguments.compiler or [c for c in found if c]:
        for isa in ISAS:
            for flags in [arguments.flags] if arguments.flags else (["-O2"], ["-O3"]):
                problems = list(faults(compiler, flags, isa))
                failed |= bool(problems)
                print(f"{compiler} {isa} {' '.join(flags)}: {'; '.join(problems) or 'full width, no stack traffic'}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
