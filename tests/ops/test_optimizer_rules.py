"""What optimizer ops share: outputs apart from their inputs, noise, refusals."""
import numpy as np
import pytest
from opcase import build, case, forward, ints, rand, Rows
from test_optimizers import ADAGRAD, ADAMAX, DPSGD, MOMENTUM, OPS, RMSPROP, SPARSE, \
    average, number, rate, zero


@pytest.mark.parametrize("op", OPS, ids=[op.type for op in OPS])
def test_outputs_may_be_other_variables(op):
    """With the same numbers, but for adadelta: see test_optimizers."""
    import paddle.fluid as fluid
    same = op.case("in place")
    apart = case(same.name, same.type, same.inputs, same.attrs, outputs=same.outputs)
    wanted, got = forward(fluid, same), forward(fluid, apart)
    for key, value in wanted.values.items():
        if (op.type, key) != ("adadelta", "ParamOut0"):
            np.testing.assert_array_equal(got.values[key], value, err_msg=key)


@pytest.mark.parametrize("op", OPS, ids=[op.type for op in OPS])
def test_float64_is_float32_with_more_digits(op):
    import paddle.fluid as fluid
    single = op.case("single")
    double = case(single.name, single.type,
                  {slot: v.astype("float64") for slot, v in single.inputs.items()}, single.attrs,
                  outputs=single.outputs, inplace=single.inplace)
    wanted, got = forward(fluid, single), forward(fluid, double)
    for key, value in wanted.values.items():
        assert got.values[key].dtype == np.float64
        np.testing.assert_allclose(got.values[key], value, rtol=1e-5, atol=1e-6, err_msg=key)


@pytest.mark.parametrize("op", SPARSE, ids=[op.type for op in SPARSE])
def test_rows_may_have_more_dimensions(op):
    """Real Paddle puts them in the wrong place, or refuses."""
    import paddle.fluid as fluid
    wide = op.case("wide", Rows([1, 1], 3, rand(2, 2, 5)), shape=(3, 2, 5))
    flat = case(wide.name, wide.type, {
        slot: Rows(v.rows, v.height, v.array.reshape(2, 10)) if isinstance(v, Rows)
        else v.reshape(3, 10) if v.size > 1 else v for slot, v in wide.inputs.items()},
        wide.attrs, outputs=wide.outputs, inplace=wide.inplace)
    wanted, got = forward(fluid, flat), forward(fluid, wide)
    for key, value in wanted.values.items():
        np.testing.assert_array_equal(got.values[key].reshape(3, 10), value, err_msg=key)


def test_rmsprop_without_a_mean_of_gradients():
    import paddle.fluid as fluid
    c = RMSPROP.case("whole")
    c.inputs.pop("MeanGrad")
    c.inplace.pop("MeanGradOut")
    assert not forward(fluid, c).values["MeanGradOut0"].any()


# ---- noise ----

def noise(seed, runs):
    """What dpsgd adds to a parameter of zeros without a gradient, step by step."""
    import paddle.fluid as fluid
    c = DPSGD.case("noise", zero, {"sigma": 2.0, "batch_size": 4.0, "seed": seed}, Param=zero,
                   LearningRate=number(1.0))
    program, scope, _, _ = build(fluid, c, c.inputs)
    exe, out = fluid.Executor(fluid.CPUPlace()), []
    with fluid.scope_guard(scope):
        for _ in range(runs):
            before = np.array(scope.find_var("Param0").get_tensor())
            exe.run(program)
            moved = before - np.array(scope.find_var("Param0").get_tensor())
            np.testing.assert_allclose(moved, moved.flat[0], atol=1e-5)
            out.append(moved.flat[0])
    return np.array(out)


def test_dpsgd_adds_one_normal_number_a_step():
    draws = noise(7, 2000)
    assert abs(draws.mean()) < 0.05 and abs(draws.std() - 0.5) < 0.03
    assert len(set(draws.tolist())) > 1900


def test_dpsgd_repeats_with_a_seed():
    np.testing.assert_array_equal(noise(7, 5), noise(7, 5))
    assert (noise(7, 5) != noise(8, 5)).any()


# ---- refusals ----

