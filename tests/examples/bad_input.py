#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bad_input.py BIN_FOLDER [TEXT]

Gives tessera-run, tessera-embed and tessera-qa every kind of wrong argument and file. Each time exactly one line has to appear on the
standard error, the exit status has to be 1 or 2 (a signal is a crash), and nothing may be written: neither a result nor
what would have become one. Between them good runs show that the same files are accepted otherwise. TEXT: only the cases
whose name contains it.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

import numpy as np

sys.dont_write_bytecode = True
from memory import SIZES, parameters

WORDS, WIDTH = 30522, 384
TABLE = "embeddings.word_embeddings.weight"
BYTES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1, "BOOL": 1}
# Of each type: a NaN, infinities, little endian.
NO_NUMBERS = {"F64": (0x7FF8000000000000, 0x7FF0000000000000, 0xFFF0000000000000), "F32": (0x7FC00000, 0x7F800000, 0xFF800000),
              "F16": (0x7E00, 0x7C00, 0xFC00), "BF16": (0x7FC0, 0x7F80, 0xFF80)}


class Trials:
    def __init__(self, programs, only):
        self.programs, self.only, self.count, self.failed = programs, only, 0, 0
        self.folder, self.cache = tempfile.TemporaryDirectory(), tempfile.TemporaryDirectory()
        self.at = self.folder.name

    # --- files --------------------------------------------------------------------------------------------------------

    def path(self, name):
        return os.path.join(self.at, name)

    def file(self, name, content):
        with open(self.path(name), "wb") as out:
            out.write(content if isinstance(content, bytes) else content.encode())
        return self.path(name)

    def array(self, name, values):
        np.save(self.path(name), values)
        return self.path(name)

    def npy(self, name, header, data=b"", version=(1, 0), magic=b"\x93NUMPY"):
        """An array file with any header."""
        text = header.encode() if isinstance(header, str) else header
        text += b" " * (-(len(text) + 11) % 64) + b"\n"
        length = struct.pack("<H" if version[0] == 1 else "<I", len(text))
        return self.file(name, magic + bytes(version) + length + text + data)

    def safetensors(self, name, header, data=b"", length=None):
        text = header if isinstance(header, bytes) else json.dumps(header).encode()
        return self.file(name, struct.pack("<Q", len(text) if length is None else length) + text + data)

    def tensors(self, name, wanted, at=None):
        """Tensors of zeros, as name: (type, shape); at {offset: bytes} something else. Zeros take no room on the disk."""
        header, offset = {}, 0
        for tensor, (kind, shape) in wanted.items():
            size = BYTES[kind] * int(np.prod(shape))
            header[tensor] = {"dtype": kind, "shape": list(shape), "data_offsets": [offset, offset + size]}
            offset += size
        self.safetensors(name, header)
        with open(self.path(name), "r+b") as out:
            begin = out.seek(0, os.SEEK_END)
            out.truncate(begin + offset)
            for where, what in (at or {}).items():
                out.seek(begin + where)
                out.write(what)
        return self.path(name)

    # --- runs ---------------------------------------------------------------------------------------------------------

    def listing(self):
        found = {}
        for folder, folders, files in os.walk(self.at):
            found |= {os.path.join(folder, name): "folder" for name in folders}
            for name in files:
                status = os.lstat(os.path.join(folder, name))
                found[os.path.join(folder, name)] = (status.st_size, status.st_mtime_ns)
        return found

    def call(self, program, arguments, stdin=b"", stdout=None):
        command = [os.path.join(self.programs, program), *arguments]
        return subprocess.run(command, input=stdin, stdout=stdout or subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, cwd=self.at,
                              check=False, env={"PATH": os.environ["PATH"], "LC_ALL": "C", "XDG_CACHE_HOME": self.cache.name})

    def report(self, name, wrong):
        self.count += 1
        if wrong:
            self.failed += 1
            print(f"FAIL {name}: {wrong}", flush=True)

    def refused(self, name, program, arguments, *words, stdin=b"", stdout=None, silent=True):
        """A run that must fail; each of `words` has to be in its message."""
        if self.only not in name:
            return
        before = self.listing()
        done = self.call(program, arguments, stdin, stdout)
        message = done.stderr.decode(errors="replace")
        wrong = []
        if done.returncode not in (1, 2):
            wrong.append(f"exit status {done.returncode}")
        if message.count("\n") != 1 or not message.endswith("\n"):
            wrong.append(f"{message.count(chr(10))} lines instead of one")
        if not message.startswith(program + ": "):
            wrong.append("the line does not begin with the program's name")
        if any(ord(c) < 32 and c != "\n" for c in message):
            wrong.append("control characters in the message")
        if len(message) > 600:
            wrong.append(f"a line of {len(message)} characters")
        wrong += [f"no word of {word!r}" for word in words if word not in message]
        if silent and done.stdout:
            wrong.append("something on the standard output")
        if self.listing() != before:
            wrong.append(f"files changed: {sorted(set(self.listing().items()) ^ set(before.items()))[:3]}")
        self.report(name, "; ".join(wrong) + f"\n     {message[:400]!r}" if wrong else None)

    def accepted(self, name, program, arguments, *files, stdin=b"", says=None):
        """A run that must work, write `files` and say nothing, or one line with `says` in it."""
        if self.only not in name:
            return
        done = self.call(program, arguments, stdin)
        wrong = []
        heard = done.stderr.decode(errors="replace")
        if done.returncode != 0 or (says not in heard or heard.count("\n") != 1 if says else heard):
            wrong.append(f"exit status {done.returncode}, {done.stderr[:300]!r}")
        wrong += [f"no {file}" for file in files if not os.path.exists(self.path(file))]
        wrong += [f"left over: {name}" for name in self.listing() if name.endswith(".part")]
        self.report(name, "; ".join(wrong))
        return done


