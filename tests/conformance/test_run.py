#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rules by which run.py judges, on a case made here: what it accepts and what it must reject."""
import os
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import operators  # noqa: E402
import run  # noqa: E402


class Compare(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.expected = os.path.join(self.folder.name, "expected")
        self.produced = os.path.join(self.folder.name, "produced")
        os.makedirs(self.expected)
        os.makedirs(self.produced)
        self.y = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)
        np.save(os.path.join(self.expected, "y.npy"), self.y)
        self.output = {"shape": [3, 4], "kind": "full", "stored": "full", "rtol": 1e-4, "atol": 1e-4}

    def tearDown(self):
        self.folder.cleanup()

    def verdict(self, produced, forward=True, **outputs):
        if produced is not None:
            np.save(os.path.join(self.produced, "y.npy"), produced)
        return run.compare(self.folder.name, self.produced, {"outputs": outputs or {"y": self.output}}, forward)

    def test_equal_and_within_the_limit(self):
        self.assertIsNone(self.verdict(self.y))
        self.assertIsNone(self.verdict(self.y + np.float32(9e-5)))
        self.assertIsNone(self.verdict(self.y.reshape(1, 3, 4)))

    def test_over_the_limit(self):
        wrong = self.y.copy()
        wrong[2, 3] += 4e-4
        self.assertIn("1 of 12", self.verdict(wrong))

    def test_not_finite_missing_and_misshapen(self):
        wrong = self.y.copy()
        wrong[0, 0] = np.nan
        self.assertIn("not finite", self.verdict(wrong))
        self.assertIn("shape", self.verdict(self.y.T))
        os.remove(os.path.join(self.produced, "y.npy"))
        self.assertIn("not produced", self.verdict(None))
        self.assertIsNone(self.verdict(None, y=self.output | {"optional": True}))

    def test_gradients_are_asked_for_only_without_forward(self):
        outputs = {"y": self.output, "d_x": self.output}
        self.assertIsNone(self.verdict(self.y, **outputs))
        self.assertIn("d_x was not produced", self.verdict(self.y, forward=False, **outputs))

    def test_integers_are_exact(self):
        np.save(os.path.join(self.expected, "y.npy"), np.arange(12).reshape(3, 4))
        exact = self.output | {"kind": "exact"}
        self.assertIsNone(self.verdict(np.arange(12).reshape(3, 4), y=exact))
        self.assertIn("12 integers", self.verdict(np.arange(12).reshape(3, 4) + 1, y=exact))

    def test_samples_and_sums_of_large_outputs(self):
        np.save(os.path.join(self.expected, "y.index.npy"), np.array([0, 11]))
        np.save(os.path.join(self.expected, "y.values.npy"), self.y.ravel()[[0, 11]])
        whole = self.y.astype(np.float64)
        stats = {"sum": whole.sum(), "abs_sum": np.abs(whole).sum(), "l2": np.sqrt((whole ** 2).sum())}
        sampled = self.output | {"stored": "samples", "stats": stats}
        self.assertIsNone(self.verdict(self.y, y=sampled))
        elsewhere = self.y.copy()
        elsewhere[1, 1] += 1
        self.assertIn("sum", self.verdict(elsewhere, y=sampled))
        sample = self.y.copy()
        sample[0, 0] += 3.5e-4
        self.assertIn("1 of 2", self.verdict(sample, y=sampled))


class Source(unittest.TestCase):
    @staticmethod
    def case(op, attrs, **shapes):
        return {"op": op, "attrs": attrs, "outputs": {"y": {"shape": [2]}, "d_x": {"shape": [2]}},
                "inputs": {name: {"dtype": "float32", "shape": shape} for name, shape in shapes.items()}}

    def test_statements(self):
        case = self.case("matmul", {"transpose_b": True}, a=[9, 21], b=[14, 21], grad_y=[9, 14])
        self.assertEqual(operators.statements(case), [
            'auto a = g.input<float>("a", {9, 21});', 'auto b = g.input<float>("b", {14, 21});',
            'g.output("y", ts::matmul(g, a, b, {.transpose_b = true}));'])

    def test_formulas(self):
        case = self.case("broadcast", {"formula": "a*b + c/(1.5+a^2)"}, a=[4, 1], b=[3, 1], c=[5])
        self.assertEqual(operators.statements(case)[-2:], [
            'auto constant_0 = g.input<float>("constant_0", {1});',
            'g.output("y", ts::add(g, ts::mul(g, a, b), ts::div(g, c, ts::add(g, constant_0, ts::mul(g, a, a)))));'])
        self.assertEqual(case["constants"], {"constant_0": "1.5f"})

    def test_nothing_but_names_and_numbers_reaches_the_source(self):
        for bad in ({"formula": "a*system"}, {"formula": "__import__('os')"}, {"formula": "a**b"}):
            with self.assertRaises(operators.Later):
                operators.statements(self.case("broadcast", bad, a=[1]))
        with self.assertRaises(operators.Later):
            operators.statements(self.case("l2_normalize", {}, **{'x"); abort(); //': [1]}))

    def test_unknown_operators_are_later(self):
        with self.assertRaises(operators.Later):
            operators.statements(self.case("fold", {}, x=[1]))
        with self.assertRaises(operators.Later):
            operators.statements(self.case("activation", {"function": "cube"}, x=[1]))


if __name__ == "__main__":
    unittest.main()
