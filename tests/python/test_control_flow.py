"""Loops and conditions: what they compute, and their gradients by central differences."""
import numpy as np
import pytest

from gradcheck import check

X = np.array([[0.9, -0.4, 0.3], [-1.2, 0.7, 0.5]])


@pytest.fixture(autouse=True)
def layers():
    """The layers, as a global of this file."""
    import paddle.fluid as fluid
    globals()["L"] = fluid.layers
    return fluid.layers


def whole(value):
    return L.fill_constant([1], "int64", value)


def total(*terms):
    out = L.reduce_sum(terms[0])
    for term in terms[1:]:
        out = L.elementwise_add(out, L.reduce_sum(term))
    return out


def times(a, b):
    return L.elementwise_mul(a, b)


def repeat(n, body, limit=None):
    """body(i) for i in 0 .. n-1; the counter is changed at the end of the block."""
    i = whole(0)
    limit = whole(n) if limit is None else limit
    go_on = L.less_than(i, limit)
    with L.While(go_on).block():
        body(i)
        L.increment(i, in_place=True)
        L.less_than(i, limit, cond=go_on)
    return i


# ---- while: arrays ----

def array_item_by_item(v, steps=3):
    """The idiom of Fluid's own models: item i + 1 is made of item i."""
    x = v["x"]
    array = L.array_write(x, whole(0))

    def body(i):
        made = L.tanh(times(L.array_read(array, i), x))
        L.array_write(made, L.increment(i, in_place=False), array)
    return L.array_read(array, repeat(steps, body))


def counter_first(v):
    """The counter is changed before it is used."""
    x, i, limit = v["x"], whole(0), whole(3)
    array = L.array_write(x, i)
    go_on = L.less_than(i, limit)
    with L.While(go_on).block():
        before = L.array_read(array, i)
        L.increment(i, in_place=True)
        L.array_write(times(L.tanh(before), x), i, array)
        L.less_than(i, limit, cond=go_on)
    return total(L.array_read(array, i), L.array_read(array, whole(1)))


def counter_twice(v):
    """Two changes of the counter in one step, and uses between them."""
    x, i, limit = v["x"], whole(0), whole(6)
    state, array = L.tanh(x), L.create_array("float64")
    go_on = L.less_than(i, limit)
    with L.While(go_on).block():
        L.array_write(times(state, x), i, array)
        L.increment(i, in_place=True)
        L.array_write(times(L.array_read(array, whole(0)), L.tanh(state)), i, array)
        L.assign(L.scale(state, 1.5), state)
        L.increment(i, in_place=True)
        L.less_than(i, limit, cond=go_on)
    return total(*[L.scale(L.array_read(array, whole(k)), k + 1.0) for k in range(6)])


def overwritten_item(v):
    """The loop writes over what stood in the array before."""
    x = v["x"]
    array = L.array_write(x, whole(0))
    repeat(3, lambda i: L.array_write(times(x, x), i, array))
    return total(L.array_read(array, whole(0)), L.array_read(array, whole(2)))


def array_inside(v):
    """An array that lives within a step."""
    x, state = v["x"], L.tanh(v["x"])

    def body(i):
        array = L.array_write(times(state, x), whole(0))
        L.array_write(L.tanh(L.array_read(array, whole(0))), whole(1), array)
        L.assign(L.array_read(array, whole(1)), state)
    repeat(3, body)
    return total(state)


# ---- while: a tensor that is carried from step to step ----

def carried(v, steps=3):
    x, state = v["x"], L.tanh(v["x"])
    repeat(steps, lambda i: L.assign(times(L.tanh(state), x), state))
    return total(state, times(x, x))


def carried_and_used_once_after(v):
    x, state = v["x"], L.tanh(v["x"])
    repeat(3, lambda i: L.assign(times(L.tanh(state), x), state))
    return total(state, x)


def carried_but_not_used_after(v):
    """What the state becomes matters to the next step alone."""
    x, state, array = v["x"], L.tanh(v["x"]), L.create_array("float64")

    def body(i):
        L.array_write(times(state, x), i, array)
        L.assign(L.tanh(times(state, L.scale(x, 2.0))), state)
    repeat(3, body)
    return total(L.array_read(array, whole(2)))


