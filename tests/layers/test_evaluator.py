"""Evaluators that add up in variables of the program."""
import numpy as np
import paddle.fluid as fluid
import pytest
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


def test_accuracy_adds_up_over_batches_and_a_program_of_it_alone():
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.layers.data(name="x", shape=[4], dtype="float32")
        y = fluid.layers.data(name="y", shape=[1], dtype="int64")
        predict = fluid.layers.fc(input=x, size=3, act="softmax")
        loss = fluid.layers.mean(fluid.layers.cross_entropy(input=predict, label=y))
        fluid.optimizer.SGD(learning_rate=0.1).minimize(loss)
        accuracy = fluid.evaluator.Accuracy(input=predict, label=y)
        test = fluid.io.get_inference_program(accuracy.metrics + accuracy.states)
    kinds = {op.type for op in test.global_block().ops}
    assert "accuracy" in kinds and not kinds & {"sgd", "mean"} and "sum" in kinds
    rs = np.random.RandomState(0)
    batches = [(rs.randn(n, 4).astype("float32"), rs.randint(0, 3, (n, 1))) for n in (2, 7, 5)]
    with fluid.scope_guard(fluid.core.Scope()):
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        accuracy.reset(exe)
        with pytest.raises(ValueError, match="no batch has been run"):
            accuracy.eval(exe)
        right = 0
        for a, b in batches:
            p, = exe.run(test, feed={"x": a, "y": b}, fetch_list=[predict])
            right += (p.argmax(1) == b[:, 0]).sum()
        assert accuracy.eval(exe)[0] == np.float32(right / 14)
        accuracy.reset(exe)
        exe.run(test, feed={"x": batches[0][0], "y": batches[0][1]}, fetch_list=[])
        assert accuracy.eval(exe)[0] in (0.0, 0.5, 1.0)
