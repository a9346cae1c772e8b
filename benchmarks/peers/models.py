# SPDX-License-Identifier: Apache-2.0
"""The bundled encoders as plain PyTorch modules, with the names of parameters that Hugging Face's BertModel has.

Weights are made up from a fixed seed and stored once, as a safetensors file that every contender reads.
"""
import hashlib
import math
import os
import pathlib

import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from torch import nn

#: name: (layers, hidden, heads, intermediate)
SIZES = {"minilm_l6": (6, 384, 12, 1536), "bert_base": (12, 768, 12, 3072), "bert_large": (24, 1024, 16, 4096)}
VOCABULARY, POSITIONS, TOKEN_TYPES, EPS = 30522, 512, 2, 1e-12


class SelfAttention(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.heads, self.width = heads, hidden // heads
        self.query, self.key, self.value = (nn.Linear(hidden, hidden) for _ in range(3))
        self.explicit = False

    def forward(self, x, bias):
        n, s, hidden = x.shape
        q, k, v = (f(x).view(n, s, self.heads, self.width).transpose(1, 2) for f in (self.query, self.key, self.value))
        if self.explicit:
            scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(self.width)
            y = torch.matmul(torch.softmax(scores if bias is None else scores + bias, dim=-1), v)
        else:
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        return y.transpose(1, 2).reshape(n, s, hidden)


class Residual(nn.Module):
    """A linear layer, what came before added to it, normalised."""

    def __init__(self, inputs, hidden):
        super().__init__()
        self.dense, self.LayerNorm = nn.Linear(inputs, hidden), nn.LayerNorm(hidden, eps=EPS)

    def forward(self, y, x):
        return self.LayerNorm(self.dense(y) + x)


class Layer(nn.Module):
    def __init__(self, hidden, heads, intermediate):
        super().__init__()
        self.attention = nn.ModuleDict({"self": SelfAttention(hidden, heads), "output": Residual(hidden, hidden)})
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(hidden, intermediate)})
        self.output = Residual(intermediate, hidden)

    def forward(self, x, bias):
        x = self.attention["output"](self.attention["self"](x, bias), x)
        return self.output(F.gelu(self.intermediate["dense"](x)), x)


class Encoder(nn.Module):
    """ids (N, S), and mask (N, S) where sequences are padded -> sentence embeddings (N, hidden): the mean over the
    tokens that are there, of length 1. With `pooler`, the pooler's output (N, hidden) beside it."""

    def __init__(self, name, pooler):
        super().__init__()
        layers, hidden, heads, intermediate = SIZES[name]
        self.heads, self.pools = heads, pooler
        self.embeddings = nn.ModuleDict({
            "word_embeddings": nn.Embedding(VOCABULARY, hidden), "position_embeddings": nn.Embedding(POSITIONS, hidden),
            "token_type_embeddings": nn.Embedding(TOKEN_TYPES, hidden), "LayerNorm": nn.LayerNorm(hidden, eps=EPS)})
        self.encoder = nn.ModuleDict({
            "layer": nn.ModuleList(Layer(hidden, heads, intermediate) for _ in range(layers))})
        self.pooler = nn.ModuleDict({"dense": nn.Linear(hidden, hidden)})

    def explicit_attention(self):
        """Attention as two products and a softmax from now on, the form that fusions of ONNX graphs look for."""
        for layer in self.encoder["layer"]:
            layer.attention["self"].explicit = True
        return self

    def forward(self, ids, mask=None):
        e = self.embeddings
        places = e["position_embeddings"].weight[:ids.shape[1]]
        x = e["LayerNorm"](e["word_embeddings"](ids) + places + e["token_type_embeddings"].weight[0])
        bias = None
        if mask is not None:
            bias = (1.0 - mask.to(x.dtype))[:, None, None, :] * torch.finfo(x.dtype).min
        for layer in self.encoder["layer"]:
            x = layer(x, bias)
        if mask is None:
            mean = x.mean(1)
        else:
            there = mask.to(x.dtype)[:, :, None]
            mean = (x * there).sum(1) / there.sum(1)
        sentence = mean / torch.linalg.vector_norm(mean, dim=-1, keepdim=True)
        return (sentence, torch.tanh(self.pooler["dense"](x[:, 0]))) if self.pools else sentence


def folder(name, cache):
    """Where files of this model are kept; another folder once these sources or PyTorch have changed."""
    here = pathlib.Path(__file__)
    state = here.read_bytes() + (here.parent / "contender.py").read_bytes() + torch.__version__.encode()
    path = os.path.join(cache, f"{name}-{hashlib.sha256(state).hexdigest()[:12]}")
    os.makedirs(path, exist_ok=True)
    return path


def weights(name, cache):
    """Path of the safetensors file with this model's weights, made if it is not there: products keep the variance of
    what goes in, norms and biases differ from 1 and 0, so that a wrong one shows."""
    path = os.path.join(folder(name, cache), "weights.safetensors")
    if not os.path.exists(path):
        generator = torch.Generator().manual_seed(0)
        state = {}
        for key, value in Encoder(name, True).state_dict().items():
            made = torch.randn(value.shape, generator=generator)
            if key.endswith("LayerNorm.weight"):
                made = 1 + 0.1 * made
            elif key.endswith("bias"):
                made = 0.1 * made
            elif "embeddings" not in key:
                made = made / math.sqrt(value.shape[1])
            state[key] = made
        save_file(state, path + ".part")
        os.replace(path + ".part", path)
    return path


def encoder(name, cache, pooler):
    """The model with its weights, for inference."""
    with torch.device("meta"):
        module = Encoder(name, pooler)
    module.load_state_dict(load_file(weights(name, cache)), assign=True)
    return module.eval().requires_grad_(False)
