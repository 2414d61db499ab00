"""py_func: Python functions as ops, forward and backward."""
import numpy as np
import paddle.fluid as fluid
import pytest


def programs():
    return fluid.program_guard(fluid.Program(), fluid.Program())


def variable(name, shape=(-1, 2), dtype="float32"):
    block = fluid.default_main_program().current_block()
    return block.create_var(name=name, shape=list(shape), dtype=dtype)


def run(feed, fetch, **kw):
    exe = fluid.Executor(fluid.CPUPlace())
    return exe.run(fluid.default_main_program(), feed=feed, fetch_list=fetch, **kw)


X = np.array([[1, 2], [3, 4], [5, 6]], "float32")


def test_forward_and_backward():
    seen = []

    def double(x):
        assert isinstance(x, fluid.core.LoDTensor)
        return np.array(x) * 2

    def gradient(x, out, dout):
        seen.append([np.array(a) for a in (x, out, dout)])
        return np.array(dout) * 2

    with programs():
        x = fluid.data("x", [None, 2])
        x.stop_gradient = False
        out = fluid.layers.py_func(double, x, variable("out"), backward_func=gradient)
        dx, = fluid.gradients([fluid.layers.reduce_sum(out * out)], [x])
        got, grad = run({"x": X}, [out, dx])
    np.testing.assert_array_equal(got, X * 2)
    np.testing.assert_array_equal(grad, X * 8)
    for a, b in zip(seen[0], (X, X * 2, X * 4)):
        np.testing.assert_array_equal(a, b)


def test_several_inputs_and_outputs_and_skipped_ones():
    def forward(x, y):
        return np.array(x) + np.array(y), np.array(x) * np.array(y)

    def backward(x, y, d_sum, d_product):
        x, y, d_sum, d_product = (np.array(a) for a in (x, y, d_sum, d_product))
        return d_sum + d_product * y, d_sum + d_product * x

    with programs():
        x, y = fluid.data("x", [None, 2]), fluid.data("y", [None, 2])
        x.stop_gradient = y.stop_gradient = False
        outs = [variable("sum"), variable("product")]
        fluid.layers.py_func(forward, [x, y], outs, backward, skip_vars_in_backward_input=outs)
        loss = fluid.layers.reduce_sum(outs[1])  # of the sum, the gradient is zeros
        grads = fluid.gradients([loss], [x, y])
        got = run({"x": X, "y": X + 1}, outs + grads)
    for a, b in zip(got, (2 * X + 1, X * (X + 1), X + 1, X)):
        np.testing.assert_array_equal(a, b)


def test_only_the_gradients_that_are_wanted_are_taken():
    with programs():
        x, y = fluid.data("x", [None, 2]), fluid.data("y", [None, 2])
        x.stop_gradient = False
        out = fluid.layers.py_func(lambda x, y: np.array(x), [x, y], variable("out"),
                                   lambda x, y, out, dout: (dout, None))
        dx, = fluid.gradients([fluid.layers.reduce_sum(out)], [x])
        grad, = run({"x": X, "y": X}, [dx])
    np.testing.assert_array_equal(grad, np.ones_like(X))


def test_no_gradient_without_a_backward_function():
    with programs():
        x = fluid.data("x", [None, 2])
        x.stop_gradient = False
        out = fluid.layers.py_func(lambda x: np.array(x), x, variable("out"))
        assert fluid.gradients([fluid.layers.reduce_sum(out)], [x]) == [None]


def test_without_outputs_it_is_called_in_each_step():
    calls = []
    with programs():
        x = fluid.data("x", [None, 2])
        assert fluid.layers.py_func(lambda x: calls.append(np.array(x)), x, None) is None
        for _ in range(3):
            run({"x": X}, [])
    assert len(calls) == 3


def test_without_inputs():
    with programs():
        out = fluid.layers.py_func(lambda: np.full((2, 2), 7, "float32"), [], variable("out"))
        got, = run({}, [out])
    assert (got == 7).all()


