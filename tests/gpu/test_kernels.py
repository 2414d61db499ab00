"""Each kernel on a GPU against the CPU's: the cases of tests/ops of every op that has one, and the
larger ones of large_cases.py. A new kernel is in it by itself."""
import os
import sys

import numpy as np
import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "ops")]

import kernels  # noqa: E402
import opcase  # noqa: E402
from large_cases import cases  # noqa: E402
from nan_cases import find_all, variants  # noqa: E402


def gpus():
    import paddle._core as core
    return core.gpu_count()


pytestmark = pytest.mark.skipif(gpus() == 0, reason="no GPU here; test_emulated.py runs the same "
                                "kernels on the CPU")
KNOWN = {name: c for name, c in find_all().items() if c.type in kernels.types()}
LARGE = {c.name: c for c in cases()}


@pytest.fixture
def on_gpu():
    def run(function, *args):
        opcase.on_gpu = True
        try:
            return function(*args)
        finally:
            opcase.on_gpu = False
    return run


def merged(result, key):
    """A sparse value's rows, each once: a GPU leaves that to whoever applies them."""
    value = result.values[key]
    if key not in result.rows:
        return value
    rows, height = result.rows[key]
    dense = np.zeros((height,) + value.shape[1:], value.dtype)
    np.add.at(dense, list(rows), value)
    return dense


def same(c, found, wanted):
    assert found.values.keys() == wanted.values.keys()
    for key in wanted.values:
        if c.compare is not None and key.rstrip("0123456789") in c.outputs and \
                key.rstrip("0123456789") not in c.compare:
            continue
        a, b = merged(found, key), merged(wanted, key)
        assert a.dtype == b.dtype and a.shape == b.shape, key
        np.testing.assert_allclose(a, b, rtol=max(c.rtol, 1e-4), atol=max(c.atol, 1e-5),
                                   err_msg=key)
        assert found.lods.get(key) == wanted.lods.get(key)


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_as_on_the_cpu(name, on_gpu):
    import paddle.fluid as fluid
    c = KNOWN[name]
    wanted = opcase.forward(fluid, c)
    same(c, on_gpu(opcase.forward, fluid, c), wanted)
    if c.grads and c.golden_grads:
        weights = opcase.weights_for(c, wanted)
        same(c, on_gpu(opcase.gradients, fluid, c, c.inputs, weights),
             opcase.gradients(fluid, c, c.inputs, weights))


@pytest.mark.parametrize("kind", sorted({c.type for c in KNOWN.values()}))
def test_what_is_no_number_is_not_hidden(kind, on_gpu):
    import paddle.fluid as fluid
    c = min((c for c in KNOWN.values() if c.type == kind), key=lambda c: c.name)
    for where, _, spoilt in list(variants(c))[:6]:
        wanted, found = opcase.forward(fluid, spoilt), on_gpu(opcase.forward, fluid, spoilt)
        for key in wanted.values:
            if opcase._is_float(wanted.values[key]):
                np.testing.assert_array_equal(np.isnan(merged(found, key)),
                                              np.isnan(merged(wanted, key)),
                                              err_msg="%s %s" % (where, key))


@pytest.mark.parametrize("name", LARGE)
def test_large(name, on_gpu):
    import paddle.fluid as fluid
    c = LARGE[name]
    found = on_gpu(opcase.forward, fluid, c).values
    for slot, wanted in c.expect.items():
        np.testing.assert_allclose(found[slot + "0"], wanted, rtol=max(c.rtol, 1e-4),
                                   atol=max(c.atol, 1e-5), err_msg=slot)
