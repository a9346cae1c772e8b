#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""on_demand.py BIN_FOLDER

The programs compile a model of any size when it is first wanted: with the sizes of BERT base and the head that answers
questions, tessera-qa and tessera-run give what they give with the compiled-in one. Only the first run needs a compiler,
and without one it is refused. With $TESSERA_TEST_MORE an encoder of the sizes of MiniLM as well: it takes as long again.
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

MINILM = {"hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 1536, "vocab_size": 30522,
          "max_position_embeddings": 512, "type_vocab_size": 2, "layer_norm_eps": 1e-12, "hidden_act": "gelu"}
BASE = MINILM | {"hidden_size": 768, "num_hidden_layers": 12, "intermediate_size": 3072}
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "who", "?", *(f"w{i}" for i in range(30))]


def encoder(run, load):
    def trial(model, output, *arguments):
        return run("tessera-run", model, "--weights", "synthetic:5", "--input", "input_ids=ids.npy", "--output", output, *arguments)

    config = ["--config", "config=minilm.json"]
    refused = trial("bert", "refused", *config, "--compile", "never")
    assert refused.returncode == 1 and b"not compiled yet" in refused.stderr and load("refused", "pooler_output") is None, refused
    for model, output, arguments in (("minilm_l6", "built_in", []), ("bert", "compiled", config), ("bert", "kept", [*config, "--compile", "never"])):
        done = trial(model, output, *arguments)
        assert done.returncode == 0 and not done.stderr, done
    done = trial("bert", "narrow", *config, "--config", "weights=bf16")
    assert done.returncode == 0 and not done.stderr, done
    difference = np.abs(load("narrow", "sentence_embedding") - load("built_in", "sentence_embedding")).max()
    assert 0 < difference < 0.02, difference   # numbers of length 1, from weights with 8 bits
    for name in ("last_hidden_state", "pooler_output", "sentence_embedding"):
        want, compiled, kept = (load(output, name) for output in ("built_in", "compiled", "kept"))
        assert want.shape == compiled.shape and np.allclose(compiled, want, rtol=1e-5, atol=1e-5), name
        assert np.array_equal(compiled, kept), name


def answers(run, load):
    load.save(squad_ids=np.random.default_rng(2).integers(0, 30522, (3, 50)))
    config = ["--config", "config=base.json"]

    def ask(*arguments):
        done = run("tessera-qa", "passage.txt", "--question", "who?", "--question", "w3 w4?", "--weights", "synthetic:5", "--vocab", "vocab.txt", *arguments)
        return done, [json.loads(line) for line in done.stdout.splitlines()]

    refused, nothing = ask("--model", "bert_squad", *config, "--compile", "never")
    assert refused.returncode == 1 and b"not compiled yet" in refused.stderr and not nothing, refused
    (built_in, want), (compiled, got) = ask(), ask("--model", "bert_squad", *config)
    assert built_in.returncode == 0 and compiled.returncode == 0 and not compiled.stderr, (built_in, compiled)
    assert len(want) == 2 and [(x["question"], x["answer"]) for x in got] == [(x["question"], x["answer"]) for x in want], (got, want)
    assert np.allclose([x["score"] for x in got], [x["score"] for x in want], rtol=1e-4, atol=1e-4), (got, want)
    for model, arguments in (("bert_base_squad", []), ("bert_squad", [*config, "--compile", "never"])):
        done = run("tessera-run", model, *arguments, "--weights", "synthetic:5", "--input", "input_ids=squad_ids.npy", "--output", model)
        assert done.returncode == 0 and not done.stderr, done
    for name in ("start_logits", "end_logits"):
        want, got = load("bert_base_squad", name), load("bert_squad", name)
        assert want.shape == got.shape == (3, 50) and np.allclose(got, want, rtol=1e-4, atol=1e-4), name


def main():
    programs = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        def run(program, *arguments):
            return subprocess.run([os.path.join(programs, program), *arguments], cwd=folder, env=os.environ | {"XDG_CACHE_HOME": folder},
                                  stdin=subprocess.DEVNULL, capture_output=True, check=False)

        def path(*names):
            return os.path.join(folder, *names)

        def load(output, name):
            at = path(output, name + ".npy")
            return np.load(at) if os.path.exists(at) else None

        load.save = lambda **arrays: [np.save(path(name + ".npy"), values) for name, values in arrays.items()]
        load.save(ids=np.random.default_rng(1).integers(0, 30522, (3, 50)))
        for name, text in (("minilm.json", json.dumps(MINILM)), ("base.json", json.dumps(BASE)), ("vocab.txt", "\n".join(WORDS) + "\n"),
                           ("passage.txt", " ".join(WORDS[7 + i % 30] for i in range(60)))):
            with open(path(name), "w", encoding="utf-8") as file:
                file.write(text)
        for part in (answers, encoder) if os.environ.get("TESSERA_TEST_MORE") else (answers,):
            part(run, load)
    print("the models compiled on demand are those that are compiled in")


if __name__ == "__main__":
    main()