def run_command_lines(t):
    ids = t.array("ids.npy", np.array([[101, 2023, 102]]))
    model = ["minilm_l6", "--weights", "synthetic:1", "--input", f"input_ids={ids}"]
    good = [*model, "--output", t.path("out")]
    t.accepted("run", "tessera-run", good, "out/last_hidden_state.npy", "out/pooler_output.npy", "out/sentence_embedding.npy")
    t.accepted("run again, over the results", "tessera-run", good)
    t.accepted("list", "tessera-run", ["--list"])
    t.accepted("help", "tessera-run", ["--help"])

    def refused(name, arguments, *words):
        t.refused("arguments: " + name, "tessera-run", arguments, *words)

    out = ["--output", t.path("other")]
    refused("none", [], "model")
    refused("an unknown model", ["bert_enormous", *model[1:], *out], "bert_enormous", "minilm_l6", "bert_squad")
    refused("a model with control characters", ["a\nb\x1b[31m", *model[1:], *out])
    refused("two models", ["minilm_l6", *model, *out], "minilm_l6")
    refused("an unknown option", [*model, *out, "--colour", "red"], "--colour")
    refused("an option without its value", [*model, "--output"], "--output")
    refused("no output", model, "--output")
    refused("an empty output", [*model, "--output", ""], "--output")
    refused("output twice", [*model, *out, *out], "--output")
    refused("no weights", ["minilm_l6", "--input", f"input_ids={ids}", *out], "--weights")
    refused("empty weights", ["minilm_l6", "--weights", "", "--input", f"input_ids={ids}", *out], "--weights")
    for seed in ("", "-1", "x", "1.5", "18446744073709551616", "0x10", " 1"):
        refused(f"seed {seed!r}", ["minilm_l6", "--weights", "synthetic:" + seed, "--input", f"input_ids={ids}", *out], "--weights")
    for threads in ("0", "-1", "x", "1.5", "", "1025", "99999999999999999999"):
        refused(f"{threads!r} threads", [*model, *out, "--threads", threads], "--threads")
    for text in ("input_ids", "=x.npy", "input_ids=", "="):
        refused(f"input {text!r}", ["minilm_l6", "--weights", "synthetic:1", "--input", text, *out], "--input")
    refused("an input twice", [*model, "--input", f"input_ids={ids}", *out], "input_ids")
    refused("an unknown input", [*model, "--input", f"pixels={ids}", *out], "pixels")
    refused("no input", ["minilm_l6", "--weights", "synthetic:1", *out], "input_ids")
    for text in ("layers", "=3", "layers=", "layers=3"):
        refused(f"configuration {text!r}", [*model, *out, "--config", text], "--config")
    refused("a setting twice", [*model, *out, "--config", "a=1", "--config", "a=2"], "--config")
    refused("tokens without a vocabulary", ["minilm_l6", "--tokenize", t.path("x.json"), *out], "--vocab")
    refused("a vocabulary without texts", [*model, *out, "--vocab", t.path("vocab.txt")], "--tokenize")

    file = t.file("file", "")
    os.mkdir(t.path("full"))
    os.mkdir(t.path("full/pooler_output.npy"))
    refused("an output below a file", [*model, "--output", file + "/out"], file)
    refused("an output that is a file", [*model, "--output", file], file)
    refused("a result that is a folder", [*model, "--output", t.path("full")], "pooler_output.npy")
    refused("an output nobody may write", [*model, "--output", "/proc/out"], "/proc/out")
    refused("an output of too long a name", [*model, "--output", t.path("n" * 300)], "cannot be made a folder")
    refused("a report that is a folder", [*good, "--report", t.path("full")], t.path("full"))
    refused("a report in no folder", [*good, "--report", t.path("nowhere/r.html")], t.path("nowhere/r.html"))
    refused("a report and a wrong input", [*model, "--input", "attention_mask=nowhere.npy", *out, "--report", t.path("r.html")], "nowhere.npy")


