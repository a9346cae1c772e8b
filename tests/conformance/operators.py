# SPDX-License-Identifier: Apache-2.0
"""From an operator case to the C++ statements of a graph.

One function an operator: it gets the case and returns the statements that end with a g.output(...) for every output
that is not a gradient. It raises Later for what the library does not have yet. Names and numbers are checked before
they become source text.
"""
import ast
import re


class Later(Exception):
    """The library cannot do this yet; the text says what."""


TYPES = {"float32": "float", "float64": "double", "int64": "std::int64_t", "int32": "std::int32_t"}


def identifier(name):
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or name in ("g", "ts", "model", "at"):
        raise Later(f"a tensor named {name!r}")
    return name


def braces(numbers):
    return "{" + ", ".join(str(int(number)) for number in numbers) + "}"


def number(value):
    return repr(float(value)) + "f"


def inputs(case):
    """The inputs of the forward pass: all but the cotangents."""
    return {name: data for name, data in case["inputs"].items() if not name.startswith("grad_")}


def outputs(case):
    """The outputs of the forward pass: all but the gradients."""
    return {name: data for name, data in case["outputs"].items() if not name.startswith("d_")}


def declare(case):
    return [f'auto {identifier(name)} = g.input<{TYPES[data["dtype"]]}>("{name}", {braces(data["shape"])});'
            for name, data in inputs(case).items()]


def give(name, expression):
    return f'g.output("{identifier(name)}", {expression});'


def optional(case, *names):
    """`, name` for each named input that the case has."""
    return "".join(f", {name}" for name in names if name in case["inputs"])


def axis_of(case):
    return int(case["attrs"].get("axis", -1))


def matmul(case):
    flags = [f".{name} = true" for name in ("transpose_a", "transpose_b") if case["attrs"].get(name)]
    return [give("y", "ts::matmul(g, a, b" + (", {" + ", ".join(flags) + "}" if flags else "") + ")")]


def linear(case):
    return [give("y", "ts::linear(g, x, weight" + optional(case, "bias") + ")")]


def embedding(case):
    return [give("y", "ts::embedding(g, weight, ids)")]


def layernorm(case):
    return [give("y", f"ts::layer_norm(g, x, weight, bias, {number(case['attrs']['eps'])})")]


def softmax(case):
    mask = ", .mask = mask" if "mask" in case["inputs"] else ""
    return [give("y", f"ts::softmax(g, x, {{.axis = {axis_of(case)}{mask}}})")]


def attention(case):
    if case["attrs"].get("layout", "[B,H,S,D]") != "[B,H,S,D]" or case["attrs"].get("scale", "1/sqrt(D)") != "1/sqrt(D)":
        raise Later("attention of another layout or scale")
    return [give("y", "ts::attention(g, q, k, v" + optional(case, "mask") + ")")]


def l2_normalize(case):
    return [give("y", "ts::l2_normalize(g, x)")]


ACTIVATIONS = {"gelu_erf": "gelu", "gelu_tanh": "gelu_tanh", "tanh": "tanh", "exp_clipped": "exp_clipped",
               "relu": "relu", "sigmoid": "sigmoid", "silu": "silu", "hardswish": "hardswish"}


def activation(case):
    function = case["attrs"]["function"]
    if function not in ACTIVATIONS:
        raise Later(f"activation {function}")
    return [give("y", f"ts::{ACTIVATIONS[function]}(g, x)")]


def concat(case):
    return [give("y", "ts::concat(g, {" + ", ".join(inputs(case)) + f"}}, {axis_of(case)})")]


def broadcast(case):
    """attrs.formula: an expression of inputs, numbers, + - * / and whole powers. Numbers become inputs of one element."""
    constants = case["constants"] = {}
    names = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div"}

    def constant(value):
        name = f"constant_{len(constants)}"
        constants[name] = number(value)
        return name

    def text(node):
        if isinstance(node, ast.Expression):
            return text(node.body)
        if isinstance(node, ast.Name) and node.id in case["inputs"]:
            return identifier(node.id)
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return constant(node.value)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return f"ts::sub(g, {constant(0)}, {text(node.operand)})"
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and isinstance(node.right, ast.Constant):
            power, base = node.right.value, text(node.left)
            if isinstance(power, int) and 1 <= power <= 8:
                result = base
                for _ in range(power - 1):
                    result = f"ts::mul(g, {result}, {base})"
                return result
        if isinstance(node, ast.BinOp) and type(node.op) in names:
            return f"ts::{names[type(node.op)]}(g, {text(node.left)}, {text(node.right)})"
        raise Later(f"the formula {case['attrs']['formula']!r}")

    y = give("y", text(ast.parse(case["attrs"]["formula"].replace("^", "**"), mode="eval")))
    return [f'auto {name} = g.input<float>("{name}", {{1}});' for name in constants] + [y]


REDUCTIONS = {"sum": "reduce_sum", "mean": "reduce_mean", "max": "reduce_max", "biased variance": "reduce_variance"}


