#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""contender.py BACKEND MODEL WORKLOAD.json --threads N --cache DIR

One peer, timed in turn with others by compare.py. BACKEND is torch, torch_compile, onnxruntime, onnxruntime_fused or
openvino; MODEL minilm_l6, bert_base or bert_large. The workload is {"sequences": [[id, …], …], "batch": N}: one pass
encodes all sequences in groups of N, in their order.

A group of one is run at its own length, a larger one padded to its longest, with a mask where lengths differ. Models
for workloads of one sequence have that shape fixed, and compute the pooler as well. Inputs are bound beforehand: a pass
is inference alone, in f32. Lines on the standard input are obeyed as benchmarks/contender.hpp describes:
`round SECONDS` and `save FILE.npy`.

contender.py weights MODEL --cache DIR makes the weights that all contenders read, and prints their path.
"""
import argparse
import gc
import json
import os
import sys
import time

STARTED = time.perf_counter()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("backend", choices=["weights", *BACKENDS])
    parser.add_argument("model")
    parser.add_argument("workload", nargs="?")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cache", required=True)
    return parser.parse_args()


class Workload:
    """The arrays of each group: ids (N, S), and a mask where sequences are padded."""

    def __init__(self, path):
        import numpy as np
        with open(path, encoding="utf-8") as file:
            stored = json.load(file)
        sequences, batch = stored["sequences"], stored["batch"]
        self.single = len(sequences) == 1
        groups = [sequences[i:i + batch] for i in range(0, len(sequences), batch)]
        #: whether the model needs a mask at all
        self.masked = any(len(ids) != len(group[0]) for group in groups for ids in group)
        self.groups = []
        for group in groups:
            longest = max(map(len, group))
            arrays = [np.array([ids + [0] * (longest - len(ids)) for ids in group], np.int64)]
            if self.masked:
                arrays.append(np.array([[1] * len(ids) + [0] * (longest - len(ids)) for ids in group], np.int64))
            self.groups.append(arrays)


def torch_pass(options, workload):
    """PyTorch as it is. -> a function that makes a pass and returns what it made, and the version"""
    import torch
    import models
    module = models.encoder(options.model, options.cache, workload.single)
    groups = [[torch.from_numpy(array) for array in arrays] for arrays in workload.groups]

    def run():
        with torch.inference_mode():
            return [module(*group) for group in groups]
    return run, "PyTorch " + torch.__version__


def torch_compile_pass(options, workload):
    """PyTorch compiled for the shape, weights as constants."""
    import torch
    import torch._inductor.config
    import models
    if not workload.single:
        raise ValueError("compiled for one shape only, this workload has several")
    torch._inductor.config.freezing = True
    module = torch.compile(models.encoder(options.model, options.cache, True))
    groups = [[torch.from_numpy(array) for array in arrays] for arrays in workload.groups]

    def run():
        with torch.no_grad():
            return [module(*group) for group in groups]
    return run, "PyTorch " + torch.__version__


def onnx_file(options, workload):
    """Path of the exported model, for the workload's shape or for any."""
    import torch
    import models
    arrays = workload.groups[0]
    kind = f"tokens{arrays[0].shape[1]}" if workload.single else "masked" if workload.masked else "any"
    path = os.path.join(models.folder(options.model, options.cache), kind + ".onnx")
    if not os.path.exists(path):
        module = models.encoder(options.model, options.cache, workload.single).explicit_attention()
        names = ["ids", "mask"][:len(arrays)]
        axes = {} if workload.single else {name: {0: "sequences", 1: "tokens"} for name in names}
        with torch.no_grad():   # version 17: from 18 on, the transformers' optimizer infers no shapes and fuses less
            torch.onnx.export(module, tuple(map(torch.from_numpy, arrays)), path + ".part", input_names=names,
                              output_names=["sentence", "pooler"] if workload.single else ["sentence"],
                              dynamic_axes=axes, opset_version=17, dynamo=False)
        os.replace(path + ".part", path)
    return path


def onnxruntime_pass(options, workload, path=None):
    """ONNX Runtime with all of its graph optimisations."""
    import onnxruntime as ort
    path = path or onnx_file(options, workload)
    settings = ort.SessionOptions()
    settings.intra_op_num_threads, settings.inter_op_num_threads = options.threads, 1
    settings.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
    settings.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    settings.log_severity_level = 3
    session = ort.InferenceSession(path, settings, providers=["CPUExecutionProvider"])
    bindings, inputs = [], []
    for arrays in workload.groups:
        binding = session.io_binding()
        for port, array in zip(session.get_inputs(), arrays):
            inputs.append(ort.OrtValue.ortvalue_from_numpy(array))
            binding.bind_ortvalue_input(port.name, inputs[-1])
        for port in session.get_outputs():
            binding.bind_output(port.name, "cpu")
        bindings.append(binding)

    def run(_inputs=inputs):
        for binding in bindings:
            session.run_with_iobinding(binding)
        return bindings
    run.result = lambda made: [binding.get_outputs()[0].numpy() for binding in made]
    return run, "ONNX Runtime " + ort.__version__