def run_arrays(t):
    weights = ["minilm_l6", "--weights", "synthetic:1", "--output", t.path("arrays")]
    ids = t.array("good_ids.npy", np.array([[101, 2023, 2003, 102], [101, 102, 0, 0]]))
    mask = t.array("good_mask.npy", np.array([[1, 1, 1, 1], [1, 1, 0, 0]]))
    t.accepted("arrays", "tessera-run", [*weights, "--input", f"input_ids={ids}", "--input", f"attention_mask={mask}"])

    def refused(name, path, *words):
        t.refused("input_ids: " + name, "tessera-run", [*weights, "--input", f"input_ids={path}"], *words)

    refused("missing", t.path("nowhere.npy"), "nowhere.npy")
    refused("a folder", t.at)
    refused("a device", "/dev/null")
    refused("empty", t.file("empty.npy", ""))
    refused("text", t.file("text.npy", "101 2023 102\n"))
    whole = open(ids, "rb").read()
    for size in (1, 6, 9, 20, 127, 128, len(whole) - 1):
        refused(f"cut off after {size} bytes", t.file("cut.npy", whole[:size]), "cut.npy")
    refused("a byte too long", t.file("long.npy", whole + b"\0"), "too long")
    for name, values in (("float32", np.zeros((1, 3), np.float32)), ("float64", np.zeros((1, 3))), ("bool", np.ones((1, 3), bool)),
                         ("int8", np.zeros((1, 3), np.int8)), ("int16", np.zeros((1, 3), np.int16)), ("uint64", np.zeros((1, 3), np.uint64)),
                         ("big endian", np.zeros((1, 3), ">i8")), ("strings", np.array([["a", "b"]])), ("complex", np.zeros((1, 3), complex)),
                         ("one dimension", np.array([101, 102])), ("no dimension", np.array(101)), ("three dimensions", np.zeros((1, 1, 3), np.int64)),
                         ("no rows", np.zeros((0, 3), np.int64)), ("no columns", np.zeros((3, 0), np.int64)),
                         ("column by column", np.asfortranarray(np.arange(6).reshape(2, 3)))):
        refused(name, t.array("kind.npy", values))
    np.savez(t.path("zip.npz"), a=np.zeros(3))
    refused("an archive", t.path("zip.npz"))
    eight = b"\0" * 8
    for name, header in (("no braces", "hello"), ("an empty dictionary", "{}"), ("a missing key", "{'descr': '<i8', 'fortran_order': False, }"),
                         ("a negative extent", "{'descr': '<i8', 'fortran_order': False, 'shape': (-1, 1), }"),
                         ("an extent that is no number", "{'descr': '<i8', 'fortran_order': False, 'shape': (a, 1), }"),
                         ("an enormous shape", "{'descr': '<i8', 'fortran_order': False, 'shape': (4611686018427387904, 4), }"),
                         ("an extent of 30 digits", "{'descr': '<i8', 'fortran_order': False, 'shape': (" + "9" * 30 + ", 1), }"),
                         ("code", "{'descr': '<i8', 'fortran_order': False, 'shape': (__import__('os').system('touch hacked'), 1), }"),
                         ("a structure", "{'descr': [('a', '<i8')], 'fortran_order': False, 'shape': (1, 1), }"),
                         ("an object", "{'descr': '|O', 'fortran_order': False, 'shape': (1, 1), }"),
                         ("bytes that are no text", b"{'descr': '<i8', 'fortran_order': False, 'shape': (1, 1), '\xff\xfe\0': 1}")):
        refused("a header with " + name, t.npy("header.npy", header, eight))
    valid = "{'descr': '<i8', 'fortran_order': False, 'shape': (1, 1), }"
    refused("version 9", t.npy("version.npy", valid, eight, (9, 0)))
    refused("another magic word", t.npy("magic.npy", valid, eight, magic=b"\x93NUMPX"))
    t.file("header_long.npy", b"\x93NUMPY\x02\x00" + struct.pack("<I", 0xFFFFFFFF) + b"{")
    refused("a header longer than the file", t.path("header_long.npy"))

    for value in (-1, WORDS, 1 << 31, 1 << 40, -(1 << 63), (1 << 63) - 1):
        refused(f"id {value}", t.array("value.npy", np.array([[101, value, 102]])), str(value))
    refused("a sequence of 513 tokens", t.array("longer.npy", np.full((1, 513), 7)), "513", "512")
    refused("a wrong id in the last of many sequences", t.array("many.npy", np.pad([[WORDS]], ((400, 0), (6, 0)))), "sequence 400", str(WORDS))
    for model in ("bert_base", "bert_base_squad"):
        other_model = [model, "--weights", "synthetic:1", "--output", t.path("arrays_of_" + model)]
        for name, values, *words in (("id -1", [[101, -1]], "-1"), (f"id {WORDS}", [[101, WORDS]], str(WORDS)), ("513 tokens", np.full((1, 513), 7), "512"),
                                     ("floats", np.zeros((1, 3)), "float64"), ("no rows", np.zeros((0, 3), np.int64)), ("no columns", np.zeros((3, 0), np.int64))):
            t.refused(f"input_ids: {model}: {name}", "tessera-run", [*other_model, "--input", f"input_ids={t.array('value.npy', np.array(values))}"], *words)

    def other(name, what, values, *words):
        path = values if isinstance(values, str) else t.array("second.npy", np.asarray(values))
        t.refused(f"{what}: {name}", "tessera-run", [*weights, "--input", f"input_ids={ids}", "--input", f"{what}={path}"], *words)

    for what in ("attention_mask", "token_type_ids"):
        other("missing", what, t.path("nowhere.npy"), "nowhere.npy")
        other("another shape", what, np.ones((2, 3), np.int64), what)
        other("transposed", what, np.ones((4, 2), np.int64), what)
        other("no rows", what, np.ones((0, 4), np.int64), what)
        other("float", what, np.ones((2, 4), np.float32), what)
    other("2", "attention_mask", [[1, 1, 1, 1], [1, 2, 0, 0]], "attention_mask[1, 1] is 2")
    other("-1", "attention_mask", [[1, 1, 1, -1], [1, 1, 0, 0]], "attention_mask[0, 3] is -1")
    other("nothing counts", "attention_mask", [[0, 0, 0, 0], [1, 1, 0, 0]], "attention_mask[0, 0]")
    other("nothing counts in the last", "attention_mask", [[1, 1, 0, 0], [0, 0, 0, 0]], "attention_mask[1, 0]")
    t.accepted("a mask of bool, ids of int32", "tessera-run",
               [*weights, "--input", f"input_ids={t.array('narrow.npy', np.array([[101, 102, -1]], np.int32))}",
                "--input", f"attention_mask={t.array('bool.npy', np.array([[True, True, False]]))}"])
    refused("padding without a mask", t.array("padded.npy", np.array([[101, 102], [101, -1]])), "sequence 1", "-1", "attention_mask")
    other("2", "token_type_ids", [[0, 0, 0, 2], [0, 0, 0, 0]], "2")
    other("-1", "token_type_ids", [[0, 0, 0, -1], [0, 0, 0, 0]], "-1")
    t.accepted("600 tokens of which 500 count", "tessera-run",
               [*weights, "--input", f"input_ids={t.array('wide.npy', np.full((1, 600), 7))}",
                "--input", f"attention_mask={t.array('wide_mask.npy', (np.arange(600) < 500).astype(np.int64)[None])}"])
    t.accepted("an id that does not count may be anything", "tessera-run",
               [*weights, "--input", f"input_ids={t.array('beyond.npy', np.array([[101, 102, -1], [101, 102, 1 << 40]]))}",
                "--input", f"attention_mask={t.array('beyond_mask.npy', np.array([[1, 1, 0], [1, 1, 0]]))}"])