def carried_and_changed_thrice(v):
    x, state = v["x"], L.tanh(v["x"])

    def body(i):
        L.assign(L.tanh(times(state, x)), state)
        square = times(state, state)
        L.assign(L.elementwise_add(square, state), state)
        L.assign(L.tanh(times(state, square)), state)
    repeat(3, body)
    return total(state)


def changed_after_the_loop(v):
    """Counter, state and an input of the loop get other values at top level."""
    x, state, factor = v["x"], L.tanh(v["x"]), L.scale(v["x"], 0.5)
    array = L.create_array("float64")

    def body(i):
        L.array_write(times(state, x), i, array)
        L.assign(L.tanh(times(state, factor)), state)
    i = repeat(3, body)
    middle = L.reduce_sum(state)
    L.assign(L.scale(x, 3.0), state)
    L.assign(L.scale(x, 4.0), factor)
    L.increment(i, in_place=True)
    return total(middle, times(state, state), times(factor, x),
                 L.array_read(array, whole(1)))


def written_without_being_read(v, steps=2):
    y = times(v["x"], v["x"])
    repeat(steps, lambda i: L.assign(L.tanh(v["x"]), y))
    return total(times(y, y))


def in_place_ops(v):
    """Ops that write over their own input, whose gradients need it."""
    import paddle.fluid as fluid
    x, state = v["x"], L.tanh(v["x"])

    def square():
        fluid.default_main_program().current_block().append_op(
            type="square", inputs={"X": [state]}, outputs={"Out": [state]})
    square()

    def body(i):
        square()
        fluid.default_main_program().current_block().append_op(
            type="elementwise_mul", inputs={"X": [state], "Y": [x]}, outputs={"Out": [state]})
    repeat(2, body)
    return total(state)


# ---- loops in loops ----

def nested(v):
    x, state = v["x"], L.tanh(v["x"])

    def body(i):
        inner = times(state, x)
        repeat(2, lambda j: L.assign(
            L.elementwise_add(L.tanh(inner), times(state, x)), inner))
        L.assign(L.tanh(inner), state)
    repeat(3, body)
    return total(state, times(x, x))


def nested_arrays(v):
    x, state = v["x"], L.tanh(v["x"])

    def body(i):
        array = L.array_write(times(state, x), whole(0))
        j = repeat(2, lambda j: L.array_write(
            times(L.tanh(L.array_read(array, j)), x), L.increment(j, in_place=False), array))
        L.assign(L.tanh(L.array_read(array, j)), state)
    repeat(3, body)
    return total(state)


def nested_as_often_as_the_outer_says(v):
    """The inner loop runs 0, 1, 2 times."""
    x, state = v["x"], L.tanh(v["x"])

    def body(i):
        repeat(None, lambda j: L.assign(L.tanh(times(state, x)), state), limit=i)
        L.assign(L.elementwise_add(L.tanh(state), x), state)
    repeat(3, body)
    return total(state)


# ---- conditions ----

def _if(condition, body):
    from paddle.fluid.layers.control_flow import ConditionalBlock
    with ConditionalBlock([condition], is_scalar_condition=True).block():
        body()


def conditional(v, run=True):
    x, state = v["x"], L.tanh(v["x"])
    _if(L.less_than(whole(0), whole(1 if run else 0)),
        lambda: L.assign(times(state, L.tanh(times(state, x))), state))
    return total(state, x)


def conditional_that_only_writes(v, run=True):
    """Where it is not run, what was there before counts."""
    x, y = v["x"], times(v["x"], v["x"])
    _if(L.less_than(whole(0), whole(1 if run else 0)), lambda: L.assign(L.tanh(x), y))
    return total(times(y, y))


def switch(v, which=0):
    x, y = v["x"], times(v["x"], v["x"])
    number = whole(which)
    with L.Switch() as choice:
        with choice.case(L.equal(number, whole(0))):
            L.assign(L.tanh(x), y)
        with choice.case(L.equal(number, whole(1))):
            L.assign(times(y, x), y)
        with choice.default():
            L.assign(L.scale(x, 3.0), y)
    return total(times(y, y))