def onnxruntime_fused_pass(options, workload):
    """ONNX Runtime on the graph that its own optimizer for transformers made."""
    import models
    from onnxruntime.transformers import optimizer
    if not workload.single:
        raise ValueError("fused for one shape only, this workload has several")
    plain = onnx_file(options, workload)
    path = plain.replace(".onnx", ".fused.onnx")
    if not os.path.exists(path):
        _, hidden, heads, _ = models.SIZES[options.model]
        fused = optimizer.optimize_model(plain, model_type="bert", num_heads=heads, hidden_size=hidden, opt_level=0)
        sys.stderr.write(f"fused: { {k: n for k, n in fused.get_fused_operator_statistics().items() if n} }\n")
        fused.save_model_to_file(path)
    return onnxruntime_pass(options, workload, path)


def openvino_pass(options, workload):
    """OpenVINO, set up for latency."""
    import openvino as ov
    core = ov.Core()
    compiled = core.compile_model(core.read_model(onnx_file(options, workload)), "CPU", {
        "PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": 1, "INFERENCE_NUM_THREADS": options.threads,
        "ENABLE_CPU_PINNING": False, "INFERENCE_PRECISION_HINT": "f32"})
    requests = []
    for arrays in workload.groups:
        request = compiled.create_infer_request()
        for port, array in enumerate(arrays):
            request.set_input_tensor(port, ov.Tensor(array, shared_memory=True))
        requests.append(request)

    def run(_inputs=workload.groups):
        for request in requests:
            request.infer()
        return requests
    run.result = lambda made: [request.get_output_tensor(0).data for request in made]
    return run, "OpenVINO " + ov.__version__.split("-")[0]


BACKENDS = {"torch": torch_pass, "torch_compile": torch_compile_pass, "onnxruntime": onnxruntime_pass,
            "onnxruntime_fused": onnxruntime_fused_pass, "openvino": openvino_pass}


def timed_round(run, seconds):
    """Passes until the time is up, at least one: milliseconds of each, and CPU time ÷ wall time."""
    ms, share = [], []
    end = time.perf_counter() + seconds
    while not ms or time.perf_counter() < end:
        cpu, start = time.process_time(), time.perf_counter()
        run()
        wall = time.perf_counter() - start
        share.append((time.process_time() - cpu) / wall)
        ms.append(1e3 * wall)
    return {"ms": ms, "share": share}


def save(run, path):
    """Writes the sentence embeddings (sequences, hidden)."""
    import numpy as np
    made = run()
    if hasattr(run, "result"):
        rows = run.result(made)
    else:
        rows = [(group[0] if isinstance(group, tuple) else group).numpy() for group in made]
    np.save(path, np.concatenate(rows).astype(np.float32))
    return {}


def obey(run, replies):
    """Answers the lines of the standard input until it ends."""
    for line in sys.stdin:
        command, _, rest = line.strip().partition(" ")
        try:
            if command == "round":
                answer = timed_round(run, float(rest))
            elif command == "save":
                answer = save(run, rest)
            else:
                answer = {"error": "no such command: " + line.strip()}
        except Exception as failure:   # whatever a peer throws is its answer
            answer = {"error": f"{type(failure).__name__}: {failure}"}
        replies.write(json.dumps(answer) + "\n")


def main():
    options = arguments()
    for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[variable] = str(options.threads)
    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", os.path.join(options.cache, "inductor"))
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    # What libraries print must not get between the replies.
    replies = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)
    if options.backend == "weights":
        import models
        replies.write(models.weights(options.model, options.cache) + "\n")
        return
    import torch
    torch.set_num_threads(options.threads)
    workload = Workload(options.workload)
    run, version = BACKENDS[options.backend](options, workload)
    run()
    timed_round(run, 0.5)
    gc.collect()
    gc.freeze()
    gc.disable()
    replies.write(json.dumps({"setup_s": time.perf_counter() - STARTED, "version": version}) + "\n")
    obey(run, replies)


if __name__ == "__main__":
    main()
