"""Calls of layers with one argument that is wrong: what real Paddle 1.8.5 says to each, and here.

The calls are those of the cases of tests/layers. Each argument of each layer is exchanged, in the
first case that gives it, for a value of every kind in KINDS that it is not of already: an array,
a list (for a variable: with an array in it), a text, a number, the variable in a list, and
variables of other dtypes. What comes of it is one word: ok, the name of the exception, or `named`
for a TypeError that names the argument. golden/badcalls.json has real Paddle's; it was written by

    v/bin/python tests/layers/badcalls.py       (v: see record.py)
"""
import functools
import glob
import importlib
import inspect
import json
import os
import sys

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, "golden", "badcalls.json")
# What builds by itself and not from its arguments, or takes no call.
LEFT_OUT = {"data", "py_reader", "create_py_reader_by_data", "read_file", "double_buffer",
            "py_func", "autoincreased_step_counter"}
DTYPES = ["bool", "int8", "uint8", "int32", "int64", "float16", "float32", "float64"]
KINDS = ["array", "list", "text", "number", "listed"] + DTYPES


def _like(var, dtype):
    import paddle.fluid as fluid
    other = fluid.layers.data(fluid.unique_name.generate("bad"), list(var.shape),
                              append_batch_size=False, dtype=dtype, lod_level=var.lod_level)
    other.stop_gradient = var.stop_gradient
    return other


def _bad(value, kind):
    """A value of that kind in place of this one, or None where it is of that kind."""
    import paddle.fluid as fluid
    variable = isinstance(value, fluid.framework.Variable)
    if kind == "listed":
        return [value] if variable else None
    if kind in DTYPES:
        if isinstance(value, str) and value in DTYPES:
            return None if value == kind else kind
        if isinstance(value, (list, tuple)) and value:
            parts = [_bad(v, kind) for v in value]
            return None if any(v is None for v in parts) else parts
        if not variable:
            return None
        if value.type != fluid.core.VarDesc.VarType.LOD_TENSOR or not value.shape:
            return None
        if value.dtype == fluid.framework.convert_np_dtype_to_dtype_(kind):
            return None
        return _like(value, kind)
    tensor = variable or (isinstance(value, (list, tuple)) and value and
                          isinstance(value[0], fluid.framework.Variable))
    same = {"array": numpy.ndarray, "list": (list, tuple), "text": str,
            "number": (int, float)}[kind]
    if isinstance(value, same) and not (tensor and kind == "list"):
        return None
    if tensor:
        array = numpy.ones([2, 2], "float32")
        return {"array": array, "list": [array], "text": "text", "number": 3}[kind]
    return {"array": numpy.ones([2], "int64"), "list": [1, 1], "text": "text", "number": 3}[kind]


def layers_of():
    """{name: (module, attribute)} of the functions that cases call."""
    import paddle.fluid as fluid
    found = {}
    for module, prefix in ((fluid.layers, ""), (fluid.nets, "nets."), (fluid, "fluid.")):
        names = ("embedding", "one_hot") if module is fluid else module.__all__
        for name in names:
            function = getattr(module, name, None)
            if inspect.isfunction(function) and name not in LEFT_OUT:
                found[prefix + name] = (module, name)
    return found


def watched(case, on_call):
    """Run a case; on_call(layer, number of the call, function, arguments) sees each outer call."""
    import paddle.fluid as fluid
    depth, count, old = [0], {}, []

    def wrap(layer, function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            if depth[0]:
                return function(*args, **kwargs)
            number = count[layer] = count.get(layer, -1) + 1
            depth[0] = 1
            try:
                on_call(layer, number, function, arguments(function, args, kwargs))
                return function(*args, **kwargs)
            finally:
                depth[0] = 0
        return call

    for layer, (module, name) in layers_of().items():
        function = getattr(module, name)
        old.append((module, name, function))
        setattr(module, name, wrap(layer, function))
    try:
        with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
            case()
    finally:
        for module, name, function in old:
            setattr(module, name, function)


def arguments(function, args, kwargs):
    """{name: value}, also of functions whose signature says nothing."""
    named = dict(inspect.signature(function).bind(*args, **kwargs).arguments)
    named.update(named.pop("kwargs", {}))
    for i, value in enumerate(named.pop("args", ())):
        named["xy"[i]] = value
    return named


def _said(function, named, argument):
    import paddle.fluid as fluid
    program = fluid.default_main_program()
    block = program.current_block_idx
    try:
        function(**named)
        return "ok"
    except Exception as e:
        words = str(e).replace("'", " ").split()
        return "named" if isinstance(e, TypeError) and argument in words else type(e).__name__
    finally:
        program.current_block_idx = block  # a layer with blocks may have left it


def outcomes(case, wanted):
    """{(call, kind): word} of wanted, {call: kinds}; a call is (layer, argument, number). All are
    made in one run of the case, so that only what builds nothing can be asked for together."""
    found = {}

    def on_call(layer, number, function, named):
        for argument, value in named.items():
            call = (layer, argument, number)
            for kind in wanted.get(call, ()):
                bad = _bad(value, kind)
                found[call, kind] = bad if bad is None else _said(
                    function, dict(named, **{argument: bad}), argument)

    try:
        watched(case, on_call)
    except Exception:
        if len(found) != sum(map(len, wanted.values())):
            raise  # else the rest of the case met what a bad call left in its program
    return found


def cases():
    """{file.case: function}"""
    sys.path.insert(0, HERE)
    found = {}
    for file in sorted(glob.glob(os.path.join(HERE, "test_*.py"))):
        name = os.path.splitext(os.path.basename(file))[0]
        if name not in ("test_evaluator", "test_badcalls"):  # evaluators call layers from within
            for case in getattr(importlib.import_module(name), "CASES", ()):
                found["%s.%s" % (name[5:], case.__name__)] = case
    return found


def first_calls(all_cases):
    """{case: {(layer, argument, number of the call)}}, each argument of each layer once."""
    seen, found = set(), {}
    for key, case in all_cases.items():
        def on_call(layer, number, function, named):
            for argument, value in named.items():
                if (value is None or isinstance(value, bool) or argument == "name" or
                        (layer, argument) in seen):
                    continue
                seen.add((layer, argument))
                found.setdefault(key, set()).add((layer, argument, number))
        watched(case, on_call)
    return found


def main(path):
    import layercase
    import paddle
    assert paddle.__version__ == "1.8.5", "golden values come from Paddle 1.8.5"
    layercase.check = lambda file, cases, **kwargs: None
    all_cases, rows = cases(), []
    for key, calls in first_calls(all_cases).items():
        for call in calls:
            said = {}
            for kind in KINDS:
                word = outcomes(all_cases[key], {call: [kind]})[call, kind]
                if word is not None:
                    said.setdefault(word, []).append(kind)
            if said:
                rows.append([call[0], call[1], key, call[2], said])
    with open(path, "w") as f:
        f.write("[" + ",\n ".join(json.dumps(row, sort_keys=True) for row in sorted(
            rows, key=lambda row: row[:2])) + "]\n")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else GOLDEN)
