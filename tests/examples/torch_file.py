#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""torch_file.py

examples/models/torch_to_safetensors.py with files as torch.save writes them, and with every kind that it does not: one
line on the standard error, exit status 1, and an output that was there stays as it was. PyTorch is not needed: what its
pickles name stands here under the same names."""
import collections
import io
import json
import os
import pathlib
import pickle
import struct
import subprocess
import sys
import tempfile
import types
import unittest
import zipfile

TOOL = pathlib.Path(__file__).resolve().parents[2] / "examples/models/torch_to_safetensors.py"
FORMATS = {"FloatStorage": "f", "DoubleStorage": "d", "LongStorage": "q", "ByteStorage": "B", "HalfStorage": "e"}
TYPES = {"F32": "f", "F64": "d", "I64": "q", "U8": "B", "F16": "e"}


def stand_in(module, **functions):
    made = sys.modules.setdefault(module, types.ModuleType(module))
    for name, function in functions.items():
        function.__module__, function.__qualname__, function.__name__ = module, name, name
        setattr(made, name, function)


stand_in("torch", **{name: type(name, (), {}) for name in (*FORMATS, "QInt8Storage")})
stand_in("torch._utils", _rebuild_tensor_v2=lambda *_: None, _rebuild_parameter=lambda *_: None)
stand_in("torch.nn", Linear=type("Linear", (), {}))


class Storage:
    def __init__(self, kind, values, key):
        self.kind, self.values, self.key = kind, values, key


class Tensor:
    """A tensor, or a parameter, in a storage."""

    def __init__(self, storage, shape, strides, offset=0, parameter=False):
        self.storage, self.shape, self.strides, self.offset, self.parameter = storage, shape, strides, offset, parameter

    def __reduce__(self):
        utils = sys.modules["torch._utils"]
        if self.parameter:
            plain = Tensor(self.storage, self.shape, self.strides, self.offset)
            return utils._rebuild_parameter, (plain, True, collections.OrderedDict())
        return utils._rebuild_tensor_v2, (self.storage, self.offset, self.shape, self.strides, False,
                                          collections.OrderedDict())


def saved(root, legacy=False, compression=zipfile.ZIP_STORED, order=b"little", leave_out=(), machine=None):
    """The bytes of a file, as torch.save makes them of `root`."""
    storages = {}

    class Pickler(pickle.Pickler):
        def persistent_id(self, value):
            if not isinstance(value, Storage):
                return None
            storages[value.key] = value
            name = ("storage", getattr(sys.modules["torch"], value.kind), value.key, "cpu", len(value.values))
            return (*name, None) if legacy else name

    def pickled(value):
        out = io.BytesIO()
        Pickler(out, protocol=2).dump(value)
        return out.getvalue()

    text = pickled(root)
    stored = {k: struct.pack(f"<{len(s.values)}{FORMATS.get(s.kind, 'b')}", *s.values) for k, s in storages.items()}
    if legacy:
        machine = machine or {"protocol_version": 1001, "little_endian": True, "type_sizes": {"int": 4}}
        keys = [k for k in storages if k not in leave_out]
        parts = [pickled(0x1950A86A20F9469CFC6C), pickled(1001), pickled(machine), text, pickled(keys)]
        return b"".join(parts + [struct.pack("<q", len(storages[k].values)) + stored[k] for k in keys])
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        members = {"data.pkl": text, "byteorder": order} | {f"data/{k}": v for k, v in stored.items()}
        for name, content in members.items():
            if name not in leave_out:
                archive.writestr(f"weights/{name}", content)
    return out.getvalue()


def tensors_of(path):
    """name -> (type, shape, values) of a safetensors file."""
    content = path.read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8 : 8 + size])
    assert header.pop("__metadata__") == {"format": "pt"}
    found, end = {}, 0
    for name, entry in header.items():
        begin, stop = entry["data_offsets"]
        assert begin == end
        end = stop
        values = content[8 + size + begin : 8 + size + stop]
        form = TYPES[entry["dtype"]]
        found[name] = (entry["dtype"], entry["shape"], list(struct.unpack(f"<{len(values) // struct.calcsize(form)}{form}", values)))
    assert 8 + size + end == len(content)
    return found


class TorchFile(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.at = pathlib.Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)
        self.shared = Storage("FloatStorage", [float(i) for i in range(24)], "0")
        self.weights = collections.OrderedDict(
            matrix=Tensor(self.shared, (4, 6), (6, 1)),
            transposed=Tensor(self.shared, (6, 4), (1, 6)),
            part=Tensor(self.shared, (2, 3), (6, 1), offset=8, parameter=True),
            swapped=Tensor(self.shared, (3, 4, 2), (2, 6, 1)),
            one=Tensor(Storage("DoubleStorage", [2.5], "1"), (), ()),
            none=Tensor(Storage("LongStorage", [], "2"), (0, 3), (3, 1)),
            half=Tensor(Storage("HalfStorage", [1.0, -0.5], "3"), (2, 1), (1, 1)),
        )

    def convert(self, content, *options, output=None):
        source = self.at / "weights.pth"
        source.write_bytes(content)
        output = output or self.at / "weights.safetensors"
        done = subprocess.run([sys.executable, TOOL, source, output, *options], capture_output=True, text=True)
        return done, output

    def refused(self, content, *words, options=()):
        output = self.at / "weights.safetensors"
        output.write_bytes(b"as it was")
        done, _ = self.convert(content, *options)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1), done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertEqual(output.read_bytes(), b"as it was")
        self.assertEqual(sorted(p.name for p in self.at.iterdir()), ["weights.pth", "weights.safetensors"])

    def test_every_tensor_of_both_formats(self):
        numbers = [float(i) for i in range(24)]
        expected = {
            "matrix": ("F32", [4, 6], numbers),
            "transposed": ("F32", [6, 4], [numbers[r * 6 + c] for c in range(6) for r in range(4)]),
            "part": ("F32", [2, 3], [8.0, 9.0, 10.0, 14.0, 15.0, 16.0]),
            "swapped": ("F32", [3, 4, 2], [float(2 * i + 6 * j + k) for i in range(3) for j in range(4) for k in range(2)]),
            "one": ("F64", [], [2.5]),
            "none": ("I64", [0, 3], []),
            "half": ("F16", [2, 1], [1.0, -0.5]),
        }
        for legacy in (False, True):
            for root, options in ((self.weights, ()), ({"epoch": 3, "model": self.weights, "log": {"loss": 0.5}}, ()),
                                  ({"a": {"b": self.weights}, "c": self.weights}, ("--key", "a", "--key", "b"))):
                with self.subTest(legacy=legacy, options=options):
                    done, output = self.convert(saved(root, legacy), *options)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertIn("7 tensors", done.stdout)
                    self.assertEqual(tensors_of(output), expected)

    def test_a_file_that_is_cut_off(self):
        for legacy in (False, True):
            whole = saved(self.weights, legacy)
            for size in [*range(0, 40), *range(40, len(whole), 97), *range(len(whole) - 8, len(whole))]:
                with self.subTest(legacy=legacy, size=size):
                    self.refused(whole[:size])

    def test_nothing_is_run(self):
        class Harmful:
            def __reduce__(self):
                return os.system, ("echo harm >&2",)
        for legacy in (False, True):
            self.refused(saved({"w": Harmful()}, legacy), "system", "state_dict")
            self.refused(saved(sys.modules["torch.nn"].Linear(), legacy), "torch.nn.Linear", "state_dict")

    def test_what_torch_does_not_save(self):
        weights, shared = self.weights, self.shared
        bad = lambda *shape: saved({"w": Tensor(shared, *shape)})
        self.refused(bad((5, 6), (6, 1)), "(5, 6)", "beyond")
        self.refused(bad((2,), (1,), 23), "beyond")
        self.refused(bad((1 << 61, 24), (0, 1)), "repeats")
        self.refused(bad((-1,), (1,)), "shape")
        self.refused(bad((2, 2), (1,)), "shape")
        self.refused(bad((2.0,), (1,)), "shape")
        self.refused(saved({"w": Tensor(Storage("QInt8Storage", [1], "0"), (1,), (1,))}), "QInt8Storage")
        self.refused(saved({"__metadata__": weights["one"]}), "__metadata__")
        self.refused(saved([weights]), "no dictionary")
        self.refused(saved({"epoch": 3}), "no tensors")
        self.refused(saved({"a": weights, "b": weights}), "several", "a, b")
        self.refused(saved({"a": weights}), "--key x", options=("--key", "x"))
        self.refused(saved(weights, leave_out=("data/0",)), "lacks")
        self.refused(saved(weights, leave_out=("data.pkl",)), "data.pkl")
        self.refused(saved(weights, legacy=True, leave_out=("0",)), "lacks")
        self.refused(saved(weights, order=b"big"), "big-endian")
        self.refused(saved(weights, legacy=True, machine={"little_endian": False}), "big-endian")
        self.refused(saved(weights, compression=zipfile.ZIP_DEFLATED), "compressed")
        self.refused(pickle.dumps(1), "torch.save")
        self.refused(b"", "torch.save")
        self.refused(b"\x93NUMPY\x01\x00", "torch.save")
        self.refused(struct.pack("<Q", 2) + b"{}", "safetensors file already")
        self.refused(b"\x80\x02" + b"(" * 100000 + b".", "damaged")

    def test_files_that_cannot_be_read_or_written(self):
        done, _ = self.convert(saved(self.weights), output=self.at / "nowhere" / "weights.safetensors")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))
        self.assertIn("cannot be written", done.stderr)
        done = subprocess.run([sys.executable, TOOL, self.at / "missing.pth", self.at / "out"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))
        self.assertIn("cannot be read", done.stderr)


if __name__ == "__main__":
    unittest.main()
