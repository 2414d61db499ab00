"""Blocks in blocks and arrays that cross them: gradients by central differences."""
import numpy as np
import pytest

from gradcheck import check

X = np.array([[0.9, -0.4, 0.3], [-1.2, 0.7, 0.5]])
SEQUENCES = (np.array([[0.9], [-0.4], [0.3], [-1.2], [0.7]]), [2, 3])


@pytest.fixture(autouse=True)
def layers():
    import paddle.fluid as fluid
    globals().update(fluid=fluid, L=fluid.layers)


def whole(value):
    return L.fill_constant([1], "int64", value)


def number(value):
    return L.fill_constant([1], "float64", value)


def total(*terms):
    out = L.reduce_sum(terms[0])
    for term in terms[1:]:
        out = L.elementwise_add(out, L.reduce_sum(term))
    return out


def repeat(n, body):
    i, limit = whole(0), whole(n)
    go_on = L.less_than(i, limit)
    with L.While(go_on).block():
        body(i)
        L.increment(i, in_place=True)
        L.less_than(i, limit, cond=go_on)
    return i


def _if(condition, body, **options):
    from paddle.fluid.layers.control_flow import ConditionalBlock
    with ConditionalBlock([condition], is_scalar_condition=True, **options).block():
        body()


# ---- arrays that cross blocks ----

def written_two_loops_deep(v):
    """Each item once; the place is counted outside of both loops."""
    x, array, at = v["x"], L.create_array("float64"), whole(0)

    def body(i):
        def inner(j):
            L.array_write(L.tanh(x * (L.cast(at, "float64") + 1.0)), at, array)
            L.increment(at, in_place=True)
        repeat(2, inner)
    repeat(2, body)
    return total(*[L.array_read(array, whole(k)) * (k + 1.0) for k in range(4)])


def read_two_loops_deep(v):
    x, state = v["x"], L.scale(v["x"], 0.5)
    array = L.array_write(L.tanh(x), whole(0))
    L.array_write(x * x, whole(1), array)

    def body(i):
        repeat(2, lambda j: L.assign(state * x + L.array_read(array, j), state))
    repeat(2, body)
    return total(state)


def read_and_written_two_loops_deep(v):
    """Item k + 1 of item k, over the steps of both loops."""
    x, at = v["x"], whole(0)
    array = L.array_write(L.tanh(x), whole(0))

    def body(i):
        def inner(j):
            before = L.array_read(array, at)
            L.increment(at, in_place=True)
            L.array_write(L.tanh(before * x) + x, at, array)
        repeat(2, inner)
    repeat(2, body)
    return total(L.array_read(array, at), L.array_read(array, whole(2)))


def written_three_loops_deep(v):
    x, array, at = v["x"], L.create_array("float64"), whole(0)

    def write(k):
        L.array_write(L.tanh(x) * (L.cast(at, "float64") + 1.0), at, array)
        L.increment(at, in_place=True)
    repeat(2, lambda i: repeat(2, lambda j: repeat(2, write)))
    return total(*[L.array_read(array, whole(k)) * (k + 1.0) for k in range(8)])


def written_in_the_inner_and_read_in_the_outer(v):
    x, state, array = v["x"], L.tanh(v["x"]), L.create_array("float64")
    L.array_write(state, whole(0), array)
    L.array_write(state, whole(1), array)

    def body(i):
        repeat(2, lambda j: L.array_write(state * x, j, array))
        L.assign(L.tanh(L.array_read(array, whole(1)) + L.array_read(array, whole(0))), state)
    repeat(3, body)
    return total(state)


def written_in_a_condition(v):
    x, array = v["x"], L.create_array("float64")
    L.array_write(x * x, whole(0), array)
    _if(L.less_than(whole(0), whole(1)), lambda: L.array_write(L.tanh(x), whole(1), array))
    return total(L.array_read(array, whole(0)), L.array_read(array, whole(1)) * 2.0)


def written_in_a_condition_in_a_loop(v):
    x, array = v["x"], L.create_array("float64")
    for k in range(4):
        L.array_write(x * (k + 1.0), whole(k), array)

    def body(i):
        _if(L.less_than(whole(1), i),
            lambda: L.array_write(L.tanh(x * (L.cast(i, "float64") + 1.0)), i, array))
    repeat(4, body)
    return total(*[L.array_read(array, whole(k)) * (k + 1.0) for k in range(4)])


def read_in_a_condition_in_a_loop(v):
    x, state = v["x"], L.scale(v["x"], 0.3)
    array = L.array_write(L.tanh(x), whole(0))
    L.array_write(x * x, whole(1), array)
    L.array_write(x * x * x, whole(2), array)

    def body(i):
        _if(L.less_than(whole(0), i),
            lambda: L.assign(state * x + L.array_read(array, i), state))
    repeat(3, body)
    return total(state)


