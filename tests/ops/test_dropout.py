import numpy as np

from opcase import build, case, check, forward, gradients, rand

DOWN, UP = "downgrade_in_infer", "upscale_in_train"


def drop(name, shape=(4, 5), p=0.5, implementation=DOWN, compare=None, golden=True, **attrs):
    test = attrs.get("is_test")
    attrs = dict(attrs, dropout_prob=p, dropout_implementation=implementation)
    # Real Paddle has no gradient in a test, and no Mask.
    return case(name, "dropout", {"X": rand(*shape)}, attrs, outputs=["Out", "Mask"], grads=["X"],
                compare=["Out"] if test else compare, golden=golden, golden_grads=not test)


CASES = []
for how in (DOWN, UP):
    CASES += [
        drop("nothing, %s" % how, p=0.0, implementation=how),
        drop("everything, %s" % how, p=1.0, implementation=how),
        drop("test, %s" % how, p=0.3, implementation=how, is_test=True),
        drop("test of everything, %s" % how, p=1.0, implementation=how, is_test=True),
        # Other random numbers than Paddle's: the gradient against the differences alone.
        drop("half, %s" % how, (7, 11), implementation=how, golden=False),
        drop("fixed, %s" % how, (7, 11), implementation=how, golden=False, seed=3, fix_seed=True),
    ]
test = check(__file__, CASES)

MANY = 200003  # no multiple of any block


def _run(c, steps=1, seed=0, **inputs):
    """[(Out, Mask)] of so many steps of one program."""
    import paddle.fluid as fluid
    c.inputs.update(inputs)
    program, scope, _, keys = build(fluid, c, c.inputs)
    program.random_seed = seed
    exe, out = fluid.Executor(fluid.CPUPlace()), []
    with fluid.scope_guard(scope):
        for _ in range(steps):
            exe.run(program)
            out.append(tuple(np.array(scope.find_var(keys[k]).get_tensor())
                             for k in ("Out0", "Mask0")))
    return out


def test_the_mask_says_what_was_dropped():
    for how, factor in ((DOWN, 1.0), (UP, 1 / 0.7)):
        c = drop("", (MANY,), p=0.3, implementation=how)
        x = c.inputs["X"] = rand(MANY, low=1, high=2)
        (out, mask), = _run(c)
        assert mask.dtype == np.uint8 and set(np.unique(mask)) == {0, 1}
        np.testing.assert_allclose(out, x * mask * np.float32(factor), rtol=1e-6)


def test_as_many_are_dropped_as_asked_for():
    for p in (0.01, 0.3, 0.5, 0.9):
        (_, mask), = _run(drop("", (MANY,), p=p))
        # Six standard deviations: once in a thousand million.
        assert abs((mask == 0).mean() - p) < 6 * np.sqrt(p * (1 - p) / MANY)


def test_neighbours_are_dropped_independently():
    (_, mask), = _run(drop("", (MANY,), p=0.5))
    for lag in (1, 2, 4, 1024, 4096):
        both = (mask[lag:] == mask[:-lag]).mean()
        assert abs(both - 0.5) < 6 * 0.5 / np.sqrt(MANY - lag), lag


def test_masks_change_from_step_to_step_and_repeat_from_run_to_run():
    first, second = (_run(drop("", (1000,)), steps=3, seed=7) for _ in range(2))
    masks = [m.tobytes() for _, m in first]
    assert len(set(masks)) == 3
    assert masks == [m.tobytes() for _, m in second]
    other = _run(drop("", (1000,)), steps=3, seed=8)
    assert masks[0] != other[0][1].tobytes()


def test_a_fixed_seed_gives_one_mask_for_all_steps():
    one = [m.tobytes() for _, m in _run(drop("", (1000,), seed=5, fix_seed=True), steps=3)]
    two = [m.tobytes() for _, m in _run(drop("", (1000,), seed=6, fix_seed=True), steps=1)]
    assert len(set(one)) == 1 and two[0] != one[0]


def test_a_seed_may_come_as_a_tensor():
    def masks(seed, dtype="int32", steps=2):
        return [m.tobytes() for _, m in _run(drop("", (1000,)), steps,
                                             Seed=np.array([seed], dtype))]
    assert len(set(masks(9))) == 1
    assert masks(9)[0] == masks(9, "int64")[0] != masks(10)[0]


def test_a_part_has_the_mask_of_the_whole():
    (_, whole), = _run(drop("", (5000,)), seed=3)
    (_, part), = _run(drop("", (1234,)), seed=3)
    np.testing.assert_array_equal(part, whole[:1234])


def test_single_and_double_precision_have_one_mask():
    (_, single), = _run(drop("", (3000,)), seed=3)
    (_, double), = _run(drop("", (3000,)), seed=3, X=rand(3000).astype("float64"))
    np.testing.assert_array_equal(single, double)


def test_the_gradient_flows_where_the_mask_is_one():
    import paddle.fluid as fluid
    for how, factor in ((DOWN, 1.0), (UP, 1 / 0.7)):
        c = drop("", (3000,), p=0.3, implementation=how)
        mask = forward(fluid, c).values["Mask0"]
        weights = rand(3000)
        grads = gradients(fluid, c, c.inputs, {"Out0": weights})
        np.testing.assert_allclose(grads.values["X0"], weights * mask * np.float32(factor),
                                   rtol=1e-6)


def _fails(what, **kw):
    import paddle.fluid as fluid
    import pytest
    c = drop("bad", **kw)
    with pytest.raises((fluid.core.EnforceNotMet, ValueError), match=what):
        build(fluid, c, c.inputs)


def test_what_makes_no_sense_is_refused():
    _fails("dropout_prob is 1.5", p=1.5)
    _fails("dropout_prob is -0.1", p=-0.1)
    _fails("dropout_implementation sideways", implementation="sideways")
