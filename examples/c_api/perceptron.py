#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""perceptron.py LIBRARY: the model of perceptron.cpp from Python, on NumPy arrays that are the model's own memory."""
import ctypes
import json
import os
import struct
import sys
import tempfile

import numpy as np


class Tensor(ctypes.Structure):   # tessera_tensor of tessera/c_api.h
    _fields_ = [("name", ctypes.c_char_p), ("element", ctypes.c_int), ("rank", ctypes.c_int),
                ("shape", ctypes.c_int64 * 4), ("data", ctypes.c_void_p), ("bytes", ctypes.c_size_t)]


library = ctypes.CDLL(os.path.abspath(sys.argv[1]))
library.tessera_last_error.restype = ctypes.c_char_p
TYPES = {1: np.float32, 2: np.float64, 3: np.int32, 4: np.int64, 5: np.bool_, 6: np.float16}


def call(function, *arguments):
    if getattr(library, "tessera_" + function)(*arguments) != 0:
        raise RuntimeError(library.tessera_last_error().decode())


def array(function, model, name):
    """An input or output as an array that is the model's own memory."""
    t = Tensor()
    call(function, model, name.encode(), ctypes.byref(t))
    memory = (ctypes.c_char * t.bytes).from_address(t.data)
    return np.frombuffer(memory, TYPES[t.element]).reshape(t.shape[:t.rank])


# Weights as a safetensors file: a header of names, types, shapes and offsets, then the bytes.
random = np.random.default_rng(1)
weights = {name: random.normal(0, 0.05, shape).astype(np.float32) for name, shape in (
    ("fc1.weight", (256, 784)), ("fc1.bias", (256,)), ("fc2.weight", (10, 256)), ("fc2.bias", (10,)))}
ends = np.cumsum([w.nbytes for w in weights.values()]).tolist()
header = json.dumps({name: {"dtype": "F32", "shape": w.shape, "data_offsets": [end - w.nbytes, end]}
                     for (name, w), end in zip(weights.items(), ends)}).encode()
with tempfile.NamedTemporaryFile() as file:
    file.write(struct.pack("<Q", len(header)) + header + b"".join(w.tobytes() for w in weights.values()))
    file.flush()
    model = ctypes.c_void_p()
    call("open", b"perceptron", file.name.encode(), 2, ctypes.byref(model))

x, y = array("input", model, "x"), array("output", model, "y")
call("set_length", model, b"images", ctypes.c_int64(5))
x[:5] = random.random((5, 784))
call("run", model)
hidden = np.maximum(x[:5] @ weights["fc1.weight"].T + weights["fc1.bias"], 0)
wanted = hidden @ weights["fc2.weight"].T + weights["fc2.bias"]
print(f"5 images, classes {y[:5].argmax(axis=1).tolist()}, NumPy says {wanted.argmax(axis=1).tolist()}, "
      f"{'equal' if np.allclose(y[:5], wanted, rtol=1e-4, atol=1e-4) else 'different'} to 4 digits")
library.tessera_close(model)