@pytest.mark.parametrize("op", [op for op in OPS if op not in SPARSE],
                         ids=[op.type for op in OPS if op not in SPARSE])
def test_a_sparse_gradient_counts_as_the_dense_one(op):
    """Paddle has none of these; rows that are named twice are added up."""
    import paddle.fluid as fluid
    rows, values = [4, 1, 4], rand(3, 3)
    dense = np.zeros((6, 3), "float32")
    np.add.at(dense, rows, values)
    c = op.case("dense", dense)
    wanted = forward(fluid, c).values
    c.inputs["Grad"] = Rows(rows, 6, values)
    sparse = forward(fluid, c).values
    for name, value in wanted.items():
        np.testing.assert_allclose(sparse[name], value, rtol=1e-5, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("op", OPS, ids=[op.type for op in OPS])
def test_a_gradient_of_another_shape_is_named(op):
    import paddle.fluid as fluid
    with pytest.raises(fluid.core.EnforceNotMet, match=r"\[6, 3\] and Grad of shape \[6, 4\]"):
        forward(fluid, op.case("bad", rand(6, 4)))


@pytest.mark.parametrize("op", SPARSE, ids=[op.type for op in SPARSE])
def test_rows_outside_the_parameter_are_named(op):
    import paddle.fluid as fluid
    with pytest.raises(fluid.core.EnforceNotMet, match="row 9 of a parameter of 6 rows"):
        forward(fluid, op.case("bad", Rows([1, 9], 20, rand(2, 3))))


def test_sgd_names_rows_outside_the_parameter():
    import paddle.fluid as fluid
    bad = case("bad", "sgd", {"Param": rand(6, 3), "LearningRate": rate,
                              "Grad": Rows([1, 9], 20, rand(2, 3))}, outputs=["ParamOut"],
               inplace={"ParamOut": "Param"})
    with pytest.raises(fluid.core.EnforceNotMet, match="row 9 of a parameter of 6 rows"):
        forward(fluid, bad)


def test_other_types_and_sizes_are_named():
    import paddle.fluid as fluid
    for bad, message in [
            (MOMENTUM.case("bad", Velocity=rand(6, 3, dtype="float64")), "Velocity is float64"),
            (MOMENTUM.case("bad", LearningRate=rand(2)), "LearningRate must hold one number"),
            (MOMENTUM.case("bad", LearningRate=ints(1)), "LearningRate is int64"),
            (ADAMAX.case("bad", Beta1Pow=rand(2)), "Beta1Pow must hold one number"),
            (average("bad", 1, 1, 1, min_average_window=30, max_average_window=20),
             "min_average_window 30 is above")]:
        with pytest.raises((fluid.core.EnforceNotMet, ValueError), match=message):
            forward(fluid, bad)


@pytest.mark.parametrize("op", [op for op in OPS if op.state],
                         ids=[op.type for op in OPS if op.state])
def test_a_state_must_have_an_output(op):
    import paddle.fluid as fluid
    bad = op.case("bad")
    bad.outputs, bad.inplace = ["ParamOut"], {"ParamOut": "Param"}
    with pytest.raises(ValueError, match="nowhere to go|is required"):
        forward(fluid, bad)


def test_an_empty_gradient_moves_no_row_of_adagrad():
    import paddle.fluid as fluid
    c = ADAGRAD.case("empty", Rows([], 6, np.zeros((0, 3), "float32")))
    np.testing.assert_array_equal(forward(fluid, c).values["ParamOut0"], c.inputs["Param"])


def test_a_centered_rmsprop_needs_its_mean():
    import paddle.fluid as fluid
    c = RMSPROP.case("bad", attrs={"centered": True})
    c.inputs.pop("MeanGrad")
    c.inplace.pop("MeanGradOut")
    with pytest.raises(ValueError, match="needs its input MeanGrad"):
        forward(fluid, c)


def test_dgc_momentum_is_refused_by_name():
    import paddle.fluid as fluid
    bad = case("bad", "dgc_momentum", {"Param": rand(6, 3)}, outputs=["ParamOut"])
    with pytest.raises(NotImplementedError, match="dgc_momentum"):
        forward(fluid, bad)