def conditional_in_while(v):
    """Taken at every other step."""
    x, state, turn = v["x"], L.tanh(v["x"]), whole(0)

    def body(i):
        _if(L.equal(turn, whole(0)), lambda: L.assign(L.tanh(times(state, x)), state))
        L.assign(L.elementwise_sub(whole(1), turn), turn)
        L.assign(L.elementwise_add(state, times(x, x)), state)
    repeat(4, body)
    return total(state)


def while_in_conditional(v, run=True):
    x, state = v["x"], L.tanh(v["x"])
    _if(L.less_than(whole(0), whole(1 if run else 0)),
        lambda: repeat(3, lambda i: L.assign(L.tanh(times(state, x)), state)))
    return total(state, times(state, x))


def two_conditionals_one_after_the_other(v):
    x, state = v["x"], L.tanh(v["x"])
    for run in (1, 0, 1):
        _if(L.less_than(whole(0), whole(run)), lambda: L.assign(times(state, x), state))
    return total(state)


def body_returns_its_variables_swapped(v):
    x = v["x"]
    a, b, i, end = L.tanh(x), times(x, x), whole(0), whole(3)
    L.while_loop(lambda i, a, b: L.less_than(i, end),
                 lambda i, a, b: [L.increment(i), b, a], [i, a, b])
    return total(times(a, x), b)


PROGRAMS = [
    (array_item_by_item, {}), (array_item_by_item, {"steps": 0}), (counter_first, {}),
    (counter_twice, {}), (overwritten_item, {}), (array_inside, {}),
    (carried, {}), (carried, {"steps": 0}), (carried, {"steps": 1}),
    (carried_and_used_once_after, {}), (carried_but_not_used_after, {}),
    (carried_and_changed_thrice, {}), (changed_after_the_loop, {}),
    (written_without_being_read, {}), (written_without_being_read, {"steps": 0}),
    (in_place_ops, {}), (nested, {}), (nested_arrays, {}),
    (nested_as_often_as_the_outer_says, {}),
    (conditional, {}), (conditional, {"run": False}),
    (conditional_that_only_writes, {}), (conditional_that_only_writes, {"run": False}),
    (switch, {"which": 0}), (switch, {"which": 1}), (switch, {"which": 2}),
    (conditional_in_while, {}), (while_in_conditional, {}),
    (while_in_conditional, {"run": False}), (two_conditionals_one_after_the_other, {}),
    (body_returns_its_variables_swapped, {}),
]


@pytest.mark.parametrize("program, options", PROGRAMS, ids=[
    "%s %s" % (p.__name__, " ".join("%s=%s" % o for o in sorted(options.items())))
    for p, options in PROGRAMS])
def test_gradient(program, options):
    check(lambda v: L.reduce_sum(program(v, **options)), {"x": X})


def test_two_gradients_of_one_loop():
    """The steps of the loop are there for both."""
    import paddle.fluid as fluid
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        x = L.data("x", [2, 3], dtype="float64", append_batch_size=False)
        x.stop_gradient = False
        state = L.tanh(x)
        repeat(3, lambda i: L.assign(times(L.tanh(state), x), state))
        first, = fluid.gradients([L.reduce_sum(state)], [x])
        twice, = fluid.gradients([L.scale(L.reduce_sum(state), 2.0)], [x])
    exe = fluid.Executor(fluid.CPUPlace())
    a, b = exe.run(main, feed={"x": X}, fetch_list=[first, twice])
    assert np.array_equal(2 * a, b)


def test_gradients_leave_the_loop_as_it_was():
    """What the loop computed is there after the backward pass."""
    import paddle.fluid as fluid
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        x = L.data("x", [2, 3], dtype="float64", append_batch_size=False)
        x.stop_gradient = False
        state = L.tanh(x)
        i = repeat(3, lambda i: L.assign(times(L.tanh(state), x), state))
        copy = L.assign(state)
        fluid.gradients([L.reduce_sum(state)], [x])
    got, kept, steps = fluid.Executor(fluid.CPUPlace()).run(main, feed={"x": X},
                                                            fetch_list=[state, copy, i])
    expected = np.tanh(X)
    for _ in range(3):
        expected = np.tanh(expected) * X
    np.testing.assert_allclose(got, expected, rtol=1e-12)
    assert np.array_equal(got, kept)
    assert steps == [3]