def weights_files(t):
    ids = t.array("w_ids.npy", np.array([[101, 2023, 102]]))
    vocab = t.file("w_vocab.txt", vocabulary())
    sentences = t.file("w_text.txt", "hello world\n")

    def refused(name, path, *words, model="minilm_l6"):
        t.refused("weights: " + name, "tessera-run",
                  [model, "--weights", path, "--input", f"input_ids={ids}", "--output", t.path("weights_out")], *words)
        if "folder" in name or "missing" in name:
            t.refused("weights for embed: " + name, "tessera-embed", [sentences, "--weights", path, "--vocab", vocab, "--output", t.path("e.jsonl")], *words)

    def header(name, text, data=b"", length=None):
        refused(name, t.safetensors("weights.safetensors", text, data, length), "weights.safetensors")

    refused("missing", t.path("nowhere.safetensors"), "nowhere.safetensors")
    refused("a folder", t.at)
    refused("empty", t.file("weights.safetensors", ""))
    refused("a device", "/dev/null", "/dev/null")
    os.mkfifo(t.path("pipe"))
    refused("a pipe", t.path("pipe"), "pipe")
    refused("seven bytes", t.file("weights.safetensors", "1234567"))
    refused("text", t.file("weights.safetensors", "This is no file of weights at all.\n" * 9))
    header("a length of nothing", b"", length=0)
    header("a length beyond the file", b"{}", length=1 << 20)
    header("a length of 2^64 - 1", b"{}", length=(1 << 64) - 1)
    header("a length of 2^63", b"{}", length=1 << 63)
    entry = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
    eight = b"\0" * 8
    for name, text in (("no JSON", b"{{{{"), ("cut off", b'{"a": {"dtype": "F32"'), ("a list", b"[1, 2]"), ("a number", b"7"), ("NaN", b'{"a": NaN}'),
                       ("a thousand brackets", b"[" * 1000), ("a hundred thousand brackets", b"[" * 100000),
                       ("brackets in a tensor", b'{"a": ' + b'{"b": ' * 5000 + b"1" + b"}" * 5001),
                       ("bytes that are no text", b'{"\xff\xfe": 1}'), ("something behind it", b"{} {}"),
                       ("an entry that is a number", b'{"a": 7}'), ("an empty entry", b'{"a": {}}')):
        header("a header with " + name, text, eight)
    for name, change in (("a missing type", {"dtype": None}), ("a missing shape", {"shape": None}), ("missing offsets", {"data_offsets": None}),
                         ("an unknown type", {"dtype": "F33"}), ("a type that is a number", {"dtype": 7}), ("a shape that is a word", {"shape": "2"}),
                         ("a negative extent", {"shape": [-2]}), ("a fraction", {"shape": [2.5]}), ("an extent of 2^63", {"shape": [1 << 63]}),
                         ("a product that overflows", {"shape": [1 << 32, 1 << 32, 2]}), ("one offset", {"data_offsets": [0]}),
                         ("three offsets", {"data_offsets": [0, 4, 8]}), ("offsets backwards", {"data_offsets": [8, 0]}),
                         ("an offset beyond the file", {"data_offsets": [0, 1 << 40]}), ("a negative offset", {"data_offsets": [-8, 0]}),
                         ("an offset of 2^64", {"data_offsets": [0, 1 << 64]}), ("another size than the shape", {"shape": [3]}),
                         ("a hole", {"data_offsets": [4, 12]})):
        header("an entry with " + name, {"a": {k: v for k, v in (entry | change).items() if v is not None}}, eight)
    header("tensors that overlap", {"a": entry, "b": entry}, eight)
    header("a doubled name", json.dumps({"a": entry}).encode()[:-1] + b", " + json.dumps({"a": entry}).encode()[1:], eight)
    header("bytes behind the data", {"a": entry}, eight + b"\0")
    header("bytes missing", {"a": entry}, eight[:-1])
    header("metadata that is no table", {"__metadata__": 7, "a": entry}, eight)
    header("metadata that is no text", {"__metadata__": {"format": 7}, "a": entry}, eight)
    header("no tensor of the model", {"a": entry}, eight)
    header("no tensor at all", {})
    for model, (_, width, _) in SIZES.items():
        def tensor(name, kind, shape, *words, at=None, table=TABLE):
            refused(f"{model}: {name}", t.tensors("weights.safetensors", {table: (kind, shape)}, at), *words, model=model)

        for shape in ((2, width), (width, WORDS), (WORDS + 1, width), (WORDS - 1, width), (WORDS, width, 1), (1, WORDS, width), (WORDS * width,), (), (0,), (0, width)):
            for table in (TABLE, "bert." + TABLE):
                tensor(f"{table} of shape {list(shape)}", "F32", shape, table, "shape", f"expected [{WORDS}, {width}]", table=table)
        for kind in ("I64", "I32", "I16", "I8", "U8", "BOOL"):
            tensor("a table of type " + kind, kind, (WORDS, width), TABLE, kind, "expected F32")
        for kind, values in NO_NUMBERS.items():
            for value in values:
                for index in (0, 12345, WORDS * width - 1):
                    tensor(f"{value:x} in {kind} at {index}", kind, (WORDS, width), TABLE, f"index {index}",
                           at={index * BYTES[kind]: value.to_bytes(BYTES[kind], "little")})
            tensor(f"only a table of {kind}", kind, (WORDS, width), "embeddings.token_type_embeddings.weight")
        tensor("a number that is none as float32", "F64", (WORDS, width), TABLE, "float32 cannot hold", at={80: struct.pack("<d", 1e39)})
        path = t.tensors("weights.safetensors", {TABLE: ("F32", (WORDS, width))})
        size = os.path.getsize(path)
        for cut in (1, 4096, size // 2, size - 9):
            os.truncate(path, size - cut)
            refused(f"{model}: cut off {cut} bytes before its end", path, "weights.safetensors", model=model)
            t.tensors("weights.safetensors", {TABLE: ("F32", (WORDS, width))})
    # All tensors are good but the one that is read last.
    whole = {name: ("BF16", shape) for name, shape in parameters(*SIZES["minilm_l6"]).items()}
    t.accepted("weights of zeros", "tessera-run", ["minilm_l6", "--weights", t.tensors("weights.safetensors", whole), "--input", f"input_ids={ids}",
                                                   "--output", t.path("zeros")], "zeros/last_hidden_state.npy")
    last = "pooler.dense.bias"
    refused("the last tensor is missing", t.tensors("weights.safetensors", {k: v for k, v in whole.items() if k != last}), f"no tensor '{last}'")
    for name, tensor in (("of another shape", ("BF16", (WIDTH + 1,))), ("of another rank", ("BF16", (1, WIDTH))), ("of another type", ("I32", (WIDTH,)))):
        refused("the last tensor is " + name, t.tensors("weights.safetensors", whole | {last: tensor}), last)
    at = sum(2 * int(np.prod(shape)) for name, (_, shape) in whole.items() if name < last)
    refused("a NaN in the last tensor", t.tensors("weights.safetensors", whole, {at + 200: b"\xc0\x7f"}), last, "a NaN at index 100")
    os.remove(t.path("weights.safetensors"))
    os.remove(t.path("pipe"))

    # A whole model and more: it runs, and one line tells what it did not use. Buffers of positions are as good as used.
    shapes = parameters(*SIZES["minilm_l6"]) | {"embeddings.position_ids": (1, 512)}
    for name, more, words in (("whole", [], ""), ("whole, and a head", ["qa_outputs.bias", "qa_outputs.weight"],
                                                  "does not use 2 of its tensors: 'qa_outputs.bias', 'qa_outputs.weight'\n")):
        if t.only not in "weights: " + name:
            continue
        header, end = {}, 0
        for tensor, shape in (shapes | {tensor: [2] for tensor in more}).items():
            begin, end = end, end + 2 * int(np.prod(shape))
            header[tensor] = {"dtype": "F16", "shape": shape, "data_offsets": [begin, end]}
        done = t.call("tessera-embed", [sentences, "--weights", t.safetensors("whole.safetensors", header, bytes(end)), "--vocab", vocab])
        told = done.stderr.decode()
        t.report("weights: " + name, "" if done.returncode == 0 and told.endswith(words) and told.count("\n") == bool(more)
                 else f"exit status {done.returncode}, {told!r}")
    if os.path.exists(t.path("whole.safetensors")):   # it is large; the cases that made it may not have been asked for
        os.remove(t.path("whole.safetensors"))


def vocabulary():
    return "".join(word + "\n" for word in ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "hello", "world", ",", ".", "##s", "a", "b"])


