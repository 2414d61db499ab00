"""Ops that branches are made of, as saved programs have them."""
import numpy as np

from opcase import Lod, case, check, ints, rand

MASK = np.array([[True], [False], [True]])


def merge(name, x, yes, no):
    return case(name, "merge_lod_tensor_infer",
                {"X": x, "Mask": MASK, "InTrue": yes, "InFalse": no}, {"level": 0})


CASES = [
    case("is_empty: no", "is_empty", {"X": rand(2, 3)}),
    case("is_empty: whole numbers", "is_empty", {"X": ints(4)}),
    merge("merge rows", rand(3, 2), rand(2, 2), rand(1, 2)),
    merge("merge sequences", Lod(rand(6, 2), [[1, 2, 3]]), Lod(rand(4, 2), [[1, 3]]),
          Lod(rand(2, 2), [[2]])),
]
test = check(__file__, CASES)


def in_a_program(build):
    """A test function that is given fluid, a program and an executor of its own."""
    def test():
        import paddle.fluid as fluid
        main = fluid.Program()
        with fluid.program_guard(main, fluid.Program()), fluid.scope_guard(fluid.Scope()):
            build(fluid, main, fluid.Executor())
    test.__name__ = build.__name__
    return test


def fails(run):
    """The message of what the run raises."""
    try:
        run()
    except (RuntimeError, ValueError) as e:
        return str(e)
    raise AssertionError("it was not refused")


@in_a_program
def test_a_batch_of_none_is_empty(fluid, main, exe):
    out = fluid.layers.is_empty(fluid.data("x", [None, 3]))
    for n in (0, 2):
        value, = exe.run(main, feed={"x": np.ones((n, 3), "float32")}, fetch_list=[out])
        assert value.dtype == bool and value.tolist() == [n == 0]


@in_a_program
def test_merge_refuses_parts_that_do_not_add_up(fluid, main, exe):
    block = main.global_block()
    names = {"X": [3, 2], "InTrue": [1, 2], "InFalse": [1, 2]}
    inputs = {slot: [fluid.data(slot, shape)] for slot, shape in names.items()}
    inputs["Mask"] = [fluid.data("Mask", [3, 1], "bool")]
    out = block.create_var(dtype="float32")
    block.append_op("merge_lod_tensor_infer", inputs, {"Out": [out]}, {"level": 0})
    feed = {slot: np.ones(shape, "float32") for slot, shape in names.items()}
    assert "op merge_lod_tensor_infer(" in fails(
        lambda: exe.run(main, feed=dict(feed, Mask=MASK), fetch_list=[out]))


@in_a_program
def test_select_output_writes_the_one_that_is_asked_for(fluid, main, exe):
    block = main.global_block()
    x, mask = fluid.data("x", [2]), fluid.data("mask", [1], "int32")
    outs = [block.create_var(name=name, dtype="float32", shape=[2], persistable=True)
            for name in ("first", "second")]
    block.append_op("select_output", {"X": [x], "Mask": [mask]}, {"Out": outs})
    for number in (1, 0, 1):
        value = np.random.RandomState(number).rand(2).astype("float32")
        exe.run(main, feed={"x": value, "mask": np.array([number], "int32")}, fetch_list=[])
        tensors = [fluid.global_scope().find_var(out.name).get_tensor() for out in outs]
        np.testing.assert_array_equal(np.array(tensors[number]), value)
        assert not tensors[1 - number]._is_initialized()  # a branch that was not taken
    assert "select_output" in fails(lambda: exe.run(
        main, feed={"x": value, "mask": np.array([2], "int32")}, fetch_list=[]))


def conditional_block(fluid, main, exe, type):
    block = main.global_block()
    x, yes = fluid.data("x", [2]), fluid.data("yes", [1], "bool")
    out = block.create_var(name="out", dtype="float32", shape=[2], persistable=True)
    inner = main._create_block()
    inner.append_op("scale", {"X": [x]}, {"Out": [out]}, {"scale": 2.0})
    main._rollback()
    scope = block.create_var(type=fluid.core.VarDesc.VarType.STEP_SCOPES)
    block.append_op(type, {"Cond": [yes], "Input": [x]}, {"Out": [out], "Scope": [scope]},
                    {"sub_block": inner, "is_scalar_condition": True})
    fluid.global_scope().var("out").get_tensor().set(np.zeros(2, "float32"), fluid.CPUPlace())
    for number, holds, wanted in ((3, False, 0), (3, True, 6), (4, False, 6), (5, True, 10)):
        exe.run(main, feed={"x": np.full(2, number, "float32"), "yes": np.array([holds])},
                fetch_list=[])
        value = np.array(fluid.global_scope().find_var("out").get_tensor())
        np.testing.assert_array_equal(value, [wanted] * 2)


@in_a_program
def test_conditional_block_runs_where_the_condition_holds(fluid, main, exe):
    conditional_block(fluid, main, exe, "conditional_block")


@in_a_program
def test_conditional_block_infer_too(fluid, main, exe):
    conditional_block(fluid, main, exe, "conditional_block_infer")
