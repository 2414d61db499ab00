"""fleet.collective in one process: strategies, checkpoints, what is refused."""
import json
import os

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.distributed.fs_wrapper import LocalFS
from paddle.fluid.incubate.fleet.base import role_maker
from paddle.fluid.incubate.fleet.collective import (
    Collective, CollectiveOptimizer, DistFCConfig, DistributedStrategy, LambConfig, TrainStatus)


def a_fleet(ranks=1, rank=0):
    fleet = Collective()
    fleet.init(role_maker.UserDefinedCollectiveRoleMaker(
        rank, ["127.0.0.1:%d" % (6170 + i) for i in range(ranks)]))
    return fleet


def programs(fleet, strategy=None, optimizer=None):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.data("x", [None, 4])
        loss = fluid.layers.mean(fluid.layers.fc(fluid.layers.fc(x, 3, act="relu"), 1))
        fleet.distributed_optimizer(optimizer or fluid.optimizer.Adam(0.1), strategy).minimize(
            loss, startup)
    return main, startup, loss


def test_one_worker_trains_as_it_is():
    fleet = a_fleet()
    main, startup, loss = programs(fleet)
    assert fleet.startup_program is startup and fleet._transpiled_program is main
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()):
        exe.run(startup)
        feed = {"x": np.ones((2, 4), "float32")}
        values = [exe.run(fleet.main_program, feed=feed, fetch_list=[loss])[0][0]
                  for _ in range(3)]
    assert values[2] < values[0]


def test_a_checkpoint_is_numbered_and_the_last_one_is_loaded(tmp_path):
    """Names and contents as real Paddle writes them, and the manifest of every save."""
    fleet, exe, path = a_fleet(), fluid.Executor(fluid.CPUPlace()), str(tmp_path / "ck")
    _, startup, loss = programs(fleet)
    name = "fc_0.w_0"
    with fluid.scope_guard(fluid.Scope()) as _:
        exe.run(startup)
        assert fleet.load_check_point(exe, path, 0) is None
        with pytest.raises(AssertionError, match="Can't find checkpoint"):
            fleet.load_check_point(exe, path, 0, ignore_empty=False)
        saved = []
        for epoch in range(3):
            exe.run(fleet.main_program, feed={"x": np.ones((2, 4), "float32")}, fetch_list=[loss])
            saved.append(np.array(fluid.global_scope().find_var(name).get_tensor()))
            fleet.save_check_point(exe, path, TrainStatus(epoch))
        folders = ["__paddle_fleet_checkpoint__.%d" % i for i in range(3)]
        assert sorted(os.listdir(path)) == folders
        assert sorted(os.listdir(os.path.join(path, folders[2]))) == [
            "MANIFEST.regatta", "_paddle_fleet_param__", "fleet_train_status"]
        with open(os.path.join(path, folders[2], "fleet_train_status")) as f:
            assert json.load(f) == {"epoch_no": 2}
        os.mkdir(os.path.join(path, "__paddle_fleet_checkpoint__.7.tmp"))  # was cut short
        fluid.global_scope().find_var(name).get_tensor().set(np.zeros((4, 3), "float32"),
                                                             fluid.CPUPlace())
        status = fleet.load_check_point(exe, path, 0)
        assert status == TrainStatus(2) and status != TrainStatus(1) and status.next() == 3
        assert (np.array(fluid.global_scope().find_var(name).get_tensor()) == saved[2]).all()
        fleet.clean_redundant_check_points(path, checkpoint_num=2)
        assert fleet._checkpoint_numbers(path, LocalFS()) == [1, 2]
        fleet.save_checkpoint(exe, path, TrainStatus(3), remain_all_checkpoint=False)
        assert fleet._checkpoint_numbers(path, LocalFS()) == [3]


class Far(LocalFS):
    """A file system that files are sent to."""

    def need_upload_download(self):
        return True

    def upload(self, local_path, fs_path):
        os.rename(local_path, fs_path)

    def download(self, fs_path, local_path):
        import shutil
        shutil.copytree(fs_path, local_path)


def test_checkpoints_go_to_other_file_systems(tmp_path):
    fleet, exe = a_fleet(), fluid.Executor(fluid.CPUPlace())
    _, startup, _ = programs(fleet)
    path, cache = str(tmp_path / "far"), str(tmp_path / "cache")
    with fluid.scope_guard(fluid.Scope()):
        exe.run(startup)
        fleet.save_check_point(exe, path, TrainStatus(5), fs=Far(), local_cache_path=cache)
        status = fleet.load_check_point(exe, path, 0, fs=Far(), local_cache_path=cache)
    assert status == TrainStatus(5)


