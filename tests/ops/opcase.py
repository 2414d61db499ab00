"""Cases for ops: the same file runs under real Paddle 1.8.5, to record what it computes, and
under Regatta, to be compared with that.

    CASES = [
        case("rows", "mul", {"X": rand(3, 4), "Y": rand(4, 2)}, outputs=["Out"], grads=["X", "Y"]),
    ]
    test = check(__file__, CASES)

Inputs are arrays, Lod(array, lengths), Rows(rows, height, array), or lists of arrays for
repeated slots. Outputs are compared with golden/NAME.npz; gradients (of the sum of all float
outputs, each element with a weight of its own) with golden/NAME.npz and with central
differences of Regatta's own forward pass. Record with tests/ops/record.py."""
import os
import sys
import zlib

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


class Lod:
    """An array of sequences."""

    def __init__(self, array, lengths):
        self.array, self.lengths = array, lengths


class Rows:
    """A sparse gradient."""

    def __init__(self, rows, height, array):
        self.rows, self.height, self.array = rows, height, array


class Case:
    def __init__(self, name, type, inputs, attrs=None, outputs=("Out",), grads=(), inplace=None,
                 atol=1e-5, rtol=1e-5, numeric=True, compare=None, golden=True, counts=None,
                 ignore_grad_of=(), sparse=(), golden_grads=True, no_lod=(), expect=None):
        self.name, self.type = name, type
        self.inputs, self.attrs = inputs, attrs or {}
        self.outputs, self.grads = list(outputs), list(grads)
        self.inplace = inplace or {}     # output slot -> the input whose variable it is
        self.atol, self.rtol = atol, rtol
        self.numeric = numeric           # check gradients by central differences
        self.compare = compare           # outputs that are compared (default: all)
        self.golden = golden             # False: no oracle for this one (random numbers)
        self.counts = counts or {}       # output slot -> variables in it (default 1)
        self.ignore_grad_of = ignore_grad_of  # outputs that no gradient flows out of
        self.sparse = sparse             # outputs that are SelectedRows
        self.golden_grads = golden_grads  # False: real Paddle fails to compute them
        self.no_lod = no_lod             # outputs that must not have a LoD
        self.expect = expect or {}       # output slot -> what it must be, without an oracle
        self.golden = golden and not expect


def case(*args, **kwargs):
    return Case(*args, **kwargs)


_calls = {}


def _rng():
    """Another stream for each call, the same in each run: by file and number of the call."""
    name = sys._getframe(2).f_globals["__name__"].split(".")[-1]
    _calls[name] = _calls.get(name, 0) + 1
    return np.random.RandomState(zlib.crc32(("%s %d" % (name, _calls[name])).encode()))


def rand(*shape, **kw):
    """Numbers in [low, high)."""
    low, high = kw.get("low", -1.0), kw.get("high", 1.0)
    return (low + (high - low) * _rng().rand(*shape)).astype(kw.get("dtype", "float32"))


def ints(*shape, **kw):
    """Whole numbers in [low, high)."""
    return _rng().randint(kw.get("low", 0), kw.get("high", 10), shape).astype(
        kw.get("dtype", "int64"))