def tokenizer(t):
    vocab = t.file("vocab.txt", vocabulary())
    texts = t.file("texts.json", json.dumps(["hello world", "a, b.", ""]))
    out = ["--output", t.path("tokens")]
    t.accepted("tokens", "tessera-run", ["minilm_l6", "--vocab", vocab, "--tokenize", texts, *out], "tokens/ids.npy", "tokens/lengths.npy", "tokens/attention_mask.npy")
    t.accepted("tokens are taken as they were written", "tessera-run",
               ["minilm_l6", "--weights", "synthetic:1", "--output", t.path("of_tokens"),
                "--input", f"input_ids={t.path('tokens/ids.npy')}", "--input", f"attention_mask={t.path('tokens/attention_mask.npy')}"],
               "of_tokens/sentence_embedding.npy")

    def refused(name, vocab, texts, *words):
        t.refused("tokenizer: " + name, "tessera-run", ["minilm_l6", "--vocab", vocab, "--tokenize", texts, *out], *words)

    for name, text in (("empty", ""), ("only a line end", "\n"), ("without [UNK]", vocabulary().replace("[UNK]\n", "")),
                       ("without [CLS]", vocabulary().replace("[CLS]\n", "")), ("without [SEP]", vocabulary().replace("[SEP]\n", "")),
                       ("without [PAD]", vocabulary().replace("[PAD]\n", "")), ("without [MASK]", vocabulary().replace("[MASK]\n", "")),
                       ("of words alone", "hello\nworld\n"), ("with [CLS] in small letters", vocabulary().replace("[CLS]", "[cls]")),
                       ("with [UNK] twice", vocabulary() + "[UNK]\n"), ("with a zero in a word", vocabulary() + "wo\0rd\n"),
                       ("in UTF-16", vocabulary().encode("utf-16")), ("with half a character", vocabulary().encode() + b"\xe4\xb8\n"),
                       ("with a surrogate", vocabulary().encode() + b"\xed\xa0\x80\n"), ("with a tab", vocabulary() + "a\tb\n"),
                       ("with a doubled word", vocabulary() + "hello\n"), ("with an empty line", vocabulary() + "\nx\n"),
                       ("of other bytes", vocabulary().encode() + b"\xff\xfe\n"), ("of zeros", b"\0" * 1000),
                       ("of one enormous line", "x" * 3000000)):
        refused("a vocabulary " + name, t.file("bad_vocab.txt", text), texts, "bad_vocab.txt")
    refused("no vocabulary", t.path("nowhere.txt"), texts, "nowhere.txt")
    refused("a folder as vocabulary", t.at, texts)
    refused("a weights file as vocabulary", t.safetensors("w.safetensors", {}), texts)
    for name, text in (("empty", ""), ("no JSON", "[[["), ("cut off", '["hello", "wor'), ("a number", "7"), ("a table", '{"a": "b"}'), ("a word", '"hello"'),
                       ("an empty list", "[]"), ("numbers", "[1, 2]"), ("one text of a pair", '[["a"]]'), ("three texts", '[["a", "b", "c"]]'),
                       ("a list in a pair", '[["a", ["b"]]]'), ("null", "[null]"), ("something behind it", '["a"] ["b"]'),
                       ("ten thousand brackets", "[" * 10000), ("a million brackets", "[" * 1000000), ("bytes that are no text", b'["\xff\xfe"]'),
                       ("half a surrogate", '["\\ud800"]'), ("a truncated character", b'["\xe4\xb8"]'), ("an overlong character", b'["\xc0\xaf"]')):
        refused("texts: " + name, vocab, t.file("bad.json", text), "bad.json")
    refused("no texts", vocab, t.path("nowhere.json"), "nowhere.json")
    refused("a folder as texts", vocab, t.at)
    t.refused("tokenizer: an input besides", "tessera-run", ["minilm_l6", "--vocab", vocab, "--tokenize", texts, "--input", "input_ids=x.npy", *out], "--input")
    os.mkdir(t.path("blocked"))
    os.mkdir(t.path("blocked/lengths.npy"))
    t.refused("tokenizer: a result that is a folder", "tessera-run",
              ["minilm_l6", "--vocab", vocab, "--tokenize", texts, "--output", t.path("blocked")], "lengths.npy")


