"""fluid.layers.lstm. Real Paddle runs it on GPUs alone, so there is no program of its to compare a
run with; the numbers are tried in tests/ops/test_cudnn_lstm.py."""
import numpy as np


def built(fluid, dropout=0.0, **kwargs):
    x = fluid.data("x", [6, -1, 3], "float32")
    zeros = fluid.layers.fill_constant_batch_size_like(x, [4, -1, 5], "float32", 0.0,
                                                       input_dim_idx=1, output_dim_idx=1)
    return fluid.layers.lstm(x, zeros, zeros, 6, 5, 2, dropout_prob=dropout, is_bidirec=True,
                             **kwargs)


def test_its_parameter_is_what_real_paddle_makes():
    import paddle.fluid as fluid
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        out, last_h, last_c = built(fluid)
    weight, = main.all_parameters()
    assert weight.name == "cudnn_lstm_0.w_0"
    assert weight.shape == (2 * 4 * 5 * (3 + 5 + 2) + 2 * 4 * 5 * (10 + 5 + 2),)
    assert (out.shape, last_h.shape, last_c.shape) == ((6, -1, 10), (4, -1, 5), (4, -1, 5))


def test_it_learns_and_is_saved_and_clones_for_test_drop_nothing(tmp_path):
    import paddle.fluid as fluid
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 3
    with fluid.program_guard(main, startup):
        out, _, _ = built(fluid, dropout=0.2)
        y = fluid.data("y", [-1, 1], "float32")
        guess = fluid.layers.fc(fluid.layers.reduce_mean(out, dim=0), 1)
        loss = fluid.layers.mean(fluid.layers.square_error_cost(guess, y))
        test = main.clone(for_test=True)
        fluid.optimizer.Adam(0.02).minimize(loss)
    rng = np.random.RandomState(1)
    x = rng.uniform(-1, 1, [6, 64, 3]).astype("float32")
    feed = {"x": x, "y": x[0, :, :1] * 2 - x[5, :, 1:2]}
    with fluid.scope_guard(fluid.Scope()):
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        losses = [float(exe.run(main, feed, [loss])[0].ravel()[0]) for _ in range(200)]
        assert losses[-1] < 0.1 * losses[0]
        once, again = [exe.run(test, feed, [guess])[0] for _ in range(2)]
        assert np.array_equal(once, again)
        fluid.io.save_persistables(exe, str(tmp_path / "all"), main)
        fluid.io.load_persistables(exe, str(tmp_path / "all"), main)
        assert np.array_equal(exe.run(test, feed, [guess])[0], once)
        fluid.io.save_inference_model(str(tmp_path), ["x"], [guess], exe, main_program=test)
    with fluid.scope_guard(fluid.Scope()):
        program, _, targets = fluid.io.load_inference_model(str(tmp_path), exe)
        assert np.array_equal(exe.run(program, {"x": x}, targets)[0], once)
