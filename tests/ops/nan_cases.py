"""Cases of tests/ops with NaN, inf or -inf put into one place of one input.

They come from the cases of the other files here: when recorded, the smallest two of each op.
What is kept of an output is a letter for each element ('n' NaN, '+' inf, '-' -inf, '.' a
number), runs of them with their length ("2n19."), in golden/nan.json, which
tests/ops/record_nan.py writes under real Paddle."""
import copy
import glob
import importlib
import itertools
import os
import re

import numpy as np

import opcase

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, "golden", "nan.json")
VALUES = {"nan": np.nan, "inf": np.inf, "-inf": -np.inf}
PER_OP = 2  # cases of one op
# Real Paddle ends the process, or refuses the input, or depends on chance.
LEFT_OUT = {"grid_sampler", "bce_loss", "range", "im2sequence", "auc", "linspace"}
SIZES = {("bilinear_interp", "Scale"), ("nearest_interp", "Scale"), ("clip", "Min"),
         ("clip", "Max")}


def _arrays(c):
    for slot, value in c.inputs.items():
        for i, v in enumerate(opcase._listed(value)):
            yield slot, i, opcase._array(v)


def _size(c):
    return sum(a.size for _, _, a in _arrays(c))


def _by_op():
    ops = {}
    for file in sorted(glob.glob(os.path.join(HERE, "test_*.py"))):
        name = os.path.splitext(os.path.basename(file))[0]
        with open(file) as f:
            if "CASES" not in f.read() or name == "test_nan":
                continue
        for c in getattr(importlib.import_module(name), "CASES", []):
            if c.golden and c.type not in LEFT_OUT and 0 < _size(c) < 600 and _finite(c):
                ops.setdefault(c.type, []).append(("%s: %s: %s" % (c.type, name, c.name), c))
    return ops


def _finite(c):
    return all(np.isfinite(a).all() for _, _, a in _arrays(c) if opcase._is_float(a))


def _with(c, slot, i, at, value):
    array = np.array(opcase._array(opcase._listed(c.inputs[slot])[i]))
    array.flat[at] = value
    old, new = opcase._listed(c.inputs[slot])[i], copy.copy(c)
    wrapped = opcase.Rows(old.rows, old.height, array) if isinstance(old, opcase.Rows) else array
    new.inputs = opcase._with(c.inputs, slot, i, wrapped)
    if isinstance(old, opcase.Rows):
        new.inputs[slot] = wrapped
    return new


def smallest():
    """{"op: file: name of the case": case}: those with gradients first, as they show more."""
    return {name: c for _, cases in sorted(_by_op().items())
            for name, c in sorted(cases, key=lambda it: (not it[1].grads, _size(it[1]), it[0]))
            [:PER_OP]}


def find_all():
    return {name: c for cases in _by_op().values() for name, c in cases}


def variants(c):
    """(name, what was put in, the case with it) for each of a case."""
    for slot, i, array in _arrays(c):
        if not opcase._is_float(array) or array.size == 0 or (c.type, slot) in SIZES:
            continue
        places = {"first": 0, "last": array.size - 1} if array.size > 1 else {"first": 0}
        for value, number in VALUES.items():
            for place, at in places.items():
                if value == "nan" or place == "first":
                    yield ("%s %d %s %s" % (slot, i, place, value), value,
                           _with(c, slot, i, at, number))


def letters(array):
    if array.dtype.kind != "f":
        return None
    flat = array.ravel()
    kinds = np.where(np.isnan(flat), "n", np.where(flat == np.inf, "+", np.where(
        flat == -np.inf, "-", ".")))
    return "".join("%d%s" % (len(list(run)), kind) for kind, run in itertools.groupby(kinds))


def spelled(text):
    """The letters, one for each element."""
    return "".join(kind * int(n) for n, kind in re.findall(r"(\d+)(\D)", text))


def described(fluid, c):
    """{key: letters} of the outputs and gradients that the imported paddle computes."""
    out = {}
    for key, value in opcase.record(fluid, c).items():
        key = key.split("/", 1)[1]
        text = letters(value) if "/" not in key else None
        if text is not None:
            out[key] = text
    return out
