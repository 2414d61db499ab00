import numpy as np

from opcase import build, case, check, gradients, rand


def norm(name, shape, dim=0, power_iters=1, **attrs):
    rows = shape[dim]
    # Real Paddle's gradient multiplies element by element where a sum is due.
    return case(name, "spectral_norm",
                {"Weight": rand(*shape), "U": rand(rows), "V": rand(int(np.prod(shape)) // rows)},
                dict(attrs, dim=dim, power_iters=power_iters), grads=["Weight"],
                golden_grads=False, numeric=power_iters == 0, atol=5e-5, rtol=5e-5)


CASES = [
    norm("matrix", (4, 6)),
    norm("many rounds", (4, 6), power_iters=20),
    norm("columns", (6, 4), dim=1),
    norm("filter", (4, 2, 3, 2)),
    norm("turned filter", (2, 4, 3, 2), dim=1, power_iters=2),
    norm("no round", (4, 6), power_iters=0),
    norm("no round, turned", (2, 4, 3), dim=1, power_iters=0),
]
test = check(__file__, CASES)


def test_the_gradient_takes_the_singular_vectors_as_given():
    import paddle.fluid as fluid
    for dim, shape in ((0, (4, 6)), (1, (2, 4, 3))):
        c = norm("", shape, dim=dim, power_iters=30)
        w, g = c.inputs["Weight"].astype("float64"), rand(*shape)
        order = [dim] + [i for i in range(len(shape)) if i != dim]
        turned = w.transpose(order)
        u, s, v = np.linalg.svd(turned.reshape(shape[dim], -1))
        outer = np.outer(u[:, 0], v[0]).reshape(turned.shape).transpose(np.argsort(order))
        wanted = (g - (g * w / s[0]).sum() * outer) / s[0]
        got = gradients(fluid, c, c.inputs, {"Out0": g}).values["Weight0"]
        np.testing.assert_allclose(got, wanted, atol=1e-3)


def test_what_does_not_fit_is_refused():
    import paddle.fluid as fluid
    import pytest
    for what, c, change in (("U has 3 elements and V 6, and they must have 4 and 6",
                             norm("", (4, 6)), {"U": rand(3)}),
                            ("dim is 2, and Weight has 2", norm("", (4, 6)), {}),
                            ("power_iters is negative", norm("", (4, 6), power_iters=-1), {})):
        if "dim is" in what:
            c.attrs["dim"] = 2
        c.inputs.update(change)
        with pytest.raises((fluid.core.EnforceNotMet, ValueError), match=what):
            build(fluid, c, c.inputs)
