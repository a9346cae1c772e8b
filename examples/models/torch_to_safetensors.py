#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns weights that PyTorch saved (.pth, .pt, .bin) into a safetensors file, without PyTorch.

    torch_to_safetensors.py pytorch_model.bin model.safetensors
    torch_to_safetensors.py checkpoint.pth model.safetensors --key state_dict

Reads both of torch.save's formats, the zip archive and the one before version 1.6, and runs nothing that the file names:
of its pickle only dictionaries, numbers, strings and tensors are understood. Tensors of nested dictionaries are found by
--key NAME (repeatable, outermost first); without it the file must hold one dictionary of tensors. What is no tensor is
left out. Exit status 1 and one line if the file cannot be read; an output that exists is replaced only at the end."""

import argparse
import collections
import io
import json
import math
import os
import pickle
import struct
import sys
import tempfile
import zipfile

# torch's storage class -> safetensors type, bytes of an element
STORAGES = {
    "DoubleStorage": ("F64", 8), "FloatStorage": ("F32", 4), "HalfStorage": ("F16", 2), "BFloat16Storage": ("BF16", 2),
    "LongStorage": ("I64", 8), "IntStorage": ("I32", 4), "ShortStorage": ("I16", 2), "CharStorage": ("I8", 1),
    "ByteStorage": ("U8", 1), "BoolStorage": ("BOOL", 1),
}
LEGACY_MAGIC = 0x1950A86A20F9469CFC6C
LEGACY_PROTOCOL = 1001


class Refused(Exception):
    """What is wrong with the file, in one line."""


class Storage:
    """Elements in the file: `key` says where."""

    def __init__(self, kind, key, elements):
        if kind not in STORAGES:
            raise Refused(f"holds elements of an unknown type ({kind})")
        if not isinstance(key, str) or not isinstance(elements, int) or elements < 0:
            raise Refused("names a storage in a way that torch.save does not")
        self.type, self.bytes = STORAGES[kind]
        self.key, self.elements = key, elements


class Tensor:
    def __init__(self, storage, offset, shape, strides):
        numbers = [offset, *shape, *strides]
        if not isinstance(storage, Storage) or len(shape) != len(strides) or not all(
                isinstance(n, int) and 0 <= n < 1 << 62 for n in numbers):
            raise Refused("holds a tensor without a proper shape")
        last = offset + sum((n - 1) * s for n, s in zip(shape, strides))
        if 0 not in shape and last >= storage.elements:
            raise Refused(f"holds a tensor of shape {tuple(shape)} that reaches beyond its storage")
        if math.prod(shape) > storage.elements:
            raise Refused(f"holds a tensor of shape {tuple(shape)} that repeats elements of its storage")
        self.storage, self.offset, self.shape, self.strides = storage, offset, tuple(shape), tuple(strides)

    def size(self):
        return math.prod(self.shape) * self.storage.bytes

    def contents(self, stored):
        """Its elements in row-major order, from the bytes of its storage."""
        width = self.storage.bytes
        if 0 in self.shape:
            return b""
        # The innermost dimensions that lie in row-major order are copied as one run.
        run, outer = 1, len(self.shape)
        while outer > 0 and (self.strides[outer - 1] == run or self.shape[outer - 1] == 1):
            run *= self.shape[outer - 1]
            outer -= 1
        starts = [self.offset]
        for n, stride in zip(self.shape[:outer], self.strides[:outer]):
            starts = [start + i * stride for start in starts for i in range(n)]
        return b"".join(stored[start * width : (start + run) * width] for start in starts)


class Unpickler(pickle.Unpickler):
    """Builds dictionaries of tensors and nothing else."""

    ALLOWED = {
        ("collections", "OrderedDict"): collections.OrderedDict,
        ("torch._utils", "_rebuild_tensor_v2"): lambda storage, offset, shape, strides, *_: Tensor(
            storage, offset, shape, strides),
        ("torch._utils", "_rebuild_parameter"): lambda data, *_: data,
    }

    def __init__(self, file, storage):
        super().__init__(file)
        self.storage = storage

    def find_class(self, module, name):
        if (module, name) in self.ALLOWED:
            return self.ALLOWED[module, name]
        if module == "torch" and name.endswith("Storage"):
            return name   # a word: a persistent id says which storage
        raise Refused(f"needs {module}.{name} to be run, which is not done here; save a state_dict() instead")

    def persistent_load(self, name):
        return self.storage(name)


def read(unpickler):
    try:
        return unpickler.load()
    except Refused:
        raise
    except RecursionError:
        raise Refused("is nested too deeply")
    except Exception as error:   # pickle raises whatever its operations do
        raise Refused(f"is damaged ({type(error).__name__} in its pickle)")


def storage_of(name):
    """A storage by its persistent id: ("storage", class, key, device, elements), to which the old format adds a view."""
    if not isinstance(name, tuple) or len(name) < 5 or name[0] != "storage" or (len(name) > 5 and name[5] is not None):
        raise Refused("names a storage in a way that torch.save does not")
    return Storage(*name[1:3], name[4])


class Archive:
    """The zip format: FOLDER/data.pkl, FOLDER/data/KEY."""

    def __init__(self, path):
        try:
            self.zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, ValueError) as error:
            raise Refused(f"is a damaged archive ({error})")
        pickles = [n for n in self.zip.namelist() if n.endswith("/data.pkl") and n.count("/") == 1]
        if len(pickles) != 1:
            raise Refused("is an archive, but not one of torch.save (no data.pkl)")
        self.folder = pickles[0][: -len("data.pkl")]
        order = self.folder + "byteorder"
        if order in self.zip.namelist() and self.member(order) != b"little":
            raise Refused("was saved on a big-endian machine")
        self.root = read(Unpickler(io.BytesIO(self.member(pickles[0])), storage_of))

    def member(self, name, least=0):
        try:
            entry = self.zip.getinfo(name)   # before anything is read
            if entry.compress_type != zipfile.ZIP_STORED or entry.compress_size != entry.file_size:
                raise Refused("is a compressed archive, which torch.save does not write")
            if entry.file_size < least:
                raise Refused(f"holds {entry.file_size} bytes in {name}, less than the {least} of its elements")
            return self.zip.read(name)
        except KeyError:
            raise Refused(f"lacks {name}")
        except (zipfile.BadZipFile, OSError, EOFError, RuntimeError, NotImplementedError, ValueError) as error:
            raise Refused(f"is a damaged archive ({error})")

    def bytes_of(self, storage):
        return self.member(f"{self.folder}data/{storage.key}", storage.elements * storage.bytes)


class Legacy:
    """The format before: pickles of a magic number, a version, the machine, the object, the storages' keys; storages."""

    def __init__(self, path):
        self.file = open(path, "rb")
        found = {}

        def storage(name):
            entry = storage_of(name)
            return found.setdefault(entry.key, entry)

        if read(Unpickler(self.file, storage)) != LEGACY_MAGIC or read(Unpickler(self.file, storage)) != LEGACY_PROTOCOL:
            raise Refused("is no file of torch.save")
        machine = read(Unpickler(self.file, storage))
        if not isinstance(machine, dict) or machine.get("little_endian") is not True:
            raise Refused("was saved on a big-endian machine")
        self.root = read(Unpickler(self.file, storage))
        keys = read(Unpickler(self.file, storage))
        self.at = {}
        for key in keys if isinstance(keys, list) else []:
            count = self.file.read(8)
            if key not in found or len(count) < 8 or struct.unpack("<q", count)[0] != found[key].elements:
                raise Refused("is cut off or damaged")
            self.at[key] = self.file.tell()
            self.file.seek(found[key].elements * found[key].bytes, os.SEEK_CUR)

    def bytes_of(self, storage):
        if storage.key not in self.at:
            raise Refused(f"lacks storage {storage.key}")
        self.file.seek(self.at[storage.key])
        stored = self.file.read(storage.elements * storage.bytes)
        if len(stored) < storage.elements * storage.bytes:
            raise Refused("is cut off or damaged")
        return stored


