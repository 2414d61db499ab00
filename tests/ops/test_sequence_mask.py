import numpy as np

from opcase import case, check, forward

LENGTHS = np.array([1, 3, 0, 2], "int64")
CASES = [
    case("as long as the longest", "sequence_mask", {"X": LENGTHS}, {"out_dtype": 3},
         outputs=["Y"]),
    case("cut", "sequence_mask", {"X": LENGTHS}, {"maxlen": 2, "out_dtype": 3}, outputs=["Y"]),
    case("a tensor says", "sequence_mask",
         {"X": LENGTHS, "MaxLenTensor": np.array([5], "int32")}, {"out_dtype": 3},
         outputs=["Y"]),
    case("matrix", "sequence_mask", {"X": LENGTHS.reshape(2, 2).astype("int32")},
         {"maxlen": 4, "out_dtype": 5}, outputs=["Y"]),
    case("of floats", "sequence_mask", {"X": LENGTHS.astype("float32")},
         {"maxlen": 4, "out_dtype": 3}, outputs=["Y"]),
    case("nothing", "sequence_mask", {"X": np.zeros(2, "int64")}, {"out_dtype": 3},
         outputs=["Y"]),
]
for dtype in (0, 2, 3, 5, 6, 20):
    CASES.append(case("dtype %d" % dtype, "sequence_mask", {"X": LENGTHS},
                      {"maxlen": 4, "out_dtype": dtype}, outputs=["Y"]))
test = check(__file__, CASES)


def test_a_mask_of_no_length_is_refused():
    import paddle.fluid as fluid
    import pytest
    with pytest.raises(fluid.core.EnforceNotMet, match="must be at least 1"):
        forward(fluid, case("bad", "sequence_mask", {"X": LENGTHS}, {"maxlen": 0, "out_dtype": 3},
                            outputs=["Y"]))
    with pytest.raises(fluid.core.EnforceNotMet, match="must be at least 1"):
        forward(fluid, case("bad", "sequence_mask",
                            {"X": LENGTHS, "MaxLenTensor": np.array([-3], "int32")},
                            {"out_dtype": 3}, outputs=["Y"]))


def test_the_length_follows_the_data_from_run_to_run():
    import paddle.fluid as fluid
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        x = fluid.layers.data("x", [], dtype="int64")
        block = main.global_block()
        y = block.create_var(name="y", dtype="int64")
        block.append_op(type="sequence_mask", inputs={"X": [x]}, outputs={"Y": [y]},
                        attrs={"out_dtype": 3, "maxlen": -1})
    exe = fluid.Executor(fluid.CPUPlace())
    for longest in (2, 5, 3):
        out, = exe.run(main, feed={"x": np.array([1, longest], "int64")}, fetch_list=[y])
        assert out.shape == (2, longest)
        assert out.sum() == 1 + longest
