#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""agreement.py BIN_FOLDER

tessera-run and tessera-embed on made-up weights: both give the same embeddings for the same texts, to the last bit, as an
array or as lines, from a file or a pipe, alone or in a batch, padded or not, with any number of threads.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "hello", "world", ",", ".", "##s", "a", "b", "c"]
TEXTS = ["hello world", "a, b.", "worlds", "Hello, hello", "c", "a b c " * 20, "nothing of this is known", "b " * 300]


class Agreement(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.at = cls.folder.name
        cls.vocab, cls.texts, cls.lines = cls.path("vocab.txt"), cls.path("texts.json"), cls.path("texts.txt")
        with open(cls.vocab, "w", encoding="utf-8") as file:
            file.writelines(word + "\n" for word in WORDS)
        with open(cls.texts, "w", encoding="utf-8") as file:
            json.dump(TEXTS, file)
        with open(cls.lines, "w", encoding="utf-8") as file:
            file.writelines(text + "\n" for text in TEXTS)
        cls.run_program("tessera-run", "minilm_l6", "--vocab", cls.vocab, "--tokenize", cls.texts, "--output", cls.path("tokens"))
        cls.ids, cls.lengths = cls.load("tokens", "ids")[:, :256], np.minimum(cls.load("tokens", "lengths"), 256)
        cls.ids[cls.lengths == 256, 255] = WORDS.index("[SEP]")          # as tessera-embed cuts texts off
        np.testing.assert_array_equal(cls.load("tokens", "attention_mask").sum(1), cls.load("tokens", "lengths"))
        cls.mask = (np.arange(256) < cls.lengths[:, None]).astype(np.int64)
        cls.batch = cls.encode("batch", np.maximum(cls.ids, 0), cls.mask)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, *names):
        return os.path.join(cls.at, *names)

    @classmethod
    def load(cls, *names):
        return np.load(cls.path(*names) + ".npy")

    @classmethod
    def run_program(cls, program, *arguments, stdin=""):
        return subprocess.run([os.path.join(sys.argv[1], program), *arguments], input=stdin.encode(), capture_output=True, check=True, timeout=300).stdout

    @classmethod
    def encode(cls, name, ids, mask=None, types=None, threads=1):
        arguments = []
        for what, values in (("input_ids", ids), ("attention_mask", mask), ("token_type_ids", types)):
            if values is not None:
                np.save(cls.path(f"{name}-{what}.npy"), values)
                arguments += ["--input", f"{what}={cls.path(f'{name}-{what}.npy')}"]
        cls.run_program("tessera-run", "minilm_l6", "--weights", "synthetic:5", "--threads", str(threads), "--output", cls.path(name), *arguments)
        return {what: cls.load(name, what) for what in ("last_hidden_state", "pooler_output", "sentence_embedding")}

    def embed(self, *arguments, stdin=""):
        return self.run_program("tessera-embed", *arguments, "--weights", "synthetic:5", "--vocab", self.vocab, stdin=stdin)

    def test_embeddings_have_length_1_and_differ(self):
        e = self.batch["sentence_embedding"].astype(np.float64)
        self.assertEqual(e.shape, (len(TEXTS), 384))
        np.testing.assert_allclose(np.linalg.norm(e, axis=1), 1, atol=1e-6)
        self.assertLess(np.sort((e @ e.T).ravel())[-len(TEXTS) - 1], 0.99999)

    def test_lines_and_arrays(self):
        for threads in ("1", "2"):
            printed = [json.loads(line) for line in self.embed(self.lines, "--threads", threads).splitlines()]
            self.assertEqual([line["text"] for line in printed], TEXTS)
            np.testing.assert_array_equal(np.array([line["embedding"] for line in printed], np.float32), self.batch["sentence_embedding"])
        self.embed(self.lines, "--format", "npy", "--output", self.path("e.npy"))
        np.testing.assert_array_equal(self.load("e"), self.batch["sentence_embedding"])
        self.assertEqual(self.embed(self.lines, "--output", self.path("e.jsonl")), b"")
        with open(self.path("e.jsonl"), "rb") as file:
            self.assertEqual(file.read(), self.embed("-", stdin="\n".join(TEXTS)))

    def test_the_table_holds_the_cosines(self):
        rows = self.embed(self.lines, "--similarity").decode().splitlines()
        got = np.array([[float(x) for x in row.split()[1:1 + len(TEXTS)]] for row in rows[1:]])
        e = self.batch["sentence_embedding"].astype(np.float64)
        np.testing.assert_allclose(got, e @ e.T, atol=0.00501)

    def test_threads_do_not_change_a_bit(self):
        for threads in (2, 3, 64):
            other = self.encode("threads", np.maximum(self.ids, 0), self.mask, threads=threads)
            for what, values in self.batch.items():
                np.testing.assert_array_equal(other[what], values)

    def test_alone_or_padded_otherwise(self):
        for i in (0, 2, 4, 5, 7):
            n = int(self.lengths[i])
            alone = self.encode("alone", self.ids[i:i + 1, :n])
            padded = self.encode("padded", np.pad(self.ids[i:i + 1, :n], ((0, 0), (0, 40)), constant_values=7), np.pad(np.ones((1, n), np.int64), ((0, 0), (0, 40))))
            np.testing.assert_array_equal(alone["last_hidden_state"][0], self.batch["last_hidden_state"][i, :n])
            np.testing.assert_array_equal(alone["sentence_embedding"][0], self.batch["sentence_embedding"][i])
            np.testing.assert_array_equal(padded["last_hidden_state"][0, :n], alone["last_hidden_state"][0])
            self.assertFalse(padded["last_hidden_state"][0, n:].any())
            np.testing.assert_array_equal(padded["pooler_output"], alone["pooler_output"])

    def test_a_mask_with_holes(self):
        rng = np.random.default_rng(3)
        mask = np.array([[1, 0, 1, 1, 0, 0, 1, 0, 0], [1, 1, 1, 1, 1, 1, 1, 1, 1], [1, 0, 0, 0, 0, 0, 0, 0, 1]])
        ids, other = rng.integers(5, 12, (2, *mask.shape))
        got = self.encode("holes", ids, mask)
        for what, values in self.encode("other_holes", np.where(mask, ids, other), mask).items():
            np.testing.assert_array_equal(values, got[what])
        np.testing.assert_array_equal(np.abs(got["last_hidden_state"]).max(-1) > 0, mask == 1)
        np.testing.assert_array_equal(self.encode("full", ids[1:2])["last_hidden_state"][0], got["last_hidden_state"][1])

    def test_the_longest_sequence(self):
        ids = np.tile(np.arange(5, 12), 74)[None, :512]
        self.assertTrue(np.isfinite(self.encode("longest", ids)["last_hidden_state"]).all())

    def test_many_sequences(self):
        ids = np.random.default_rng(1).integers(0, 30522, (300, 5))
        together = self.encode("many", ids, threads=2)["sentence_embedding"]
        np.testing.assert_array_equal(together[217:219], self.encode("two", ids[217:219])["sentence_embedding"])

    def test_segments_default_to_0_and_count(self):
        n = int(self.lengths[0])
        zero = self.encode("zero", self.ids[:1, :n], types=np.zeros((1, n), np.int64))["pooler_output"]
        one = self.encode("one", self.ids[:1, :n], types=np.ones((1, n), np.int64))["pooler_output"]
        np.testing.assert_array_equal(zero[0], self.batch["pooler_output"][0])
        self.assertGreater(np.abs(one - zero).max(), 1e-3)

    def test_a_report(self):
        self.run_program("tessera-run", "minilm_l6", "--report", self.path("report.html"))
        with open(self.path("report.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("<html", page)
        self.assertIn("</html>", page)
        self.assertIn("<h1>minilm_l6, runs of up to 512 tokens</h1>", page)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    unittest.main(argv=sys.argv[:1])
