"""How variables start that are in parts, or elsewhere."""
import numpy as np
import pytest


def test_fake_init_has_a_shape_and_no_value():
    import paddle.fluid as fluid
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        ids = fluid.layers.data("ids", [1], dtype="int64")
        for program in (main, startup):
            program.global_block().create_var(name="table", shape=[1000000000, 64],
                                              dtype="float32", persistable=True)
        startup.global_block().append_op("fake_init", {}, {"Out": "table"},
                                         {"shape": [1000000000, 64]})
        out = main.global_block().create_var(name="out", dtype="float32")
        main.global_block().append_op("lookup_table", {"W": "table", "Ids": ids}, {"Out": out})
    exe, scope = fluid.Executor(fluid.CPUPlace()), fluid.Scope()
    exe.run(startup, scope=scope)  # 256 GB would not fit
    with pytest.raises(Exception, match="table .* has no value yet"):
        exe.run(main, feed={"ids": np.array([[1]])}, fetch_list=["out"], scope=scope)


@pytest.mark.parametrize("type, attrs", [
    ("uniform_random", {"min": -2.0, "max": 3.0, "diag_num": 5, "diag_step": 7, "diag_val": 9.0}),
    ("gaussian_random", {"mean": 1.0, "std": 2.0}),
    ("truncated_gaussian_random", {"mean": 1.0, "std": 2.0})])
@pytest.mark.parametrize("seed", [7, 0])
def test_slices_start_as_the_whole_does(type, attrs, seed):
    import paddle.fluid as fluid

    def make(name, rows, **more):
        program = fluid.Program()
        block = program.global_block()
        block.create_var(name=name, dtype="float32", persistable=True)
        block.append_op(type, {}, {"Out": name}, dict(attrs, shape=[rows, 7], seed=seed, **more))
        return fluid.Executor(fluid.CPUPlace()).run(program, fetch_list=[name],
                                                    scope=fluid.Scope())[0]

    whole = make("w", 10)
    for begin, end in ((0, 3), (3, 8), (8, 10)):
        part = make("w.block%d" % begin, end - begin, slice_of="w", slice_begin=7 * begin)
        assert np.array_equal(part, whole[begin:end])