def reduce(case):
    """attrs.outputs: `sum over 1; mean over 0,2; …; l2 norm of everything`, in the order of the outputs."""
    parts = [part.strip() for part in case["attrs"]["outputs"].split(";")]
    names = list(outputs(case))
    if len(parts) != len(names):
        raise Later(f"{case['attrs']['outputs']!r}")
    result = []
    for name, part in zip(names, parts):
        if part == "l2 norm of everything":
            result.append(give(name, "ts::l2_norm(g, x)"))
            continue
        match = re.fullmatch(r"(.+) over ([\d, -]+)", part)
        if not match or match.group(1) not in REDUCTIONS:
            raise Later(f"reduction {part!r}")
        axes = braces(match.group(2).split(","))
        result.append(give(name, f"ts::{REDUCTIONS[match.group(1)]}(g, x, {axes})"))
    return result


def image(expression):
    """What an operator on images gives, with channels as the kit has them."""
    return [give("y", f"ts::channels_first(g, {expression})")]


def pair(value):
    return braces(value if isinstance(value, list) else [value, value])


def conv2d(case):
    attrs = case["attrs"]
    top, left = attrs["padding"]
    bias = ", .bias = bias" if "bias" in case["inputs"] else ""
    return image(f"ts::conv2d(g, ts::channels_last(g, x), weight, {{.stride = {pair(attrs['stride'])}, "
                 f".padding = {braces([top, left])}, .dilation = {pair(attrs['dilation'])}, .groups = {int(attrs['groups'])}{bias}}})")


def pool_options(attrs):
    flags = "".join(f", .{name} = {str(bool(attrs[key])).lower()}"
                    for key, name in (("ceil_mode", "ceil"), ("count_include_pad", "count_padding")) if key in attrs)
    return f"{{.kernel = {pair(attrs['kernel'])}, .stride = {pair(attrs['stride'])}, .padding = {int(attrs['padding'])}{flags}}}"


def maxpool2d(case):
    return image(f"ts::max_pool(g, ts::channels_last(g, x), {pool_options(case['attrs'])})")


def avgpool2d(case):
    return image(f"ts::average_pool(g, ts::channels_last(g, x), {pool_options(case['attrs'])})")


def adaptiveavgpool(case):
    return image(f"ts::adaptive_average_pool(g, ts::channels_last(g, x), {pair(case['attrs']['output_size'])})")


def globalavgpool(case):
    return [give("y", "ts::global_average_pool(g, ts::channels_last(g, x))")]


def batchnorm(case):
    if case["attrs"]["training"]:
        raise Later("batchnorm in training")
    image_like = len(case["inputs"]["x"]["shape"]) == 4
    x = "ts::channels_last(g, x)" if image_like else "x"
    norm = f"ts::batch_norm(g, {x}, weight, bias, running_mean, running_var, {number(case['attrs']['eps'])})"
    return image(norm) if image_like else [give("y", norm)]


def groupnorm(case):
    return image(f"ts::group_norm(g, ts::channels_last(g, x), weight, bias, {int(case['attrs']['groups'])}, "
                 f"{number(case['attrs']['eps'])})")


def squeeze_excite(case):
    return image("ts::squeeze_excite(g, ts::channels_last(g, x), w1, b1, w2, b2)")


OPERATORS = {function.__name__: function for function in (
    matmul, linear, embedding, layernorm, softmax, attention, l2_normalize, activation, concat, broadcast, reduce,
    conv2d, maxpool2d, avgpool2d, adaptiveavgpool, globalavgpool, batchnorm, groupnorm, squeeze_excite)}


def statements(case):
    """The body of build() for a case."""
    if case["op"] not in OPERATORS:
        raise Later(case["op"])
    for data in inputs(case).values():
        if data["dtype"] not in TYPES:
            raise Later(f"element type {data['dtype']}")
    return declare(case) + OPERATORS[case["op"]](case)


def source(cases):
    """A program that runs the (index, case) given: `program INDEX INPUT_FOLDER OUTPUT_FOLDER THREADS`."""
    lines = ['// Generated by tests/conformance/run.py.', '#include "driver.hpp"', '', 'namespace {', '']
    for index, case in cases:
        lines += [f"struct case_{index} {{", "  static constexpr auto build(ts::graph& g) {",
                  *("    " + line for line in statements(case)), "  }", "};", ""]
        lines += [f"void run_{index}(conformance::arguments const& at) {{",
                  f"  auto model = conformance::make<case_{index}>(at);"]
        lines += [f'  at.load("{name}", model.input<"{name}">());' for name in inputs(case)]
        lines += [f'  model.input<"{name}">()[0] = {value};' for name, value in case.get("constants", {}).items()]
        lines += ["  model.run();"]
        lines += [f'  at.store("{name}", model.output<"{name}">(), {braces(data["shape"])});'
                  for name, data in outputs(case).items()]
        lines += ["}", ""]
    lines += ["}  // namespace", "", "int main(int argc, char** argv) {", "  return conformance::main(argc, argv, {"]
    lines += [f"    {{{index}, run_{index}}}," for index, _ in cases]
    lines += ["  });", "}", ""]
    return "\n".join(lines)