def embed(t):
    vocab = t.file("e_vocab.txt", vocabulary())
    text = t.file("sentences.txt", "hello world\n\n  \na b.\n")
    options = ["--weights", "synthetic:1", "--vocab", vocab]
    blank = "sentences.txt: 2 lines are blank"
    done = t.accepted("embed", "tessera-embed", [text, *options], says=blank)
    if done is not None and done.stdout.count(b"\n") != 2:
        t.report("embed", f"{done.stdout.count(bytes([10]))} lines instead of 2")
    t.accepted("embed to a file", "tessera-embed", [text, *options, "--output", t.path("e.jsonl")], "e.jsonl", says=blank)
    t.accepted("embed to an array", "tessera-embed", [text, *options, "--format", "npy", "--output", t.path("e.npy")], "e.npy", says=blank)
    t.accepted("embed the standard input", "tessera-embed", ["-", *options], stdin=b"hello\nworld")
    t.accepted("embed a table", "tessera-embed", [text, *options, "--similarity"], says=blank)

    def refused(name, arguments, *words, **how):
        t.refused("embed: " + name, "tessera-embed", arguments, *words, **how)

    refused("no argument", [])
    refused("no file", options, "FILE")
    refused("no vocabulary", [text, "--weights", "synthetic:1"], "--vocab")
    refused("no weights", [text, "--vocab", vocab], "--weights")
    refused("two files", [text, text, *options])
    refused("an unknown option", [text, *options, "--fast"], "--fast")
    refused("an unknown form", [text, *options, "--format", "xml"], "--format")
    refused("an array without a file", [text, *options, "--format", "npy"], "--output")
    for threads in ("0", "-1", "two", "1025"):
        refused(f"{threads} threads", [text, *options, "--threads", threads], "--threads")
    refused("no seed", [text, "--weights", "synthetic", "--vocab", vocab], "--weights", "synthetic:1")
    refused("seed -1", [text, "--weights", "synthetic:-1", "--vocab", vocab], "--weights")
    refused("sentences that are not there", [t.path("nowhere.txt"), *options, "--output", t.path("never")], "nowhere.txt")
    refused("a folder of sentences", [t.at, *options, "--output", t.path("never")])
    refused("no sentence", [t.file("blank.txt", "\n  \n\t\n"), *options, "--output", t.path("never")], "no sentence")
    refused("an empty file", [t.file("nothing.txt", ""), *options, "--output", t.path("never")], "no sentence")
    refused("nothing on the standard input", ["-", *options], "no sentence")
    refused("bytes that are no text", [t.file("bad.txt", b"hello\nworld \xff\xfe\n"), *options, "--output", t.path("never")], "bad.txt", "line 2")
    refused("a truncated character", [t.file("bad.txt", b"hello \xe4\xb8"), *options, "--format", "npy", "--output", t.path("never.npy")], "bad.txt", "line 1")
    refused("bytes that are no text behind 200 good lines", [t.file("bad.txt", b"hello\n" * 200 + b"\x80\n"), *options, "--output", t.path("never")], "line 201")
    refused("a line of 2 MB", [t.file("long.txt", b"a " * 1000000 + b"\n"), *options, "--output", t.path("never")], "line 1")
    refused("a missing vocabulary", [text, "--weights", "synthetic:1", "--vocab", t.path("nowhere.txt")], "nowhere.txt")
    refused("a corrupt vocabulary", [text, "--weights", "synthetic:1", "--vocab", t.file("bad_vocab.txt", b"\xff\n")], "bad_vocab.txt")
    refused("a result that is a folder", [text, *options, "--output", t.at], t.at)
    refused("a result in no folder", [text, *options, "--output", t.path("nowhere/e.jsonl")], "nowhere")
    refused("a result below a file", [text, *options, "--output", text + "/e.jsonl"], "sentences.txt")
    refused("an array in no folder", [text, *options, "--format", "npy", "--output", t.path("nowhere/e.npy")], "nowhere")
    t.accepted("a long sentence is cut off", "tessera-embed", [t.file("words.txt", "hello\n" + "hello " * 5000), *options],
               says="words.txt: 1 line is longer than 256 tokens")
    t.accepted("256 tokens are not cut off", "tessera-embed", [t.file("words.txt", "hello " * 254), *options])
    t.accepted("257 tokens are", "tessera-embed", [t.file("words.txt", "hello " * 255), *options], says="1 line is longer")
    t.accepted("line ends of Windows, and zeros", "tessera-embed", [t.file("dos.txt", b"hello\r\nwor\0ld\r\n"), *options])
    if os.path.exists("/dev/full"):
        with open("/dev/full", "wb") as full:
            refused("a standard output that is full", [text, *options], "standard output", stdout=full)


