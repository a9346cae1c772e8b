#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_cases.py FOLDER [SEED]

Makes operator cases in the form of the conformance kit: sizes at and around the limits of tiles, panels and vectors,
every form of broadcasting, every axis, and some sizes drawn from SEED. Expected values are NumPy's in float64, written
from the definitions. `run.py --forward FOLDER` runs them.
"""
import json
import math
import os
import sys

import numpy as np

TOLERANCE = 2e-5


class Maker:
    def __init__(self, folder, seed):
        self.folder, self.random, self.count = folder, np.random.default_rng(seed), 0

    def numbers(self, *shape, scale=1.0, offset=0.0):
        return (scale * self.random.standard_normal(shape) + offset).astype(np.float32)

    def size(self, largest):
        return int(self.random.integers(1, largest + 1))

    def case(self, op, inputs, outputs, attrs=None, tolerance=TOLERANCE):
        """Writes one case; `outputs` are in float64."""
        self.count += 1
        name = f"ops/{op}-{self.count:03d}-" + "-".join("x".join(map(str, x.shape)) or "1" for x in inputs.values())
        path = os.path.join(self.folder, name)
        for kind, arrays in (("inputs", inputs), ("expected", outputs)):
            os.makedirs(os.path.join(path, kind), exist_ok=True)
            for key, array in arrays.items():
                array = np.asarray(array)
                np.save(os.path.join(path, kind, key + ".npy"), array.astype(np.float32) if array.dtype == np.float64 else array)
        description = {"name": name, "group": "ops", "op": op, "attrs": attrs or {},
                       "inputs": {key: {"dtype": str(x.dtype), "shape": list(x.shape)} for key, x in inputs.items()},
                       "outputs": {}}
        for key, y in outputs.items():
            rms = math.sqrt(float(np.mean(np.square(y)))) if np.size(y) else 0.0
            description["outputs"][key] = {"dtype": "float32", "shape": list(np.shape(y)), "rtol": tolerance,
                                           "atol": tolerance * max(rms, 1e-30), "kind": "full", "stored": "full", "rms": rms}
        with open(os.path.join(path, "case.json"), "w", encoding="utf-8") as file:
            json.dump(description, file, indent=1)


def wide(x):
    return np.asarray(x, dtype=np.float64)


def matmul(m):
    def add(a, b, **flags):
        a, b = m.numbers(*a), m.numbers(*b, scale=1 / math.sqrt(b[-1 if flags.get("transpose_b") else -2]))
        left = np.swapaxes(wide(a), -1, -2) if flags.get("transpose_a") else wide(a)
        right = np.swapaxes(wide(b), -1, -2) if flags.get("transpose_b") else wide(b)
        m.case("matmul", {"a": a, "b": b}, {"y": left @ right}, flags)

    for a, b in (((1, 1), (1, 40)), ((40, 1), (1, 1)), ((1, 300), (300, 1)), ((257, 3), (3, 17)), ((300, 40), (40, 16)),
                 ((520, 8), (8, 8)), ((5, 512), (512, 512)), ((40, 64), (64, 1536)), ((2, 7), (7, 1024)), ((16, 2), (2, 33)),
                 ((m.size(200), 31), (31, m.size(200))),
                 ((70, 3, 5, 4), (70, 3, 4, 6)), ((130, 3, 7), (130, 7, 2)), ((65, 1, 1), (65, 1, 1)), ((9, 21), (2, 3, 21, 14)),
                 ((3, 2, 9, 21), (21, 14)), ((2, 1, 5, 6), (1, 3, 6, 4)), ((4, 3, 5), (1, 5, 2)), ((1, 1, 4, 4), (4, 4)),
                 ((1, 3, 5), (4, 5, 2)), ((6, 2, 3), (3, 4)), ((2, 5, 6), (3, 2, 6, 4))):
        add(a, b)
    swapped = lambda shape: (*shape[:-2], shape[-1], shape[-2])
    for a, b in (((33, 7), (7, 5)), ((1, 9), (9, 31)), ((300, 20), (20, 64)), ((5, 4, 3), (3, 6)), ((66, 2, 9), (66, 9, 5)),
                 ((2, 3, 8, 5), (3, 5, 1))):
        add(swapped(a), b, transpose_a=True)
        add(a, swapped(b), transpose_b=True)
        add(swapped(a), swapped(b), transpose_a=True, transpose_b=True)


def linear(m):
    for x, n, bias in (((9, 21), 14, False), ((3, 1), 7, True), ((4, 6), 1, True), ((2, 3, 4, 5), 6, True), ((300, 24), 384, True),
                       ((1, 384), 1536, False), ((70, 5, 8), 16, True), ((m.size(90), 100), m.size(90), True)):
        inputs = {"x": m.numbers(*x), "weight": m.numbers(n, x[-1])}
        y = wide(inputs["x"]) @ wide(inputs["weight"]).T
        if bias:
            inputs["bias"] = m.numbers(n)
            y = y + wide(inputs["bias"])
        m.case("linear", inputs, {"y": y})


def embedding(m):
    for table, ids in (((1, 1), (1,)), ((11, 1), (9,)), ((50, 33), (700,)), ((7, 384), (2, 3, 5)), ((1000, 3), (65, 2)), ((5, 17), (1, 1, 1))):
        weight, ids = m.numbers(*table), m.random.integers(0, table[0], ids)
        m.case("embedding", {"weight": weight, "ids": ids}, {"y": wide(weight)[ids]})


def layernorm(m):
    for shape, eps, offset in (((7,), 1e-5, 0.5), ((384,), 1e-12, 0), ((5, 1), 1e-5, 0), ((600, 2), 1e-5, 0.5), ((3, 1000), 1e-12, 0),
                               ((2, 3, 4, 17), 1e-3, 1), ((9, 4100), 1e-5, 0), ((4, 100), 1e-5, 200), ((1, 1, 8), 1e-5, -3)):
        x, weight, bias = m.numbers(*shape, offset=offset), m.numbers(shape[-1], scale=0.3, offset=1), m.numbers(shape[-1])
        centred = wide(x) - wide(x).mean(-1, keepdims=True)
        y = centred / np.sqrt((centred ** 2).mean(-1, keepdims=True) + eps) * wide(weight) + wide(bias)
        m.case("layernorm", {"x": x, "weight": weight, "bias": bias}, {"y": y}, {"eps": eps}, 3e-4 if offset == 200 else TOLERANCE)


def probabilities(x, axis, keep=None):
    x = np.where(keep, x, -np.inf) if keep is not None else x
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def softmax(m):
    for shape, axis in (((9,), 0), ((9,), -1), ((100,), 0), ((6, 5), 0), ((6, 5), -2), ((70, 3, 5), 0), ((70, 3, 5), 1), ((3, 70, 5), -1),
                        ((2, 3, 4, 5), 0), ((2, 3, 4, 5), 1), ((2, 3, 4, 5), 2), ((2, 3, 4, 5), -1), ((2, 3, 4, 17), -3), ((130, 2, 1, 9), 1),
                        ((5, 1), -1), ((5, 1), 0), ((1, 5), 0), ((2, 3, 1), 1), ((600, 3), -1), ((3, 2000), 1)):
        x = m.numbers(*shape, scale=3)
        m.case("softmax", {"x": x}, {"y": probabilities(wide(x), axis)}, {"axis": axis})
    x = m.numbers(5, 40, scale=30)
    m.case("softmax", {"x": x}, {"y": probabilities(wide(x), -1)}, {"axis": -1}, 1e-4)
    for shape in ((3, 12), (2, 70, 9), (4, 3, 5, 17), (1, 1), (66, 1, 2, 8)):
        x, mask = m.numbers(*shape, scale=3), m.random.integers(0, 2, (shape[0], shape[-1]))
        mask[:, m.size(shape[-1]) - 1] = 1
        keep = mask.reshape((shape[0],) + (1,) * (len(shape) - 2) + (shape[-1],)) != 0
        m.case("softmax", {"x": x, "mask": mask}, {"y": probabilities(wide(x), -1, np.broadcast_to(keep, shape))},
               {"axis": -1, "mask": "1 keep, 0 = minus infinity, [N,K] broadcast"})


def attention(m):
    for b, h, s, d, keys, masked in ((1, 1, 1, 1, 1, False), (1, 1, 1, 1, 1, True), (70, 1, 3, 8, 5, True), (5, 14, 2, 16, 9, True),
                                     (2, 65, 4, 4, 4, False), (2, 2, 7, 136, 11, True), (1, 2, 40, 32, 300, True), (1, 1, 3, 64, 257, False),
                                     (3, 12, 48, 32, 48, True), (2, 1, 33, 5, 256, True), (1, 3, 17, 1, 31, False), (2, 2, m.size(60), m.size(100), m.size(600), True)):
        q, k, v = m.numbers(b, h, s, d, scale=1.5), m.numbers(b, h, keys, d, scale=1.5), m.numbers(b, h, keys, d)
        inputs, keep = {"q": q, "k": k, "v": v}, None
        if masked:
            inputs["mask"] = m.random.integers(0, 2, (b, keys))
            inputs["mask"][:, m.size(keys) - 1] = 1
            keep = np.broadcast_to(inputs["mask"][:, None, None, :] != 0, (b, h, s, keys))
        scores = wide(q) @ np.swapaxes(wide(k), -1, -2) / math.sqrt(d)
        m.case("attention", inputs, {"y": probabilities(scores, -1, keep) @ wide(v)}, {"scale": "1/sqrt(D)", "layout": "[B,H,S,D]"})


def l2_normalize(m):
    for shape in ((7,), (5, 1), (600, 3), (2, 3, 50), (2, 2, 2, 9), (1, 384)):
        x = m.numbers(*shape)
        if len(shape) == 3:
            x[0, 0] = 0
        norm = np.sqrt((wide(x) ** 2).sum(-1, keepdims=True))
        m.case("l2_normalize", {"x": x}, {"y": wide(x) / np.maximum(norm, 1e-12)})


FUNCTIONS = {
    "gelu_erf": lambda x: 0.5 * x * np.vectorize(math.erfc)(-x / math.sqrt(2)),
    "gelu_tanh": lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3))),
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "relu": lambda x: np.maximum(x, 0),
    "exp_clipped": lambda x: np.exp(np.clip(x, -20, 5)),
}


def activation(m):
    for name, function in FUNCTIONS.items():
        for shape in ((1,), (5, 2, 3, 7), (70, 33)):
            x = m.numbers(*shape, scale=4)
            m.case("activation", {"x": x}, {"y": function(wide(x))}, {"function": name})


def concat(m):
    for shapes, axis in ((((3,), (1,), (70,)), 0), (((2, 3), (4, 3)), 0), (((2, 3), (2, 1)), -1), (((70, 2), (1, 2), (9, 2)), 0),
                         (((2, 3, 4, 5),) * 8, 3), (((2, 3, 4, 5), (2, 3, 1, 5)), -2), (((2, 1, 4, 5), (2, 7, 4, 5)), 1),
                         (((1, 2, 2, 2), (3, 2, 2, 2), (2, 2, 2, 2)), 0), (((100, 1), (100, 64), (100, 17), (100, 2)), 1), (((5, 6),), 1)):
        inputs = {letter: m.numbers(*shape) for letter, shape in zip("abcdefhi", shapes)}
        m.case("concat", inputs, {"y": wide(np.concatenate(list(inputs.values()), axis))}, {"axis": axis})


def broadcast(m):
    forms = (((5,), (4, 5)), ((4, 1), (1, 5)), ((2, 3, 4, 5), (3, 1, 5)), ((1,), (7,)), ((7, 1), (7,)), ((), (3, 2)), ((), ()), ((2, 1, 1, 5), (3, 1, 1)),
             ((70, 3), (70, 3)), ((600,), (600,)), ((2, 3, 4, 1), (2, 3, 4, 9)), ((1, 1, 1, 1), (2, 3, 2, 3)), ((33,), (1,)), ((65, 1, 2), (1, 3, 2)))
    for number, (left, right) in enumerate(forms):
        a, b = m.numbers(*left), np.where(np.abs(x := m.numbers(*right)) < 0.3, np.float32(1), x).astype(np.float32)
        x, y = wide(a), wide(b)
        formula, value = (("a+b", x + y), ("a-b", x - y), ("a*b", x * y), ("a/b", x / y), ("-a + 2*b^3", -x + 2 * y ** 3))[number % 5]
        m.case("broadcast", {"a": a, "b": b}, {"y": value}, {"formula": formula})
        m.case("broadcast", {"a": b, "b": a}, {"y": y - x}, {"formula": "a-b"})


def reduce(m):
    for shape, parts in (((1,), "sum over 0; mean over 0; max over 0; biased variance over 0; l2 norm of everything"),
                         ((700,), "sum over 0; mean over 0; max over 0; biased variance over 0; l2 norm of everything"),
                         ((70, 3), "sum over 0; mean over 1; max over -1; biased variance over 0,1; l2 norm of everything"),
                         ((3, 4, 5), "sum over 0; mean over 1,2; max over 0,2; biased variance over 1; sum over 0,1,2"),
                         ((2, 3, 4, 5), "sum over 0; mean over 1; max over 2; biased variance over 3; sum over 0,2; mean over 1,3; max over 0,1,2; "
                                        "biased variance over -1,-2; max over 0,1,2,3; l2 norm of everything"),
                         ((66, 2, 1, 9), "sum over 3; mean over 0,3; max over 1,2; biased variance over 0"),
                         ((1, 1, 30000), "sum over 2; mean over -1; max over 2; biased variance over 2")):
        x, outputs = m.numbers(*shape, offset=0.7), {}
        for part in parts.split(";"):
            what, _, axes = part.strip().partition(" over ")
            axis = tuple(int(a) for a in axes.split(",")) if axes else None
            function = {"sum": np.sum, "mean": np.mean, "max": np.max, "biased variance": np.var}.get(what)
            outputs[f"y{len(outputs)}"] = function(wide(x), axis=axis) if function else np.sqrt((wide(x) ** 2).sum())
        m.case("reduce", {"x": x}, outputs, {"outputs": parts})


def make(folder, seed):
    m = Maker(folder, seed)
    for operator in (matmul, linear, embedding, layernorm, softmax, attention, l2_normalize, activation, concat, broadcast, reduce):
        operator(m)
    return m.count


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    print(make(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1), "cases")