def test_a_model_for_inference(tmp_path):
    fleet, exe = a_fleet(2), fluid.Executor(fluid.CPUPlace())
    main, startup, loss = programs(fleet, optimizer=fluid.optimizer.SGD(0.1))
    with fluid.scope_guard(fluid.Scope()):
        for p in main.all_parameters():
            fluid.global_scope().var(p.name).get_tensor().set(np.ones(p.shape, "float32"),
                                                              fluid.CPUPlace())
        fleet.save_inference_model(exe, str(tmp_path), ["x"], [loss])
        program, feeds, _ = fluid.io.load_inference_model(str(tmp_path), exe)
    assert feeds == ["x"]
    assert not any(op.type.startswith("c_") for op in program.global_block().ops)


def test_strategies():
    strategy = DistributedStrategy()
    assert (strategy.mode, strategy.collective_mode, strategy.nccl_comm_num) == ("nccl2", None, 1)
    assert strategy.amp_loss_scaling == 2 ** 15 and strategy.exec_strategy is not None
    assert vars(LambConfig()) == vars(DistFCConfig()) == {}
    strategy.mode = "collective"
    main, startup, _ = programs(a_fleet(2, 1), strategy)
    types = [op.type for op in main.global_block().ops]
    assert types.count("c_allreduce_sum") == 4
    assert "c_comm_init" in [op.type for op in startup.global_block().ops]
    local = DistributedStrategy()
    local.use_local_sgd = True
    main, _, _ = programs(a_fleet(2, 1), local)
    assert any(v.name.endswith("@SNAPSHOT") for v in main.list_vars())
    recompute = DistributedStrategy()
    recompute.forward_recompute = True
    with pytest.raises(ValueError, match="recompute_checkpoints"):
        programs(a_fleet(2), recompute)


@pytest.mark.parametrize("settings, message", [
    (dict(use_dist_fc=True), "not implemented"),
    (dict(use_hierarchical_allreduce=True), "by themselves"),
    (dict(mode="horse"), "'nccl2' or 'collective'"),
    (dict(mode="collective", collective_mode="horse"), "invalid collective_mode"),
    (dict(collective_mode="local_sgd"), "no meaning"),
])
def test_refusals(settings, message):
    with pytest.raises((ValueError, NotImplementedError), match=message):
        strategy = DistributedStrategy()
        for name, value in settings.items():
            setattr(strategy, name, value)
        programs(a_fleet(2), strategy)


def test_optimizers_and_roles_are_checked():
    with pytest.raises(TypeError, match="DistributedStrategy"):
        CollectiveOptimizer(fluid.optimizer.SGD(0.1), fluid.BuildStrategy())
    with pytest.raises(RuntimeError, match="fleet is not initialised"):
        programs(Collective())
    strategy = DistributedStrategy()
    with pytest.raises(AttributeError, match="has no setting"):
        strategy.horse = 1


def test_places_and_trainers_do_not_mix(monkeypatch):
    monkeypatch.setenv("CPU_NUM", "2")
    with pytest.raises(ValueError, match="start more trainers instead"):
        programs(a_fleet(2))


def test_a_group_of_this_process_alone():
    """c_comm_init_all: sums over one rank are what it has."""
    import subprocess
    import sys
    done = subprocess.run([sys.executable, "-c", """
import numpy as np
import paddle.fluid as fluid
from paddle.fluid.transpiler.collective import SingleProcessMultiThread
x = fluid.data("x", [2, 4])
loss = fluid.layers.mean(fluid.layers.fc(x, 1))
fluid.optimizer.SGD(0.1).minimize(loss)
SingleProcessMultiThread().transpile(None, None, 0, "127.0.0.1:6170", "127.0.0.1:6170", True)
startup = fluid.default_startup_program()
assert [op.type for op in startup.global_block().ops][-1] == "c_comm_init_all"
exe = fluid.Executor()
exe.run(startup)
feed = {"x": np.ones((2, 4), "float32")}
a, b = [exe.run(feed=feed, fetch_list=[loss])[0][0] for _ in range(2)]
assert b < a
startup.global_block().append_op(type="c_comm_init_all", attrs={"devices": [0, 1]})
try:
    exe.run(startup)
except NotImplementedError as e:
    assert "with_data_parallel" in str(e), e
else:
    raise AssertionError("it ran")
"""], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