def array_through_while_loop(v):
    """layers.while_loop hands the array from step to step."""
    x, i, end = v["x"], whole(0), whole(3)
    array = L.array_write(L.tanh(x), whole(0))

    def body(i, array):
        made = L.tanh(L.array_read(array, i) * x)
        i = L.increment(i)
        L.array_write(made, i, array)
        return [i, array]
    _, array = L.while_loop(lambda i, array: L.less_than(i, end), body, [i, array])
    return total(L.array_read(array, whole(3)), L.array_read(array, whole(1)))


def whole_array_as_one_tensor(v):
    x, array = v["x"], L.create_array("float64")
    repeat(2, lambda i: repeat(2, lambda j: L.array_write(
        L.tanh(x * (L.cast(i + j, "float64") + 1.0)), i * 2 + j, array)))
    out, _ = L.tensor_array_to_tensor(array, axis=0)
    return total(out * out)


# ---- numbers that are counted in place ----

def counted(v, steps=3):
    """A float that grows by one each step, and what it came from has a gradient."""
    start, x = L.reduce_sum(v["x"]), v["x"]
    state = L.tanh(x)

    def body(i):
        L.assign(state + L.elementwise_mul(x, start), state)
        L.increment(start, 0.5, in_place=True)
    repeat(steps, body)
    return total(state, start * start)


def counted_outside(v):
    start = L.reduce_sum(v["x"])
    before = start * start
    L.increment(start, 2.0, in_place=True)
    return total(before, start * start * start)


def counted_two_loops_deep(v):
    start, state = L.reduce_sum(v["x"]), L.tanh(v["x"])

    def inner(j):
        L.increment(start, 0.25, in_place=True)
        L.assign(state * L.tanh(start * 0.1) + v["x"], state)
    repeat(2, lambda i: repeat(2, inner))
    return total(state, start * start)


# ---- conditions ----

def condition_with_inputs(v):
    """The old form: run if its inputs, which the block reads, have elements."""
    from paddle.fluid.layers.control_flow import ConditionalBlock
    h = L.tanh(v["x"])
    out = fluid.default_main_program().current_block().create_var(dtype="float64", shape=[2, 3])
    with ConditionalBlock(inputs=[h]).block():
        L.assign(h * v["x"], out)
    return total(out * out)


def condition_with_inputs_in_a_loop(v):
    from paddle.fluid.layers.control_flow import ConditionalBlock
    h, out = L.tanh(v["x"]), L.scale(v["x"], 1.0)

    def body(i):
        with ConditionalBlock(inputs=[h]).block():
            L.assign(L.tanh(out * h), out)
    repeat(3, body)
    return total(out)


def cond_in_a_loop(v):
    x, state = v["x"], L.tanh(v["x"])

    def body(i):
        L.assign(L.cond(L.less_than(i, whole(2)), lambda: L.tanh(state * x),
                        lambda: state + x * x), state)
    repeat(4, body)
    return total(state)


def loop_in_cond(v, which=0):
    x = v["x"]

    def looped():
        state = L.tanh(x)
        repeat(3, lambda i: L.assign(L.tanh(state * x), state))
        return state
    return total(L.cond(L.less_than(whole(which), whole(1)), looped, lambda: x * x))


def cond_in_cond_in_a_loop(v):
    x, state = v["x"], L.tanh(v["x"])

    def body(i):
        def first():
            return L.cond(L.less_than(i, whole(1)), lambda: state * x, lambda: L.tanh(state))
        L.assign(L.cond(L.less_than(i, whole(2)), first, lambda: state + x), state)
    repeat(4, body)
    return total(state)


def switch_in_a_loop(v):
    x, state = v["x"], L.tanh(v["x"])

    def body(i):
        with L.Switch() as choice:
            with choice.case(L.equal(i, whole(0))):
                L.assign(L.tanh(state * x), state)
            with choice.case(L.equal(i, whole(1))):
                L.assign(state * state, state)
            with choice.default():
                L.assign(state + x * x, state)
    repeat(3, body)
    return total(state)


def array_in_cond(v):
    x = v["x"]
    array = L.array_write(L.tanh(x), whole(0))

    def made():
        L.array_write(L.array_read(array, whole(0)) * x, whole(1), array)
        return L.array_read(array, whole(1))
    return total(L.cond(L.less_than(whole(0), whole(1)), made, lambda: x))


# ---- recurrent blocks ----

def static_rnn(v):
    x = L.reshape(v["x"], [3, 2, 1])
    rnn = L.StaticRNN()
    with rnn.step():
        word = rnn.step_input(x)
        memory = rnn.memory(shape=[-1, 1], batch_ref=word)
        hidden = L.tanh(word + memory * 0.5)
        rnn.update_memory(memory, hidden)
        rnn.step_output(hidden)
    return total(rnn() * rnn())


def static_rnn_in_a_loop(v):
    state = L.reshape(v["x"], [3, 2, 1])

    def body(i):
        start = L.fill_constant([2, 1], "float64", 0.1)
        rnn = L.StaticRNN()
        with rnn.step():
            word = rnn.step_input(state)
            memory = rnn.memory(init=start)
            hidden = L.tanh(word + memory * 0.5)
            rnn.update_memory(memory, hidden)
            rnn.step_output(hidden)
        L.assign(rnn() + state, state)
    repeat(2, body)
    return total(state)


