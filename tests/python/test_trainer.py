"""fluid.Trainer, fluid.Inferencer and fluid.AsyncExecutor, as scripts of Fluid 0.13 to 1.5 use them."""
import os
import subprocess
import sys

import numpy as np
import paddle
import paddle.fluid as fluid
import ports
import pytest
from paddle.fluid.contrib.inferencer import Inferencer
from paddle.fluid.contrib.trainer import (BeginEpochEvent, BeginStepEvent, CheckpointConfig,
                                          EndEpochEvent, EndStepEvent, Trainer)

W = np.array([[1.0], [-2.0], [3.0]], "float32")


def _net():
    x = fluid.layers.data(name="x", shape=[3], dtype="float32")
    return fluid.layers.fc(input=x, size=1)


def _train_func():
    y = fluid.layers.data(name="y", shape=[1], dtype="float32")
    predict = _net()
    return [fluid.layers.mean(fluid.layers.square_error_cost(input=predict, label=y)), predict]


def _sgd():
    return fluid.optimizer.SGD(learning_rate=0.1)


def _samples():
    rs = np.random.RandomState(0)
    for _ in range(20):
        x = rs.randn(3).astype("float32")
        yield x, x.dot(W)


READER = paddle.batch(_samples, batch_size=4)


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("order", [["x", "y"], {"y": 1, "x": 0}])
def test_it_trains_tests_saves_and_infers(tmp_path, parallel, order, monkeypatch):
    monkeypatch.setenv("CPU_NUM", "2")
    trainer = Trainer(_train_func, _sgd, place=fluid.CPUPlace(), parallel=parallel)
    events, tests = [], []

    def handler(event):
        events.append((type(event), event.epoch, getattr(event, "step", None)))
        if isinstance(event, BeginStepEvent):
            event.fetch_metrics = event.step == 0
        if isinstance(event, EndStepEvent):
            assert len(event.metrics) == (2 if event.step == 0 else 0)
        if isinstance(event, EndEpochEvent):
            tests.append(trainer.test(READER, feed_order=order)[0])

    trainer.train(20, handler, READER, order)
    assert events[:3] == [(BeginEpochEvent, 0, None), (BeginStepEvent, 0, 0), (EndStepEvent, 0, 0)]
    assert len([e for e in events if e[0] is EndStepEvent]) == 100 and len(tests) == 20
    assert tests[-1] < 1e-3 < 1 < tests[0]
    trainer.save_params(str(tmp_path / "params"))
    trainer.save_inference_model(str(tmp_path / "model"), ["x"], [1])
    x = np.eye(3, dtype="float32")
    got, = Inferencer(_net, str(tmp_path / "params"), parallel=False).infer({"x": x})
    assert np.abs(got - W).max() < 0.1
    with fluid.scope_guard(fluid.core.Scope()):
        exe = fluid.Executor(fluid.CPUPlace())
        program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path / "model"), exe)
        assert (exe.run(program, feed={feeds[0]: x}, fetch_list=fetches)[0] == got).all()
    again = Trainer(_train_func, _sgd, param_path=str(tmp_path / "params"))
    assert again.test(READER, ["x", "y"])[0] == tests[-1]


def test_it_stops_and_goes_on_from_a_checkpoint(tmp_path):
    folder = str(tmp_path / "ck")

    def trainer():
        return Trainer(_train_func, _sgd, checkpoint_config=CheckpointConfig(
            folder, max_num_checkpoints=2, step_interval=2))

    whole = trainer()
    whole.train(3, lambda event: None, READER, ["x", "y"])
    assert os.listdir(folder) == []  # it is done

    first = trainer()
    first.train(3, lambda e: first.stop() if isinstance(e, EndStepEvent) and
                (e.epoch, e.step) == (1, 2) else None, READER, ["x", "y"])
    assert sorted(os.listdir(folder)) == ["checkpoint_3", "checkpoint_4"]
    second, seen = trainer(), []
    second.train(3, lambda e: seen.append((e.epoch, e.step)) if isinstance(e, EndStepEvent)
                 else None, READER, ["x", "y"])
    assert seen[0] == (1, 3) and seen[-1] == (2, 4)
    assert second.test(READER, ["x", "y"]) == whole.test(READER, ["x", "y"])


def test_what_cannot_be_is_said(tmp_path, monkeypatch):
    trainer = Trainer(_train_func, optimizer=_sgd())  # as in 0.13
    for call, text in [(lambda: trainer.train(1, print), "reader is None"),
                       (lambda: trainer.test(lambda: iter(()), ["x", "y"]), "has no batch"),
                       (lambda: trainer.train(1, print, READER, {"x": 0, "y": 2}), "places 0 to 1"),
                       (lambda: trainer.train(1, print, READER, "x"), "must be a list of names"),
                       (lambda: Trainer(_train_func, lambda: 3), "must return a fluid.optimizer"),
                       (lambda: Trainer(_train_func, _sgd, checkpoint_config="ck"),
                        "must be a CheckpointConfig"),
                       (lambda: CheckpointConfig(step_interval=0), "step_interval is 0")]:
        with pytest.raises((TypeError, ValueError), match=text):
            call()
    monkeypatch.setenv("PADDLE_TRAINING_ROLE", "TRAINER")
    with pytest.raises(ValueError, match="also needs PADDLE_PSERVER_IPS, PADDLE_TRAINERS, "
                                         "PADDLE_TRAINER_ID"):
        Trainer(_train_func, _sgd)
    monkeypatch.setenv("PADDLE_TRAINER_IPS", "a,b")
    with pytest.raises(NotImplementedError, match="NCCL2"):
        Trainer(_train_func, _sgd)


