#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""on_demand.py BIN_FOLDER

tessera-run compiles a model of any size when it is first wanted: with the sizes of MiniLM it gives what the compiled-in
one gives, the second run needs no compiler, and without one the first is refused.
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

MINILM = {"hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 1536, "vocab_size": 30522,
          "max_position_embeddings": 512, "type_vocab_size": 2, "layer_norm_eps": 1e-12, "hidden_act": "gelu"}


def main():
    program = os.path.join(os.path.abspath(sys.argv[1]), "tessera-run")
    with tempfile.TemporaryDirectory() as folder:
        def run(model, output, *arguments):
            return subprocess.run([program, model, "--weights", "synthetic:5", "--input", "input_ids=ids.npy", "--output", output, *arguments],
                                  cwd=folder, env=os.environ | {"XDG_CACHE_HOME": folder}, stdin=subprocess.DEVNULL, capture_output=True, check=False)

        np.save(os.path.join(folder, "ids.npy"), np.random.default_rng(1).integers(0, 30522, (3, 50)))
        with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
            json.dump(MINILM, file)
        config = ["--config", "config=config.json"]
        refused = run("bert", "refused", *config, "--compile", "never")
        assert refused.returncode == 1 and b"not compiled yet" in refused.stderr and not os.path.exists(os.path.join(folder, "refused")), refused
        for model, output, arguments in (("minilm_l6", "built_in", []), ("bert", "compiled", config), ("bert", "kept", [*config, "--compile", "never"])):
            done = run(model, output, *arguments)
            assert done.returncode == 0 and not done.stderr, done
        for name in ("last_hidden_state", "pooler_output", "sentence_embedding"):
            want, compiled, kept = (np.load(os.path.join(folder, output, name + ".npy")) for output in ("built_in", "compiled", "kept"))
            assert want.shape == compiled.shape and np.allclose(compiled, want, rtol=1e-5, atol=1e-5), name
            assert np.array_equal(compiled, kept), name
    print("the model compiled on demand is the one that is compiled in")


if __name__ == "__main__":
    main()