def apart(*shape, **kw):
    """Numbers no two of which are near each other, or near zero: for max, abs, relu."""
    rng = _rng()
    n = int(np.prod(shape))
    values = (np.arange(n) - n // 2 + 0.25 + 0.5 * rng.rand()) / n * kw.get("span", 2.0)
    rng.shuffle(values)
    return values.reshape(shape).astype("float32")


# ---- running a case, on whichever paddle is imported ----

on_gpu = False  # tests/gpu sets it


def _place(fluid):
    return fluid.CUDAPlace(0) if on_gpu else fluid.CPUPlace()


def _listed(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _array(value):
    return value.array if isinstance(value, (Lod, Rows)) else value


def _is_float(array):
    return array.dtype.kind == "f"


class _Result:
    def __init__(self):
        self.values = {}  # "Out0" -> array
        self.lods = {}    # "Out0" -> lengths
        self.rows = {}    # "Out0" -> (rows, height)


def _read(fluid, scope, block, name, key, result):
    var = scope.find_var(name)
    if block.var(name).type == fluid.core.VarDesc.VarType.SELECTED_ROWS:
        rows = var.get_selected_rows()
        result.values[key] = np.array(rows.get_tensor())
        result.rows[key] = (list(rows.rows()), rows.height())
        return
    tensor = var.get_tensor()
    result.values[key] = np.array(tensor)
    result.lods[key] = tensor.recursive_sequence_lengths()


def _set(fluid, scope, name, value, place):
    if isinstance(value, Rows):
        rows = scope.var(name).get_selected_rows()
        if hasattr(rows, "set_rows"):
            rows.set_rows(list(value.rows))
            rows.set_height(value.height)
            rows.get_tensor().set(value.array, place)
        else:
            rows.set(list(value.rows), value.height, value.array)
        return
    tensor = scope.var(name).get_tensor()
    tensor.set(_array(value), place)
    if isinstance(value, Lod):
        tensor.set_recursive_sequence_lengths(value.lengths)


def _make_inputs(fluid, block, scope, place, c, inputs):
    names = {}
    for slot, value in inputs.items():
        names[slot] = []
        for i, v in enumerate(_listed(value)):
            name = "%s%d" % (slot, i)
            kind = fluid.core.VarDesc.VarType
            shape = list(_array(v).shape)
            if isinstance(v, Rows):
                shape[0] = v.height
            more = {"lod_level": len(v.lengths) if isinstance(v, Lod) else 0}
            if isinstance(v, Rows):
                more = {"type": kind.SELECTED_ROWS}
            block.create_var(name=name, shape=shape, dtype=str(_array(v).dtype), persistable=True,
                             stop_gradient=slot not in c.grads, **more)
            _set(fluid, scope, name, v, place)
            names[slot].append(name)
    return names


def _as(dtype, value):
    """The same input with its floats in another precision."""
    if isinstance(value, list):
        return [_as(dtype, v) for v in value]
    array = _array(value)
    if not _is_float(array):
        return value
    array = array.astype(dtype)
    if isinstance(value, Lod):
        return Lod(array, value.lengths)
    return Rows(value.rows, value.height, array) if isinstance(value, Rows) else array


def build(fluid, c, inputs, dtypes=None):
    """(program, scope, input names by slot, output names by key): the op, its inputs set."""
    program, startup, scope = fluid.Program(), fluid.Program(), fluid.core.Scope()
    place = _place(fluid)
    with fluid.program_guard(program, startup):
        block = program.global_block()
        names = _make_inputs(fluid, block, scope, place, c, inputs)
        outputs, keys = {}, {}
        for slot in c.outputs:
            outputs[slot] = []
            for i in range(c.counts.get(slot, 1)):
                if slot in c.inplace:
                    name = names[c.inplace[slot]][i]
                else:
                    name = "out_%s%d" % (slot, i)
                    kind = fluid.core.VarDesc.VarType
                    block.create_var(name=name, persistable=True, stop_gradient=False,
                                     type=kind.SELECTED_ROWS if slot in c.sparse
                                     else kind.LOD_TENSOR,
                                     dtype=(dtypes or {}).get("%s%d" % (slot, i), "float32"))
                outputs[slot].append(name)
                keys["%s%d" % (slot, i)] = name
        attrs = {k: v for k, v in c.attrs.items()}
        block.append_op(type=c.type, attrs=attrs,
                        inputs={s: [block.var(n) for n in v] for s, v in names.items()},
                        outputs={s: [block.var(n) for n in v] for s, v in outputs.items()})
    return program, scope, names, keys


def forward(fluid, c, inputs=None):
    program, scope, _, keys = build(fluid, c, inputs or c.inputs)
    exe = fluid.Executor(_place(fluid))
    with fluid.scope_guard(scope):
        exe.run(program)
    result = _Result()
    for key, name in keys.items():
        _read(fluid, scope, program.global_block(), name, key, result)
    return result


def weights_for(c, result):
    """A weight for each element of each float output, so that no gradient is trivial."""
    out = {}
    for key in sorted(result.values):
        slot = key.rstrip("0123456789")
        value = result.values[key]
        if _is_float(value) and slot not in c.ignore_grad_of and key not in result.rows and (
                c.compare is None or slot in c.compare):
            rng = np.random.RandomState(7)
            out[key] = (0.5 + rng.rand(*value.shape)).astype(value.dtype)
    return out


def gradients(fluid, c, inputs, weights):
    """The gradients of sum(weights * outputs) by the inputs that the case names."""
    program, scope, names, keys = build(fluid, c, inputs,
                                        {k: str(w.dtype) for k, w in weights.items()})
    place = _place(fluid)
    with fluid.program_guard(program, fluid.Program()):
        block = program.global_block()
        sums = []
        for key in sorted(weights):
            out = block.var(keys[key])
            # Of the shape known while building: it may differ from that of the values.
            block.create_var(name="w_" + key, shape=list(out.shape),
                             dtype=str(weights[key].dtype), persistable=True, stop_gradient=True)
            _set(fluid, scope, "w_" + key, weights[key], place)
            product = fluid.layers.elementwise_mul(out, block.var("w_" + key))
            sums.append(fluid.layers.reduce_sum(product))
        total = sums[0] if len(sums) == 1 else fluid.layers.sums(sums)
        wanted = [n for slot in c.grads for n in names[slot]]
        grads = fluid.gradients([total], [block.var(n) for n in wanted])
        for g in grads:
            if g is not None:
                g.persistable = True
    exe = fluid.Executor(place)
    with fluid.scope_guard(scope):
        exe.run(program)
    result = _Result()
    for name, g in zip(wanted, grads):
        if g is not None:
            _read(fluid, scope, block, g.name, name, result)
    return result


# ---- comparing ----

def golden_path(file):
    name = os.path.splitext(os.path.basename(file))[0].replace("test_", "", 1)
    return os.path.join(HERE, "golden", name + ".npz")


def record(fluid, c):
    """What the imported paddle computes, as {key: array}."""
    out = {}
    result = forward(fluid, c)
    for key, value in result.values.items():
        if c.compare is not None and key.rstrip("0123456789") not in c.compare:
            continue
        out["%s/%s" % (c.name, key)] = value
        if result.lods.get(key):
            out["%s/%s/lod" % (c.name, key)] = np.array(
                [x for level in result.lods[key] for x in [len(level)] + level], "int64")
        if key in result.rows:
            rows, height = result.rows[key]
            out["%s/%s/rows" % (c.name, key)] = np.array(list(rows) + [height], "int64")
    if c.grads and c.golden_grads:
        grads = gradients(fluid, c, c.inputs, weights_for(c, result))
        for key, value in grads.values.items():
            out["%s/d%s" % (c.name, key)] = value
            if key in grads.rows:
                rows, height = grads.rows[key]
                out["%s/d%s/rows" % (c.name, key)] = np.array(list(rows) + [height], "int64")
    return out


def _close(c, ours, golden):
    for key in golden:
        wanted = golden[key]
        assert key in ours, "%s: Regatta gives no %s" % (c.name, key)
        got = ours[key]
        assert got.dtype == wanted.dtype, "%s: %s, and wanted is %s" % (key, got.dtype,
                                                                       wanted.dtype)
        assert got.shape == wanted.shape, "%s: shape %s, and wanted is %s" % (key, got.shape,
                                                                             wanted.shape)
        np.testing.assert_allclose(got, wanted, rtol=c.rtol, atol=c.atol, err_msg=key)


def check_golden(fluid, c, golden):
    ours = record(fluid, c)
    keys = [k for k in golden if k.split("/")[0] == c.name]
    assert keys, "%s is not in the golden file: run tests/ops/record.py" % c.name
    _close(c, ours, {key: golden[key] for key in keys})
    for slot in c.no_lod:
        assert "%s/%s0/lod" % (c.name, slot) not in ours, "%s: %s has a LoD" % (c.name, slot)


def check_numeric(fluid, c):
    """Analytic against central differences, in double precision where the op has it."""
    inputs = {slot: _as("float64", v) for slot, v in c.inputs.items()}
    step, tolerance = 1e-6, 1e-5
    try:
        base = forward(fluid, c, inputs)
    except NotImplementedError:
        inputs, step, tolerance = c.inputs, 1e-2, 2e-2
        base = forward(fluid, c, inputs)
    weights = weights_for(c, base)
    grads = gradients(fluid, c, inputs, weights)

    def total(changed):
        result = forward(fluid, c, changed)
        return sum(float((weights[k].astype("float64") * result.values[k]).sum())
                   for k in weights)

    for slot in c.grads:
        for i, value in enumerate(_listed(inputs[slot])):
            array = _array(value)
            analytic = _dense(grads, "%s%d" % (slot, i), array)
            picks = np.random.RandomState(3).permutation(array.size)[:12]
            for at in picks:
                sides = []
                for sign in (1, -1):
                    moved = array.copy()
                    moved.flat[at] += sign * step
                    sides.append(total(_with(inputs, slot, i, moved)))
                wanted = (sides[0] - sides[1]) / (2 * step)
                got = float(analytic.flat[at])
                assert abs(got - wanted) <= tolerance * max(1.0, abs(wanted)), (
                    "%s: d%s%d[%d] is %g, and the difference quotient %g"
                    % (c.name, slot, i, at, got, wanted))


def _dense(grads, key, like):
    if key not in grads.values:
        return np.zeros_like(like)
    if key not in grads.rows:
        return grads.values[key]
    dense = np.zeros_like(like)
    for row, value in zip(grads.rows[key][0], grads.values[key]):
        dense[row] += value
    return dense


def _with(inputs, slot, i, array):
    changed = dict(inputs)
    old = _listed(inputs[slot])[i]
    new = Lod(array, old.lengths) if isinstance(old, Lod) else array
    if isinstance(inputs[slot], list):
        changed[slot] = list(inputs[slot])
        changed[slot][i] = new
    else:
        changed[slot] = new
    return changed


def refused(*cases):
    """The test function of cases that must fail: (part of the message, case), ..."""
    def test():
        import paddle.fluid as fluid
        for message, c in cases:
            try:
                forward(fluid, c)
            except (fluid.core.EnforceNotMet, ValueError, NotImplementedError) as e:
                assert message in str(e), "%s: the message is %s" % (c.name, e)
            else:
                raise AssertionError("%s was not refused" % c.name)
    return test


def check(file, cases):
    """The test function of a file of cases."""
    import pytest
    names = [c.name for c in cases]
    assert len(set(names)) == len(names), "two cases of %s have one name" % file

    @pytest.mark.parametrize("c", cases, ids=names)
    def test(c):
        import paddle.fluid as fluid
        if c.golden:
            with np.load(golden_path(file)) as golden:
                check_golden(fluid, c, golden)
        else:
            result = forward(fluid, c)
            _close(c, {"%s/%s" % (c.name, k): v for k, v in result.values.items()},
                   {"%s/%s%d" % (c.name, slot, i): v for slot, values in c.expect.items()
                    for i, v in enumerate(_listed(values))})
        if c.grads and c.numeric:
            check_numeric(fluid, c)
    return test