JOB = """
import sys
sys.path.insert(0, %r)
from test_trainer import *
from test_trainer import _sgd, _train_func
trainer = Trainer(_train_func, _sgd)
trainer.train(5, lambda event: None, READER, ["x", "y"])
print(trainer.test(READER, ["x", "y"])[0])
"""


def test_the_environment_makes_it_one_of_a_job():
    port = ports.free_ports(1)
    env = dict(os.environ, PADDLE_PSERVER_IPS="127.0.0.1", PADDLE_PSERVER_PORT=str(port),
               PADDLE_TRAINERS="2", PADDLE_CURRENT_IP="127.0.0.1",
               PYTHONPATH=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    script = JOB % os.path.dirname(os.path.abspath(__file__))
    jobs = [subprocess.Popen([sys.executable, "-c", script], text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, env=dict(env, **more))
            for more in (dict(PADDLE_TRAINING_ROLE="PSERVER"),
                         dict(PADDLE_TRAINING_ROLE="TRAINER", PADDLE_TRAINER_ID="0"),
                         dict(PADDLE_TRAINING_ROLE="TRAINER", PADDLE_TRAINER_ID="1"))]
    try:
        said = [job.communicate(timeout=60) for job in jobs]
    finally:
        for job in jobs:
            job.kill()
    assert [job.returncode for job in jobs] == [0, 0, 0], said
    losses = [out.split()[-1] for out, _ in said[1:]]
    assert losses[0] == losses[1] and float(losses[0]) < 1.0


def _async_files(tmp_path):
    rs, files = np.random.RandomState(0), []
    for i in range(2):
        lines = []
        for _ in range(30):
            words = rs.randint(0, 20, rs.randint(1, 6))
            lines.append("%d %s 1 0.5 1 %d\n" % (len(words), " ".join(map(str, words)),
                                                 words[0] > 9))
        files.append(str(tmp_path / ("part-%d" % i)))
        (tmp_path / ("part-%d" % i)).write_text("".join(lines))
    (tmp_path / "data.prototxt").write_text("""name: "MultiSlotDataFeed"
batch_size: 2
multi_slot_desc {
    slots { name: "words" type: "uint64" is_dense: false is_used: true }
    slots { name: "skip" type: "float" is_dense: true is_used: false }
    slots { name: "label" type: "uint64" is_dense: true is_used: true }
}
""")
    return files, fluid.DataFeedDesc(str(tmp_path / "data.prototxt"))


def test_the_async_executor_trains_on_described_files(tmp_path, capfd):
    files, desc = _async_files(tmp_path)
    desc.set_batch_size(6)
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.scope_guard(fluid.core.Scope()):
        words = fluid.layers.data(name="words", shape=[1], dtype="int64", lod_level=1)
        label = fluid.layers.data(name="label", shape=[1], dtype="int64")
        bow = fluid.layers.sequence_pool(fluid.layers.embedding(words, [20, 8], is_sparse=True), "sum")
        predict = fluid.layers.fc(bow, 2, act="softmax")
        loss = fluid.layers.mean(fluid.layers.cross_entropy(predict, label))
        fluid.optimizer.Adagrad(0.1).minimize(loss)
        fluid.Executor(fluid.CPUPlace()).run(startup)
        executor = fluid.AsyncExecutor(fluid.CPUPlace())
        losses = []
        for _ in range(5):
            capfd.readouterr()
            executor.run(main, desc, files, 1, [loss], debug=True)
            out = capfd.readouterr().out
            assert out.count(loss.name) >= 10  # batches of 6 of 60
            losses.append(float(out.rpartition("data: [")[2].split("]")[0]))
        assert losses[-1] < losses[0]
        executor.run(main, desc, files, 2, [loss])
        assert loss.name not in capfd.readouterr().out
        for call, error, text in [
                (lambda: executor.run(main, desc, files, 0, []), ValueError, "thread_num is 0"),
                (lambda: executor.run(main, "x", files, 1, []), TypeError, "fluid.DataFeedDesc"),
                (lambda: executor.run(main, desc, files, 1, [], mode="mpi"), NotImplementedError,
                 "pslib"),
                (lambda: fluid.AsyncExecutor(run_mode="MPI"), NotImplementedError, "pslib")]:
            with pytest.raises(error, match=text):
                call()
