#!/usr/bin/env python3
"""Write src/cli/layer_table.inc: the ops that the functions of fluid.layers add to a program, for
`paddle ops fc`.

    .venv/bin/python tools/layer_ops.py          change the table
    .venv/bin/python tools/layer_ops.py --check  fail where it is not up to date

It is read off the layers' source: the op types that a function, and those of fluid.layers that it
calls, have as an argument of a call. Arithmetic on variables (a * b) is not followed."""
import ast
import inspect
import os
import sys
import textwrap
import types

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = os.path.join(ROOT, "src", "cli", "layer_table.inc")
HEAD = """/* Made by tools/layer_ops.py: a layer of fluid.layers, and the ops that it adds. */
"""
# Their types are put together at run time, or (fc) an op of the layer's name is another.
SAID = {"adaptive_pool2d": ["pool2d", "max_pool2d_with_index"],
        "adaptive_pool3d": ["pool3d", "max_pool3d_with_index"],
        "fc": ["mul", "sum", "elementwise_add", "the activation"],
        "case": ["logical_not", "conditional_block", "select_input"],
        "image_resize": ["bilinear_interp", "trilinear_interp", "nearest_interp"],
        "image_resize_short": ["bilinear_interp", "trilinear_interp", "nearest_interp"],
        "interpolate": ["bilinear_interp", "trilinear_interp", "nearest_interp"],
        "resize_bilinear": ["bilinear_interp"], "resize_nearest": ["nearest_interp"],
        "resize_trilinear": ["trilinear_interp"]}
HELPER = {"append_bias_op": "elementwise_add", "append_activation": "the activation"}


def own(value):
    """Is it a function or class of the layers, whose source tells its ops?"""
    from paddle import _names
    return (isinstance(value, (types.FunctionType, type))
            and value.__module__.startswith("paddle.fluid.layers")
            and not isinstance(value, _names._Refused))


def named(function):
    """What the names of a function's source stand for."""
    function = inspect.unwrap(function)
    if isinstance(function, type):
        return vars(sys.modules[function.__module__])
    closure = inspect.getclosurevars(function)
    return dict(function.__globals__, **closure.nonlocals)


def words(node, names):
    """The texts that this argument may be."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.IfExp):
        return words(node.body, names) + words(node.orelse, names)
    if isinstance(node, ast.Name) and isinstance(names.get(node.id), str):
        return [names[node.id]]
    return []


def target_of(call, names):
    """The function or class that this calls, None where it is not known before it runs."""
    target = call.func
    if isinstance(target, ast.Name):
        return names.get(target.id)
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        return getattr(names.get(target.value.id), target.attr, None)
    return None


def types_given(call, used):
    """The arguments that may be an op type: the first, and what is called op_type."""
    keywords = [k.value for k in call.keywords if k.arg in ("type", "op_type")]
    taken = list(inspect.signature(used).parameters) if isinstance(used, types.FunctionType) else []
    return keywords + [argument for i, argument in enumerate(call.args)
                       if i == 0 or taken[i:i + 1] == ["op_type"]]


def ops_of(layer, known, seen):
    """The op types in the order of the source; `seen`: what is looked into already."""
    if layer in seen:
        return []
    seen.add(layer)
    names = named(layer)
    tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(layer))))
    found = []
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    for call in sorted(calls, key=lambda node: (node.end_lineno, node.end_col_offset)):
        if isinstance(call.func, ast.Attribute) and call.func.attr in HELPER:
            found.append(HELPER[call.func.attr])
        used = target_of(call, names)
        for argument in types_given(call, used):
            found += [word for word in words(argument, names) if word in known]
        if own(used):
            found += ops_of(used, known, seen)
    # LayerHelper("squeeze") is a name, where the op is squeeze2.
    return [op for op in dict.fromkeys(found) if op + "2" not in found or op == "cross_entropy"]


def table():
    from paddle import _core
    import paddle.fluid as fluid
    known = set(_core.op_types())
    rows = [HEAD]
    for name in sorted(set(fluid.layers.__all__)):
        layer = getattr(fluid.layers, name)
        if not own(layer):
            continue
        ops = SAID.get(name) or ops_of(layer, known, set())
        if ops == [name]:
            continue  # `paddle ops NAME` shows that op
        rows.append('{"%s", "%s"},\n' % (name, ", ".join(ops)))
    return "".join(rows)


def main():
    text = table()
    if "--check" in sys.argv[1:]:
        with open(TABLE) as f:
            if f.read() != text:
                sys.exit("src/cli/layer_table.inc is not up to date: run tools/layer_ops.py")
        return
    with open(TABLE, "w") as f:
        f.write(text)


if __name__ == "__main__":
    main()