def loop_in_static_rnn(v):
    x = L.reshape(v["x"], [3, 2, 1])
    start = L.fill_constant([2, 1], "float64", 0.1)
    rnn = L.StaticRNN()
    with rnn.step():
        word = rnn.step_input(x)
        memory = rnn.memory(init=start)
        hidden = L.tanh(word + memory * 0.5)
        repeat(2, lambda i: L.assign(L.tanh(hidden * word), hidden))
        rnn.update_memory(memory, hidden)
        rnn.step_output(hidden)
    return total(rnn())


def cond_in_static_rnn(v):
    x = L.reshape(v["x"], [3, 2, 1])
    start = L.fill_constant([2, 1], "float64", 0.1)
    rnn = L.StaticRNN()
    with rnn.step():
        word = rnn.step_input(x)
        memory = rnn.memory(init=start)
        above = L.less_than(number(0.0), L.reduce_sum(word))
        hidden = L.cond(above, lambda: L.tanh(word * memory + word), lambda: memory * word)
        rnn.update_memory(memory, hidden)
        rnn.step_output(hidden)
    return total(rnn())


PROGRAMS = [
    (written_two_loops_deep, {}), (read_two_loops_deep, {}), (read_and_written_two_loops_deep, {}),
    (written_three_loops_deep, {}), (written_in_the_inner_and_read_in_the_outer, {}),
    (written_in_a_condition, {}), (written_in_a_condition_in_a_loop, {}),
    (read_in_a_condition_in_a_loop, {}), (array_through_while_loop, {}),
    (whole_array_as_one_tensor, {}),
    (counted, {}), (counted, {"steps": 0}), (counted_outside, {}), (counted_two_loops_deep, {}),
    (condition_with_inputs, {}), (condition_with_inputs_in_a_loop, {}), (cond_in_a_loop, {}),
    (loop_in_cond, {"which": 0}), (loop_in_cond, {"which": 1}), (cond_in_cond_in_a_loop, {}),
    (switch_in_a_loop, {}), (array_in_cond, {}),
    (static_rnn, {}), (static_rnn_in_a_loop, {}), (loop_in_static_rnn, {}),
    (cond_in_static_rnn, {}),
]


@pytest.mark.parametrize("program, options", PROGRAMS, ids=[
    "%s %s" % (p.__name__, " ".join("%s=%s" % o for o in sorted(options.items())))
    for p, options in PROGRAMS])
def test_gradient(program, options):
    check(lambda v: L.reduce_sum(program(v, **options)), {"x": X}, tolerance=1e-5)


# ---- over sequences ----

def dynamic_rnn(v, inside=lambda hidden, word: hidden):
    rnn = L.DynamicRNN()
    with rnn.block():
        word = rnn.step_input(v["x"])
        memory = rnn.memory(shape=[1], value=0.1, dtype="float64")
        hidden = inside(L.tanh(word + memory * 0.5), word)
        rnn.update_memory(memory, hidden)
        rnn.output(hidden)
    return total(rnn() * rnn())


def loop_in_dynamic_rnn(v):
    def inside(hidden, word):
        repeat(2, lambda i: L.assign(L.tanh(hidden * word), hidden))
        return hidden
    return dynamic_rnn(v, inside)


def cond_in_dynamic_rnn(v):
    return dynamic_rnn(v, lambda hidden, word: L.cond(
        L.less_than(number(0.0), L.reduce_sum(word)), lambda: hidden * word, lambda: L.tanh(hidden)))


def if_else(v):
    x = v["x"]
    zero = L.fill_constant_batch_size_like(x, [-1, 1], "float64", 0.0)
    chosen = L.IfElse(L.less_than(x, zero))
    with chosen.true_block():
        chosen.output(L.tanh(chosen.input(x)))
    with chosen.false_block():
        part = chosen.input(x)
        chosen.output(part * part)
    return total(chosen()[0])


def if_else_in_a_loop(v):
    x, state = v["x"], L.tanh(v["x"])

    def body(i):
        zero = L.fill_constant_batch_size_like(state, [-1, 1], "float64", 0.0)
        chosen = L.IfElse(L.less_than(x, zero))
        with chosen.true_block():
            chosen.output(L.tanh(chosen.input(state)))
        with chosen.false_block():
            part = chosen.input(state)
            chosen.output(part * part)
        L.assign(chosen()[0] + x, state)
    repeat(2, body)
    return total(state)


@pytest.mark.parametrize("program", [dynamic_rnn, loop_in_dynamic_rnn, cond_in_dynamic_rnn],
                         ids=lambda p: p.__name__)
def test_gradient_over_sequences(program):
    check(program, {"x": SEQUENCES}, tolerance=1e-5)


@pytest.mark.parametrize("program", [if_else, if_else_in_a_loop], ids=lambda p: p.__name__)
def test_gradient_over_rows(program):
    check(program, {"x": SEQUENCES[0]}, tolerance=1e-5)