def sizes(t):
    """Models of any size: what is wrong with a config.json is said before a compiler runs."""
    ids = t.array("ids.npy", np.array([[5, 6]]))
    good = {"hidden_size": 128, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 512, "vocab_size": 1000,
            "max_position_embeddings": 128, "type_vocab_size": 2}

    def refused(name, config, *words):
        path = t.file("config.json", config if isinstance(config, (str, bytes)) else json.dumps(config))
        t.refused("sizes: " + name, "tessera-run", ["bert", "--weights", "synthetic:1", "--input", f"input_ids={ids}", "--config",
                                                    f"config={path}", "--output", t.path("sized")], "config.json", *words)

    million = 1000000
    for name, text in (("empty", ""), ("no JSON", "{"), ("a list", "[]"), ("a list of one", json.dumps([good])), ("a number", "7"), ("a word", '"bert"'), ("null", "null"),
                       ("bytes that are no text", b'{"hidden_size": "\xff"}'), ("UTF-16", json.dumps(good).encode("utf-16")), ("zeros", b"\0" * 100),
                       ("a million brackets", "[" * million), ("a million lists", "[" * million + "]" * million),
                       ("a number without end", json.dumps(good)[:-1] + ', "a": ' + "9" * million + "e" + "9" * 100 + "}"),
                       ("something behind it", json.dumps(good) + "{}"), ("cut off", json.dumps(good)[:-1])):
        refused(name, text)
    for key in good:
        refused("no " + key, {k: v for k, v in good.items() if k != key}, key)
        for value in (0, -1, 1.5, 2.0, "2", "", None, True, [2], {"a": 2}, 10**9, 1 << 31, 1 << 32, 1 << 63, 1 << 64, 10**30, -(1 << 63), 1e9):
            refused(f"{key} {value}", good | {key: value}, key)
    refused("a number that is deep inside", json.dumps(good)[:-1].replace("128", '{"a":' * million + "1" + "}" * million, 1) + "}", "hidden_size")
    refused("sizes inside something else", {"bert": good}, "num_hidden_layers")
    refused("heads that do not divide", good | {"num_attention_heads": 3}, "num_attention_heads")
    refused("more heads than numbers", good | {"hidden_size": 4, "num_attention_heads": 8}, "num_attention_heads")
    for function in ("relu", "gelu_new", "GELU", "", None, 7, ["gelu"], "gelu\n\x1b[31m"):
        refused(f"activation {function!r}", good | {"hidden_act": function}, "hidden_act")
    refused("relative positions", good | {"position_embedding_type": "relative_key"}, "position_embedding_type")
    for eps in (0, -1e-12, 1, "small", None, True, [1e-12], 1e300, -1e300):
        refused(f"eps {eps}", good | {"layer_norm_eps": eps}, "layer_norm_eps")
    model = ["bert", "--weights", "synthetic:1", "--input", f"input_ids={ids}", "--output", t.path("sized")]
    t.refused("sizes: none", "tessera-run", model, "config")
    t.refused("sizes: a file that is not there", "tessera-run", [*model, "--config", "config=" + t.path("nowhere.json")], "nowhere.json")
    t.refused("sizes: a folder", "tessera-run", [*model, "--config", "config=" + t.at], t.at)
    t.refused("sizes: when to compile", "tessera-run", [*model, "--compile", "later"], "--compile")
    config = ["--config", "config=" + t.file("config.json", json.dumps(good))]
    t.refused("sizes: another setting besides", "tessera-run", [*model, *config, "--config", "layers=3"], "layers")
    for kind in ("fp8", "f16", "BF16", "bf16 ", "32"):
        t.refused("sizes: weights=" + kind, "tessera-run", [*model, *config, "--config", "weights=" + kind],
                  "weights", "neither f32 nor bf16")
    t.refused("sizes: weights of a bundled model", "tessera-run",
              ["minilm_l6", *model[1:], "--config", "weights=bf16"], "weights")
    t.refused("sizes: not compiled", "tessera-run", [*model, *config, "--compile", "never"], "not compiled yet")
    t.refused("sizes: no weights", "tessera-run", ["bert", *config, "--compile", "never", "--input", f"input_ids={ids}", "--output", t.path("sized")])
    for name, text in (("no JSON", "{"), ("a size that is missing", json.dumps({k: v for k, v in good.items() if k != "vocab_size"})),
                       ("heads that do not divide", json.dumps(good | {"num_attention_heads": 3}))):
        t.refused("sizes: answers: " + name, "tessera-qa",
                  [t.file("passage.txt", "hello"), "--model", "bert_squad", "--config", "config=" + t.file("config.json", text), "--question", "a",
                   "--weights", "synthetic:1", "--vocab", t.file("vocab.txt", vocabulary())], "config.json")


