"""Evaluators that add up in variables of the program."""
import numpy as np
from layercase import check, data


def _pair():
    return (data("x", [1], "int64", lod_level=1), data("y", [1], "int64", lod_level=1))


def edit_distance():
    import paddle.fluid as fluid
    fluid.evaluator.EditDistance(*_pair())


def chunks():
    import paddle.fluid as fluid
    fluid.evaluator.ChunkEvaluator(*_pair(), chunk_scheme="IOB", num_chunk_types=3)


CASES = [edit_distance, chunks]
# Distances, and so their sum, are floats, whatever type they are given while building.
test = check(__file__, CASES, ignore_vars=("edit_distance_1.tmp_0", "reduce_sum_1.tmp_0"))


def test_distances_add_up_until_they_are_reset():
    import paddle.fluid as fluid
    import pytest
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        evaluator = fluid.evaluator.EditDistance(*_pair())
    place = fluid.CPUPlace()
    exe = fluid.Executor(place)

    def words(*sequences):
        flat = np.concatenate(sequences).reshape(-1, 1).astype("int64")
        return fluid.create_lod_tensor(flat, [[len(s) for s in sequences]], place)

    with fluid.scope_guard(fluid.core.Scope()):
        exe.run(startup)
        evaluator.reset(exe)
        exe.run(main, feed={"x": words([1, 2, 3], [4]), "y": words([1, 3], [4])},
                fetch_list=evaluator.metrics)
        np.testing.assert_allclose(np.ravel(evaluator.eval(exe)), [0.25, 0.5])
        exe.run(main, feed={"x": words([5, 6]), "y": words([7, 8])}, fetch_list=evaluator.metrics)
        np.testing.assert_allclose(np.ravel(evaluator.eval(exe)), [0.5, 2 / 3])
        evaluator.reset(exe)
        with pytest.raises(ValueError, match="nothing to average"):
            evaluator.eval(exe)