def open_weights(path):
    try:
        with open(path, "rb") as file:
            start = file.read(16)
        if start[8:9] == b"{":
            raise Refused("is a safetensors file already")
        if not start.startswith((b"PK\x03\x04", b"\x80")):   # an archive, or a pickle of protocol 2 or later
            raise Refused("is no file of torch.save")
        return Archive(path) if start[:2] == b"PK" else Legacy(path)
    except OSError as error:
        raise Refused(f"cannot be read ({error.strerror})")


def tensors_of(root, keys):
    """The dictionary of tensors: at `keys`, or the only one there is at the top or a level below."""
    for key in keys:
        if not isinstance(root, dict) or key not in root:
            raise Refused(f"has nothing at --key {key}")
        root = root[key]
    if not isinstance(root, dict):
        raise Refused("holds no dictionary of tensors")
    pick = lambda entry: {k: v for k, v in entry.items() if isinstance(k, str) and isinstance(v, Tensor)}
    if pick(root):
        return pick(root)
    nested = {k: pick(v) for k, v in root.items() if isinstance(v, dict) and pick(v)}
    if len(nested) > 1:
        raise Refused(f"has several dictionaries of tensors; choose with --key: {', '.join(map(str, nested))}")
    if not nested:
        raise Refused("holds no tensors")
    return next(iter(nested.values()))


def write(path, weights, tensors):
    header, end = {"__metadata__": {"format": "pt"}}, 0
    for name, tensor in tensors.items():
        header[name] = {"dtype": tensor.storage.type, "shape": tensor.shape, "data_offsets": [end, end + tensor.size()]}
        end += tensor.size()
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    folder = os.path.dirname(os.path.abspath(path))
    handle, beside = tempfile.mkstemp(dir=folder, prefix=".torch_to_safetensors.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text)
            key, stored = None, b""
            for tensor in tensors.values():
                if tensor.storage.key != key:   # parts of one storage come one after the other
                    key, stored = tensor.storage.key, weights.bytes_of(tensor.storage)
                file.write(tensor.contents(stored))
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(beside, 0o666 & ~mask)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="what torch.save wrote")
    parser.add_argument("output", help="the safetensors file to write")
    parser.add_argument("--key", action="append", default=[], metavar="NAME", help="tensors are under this key, say state_dict; again to go deeper")
    arguments = parser.parse_args()
    try:
        weights = open_weights(arguments.file)
        tensors = tensors_of(weights.root, arguments.key)
        if "__metadata__" in tensors:
            raise Refused("has a tensor named __metadata__, which safetensors reserves")
        write(arguments.output, weights, tensors)
    except Refused as error:
        print(f"{arguments.file} {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{arguments.output} cannot be written ({error.strerror})", file=sys.stderr)
        return 1
    print(f"{arguments.output}: {len(tensors)} tensors, {sum(t.size() for t in tensors.values())} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