def test_sequences_go_in_and_out():
    def turn(x):
        assert x.recursive_sequence_lengths() == [[1, 2]]
        tensor = fluid.LoDTensor()
        tensor.set(np.array(x)[::-1].copy(), fluid.CPUPlace())
        tensor.set_recursive_sequence_lengths([[2, 1]])
        return tensor

    with programs():
        x = fluid.data("x", [None, 2], lod_level=1)
        out = variable("out")
        fluid.layers.py_func(turn, x, out)
        feed = fluid.create_lod_tensor(X, [[1, 2]], fluid.CPUPlace())
        got, = run({"x": feed}, [out], return_numpy=False)
    assert got.recursive_sequence_lengths() == [[2, 1]]
    np.testing.assert_array_equal(np.array(got), X[::-1])


def test_the_size_may_change_from_step_to_step():
    sizes = iter((2, 5, 1))
    with programs():
        out = fluid.layers.py_func(lambda: np.ones((next(sizes), 2), "float32"), [],
                                   variable("out"))
        total = fluid.layers.reduce_sum(out)
        assert [float(run({}, [total])[0][0]) for _ in range(3)] == [4.0, 10.0, 2.0]


def failing(function, *outs, **kw):
    with programs():
        x = fluid.data("x", [None, 2])
        fluid.layers.py_func(function, x, [variable(name) for name in outs or ("out",)], **kw)
        run({"x": X}, list(outs or ("out",)))


def test_what_the_function_raises_reaches_the_caller():
    def fail(x):
        raise KeyError("lost")

    with pytest.raises(KeyError, match="lost"):
        failing(fail)


def test_what_it_raises_in_a_trainer_thread_is_told_with_its_line(tmp_path):
    (tmp_path / "part").write_text("1 0.5\n" * 9)

    def fail(x):
        raise KeyError("lost")

    with programs():
        x = fluid.data("x", [None, 1], "float32")
        fluid.layers.py_func(fail, x, variable("out", (-1, 1)))
        dataset = fluid.DatasetFactory().create_dataset()
        dataset.set_use_var([x])
        dataset.set_filelist([str(tmp_path / "part")])
        with pytest.raises(fluid.core.EnforceNotMet, match=r"raised KeyError: 'lost', at .*"
                           r"test_py_func.py:%d" % (fail.__code__.co_firstlineno + 1)):
            fluid.Executor().train_from_dataset(fluid.default_main_program(), dataset)


def test_bad_results_are_refused():
    with pytest.raises(ValueError, match="returned 1 values, and its op has 2 outputs"):
        failing(lambda x: np.array(x), "a", "b")
    with pytest.raises(fluid.core.EnforceNotMet, match="gave None for out"):
        failing(lambda x: None)
    with pytest.raises(fluid.core.EnforceNotMet, match=r"float64 for out, which is float32: return it "
                       r"with .astype\('float32'\)"):
        failing(lambda x: np.array(x).astype("float64"))
    with pytest.raises(Exception):
        failing(lambda x: "text")


def test_bad_arguments_are_refused():
    with programs():
        x, out = fluid.data("x", [None, 2]), variable("out")
        for error, arguments in (
                (TypeError, (3, x, out)), (TypeError, (abs, x, out, 3)),
                (TypeError, (abs, "x", out)),
                (ValueError, (abs, x, out, abs, [variable("other")])),
                (ValueError, (abs, x, fluid.default_main_program().global_block().create_var(
                    name="shapeless", dtype="float32")))):
            with pytest.raises(error):
                fluid.layers.py_func(*arguments)


def test_a_program_of_another_process_is_refused():
    with programs():
        x, out = fluid.data("x", [None, 2]), variable("out")
        fluid.layers.py_func(lambda x: np.array(x), x, out)
        fluid.default_main_program().global_block().ops[-1]._set_attr("forward_callable_id", 9999)
        with pytest.raises(RuntimeError, match="Python function 9999"):
            run({"x": X}, [out])


def test_one_variable_to_be_skipped():
    with programs():
        x = fluid.data("x", [None, 2])
        x.stop_gradient = False
        out = variable("twice")
        fluid.layers.py_func(lambda x: 2 * np.array(x), x, out,
                             lambda out, grad: np.array(grad) * 2, skip_vars_in_backward_input=x)
        got = run({"x": X}, [out] + fluid.gradients([out], [x]))
    np.testing.assert_array_equal(got[0], 2 * X)
    np.testing.assert_array_equal(got[1], np.full_like(X, 2))