def test_as_many_steps_as_each_feed_asks_for():
    import paddle.fluid as fluid
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        x = L.data("x", [3], dtype="float64")
        limit = L.data("limit", [1], dtype="int64", append_batch_size=False)
        x.stop_gradient = False
        state = L.scale(x, 1.0)
        repeat(None, lambda i: L.assign(times(state, x), state), limit=limit)
        grad, = fluid.gradients([L.reduce_sum(state)], [x])
    exe = fluid.Executor(fluid.CPUPlace())
    for rows, steps in ((2, 3), (1, 0), (2, 5), (3, 1)):
        value = np.linspace(0.5, 1.5, 3 * rows).reshape(rows, 3)
        out, got = exe.run(main, feed={"x": value, "limit": np.array([steps], "int64")},
                           fetch_list=[state, grad])
        np.testing.assert_allclose(out, value**(steps + 1), rtol=1e-12)
        np.testing.assert_allclose(got, (steps + 1) * value**steps, rtol=1e-12)


def test_a_condition_must_be_one_bool():
    import paddle.fluid as fluid
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        go_on = L.less_than(L.data("a", [-1], append_batch_size=False),
                            L.data("b", [-1], append_batch_size=False))
        go_on._shape = [1]
        with L.While(go_on).block():
            L.less_than(whole(1), whole(0), cond=go_on)
    two = np.zeros(2, "float32")
    with pytest.raises(fluid.core.EnforceNotMet, match="has 2 elements, and must have one"):
        fluid.Executor(fluid.CPUPlace()).run(main, feed={"a": two, "b": two + 1})


# ---- select ----

def selected(v, which=0):
    """What layers.cond is made of: of two blocks one is run, and its output selected."""
    import paddle.fluid as fluid
    from paddle.fluid.layers import control_flow
    x, number = v["x"], L.fill_constant([1], "int32", which)
    block, made = fluid.default_main_program().global_block(), []
    for k, branch in enumerate((lambda: L.tanh(x), lambda: times(x, x))):
        made.append(block.create_var(dtype="float64", shape=[2, 3]))
        _if(L.equal(number, L.fill_constant([1], "int32", k)),
            lambda: L.assign(branch(), made[k]))
    return total(control_flow.select_input(made, number), L.scale(x, 0.5))


@pytest.mark.parametrize("which", [0, 1])
def test_gradient_of_select(which):
    check(lambda v: selected(v, which), {"x": X})


def test_a_selection_that_is_not_there_is_refused():
    import paddle.fluid as fluid
    from paddle.fluid.layers import control_flow
    for which in (2, -1):
        main = fluid.Program()
        with fluid.program_guard(main, fluid.Program()):
            out = control_flow.select_input([whole(1), whole(2)],
                                            L.fill_constant([1], "int32", which))
        with pytest.raises(fluid.core.EnforceNotMet,
                           match="is %d, and there are 2 to select from" % which):
            fluid.Executor(fluid.CPUPlace()).run(main, fetch_list=[out])


def test_the_line_of_a_loop_is_the_scripts(layers):
    import paddle.fluid as fluid
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        at, last = whole(0), whole(3)
        going = layers.less_than(at, last)
        loop = layers.While(going)
        with loop.block():
            layers.increment(at)
            layers.less_than(at, last, cond=going)
        rnn = layers.DynamicRNN()
        with rnn.block():
            rnn.output(layers.scale(rnn.step_input(layers.data("x", [2], lod_level=1)), 2.0))
        block = fluid.default_main_program().global_block()
        for op in block.ops:
            assert __file__ in op.attr("op_callstack")[0], op.type
        assert [op.type for op in block.ops].count("while") == 2
