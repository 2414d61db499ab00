"""Cases for layers: what a layer function adds to a program, under real Paddle 1.8.5 and here.

    def fc():
        return layers.fc(x(4), 3, act='relu')
    CASES = [fc, ...]
    test = check(__file__, CASES)

A case is a function that builds something with `paddle.fluid`. What it adds (ops with their
slots, variables and attributes; variables with shapes and types; initialisers) is compared
with golden/NAME.json, recorded under real Paddle by tests/layers/record.py."""
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))

# Attributes that say nothing of what the op computes, or that real Paddle alone writes.
IGNORED = {"op_callstack", "op_namescope", "op_device", "op_role_var", "use_mkldnn", "use_cudnn",
           "mkldnn_data_type", "use_quantizer", "scale_x", "scale_y", "scale_out",
           "force_fp32_output", "x_data_format", "y_data_format", "with_quant_attr"}


def data(name, shape, dtype="float32", lod_level=0, grad=False):
    import paddle.fluid as fluid
    var = fluid.layers.data(name, shape, dtype=dtype, lod_level=lod_level)
    var.stop_gradient = not grad
    return var


def _attr(value):
    if hasattr(value, "idx") and not isinstance(value, int):
        return value.idx
    if isinstance(value, (list, tuple)):
        return [_attr(v) for v in value]
    if isinstance(value, (bool, int, str)) or value is None:
        return value
    if isinstance(value, float):
        return float("%.6g" % value)
    return int(value)


def _op(op):
    attrs = {}
    for name in op.attr_names:
        if name not in IGNORED:
            value = op.attr(name)
            attrs[name] = "block" if name == "sub_block" else _attr(value)
    inputs = {k: op.input(k) for k in op.input_names if op.input(k)}
    outputs = {k: op.output(k) for k in op.output_names if op.output(k)}
    if "sub_block" in attrs:  # real Paddle lists what a block reads and writes in any order
        for slot in ("X", "Input", "parameters"):
            inputs[slot] = sorted(inputs.get(slot, []))
        outputs["Out"] = sorted(outputs.get("Out", []))
    return {"type": op.type, "inputs": inputs, "outputs": outputs, "attrs": attrs}


def _var(fluid, var):
    out = {"type": int(var.type), "persistable": bool(var.persistable),
           "stop_gradient": bool(var.stop_gradient)}
    if var.type == fluid.core.VarDesc.VarType.LOD_TENSOR:
        out.update(shape=list(var.shape), dtype=int(var.dtype), lod_level=var.lod_level)
    if isinstance(var, fluid.framework.Parameter):
        out["trainable"] = bool(var.trainable)
    return out


def describe(function):
    import paddle.fluid as fluid
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        function()
    out = {}
    for name, program in (("main", main), ("startup", startup)):
        out[name] = [{"ops": [_op(op) for op in block.ops],
                      "vars": {v.name: _var(fluid, v) for v in block.vars.values()}}
                     for block in program.blocks]
    return json.loads(json.dumps(out))


def golden_path(file):
    name = os.path.splitext(os.path.basename(file))[0].replace("test_", "", 1)
    return os.path.join(HERE, "golden", name + ".json")


def _same_ops(ours, golden, where):
    assert [op["type"] for op in ours] == [op["type"] for op in golden], where
    for mine, theirs in zip(ours, golden):
        at = "%s, op %s" % (where, mine["type"])
        assert mine["inputs"] == theirs["inputs"], at
        optional = {"XShape", "MaxIndex", "Reserve"}
        for slot in set(mine["outputs"]) | set(theirs["outputs"]):
            if slot not in optional:
                assert mine["outputs"].get(slot) == theirs["outputs"].get(slot), at
        for name, value in mine["attrs"].items():
            if name in theirs["attrs"]:
                assert value == theirs["attrs"][name], "%s, attribute %s" % (at, name)
        for name, value in theirs["attrs"].items():
            assert name in mine["attrs"] or value in ([], "", False, None, 0), (
                "%s: attribute %s=%r is missing" % (at, name, value))


def _same_vars(ours, golden, where, ignored):
    for name, theirs in golden.items():
        if name in ignored:
            continue
        assert name in ours, "%s: there is no variable %s" % (where, name)
        for key, value in theirs.items():
            if key == "shape":  # real Paddle multiplies unknown dimensions: -1 * 3 is -3
                value = [max(dim, -1) for dim in value]
            if key == "lod_level" and "@GRAD" in name:
                continue  # real Paddle declares the levels of some gradients only
            assert ours[name].get(key) == value, "%s, variable %s: %s is %r, and Paddle has %r" % (
                where, name, key, ours[name].get(key), value)


def check(file, cases, ignore_vars=()):
    """The test function of a file of cases.
    ignore_vars: variables that real Paddle gives another shape or type while building than
    they have when it runs."""
    import pytest

    @pytest.mark.parametrize("function", cases, ids=[f.__name__ for f in cases])
    def test(function):
        with open(golden_path(file)) as f:
            golden = json.load(f)
        assert function.__name__ in golden, "not recorded: run tests/layers/record.py"
        ours, theirs = describe(function), golden[function.__name__]
        for which in ("main", "startup"):
            assert len(ours[which]) == len(theirs[which]), which
            for i, (mine, wanted) in enumerate(zip(ours[which], theirs[which])):
                where = "%s block %d" % (which, i)
                _same_ops(mine["ops"], wanted["ops"], where)
                _same_vars(mine["vars"], wanted["vars"], where, ignore_vars)
    return test
