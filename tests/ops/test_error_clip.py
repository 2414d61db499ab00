import numpy as np

from opcase import case, check, forward, rand, Lod

X = rand(5, 3)
# Gradients that reach it are below 100: they pass as they are.
CASES = [case("within", "error_clip", {"X": Lod(X, [[2, 3]])}, {"min": -100.0, "max": 100.0},
              grads=["X"], expect={"Out": X})]
test = check(__file__, CASES)


def test_gradients_beyond_are_at_the_bound():
    import paddle.fluid as fluid
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        x = fluid.layers.data("x", [3])
        x.stop_gradient = False
        helper = fluid.layer_helper.LayerHelper("error_clip")
        out = helper.create_variable_for_type_inference("float32")
        helper.append_op("error_clip", {"X": [x]}, {"Out": [out]}, {"min": -1.0, "max": 2.0})
        factors = fluid.layers.assign(np.array([-5, 0.5, 7], "float32"))
        cost = fluid.layers.reduce_sum(fluid.layers.elementwise_mul(out, factors, axis=1))
        grad, = fluid.gradients(cost, x)
    found, = fluid.Executor(fluid.CPUPlace()).run(main, {"x": X}, [grad])
    np.testing.assert_array_equal(found, [[-1, 0.5, 2]] * 5)


def test_bounds_that_cross_are_refused():
    import paddle.fluid as fluid
    import pytest
    with pytest.raises((fluid.core.EnforceNotMet, ValueError), match="min is 1 and max -1"):
        forward(fluid, case("bad", "error_clip", {"X": X}, {"min": 1.0, "max": -1.0}))
