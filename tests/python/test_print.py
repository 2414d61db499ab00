"""Print: what is shown, and when."""
import numpy as np
import paddle.fluid as fluid
import pytest

X = np.array([[1.5, 2], [3, 4]], "float32")


def shown(capfd, steps=1, feed=X, gradient=False, **options):
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        x = fluid.data("x", [None, 2], dtype=str(getattr(feed, "dtype", "float32")))
        x.stop_gradient = not gradient
        out = fluid.layers.Print(x, **options)
        fetch = [out]
        if gradient:
            fetch += fluid.gradients([fluid.layers.reduce_sum(out * 3.0)], [x])
        exe = fluid.Executor(fluid.CPUPlace())
        for _ in range(steps):
            got = exe.run(fluid.default_main_program(), feed={"x": feed}, fetch_list=fetch,
                          return_numpy=False)
    np.testing.assert_array_equal(np.array(got[0]), np.array(feed))
    if gradient:
        np.testing.assert_array_equal(np.array(got[1]), np.full((2, 2), 3, "float32"))
    return capfd.readouterr().out


def test_all_of_it(capfd):
    assert shown(capfd, message="hello") == (
        "hello\tTensor[x]\n\tshape: [2, 2]\n\tdtype: float32\n\tdata: [1.5, 2, 3, 4]\n")


def test_parts_of_it(capfd):
    assert shown(capfd, print_tensor_name=False, print_tensor_shape=False,
                 print_tensor_type=False) == "\n\tdata: [1.5, 2, 3, 4]\n"
    assert "data: [1.5, ...]" in shown(capfd, summarize=1)
    assert "data: [1.5, 2, 3, 4]" in shown(capfd, summarize=-1)


def test_other_types(capfd):
    assert "data: [9007199254740993, 2]" in shown(
        capfd, feed=np.array([[2 ** 53 + 1, 2]], "int64"))
    assert "dtype: bool\n\tdata: [1, 0]" in shown(capfd, feed=np.array([[True, False]]))


def test_sequences(capfd):
    lod = fluid.create_lod_tensor(X, [[1, 1]], fluid.CPUPlace())
    assert "\tLoD: [[0, 1, 2]]\n" in shown(capfd, feed=lod)
    assert "LoD" not in shown(capfd, feed=lod, print_tensor_lod=False)


def test_the_first_times_only(capfd):
    assert shown(capfd, steps=4, first_n=2).count("Tensor[x]") == 2
    assert shown(capfd, steps=4).count("Tensor[x]") == 4


def test_phases(capfd):
    both = shown(capfd, gradient=True)
    assert "Tensor[x]" in both and "Tensor[print_x_0.tmp_0@GRAD]" in both and "[3, 3, 3, 3]" in both
    forward = shown(capfd, gradient=True, print_phase="forward")
    assert "Tensor[x]" in forward and "@GRAD" not in forward
    backward = shown(capfd, gradient=True, print_phase="backward")
    assert "Tensor[x]" not in backward and "@GRAD" in backward


def test_it_is_shown_though_nobody_reads_it(capfd):
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        fluid.layers.Print(fluid.layers.fill_constant([1], "float32", 5.0), message="five")
        fluid.Executor(fluid.CPUPlace()).run(fluid.default_main_program())
    assert "five" in capfd.readouterr().out


def test_an_unknown_phase_is_refused(capfd):
    with pytest.raises(ValueError, match="SIDEWAYS"):
        shown(capfd, print_phase="sideways")
