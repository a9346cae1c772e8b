#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the largest matrix-product kernel, for weights of float and of bf16, and reads its machine code: the loop over
the depth must hold full-width fused multiply-adds, as many for each accumulator, and touch no stack. Where it is unrolled,
it may reload an address for every ten of them.

    tests/static/disassemble_gemm.py [--compiler g++ --compiler clang++-19 …] [--flags=-O2 …]

Exit status 0 if every compiler passes for every instruction set, 77 if there is no objdump for x86-64."""

import argparse
import itertools
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
template void kernels::gemm_kernel<kernels::gemm_rows<WEIGHT>, 1, WEIGHT>(kernels::gemm_step const&);
"""
# instruction set -> register, accumulators (gemm_rows x 2) with weights of float, of bf16
ISAS = {"x86-64-v4": ("zmm", 28, 26), "x86-64-v3": ("ymm", 12, 12)}


def instructions(text):
    """(address, mnemonic, operands) of each line of objdump."""
    for line in text.splitlines():
        match = re.match(r"\s*([0-9a-f]+):\s+(?:\{?\w*\}?\s+)?([a-z][\w.]*)\s*(.*)", line)
        if match:
            yield int(match[1], 16), match[2], match[3]


def multiply_adds(code):
    return sum(m.startswith("vfmadd") for _, m, _ in code)


def depth_loop(code):
    """The shortest loop with all multiply-adds of the loop that has the most: from the target of a backward jump to the
    jump. Loops inside it without multiply-adds fetch memory ahead."""
    best = []
    for position, (address, mnemonic, operands) in enumerate(code):
        target = re.match(r"([0-9a-f]+)\b", operands)
        if not mnemonic.startswith("j") or not target or int(target[1], 16) >= address:
            continue
        body = [i for i in code[: position + 1] if i[0] >= int(target[1], 16)]
        if not multiply_adds(body):
            continue
        innermost = not any(
            m.startswith("j") and (t := re.match(r"([0-9a-f]+)\b", o)) and int(target[1], 16) <= int(t[1], 16) < a
            and multiply_adds([i for i in body if int(t[1], 16) <= i[0] <= a])
            for a, m, o in body[:-1]
        )
        if innermost and (multiply_adds(body), -len(body)) > (multiply_adds(best), -len(best)):
            best = body
    return best


def faults(compiler, flags, isa, weight):
    register, *of_weight = ISAS[isa]
    accumulators = of_weight[weight != "float"]
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder, "kernel.cpp"), pathlib.Path(folder, "kernel.o")
        source.write_text(SOURCE.replace("WEIGHT", weight))
        command = [compiler, "-std=c++20", f"-march={isa}", f"-I{ROOT / 'include'}", *flags, "-c", source, "-o", target]
        subprocess.run(command, check=True)
        text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", target], check=True, capture_output=True, text=True)
    loop = depth_loop(list(instructions(text.stdout)))
    found = [o for _, m, o in loop if m.startswith("vfmadd") and m.endswith("ps")]
    if not found or len(found) % accumulators:
        yield f"{len(found)} multiply-adds in the loop, a multiple of {accumulators} expected"
    for operands in found:
        if f"%{register}" not in operands:
            yield f"a multiply-add of another width: {operands}"
    code = list(instructions(text.stdout))
    framed = any(m == "mov" and o.startswith("%rsp,%rbp") for _, m, o in code)   # else %rbp is a register like others
    stack = [(m, o) for _, m, o in loop if "(%rsp" in o or (framed and "(%rbp" in o)]
    vectors = [(m, o) for m, o in stack if m.startswith("v")]
    if vectors or len(stack) > (len(found) // 10 if len(found) > accumulators else 0):
        for mnemonic, operands in vectors or stack:
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
        for isa, weight in itertools.product(ISAS, ("float", "tessera::bf16")):
            for flags in [arguments.flags] if arguments.flags else (["-O2"], ["-O3"]):
                problems = list(faults(compiler, flags, isa, weight))
                failed |= bool(problems)
                what = f"{compiler} {' '.join(flags)} {isa} {weight}"
                print(f"{what}: {'; '.join(problems) or 'ok'}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
