"""Scripts of every style, as people start them."""
import os
import subprocess
import sys

import numpy as np
import pytest

import paddle.fluid as fluid
from cluster import ROOT, clean_env, cluster, free_endpoints, launch_ps  # noqa: F401

FIT = os.path.join(ROOT, "demo", "fit_a_line")
BOOK = os.path.join(ROOT, "python", "paddle", "fluid", "tests", "book_distribute",
                    "notest_dist_fit_a_line.py")


def test_the_book_with_one_server_and_two_trainers(cluster):  # noqa: F811
    endpoint, = free_endpoints(1)
    env = dict(PSERVERS=endpoint, SERVER_ENDPOINT=endpoint)
    server = cluster.start("server", [BOOK], TRAINING_ROLE="PSERVER", **env)
    server.wait_for("Server listening on %s" % endpoint)
    for i in range(2):  # neither is given a number
        cluster.start("trainer%d" % i, [BOOK], TRAINING_ROLE="TRAINER", **env)
    cluster.finish()


def test_the_book_refuses_a_third_trainer(cluster):  # noqa: F811
    endpoint, = free_endpoints(1)
    env = dict(PSERVERS=endpoint, SERVER_ENDPOINT=endpoint)
    cluster.start("server", [BOOK], TRAINING_ROLE="PSERVER", **env)
    trainers = [cluster.start("trainer%d" % i, [BOOK], TRAINING_ROLE="TRAINER", **env)
                for i in range(3)]
    for trainer in trainers:
        trainer.wait(120)
    assert sorted(t.status for t in trainers)[:2] == [0, 0]
    assert max(t.status for t in trainers) != 0


@pytest.mark.parametrize("hosts", [("127.0.0.1", "127.0.0.2"), ("localhost", "127.0.0.2")])
def test_six_variables_and_four_commands(cluster, hosts):  # noqa: F811
    script = [os.path.join(FIT, "fluid_dist.py")]
    port = free_endpoints(1)[0].split(":")[1]
    env = dict(PADDLE_PSERVER_IPS=",".join(hosts), PADDLE_PSERVER_PORT=port, PADDLE_TRAINERS="2",
               EPOCHS="3")
    for i, host in enumerate(hosts):
        cluster.start("server%d" % i, script, PADDLE_TRAINING_ROLE="PSERVER",
                      PADDLE_CURRENT_IP=host, **env)
    trainers = [cluster.start("trainer%d" % i, script, PADDLE_TRAINING_ROLE="TRAINER",
                              PADDLE_TRAINER_ID=str(i), **env) for i in range(2)]
    cluster.finish()
    for trainer in trainers:
        assert "Epoch: 2, Batch: 49, loss: " in trainer.text()


@pytest.mark.parametrize("script", ["dist_train.py", "fluid_dist.py"])
def test_transpiler_scripts_under_launch_ps(tmp_path, script):
    out = launch_ps(tmp_path, [os.path.join(FIT, script)], EPOCHS="3")
    assert out.returncode == 0, out.stdout


@pytest.mark.parametrize("mode", ["sync", "async", "half_async", "geo"])
def test_fleet_under_launch_ps(tmp_path, mode):
    out = launch_ps(tmp_path, [os.path.join(FIT, "fleet_train.py"), "--mode", mode, "--epochs",
                               "10", "--model", "model"])
    assert out.returncode == 0, out.stdout
    losses = [float(line.split()[-1]) for line in out.stdout.splitlines()
              if line.startswith("epoch")]
    assert len(losses) == 10 and losses[-1] < losses[0] / 2, losses
    with fluid.scope_guard(fluid.Scope()):
        exe = fluid.Executor(fluid.CPUPlace())
        program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path / "model"), exe)
        got, = exe.run(program, feed={feeds[0]: np.ones((4, 13), "float32")}, fetch_list=fetches)
    assert got.shape == (4, 1) and np.isfinite(got).all()