def answers(t):
    vocab = t.file("q_vocab.txt", vocabulary())
    text = t.file("passage.txt", "hello world, a b.\nhello\n")
    options = ["--weights", "synthetic:1", "--vocab", vocab]
    done = t.accepted("answers", "tessera-qa", [text, *options, "--question", "a?", "--question", "hello"])
    if done is not None:
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        if [line["question"] for line in lines] != ["a?", "hello"] or not all(line["answer"] for line in lines):
            t.report("answers", repr(lines))
    t.accepted("an answer from the standard input", "tessera-qa", ["-", *options, "--question", "a"], stdin=b"hello")

    def refused(name, arguments, *words, **how):
        t.refused("answers: " + name, "tessera-qa", arguments, *words, **how)

    refused("no argument", [])
    refused("no question", [text, *options], "--question")
    refused("no passage", [*options, "--question", "a"], "FILE")
    refused("no weights", [text, "--vocab", vocab, "--question", "a"], "--weights")
    refused("no vocabulary", [text, "--weights", "synthetic:1", "--question", "a"], "--vocab")
    refused("0 threads", [text, *options, "--question", "a", "--threads", "0"], "--threads")
    refused("an empty question", [text, *options, "--question", ""], "question")
    refused("a question of blanks", [text, *options, "--question", " \t"], "question")
    refused("a question that is no text", [text, *options, "--question", b"a \xff"], "--question")
    refused("a good question and a bad one", [text, *options, "--question", "a", "--question", " "], "question")
    refused("an empty passage", [t.file("nothing.txt", ""), *options, "--question", "a"], "nothing.txt")
    refused("a passage that is no text", [t.file("bad.txt", b"hello \xe4\xb8"), *options, "--question", "a"], "bad.txt")
    refused("a passage that is not there", [t.path("nowhere.txt"), *options, "--question", "a"], "nowhere.txt")
    refused("a folder as passage", [t.at, *options, "--question", "a"])
    asked = [text, *options, "--question", "a"]
    refused("an unknown model", [*asked, "--model", "bert_base"], "bert_base_squad", "bert_squad")
    refused("no model", [*asked, "--model", ""], "bert_base_squad")
    refused("a model without its sizes", [*asked, "--model", "bert_squad"], "config=FILE")
    refused("sizes that are not there", [*asked, "--model", "bert_squad", "--config", "config=" + t.path("nowhere.json")], "nowhere.json")
    refused("sizes for a model that has its own", [*asked, "--config", "config=" + t.path("nowhere.json")], "config")
    refused("an unknown setting", [*asked, "--config", "layers=3"], "layers")
    refused("when to compile", [*asked, "--compile", "later"], "--compile", "auto", "never")
    for name, bad in (("empty", ""), ("without [CLS]", vocabulary().replace("[CLS]\n", "")), ("with a doubled word", vocabulary() + "hello\n"), ("of zeros", b"\0" * 100)):
        refused("a vocabulary " + name, [text, "--weights", "synthetic:1", "--vocab", t.file("bad_vocab.txt", bad), "--question", "a"], "bad_vocab.txt")
    far = t.file("far.txt", vocabulary() + "".join(f"x{i}\n" for i in range(WORDS)) + "far\n")
    refused("a word that the model has not", [t.file("passage.txt", "hello far"), "--weights", "synthetic:1", "--vocab", far, "--question", "a"], str(WORDS))
    refused("weights of another shape",
            [text, "--weights", t.tensors("w.safetensors", {"bert." + TABLE: ("F32", (WORDS, WIDTH))}), "--vocab", vocab, "--question", "a"], "bert." + TABLE)
    refused("weights without the head", [text, "--weights", t.safetensors("w.safetensors", {}), "--vocab", vocab, "--question", "a"], "w.safetensors")


def main():
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    trials = Trials(os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "")
    for part in (run_command_lines, run_arrays, weights_files, tokenizer, embed, sizes, answers):
        part(trials)
    print(f"{trials.count - trials.failed} of {trials.count} as they should be")
    return 1 if trials.failed or not trials.count else 0


if __name__ == "__main__":
    sys.exit(main())
