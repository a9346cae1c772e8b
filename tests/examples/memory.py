#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""memory.py BIN_FOLDER [MODEL [TYPE]]

The most memory that tessera-run has at once, with weights from a file: at most 1.1 x (packed weights + arenas) + 64 MB,
as --profile says what those are. Pages of the file must have been given back while it was read. TYPE: F32 or F16.
"""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

import numpy as np

SIZES = {"minilm_l6": (6, 384, 1536), "bert_base": (12, 768, 3072), "bert_large": (24, 1024, 4096)}
CASES = [("minilm_l6", "F32"), ("minilm_l6", "F16"), ("bert_base", "F32")]


def parameters(layers, hidden, intermediate):
    """Names and shapes, in the order in which files hold them: by name."""
    found = {"embeddings.word_embeddings.weight": (30522, hidden), "embeddings.position_embeddings.weight": (512, hidden),
             "embeddings.token_type_embeddings.weight": (2, hidden)}

    def linear(name, outputs, inputs):
        found[name + ".weight"], found[name + ".bias"] = (outputs, inputs), (outputs,)

    def norm(name):
        found[name + ".weight"], found[name + ".bias"] = (hidden,), (hidden,)

    norm("embeddings.LayerNorm")
    for i in range(layers):
        at = f"encoder.layer.{i}."
        for name in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            linear(at + name, hidden, hidden)
        linear(at + "intermediate.dense", intermediate, hidden)
        linear(at + "output.dense", hidden, intermediate)
        norm(at + "attention.output.LayerNorm")
        norm(at + "output.LayerNorm")
    linear("pooler.dense", hidden, hidden)
    return dict(sorted(found.items()))


def write_weights(path, tensors, kind):
    """A block at a time: a child's peak counts what its parent had."""
    dtype = {"F32": np.float32, "F16": np.float16}[kind]
    block = (np.random.default_rng(1).standard_normal(1 << 18, np.float32) * np.float32(0.03)).astype(dtype)
    header, offset = {}, 0
    for name, shape in tensors.items():
        size = int(np.prod(shape)) * block.itemsize
        header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name, shape in tensors.items():
            left = int(np.prod(shape))
            if name.endswith("LayerNorm.weight"):
                file.write(np.ones(left, dtype).tobytes())
                continue
            while left > 0:
                file.write(block[:left].tobytes())
                left -= min(left, block.size)


def measure(program, folder, model, kind):
    weights = os.path.join(folder, "weights.safetensors")
    write_weights(weights, parameters(*SIZES[model]), kind)
    try:
        child = subprocess.Popen([program, model, "--weights", weights, "--input", f"input_ids={os.path.join(folder, 'ids.npy')}",
                                  "--output", os.path.join(folder, "results"), "--profile"], stdout=subprocess.PIPE)
        printed = child.stdout.read().decode()
        _, status, used = os.wait4(child.pid, 0)
        assert os.waitstatus_to_exitcode(status) == 0, f"{model}: exit status {status}"
    finally:
        os.remove(weights)
    said = re.search(r"^memory: packed weights ([0-9.]+) MiB, arenas ([0-9.]+) MiB$", printed, re.MULTILINE)
    assert said, f"{model}: no line about memory in what --profile prints: …{printed[-300:]}"
    packed, arenas = (float(x) * 1.048576 for x in said.groups())
    peak, most = used.ru_maxrss * 1.024e-3, 1.1 * (packed + arenas) + 64
    print(f"{model} from {kind}: packed weights {packed:.1f} MB, arenas {arenas:.1f} MB, peak {peak:.1f} MB, at most {most:.1f} MB", flush=True)
    return peak <= most


def main():
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    program = os.path.join(os.path.abspath(sys.argv[1]), "tessera-run")
    cases = CASES if len(sys.argv) == 2 else [(sys.argv[2], sys.argv[3] if len(sys.argv) == 4 else "F32")]
    with tempfile.TemporaryDirectory() as folder:
        np.save(os.path.join(folder, "ids.npy"), np.random.default_rng(1).integers(0, 30522, (4, 100)))
        good = [measure(program, folder, model, kind) for model, kind in cases]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