QUICK_START = '''
import os, sys
import paddle.fluid as fluid
import paddle.fluid.incubate.fleet.base.role_maker as role_maker
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import fleet
from paddle.fluid.transpiler.distribute_transpiler import DistributeTranspilerConfig

dense_input = fluid.layers.data(name="dense_input", shape=[13], dtype="float32")
sparse_input_ids = [fluid.layers.data(name="C" + str(i), shape=[1], lod_level=1, dtype="int64")
                    for i in range(1, 27)]
label = fluid.layers.data(name="label", shape=[1], dtype="int64")
emb = [fluid.layers.embedding(input=s, is_sparse=True, size=[1001, 4],
                              param_attr=fluid.ParamAttr(name="SparseFeatFactors"))
       for s in sparse_input_ids]
hidden = fluid.layers.fc(fluid.layers.concat(emb + [dense_input], axis=1), 16, act="relu")
predict = fluid.layers.fc(hidden, 2, act="softmax")
loss = fluid.layers.reduce_sum(fluid.layers.cross_entropy(predict, label))
auc_var, batch_auc_var, _ = fluid.layers.auc(predict, label)

role = role_maker.PaddleCloudRoleMaker()
exe = fluid.Executor(fluid.CPUPlace())
fleet.init(role)
optimizer = fluid.optimizer.SGD(learning_rate=1e-4)
strategy = DistributeTranspilerConfig()
strategy.sync_mode = False
optimizer = fleet.distributed_optimizer(optimizer, strategy)
optimizer.minimize(loss)
if fleet.is_server():
    fleet.init_server()
    fleet.run_server()
elif fleet.is_worker():
    fleet.init_worker()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    dataset = fluid.DatasetFactory().create_dataset()
    dataset.set_use_var([dense_input] + sparse_input_ids + [label])
    dataset.set_pipe_command("%s criteo --hash 1001" % os.environ["PADDLE_COMMAND"])
    dataset.set_batch_size(100)
    dataset.set_thread(2)
    whole_filelist = ["raw_data/part-%d" % x for x in range(len(os.listdir("raw_data")))]
    for i in range(2):
        dataset.set_filelist(whole_filelist[:int(0.8 * len(whole_filelist))])
        exe.train_from_dataset(program=fluid.default_main_program(), dataset=dataset,
                               fetch_list=[auc_var], fetch_info=["auc"], debug=False)
        if fleet.worker_index() == 0:
            model_dir = "model/epoch" + str(i + 1) + ".model"
            sys.stderr.write("epoch%d finished" % (i + 1))
            fluid.io.save_inference_model(
                model_dir, [dense_input.name] + [x.name for x in sparse_input_ids] + [label.name],
                [loss, auc_var], exe)
'''


def test_the_quick_start_of_fleet(tmp_path):
    """As its text has it: no stop_worker, a config whose one change is sync_mode, a save by
    worker 0 alone after each epoch."""
    command = os.path.join(os.path.dirname(sys.executable), "paddle")
    (tmp_path / "raw_data").mkdir()
    for i in range(5):
        subprocess.run([command, "gen-criteo", "--rows", "500", "--seed", str(i), "--out",
                        str(tmp_path / "raw_data" / ("part-%d" % i))], check=True,
                       env=clean_env())
    (tmp_path / "dist_train.py").write_text(QUICK_START)
    out = launch_ps(tmp_path, ["dist_train.py"], PADDLE_COMMAND=command)
    assert out.returncode == 0, out.stdout
    with fluid.scope_guard(fluid.Scope()):
        exe = fluid.Executor(fluid.CPUPlace())
        program, feeds, _ = fluid.io.load_inference_model(
            str(tmp_path / "model" / "epoch2.model"), exe)
        assert feeds[0] == "dense_input" and feeds[-1] == "label"


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_every_worker_saves(cluster, mode):  # noqa: F811
    """Two at once to the same folders, and each to one of its own: all are the same model."""
    cluster.fleet(2, 2, ["--mode", mode, "--optimizer", "Adam", "--rate", "0.01", "--steps", "3",
                         "--save", "saved", "--model", "model", "--every"])
    cluster.finish()

    def read(folder):
        state = fluid.io.load_program_state(str(cluster.folder / folder))
        return {name: state[name] for name in state if "auc" not in name}
    first, second = read("saved-0"), read("saved-1")
    assert set(first) == set(second) and "table_moment1_0" in first
    trained = [name for name in first if name.startswith(("table", "fc_"))]
    both = fluid.io.load_program_state(str(cluster.folder / "saved" / "saved"))
    for name in trained:
        np.testing.assert_array_equal(first[name], second[name], err_msg=name)
        np.testing.assert_array_equal(first[name], both[name], err_msg=name)
    params = read("saved-1-params")
    assert {"table", "fc_0.w_0", "fc_1.b_0"} <= set(params)
    np.testing.assert_array_equal(params["table"], first["table"])
    with fluid.scope_guard(fluid.Scope()):
        fluid.io.load_inference_model(str(cluster.folder / "model"),
                                      fluid.Executor(fluid.CPUPlace()))
