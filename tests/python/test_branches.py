"""layers.cond, case and switch_case: the branch that is taken, and its gradient."""
import numpy as np
import pytest


def _run(build, feed):
    import paddle.fluid as fluid
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        number = fluid.data("number", [1], "int64")
        x = fluid.data("x", [2], "float32")
        x.stop_gradient = False
        out = build(fluid.layers, number, x)
        grad, = fluid.gradients([fluid.layers.reduce_sum(out)], [x])
    exe = fluid.Executor(fluid.CPUPlace())
    return [exe.run(main, feed=f, fetch_list=[out, grad]) for f in feed]


@pytest.mark.parametrize("build, factors", [
    (lambda L, n, x: L.cond(L.less_than(n, L.fill_constant([1], "int64", 1)),
                            lambda: L.scale(x, 2.0), lambda: L.scale(x, 3.0)),
     [2, 3, 3]),
    (lambda L, n, x: L.switch_case(n, {0: lambda: L.scale(x, 2.0), 1: lambda: L.scale(x, 3.0)},
                                   default=lambda: L.scale(x, 4.0)),
     [2, 3, 4]),
    (lambda L, n, x: L.case([(L.less_than(n, L.fill_constant([1], "int64", 1)),
                              lambda: L.scale(x, 2.0)),
                             (L.less_than(n, L.fill_constant([1], "int64", 2)),
                              lambda: L.cond(L.equal(n, n), lambda: L.scale(x, 3.0),
                                             lambda: L.scale(x, 7.0)))],
                            default=lambda: L.scale(x, 4.0)),
     [2, 3, 4]),
], ids=["cond", "switch_case", "case"])
def test_the_branch_that_is_asked_for_is_taken(build, factors):
    """Each number twice, so that what an earlier run left is of no use."""
    x = np.array([1.0, -2.0], "float32")
    numbers = [0, 1, 2, 2, 1, 0]
    results = _run(build, [{"number": np.array([n], "int64"), "x": x} for n in numbers])
    for n, (out, grad) in zip(numbers, results):
        np.testing.assert_allclose(out, factors[n] * x)
        np.testing.assert_allclose(grad, [factors[n]] * 2)
