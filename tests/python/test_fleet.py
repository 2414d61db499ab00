"""Fleet over parameter servers: names, strategies, roles and refusals; no servers are needed."""
import importlib.util
import json
import os
import sys

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle import _core
from paddle.fluid import communicator
from paddle.fluid.incubate.fleet import metrics
from paddle.fluid.incubate.fleet.base import role_maker as R
from paddle.fluid.incubate.fleet.parameter_server import distribute_transpiler as D
from paddle.fluid.incubate.fleet.parameter_server import pslib
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import \
    distributed_strategy as S
from paddle.fluid.incubate.fleet.utils.fleet_util import FleetUtil

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden")
SERVERS = ["127.0.0.1:6170", "127.0.0.1:6171"]


def _recorder():
    spec = importlib.util.spec_from_file_location("record_fleet",
                                                  os.path.join(GOLDEN, "record_fleet.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


with open(os.path.join(GOLDEN, "fleet.json")) as f:
    WANTED = json.load(f)
RECORDER = _recorder()

# Signatures that differ on purpose: more arguments at the end, or a default made when it is used.
DIFFERENT = {
    "parameter_server.distribute_transpiler.TranspilerOptimizer.__init__":
        "(self, optimizer, strategy=None, owner=None)",
}


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    for name in _core.job_env_names():
        monkeypatch.delenv(name, raising=False)
    for name in list(os.environ):
        if name.startswith("FLAGS_") or name == "CPU_NUM":
            monkeypatch.delenv(name)
    yield
    for each in (D.fleet, pslib.fleet):
        each.__init__()


@pytest.fixture
def model():
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x, y = fluid.layers.data("x", [13]), fluid.layers.data("y", [1])
        yield fluid.layers.mean(fluid.layers.square_error_cost(fluid.layers.fc(x, 1), y))


@pytest.fixture
def job(monkeypatch):
    """An engine that records what it is asked."""
    calls = []

    def record(name, result=None):
        def call(*args):
            calls.append((name,) + args)
            return result
        monkeypatch.setattr(_core, name, call, raising=False)
    for name in ("job_join", "job_leave", "job_barrier", "job_flush", "job_clear"):
        record(name)
    record("job_shrink", 7)
    record("job_change", 5)
    monkeypatch.setattr(_core, "job_who", lambda: (1, 2, "async"))
    # Of two trainers that have the same numbers.
    monkeypatch.setattr(_core, "job_reduce", lambda name, op, numbers, whole: (
        calls.append(("job_reduce", name, op)),
        (np.frombuffer(numbers, "int64" if whole else "float64")
         * (2 if op == "sum" else 1)).tobytes())[1], raising=False)
    monkeypatch.setattr("paddle.fluid.transpiler.distribute_transpiler.wait_server_ready",
                        lambda endpoints: calls.append(("wait", endpoints)))
    return calls


def worker(index=0, workers=2):
    return R.UserDefinedRoleMaker(index, R.Role.WORKER, workers, list(SERVERS))


def server(index=0, workers=2):
    return R.UserDefinedRoleMaker(index, R.Role.SERVER, workers, list(SERVERS))


# ---- names ----

@pytest.mark.parametrize("name", sorted(WANTED["signatures"]))
def test_signatures_are_those_of_paddle(name):
    ours = RECORDER.signatures()
    assert name in ours, "missing"
    wanted = DIFFERENT.get(name, WANTED["signatures"][name])
    # A default that is an object there is made when it is used here.
    for made in ("_Scope", "CPUPlace"):
        wanted = wanted.replace("='%s'" % made, "=None")
    assert ours[name] == wanted


def test_module_names():
    assert S.__all__ == ["TrainerRuntimeConfig", "DistributedStrategy", "SyncStrategy",
                         "AsyncStrategy", "HalfAsyncStrategy", "GeoStrategy", "StrategyFactory"]
    assert isinstance(D.fleet, D.DistributedTranspiler)
    assert D.StrategyFactory is S.StrategyFactory
    assert (D.DistributedMode.SYNC, D.DistributedMode.GEO) == (0, 3)
    assert D.fleet.metrics is metrics
    import paddle.fleet
    assert paddle.fleet.metrics is metrics


# ---- strategies ----

@pytest.mark.parametrize("name", sorted(WANTED["strategies"]))
def test_strategies_decide_what_paddles_do(name):
    assert RECORDER.strategies()[name] == WANTED["strategies"][name]


def test_settings_come_from_flags(monkeypatch):
    monkeypatch.setenv("FLAGS_communicator_send_queue_size", "7")
    monkeypatch.setenv("FLAGS_rpc_send_thread_num", "3")
    strategy = S.AsyncStrategy()
    assert strategy.get_trainer_runtime_config().get_communicator_flags()[
        "communicator_send_queue_size"] == "7"
    assert strategy.get_server_runtime_config()._rpc_send_thread_num == 3
    assert "communicator_send_queue_size                 7" in repr(
        strategy.get_trainer_runtime_config())


def test_settings_that_nobody_made_warn_of_nothing(monkeypatch, capfd):
    monkeypatch.setenv("CPU_NUM", "3")
    made = {}
    for strategy in S.SyncStrategy(), S.AsyncStrategy():
        made.update(strategy.get_trainer_runtime_config().get_communicator_flags())
    before = fluid.get_flags(["FLAGS_" + name for name in made])
    talker = fluid.communicator.Communicator(fluid.Program(), 0, None, made)
    try:
        talker.start()
        assert made["communicator_send_queue_size"] == "3"
        assert fluid.get_flags("FLAGS_communicator_max_merge_var_num") == {
            "FLAGS_communicator_max_merge_var_num": 3}
        assert "has no effect" not in capfd.readouterr().err
        fluid.communicator.Communicator(fluid.Program(), 0, None, {
            "communicator_send_queue_size": "9"}).start()
        assert "FLAGS_communicator_send_queue_size=9" in capfd.readouterr().err
    finally:
        fluid.set_flags(before)


def test_threads_fix_queues(monkeypatch, capsys):
    monkeypatch.setenv("CPU_NUM", "2")
    monkeypatch.setenv("FLAGS_communicator_max_merge_var_num", "20")
    strategy = S.HalfAsyncStrategy()
    assert strategy.get_execute_strategy().num_threads == 2
    flags = strategy.get_trainer_runtime_config().get_communicator_flags()
    assert flags["communicator_max_merge_var_num"] == "2"
    assert "communicator_max_merge_var_num is CPU_NUM = 2, not 20" in capsys.readouterr().out


@pytest.mark.parametrize("what, cls", [
    ("program_config", "DistributeTranspilerConfig"),
    ("trainer_runtime_config", "TrainerRuntimeConfig"),
    ("server_runtime_config", "ServerRuntimeConfig"), ("execute_strategy", "ExecutionStrategy"),
    ("build_strategy", "BuildStrategy")])
def test_setters_take_dicts_and_objects(what, cls):
    strategy = S.AsyncStrategy()
    put = getattr(strategy, "set_" + what)
    with pytest.raises(ValueError, match="%s doesn't have key: nope" % cls):
        put({"nope": 1})
    for bad in (3, "x", None, []):
        with pytest.raises(TypeError, match="%s only accept input type: dict or %s" % (what, cls)):
            put(bad)
    other = S.AsyncStrategy()
    put(getattr(other, "get_" + what)())
    assert getattr(strategy, "get_" + what)() is getattr(other, "get_" + what)()


def test_setters_keep_what_the_strategy_decides():
    strategy = S.SyncStrategy()
    strategy.set_program_config({"min_block_size": 10000, "slice_var_up": False})
    assert strategy.get_program_config().min_block_size == 10000
    strategy.set_program_config(fluid.DistributeTranspilerConfig())
    assert strategy.get_program_config().completely_not_async
    strategy.set_execute_strategy({"num_threads": 3, "use_thread_barrier": False})
    assert strategy.get_execute_strategy().num_threads == 3
    assert strategy.get_execute_strategy().use_thread_barrier
    strategy.set_server_runtime_config({"_rpc_get_thread_num": 4, "rpc_send_thread_num": 5})
    assert vars(strategy.get_server_runtime_config()) == {
        "_rpc_send_thread_num": 5, "_rpc_get_thread_num": 4, "_rpc_prefetch_thread_num": 12}
    strategy.set_trainer_runtime_config({"rpc_deadline": 5000})
    assert strategy.get_trainer_runtime_config().runtime_configs["rpc_deadline"] == "5000"
    with pytest.raises(ValueError, match="at least 1"):
        strategy.set_server_runtime_config({"rpc_send_thread_num": 0})
    with pytest.raises(ValueError, match="sync_mode=True needs"):
        strategy.set_program_config({"sync_mode": True})


def test_debug_options_are_refused():
    strategy = S.AsyncStrategy()
    strategy.set_debug_opt({"dump_fields": [], "dump_file_num": 16})
    assert strategy.get_debug_opt()["dump_file_num"] == 16
    with pytest.raises(NotImplementedError, match="dump_param"):
        strategy.set_debug_opt({"dump_param": ["w"]})


def config(**fields):
    out = fluid.DistributeTranspilerConfig()
    for name, value in fields.items():
        setattr(out, name, value)
    return out


@pytest.mark.parametrize("fields, wanted", [
    ({}, S.SyncStrategy), ({"sync_mode": False}, S.AsyncStrategy),
    ({"sync_mode": False, "runtime_split_send_recv": True}, S.AsyncStrategy),
    ({"sync_mode": False, "half_async": True}, S.HalfAsyncStrategy),
    ({"sync_mode": False, "geo_sgd_mode": True, "geo_sgd_need_push_nums": 5}, S.GeoStrategy)])
def test_configs_mean_strategies(fields, wanted):
    strategy = S.of_config(config(min_block_size=9000, slice_var_up=False, **fields))
    assert type(strategy) is wanted
    assert strategy.get_program_config().min_block_size == 9000
    assert not strategy.get_program_config().slice_var_up
    if wanted is S.GeoStrategy:
        assert strategy.get_program_config().geo_sgd_need_push_nums == 5


# ---- the fleet ----

def serve_op(program):
    return [op for op in program.global_block().ops if op.type == "listen_and_serv"][0]


@pytest.mark.parametrize("make, mode", [
    (None, 0), (S.StrategyFactory.create_sync_strategy, 0),
    (S.StrategyFactory.create_async_strategy, 1),
    (S.StrategyFactory.create_half_async_strategy, 2), (lambda: S.GeoStrategy(5), 3),
    (lambda: config(sync_mode=False), 1), (lambda: config(), 0)])
def test_server_programs(model, make, mode):
    D.fleet.init(server(1))
    ops, grads = D.fleet.distributed_optimizer(
        fluid.optimizer.SGD(0.1), make and make()).minimize(model)
    assert len(ops) == 2 and len(grads) == 2
    op = serve_op(D.fleet.main_program)
    assert op.attr("distributed_mode") == mode and op.attr("endpoint") == SERVERS[1]
    assert op.attr("Fanin") == 2 and op.attr("rpc_send_thread_num") == 12
    with pytest.raises(RuntimeError, match="on a server"):
        D.fleet.init_worker()


def test_more_servers_than_trainers(model):
    role = R.UserDefinedRoleMaker(2, R.Role.SERVER, 1, SERVERS + ["127.0.0.1:6172"])
    D.fleet.init(role)
    D.fleet.distributed_optimizer(fluid.optimizer.SGD(0.1)).minimize(model)
    assert serve_op(D.fleet.main_program).attr("endpoint") == "127.0.0.1:6172"


def test_a_worker_from_start_to_end(model, job, capsys):
    D.fleet.init(worker(1))
    D.fleet.distributed_optimizer(fluid.optimizer.SGD(0.1),
                                  S.StrategyFactory.create_async_strategy()).minimize(model)
    assert job == [("wait", SERVERS)]
    assert D.fleet.main_program is fluid.default_main_program()
    assert D.fleet.startup_program is fluid.default_startup_program()
    assert "send" in [op.type for op in D.fleet.main_program.global_block().ops]
    del job[:]
    D.fleet.init_worker()
    D.fleet.init_worker()
    assert job == [("job_join", SERVERS, 1, 2)]
    assert "TrainerRuntimeConfig Overview" in capsys.readouterr().out
    D.fleet.barrier_worker()
    D.fleet.barrier_worker()
    assert [c[0] for c in job[1:]] == ["job_barrier", "job_barrier"]
    assert job[1] != job[2]  # every meeting has a name of its own
    out = np.zeros(3)
    D.fleet.all_reduce_worker(np.arange(3.0), out)
    assert out.tolist() == [0, 2, 4]
    del job[:]
    D.fleet.stop_worker()
    D.fleet.stop_worker()
    assert job == [("job_flush",), ("job_leave",)]
    with pytest.raises(RuntimeError, match="closed"):
        D.fleet._executor.run(D.fleet.startup_program)
    with pytest.raises(RuntimeError, match="on a worker"):
        D.fleet.init_server()


def test_communicator_flags(job):
    one = communicator.Communicator(None, 1, None, {"rpc_deadline": "5000"})
    before = _core.get_flag("rpc_deadline")[1]
    try:
        one.start()
        assert one.is_running() and _core.get_flag("rpc_deadline")[1] == "5000"
        one.stop()
        assert not one.is_running()
    finally:
        _core.set_flag("rpc_deadline", before)
    with pytest.raises(ValueError, match="communicator_nope = 1 cannot be honoured"):
        communicator.Communicator(None, 1, None, {"communicator_nope": 1}).start()
    with pytest.raises(ValueError, match="no setting 'nope'"):
        communicator.Communicator(None, 1, {"nope": 1})


def test_gather(monkeypatch):
    """Two trainers whose sums meet."""
    import threading
    together = {}
    ready = threading.Barrier(2)

    def meet(name, op, numbers, whole):
        array = np.frombuffer(numbers, "int64" if whole else "float64")
        together.setdefault(threading.current_thread().name, []).append(array)
        ready.wait()
        total = sum(arrays[-1] for arrays in together.values())
        ready.wait()
        return total.tobytes()
    monkeypatch.setattr(_core, "job_reduce", meet, raising=False)
    got = {}
    things = [{"a": [1, 2.5]}, "text, a longer one: ü"]
    threads = [threading.Thread(target=lambda i=i: got.update(
        {i: communicator.gather(things[i], i, 2)})) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == {0: things, 1: things}
    with pytest.raises(TypeError, match="all_gather takes numbers"):
        communicator.gather(object(), 0, 1)


def test_refusals(model, job, tmp_path):
    exe = fluid.Executor(fluid.CPUPlace())
    fleet = D.fleet
    sgd = fluid.optimizer.SGD(0.1)
    with pytest.raises(ValueError, match="optimizer must be an instance of Optimizer"):
        fleet.distributed_optimizer(None)
    with pytest.raises(ValueError, match=r"use fleet.init\(role\)"):
        fleet.distributed_optimizer(sgd)
    fleet.init(worker())
    with pytest.raises(TypeError, match="In 1 mode, strategy must be an instance of"):
        fleet.distributed_optimizer(sgd, 3)
    for call in (fleet.init_worker, fleet.run_server, fleet.init_server, fleet.shrink,
                 lambda: fleet.save_persistables(exe, str(tmp_path)),
                 lambda: fleet.load(exe, str(tmp_path))):
        with pytest.raises(ValueError, match="need invoke DistributedOptimizer.minimize first"):
            call()
    optimizer = fleet.distributed_optimizer(sgd)
    with pytest.raises(TypeError, match="can not accept loss with list"):
        optimizer.minimize([model])
    with pytest.raises(ValueError, match="scopes has no meaning"):
        optimizer.minimize(model, scopes=[fluid.Scope()])
    optimizer.minimize(model)
    for save, args in ((fleet.save_persistables, ()),
                       (fleet.save_inference_model, (["x"], [model]))):
        with pytest.raises(TypeError, match="executor must be as Executor type"):
            save(3, str(tmp_path), *args)
        with pytest.raises(TypeError, match="main_program must be as Program type"):
            save(exe, str(tmp_path), *args, main_program=3)
        with pytest.raises(TypeError, match="CompiledProgram is not allowed"):
            save(exe, str(tmp_path), *args,
                 main_program=fluid.CompiledProgram(fleet.main_program))
    with pytest.raises(ValueError, match="was not made by the fleet"):
        fleet.save_persistables(exe, str(tmp_path), fluid.Program())
    with pytest.raises(ValueError, match="at least 1"):
        S.GeoStrategy(0)
    assert fleet.shrink() == 0  # there is no table
    assert fleet.split_files(["a", "b", "c"]) == ["a", "b"]


def test_init_again_forgets(model, job):
    D.fleet.init(worker())
    D.fleet.distributed_optimizer(fluid.optimizer.SGD(0.1)).minimize(model)
    D.fleet.init(worker())
    assert D.fleet.main_program is None
    with pytest.raises(ValueError, match="minimize first"):
        D.fleet.init_worker()


def test_async_mode_needs_a_distributed_program(model, job):
    build = fluid.BuildStrategy()
    build.async_mode = True
    with pytest.raises(ValueError, match="async_mode = True is for a program made by fleet"):
        fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(
            build_strategy=build)
    D.fleet.init(worker())
    strategy = S.StrategyFactory.create_async_strategy()
    D.fleet.distributed_optimizer(fluid.optimizer.SGD(0.1), strategy).minimize(model)
    fluid.CompiledProgram(D.fleet.main_program).with_data_parallel(
        loss_name=model.name, build_strategy=strategy.get_build_strategy(),
        exec_strategy=strategy.get_execute_strategy())


# ---- metrics ----

def test_metrics_of_one_process():
    assert metrics.sum([1, 2]).tolist() == [1, 2]
    assert metrics.max(3) == 3 and metrics.min(np.array(-1.0)) == -1
    assert metrics.auc([0, 0, 5], [5, 0, 0]) == 1.0
    assert metrics.auc([1, 1], [1, 1]) == 0.5
    assert metrics.mae([3.0], [6]) == 0.5 and metrics.mse([8.0], [2]) == 4.0
    assert metrics.rmse([8.0], [2]) == 2.0 and metrics.acc(3, 4) == 0.75
    assert metrics.acc(0, 0) == 0.0
    with pytest.raises(ValueError, match="no variable 'nope'"):
        metrics.sum("nope", fluid.Scope())
    with pytest.raises(ValueError, match="2 and 1 elements"):
        metrics.mae([1, 2], [1])


def test_metrics_of_all_workers(model, job):
    D.fleet.init(worker())
    with pytest.raises(RuntimeError, match="init_worker"):
        metrics.sum([1])
    D.fleet.distributed_optimizer(fluid.optimizer.SGD(0.1)).minimize(model)
    D.fleet.init_worker()
    scope = fluid.Scope()
    scope.var("pos").get_tensor().set(np.array([[1, 2, 3]], "int64"), fluid.CPUPlace())
    assert metrics.sum("pos", scope).tolist() == [[2, 4, 6]]
    assert metrics.max("pos", scope).tolist() == [[1, 2, 3]]
    assert [c[2] for c in job if c[0] == "job_reduce"] == ["sum", "max"]
    large = 2 ** 53 + 1  # a double has no such number
    assert communicator.reduce(np.array([large])).tolist() == [2 * large]
    with pytest.raises(OverflowError, match="no room in int8"):
        communicator.reduce(np.array([100], "int8"))
    with pytest.raises(TypeError, match="complex"):
        communicator.reduce([1j])
    assert FleetUtil("transpiler").get_global_auc(scope, "pos", "pos") == pytest.approx(0.5)


# ---- pslib ----

def test_pslib_trains_asynchronously(model, job):
    fleet = pslib.fleet
    fleet.init(server())
    optimizer = fleet.distributed_optimizer(fluid.optimizer.Adam(0.1), {
        "use_cvm": False, "device_worker": "DownpourSGD",
        "embedding": {"sparse_table_class": "DownpourSparseTable"}})
    ops, grads, info = optimizer.minimize([model])
    assert info["device_worker"] == "DownpourSGD" and len(grads) == 2
    assert serve_op(fleet.main_program).attr("distributed_mode") == 1


@pytest.mark.parametrize("strategy, message", [
    ({"use_cvm": True}, "use_cvm = True is not supported: counts"),
    ({"sparse_learning_rate": 0.05}, "the optimizer that is given"),
    ({"table": {"sparse_embedx_dim": 8}}, "sparse_embedx_dim = 8"),
    ({"fs_uri": "hdfs://x"}, "HDFSClient"), ({"dump_fields": ["a"]}, "dump_fields"),
    ({"device_worker": "Section"}, "it may be DownpourSGD"), ({"nope": 1}, "no option 'nope'")])
def test_pslib_refuses_by_name(strategy, message):
    pslib.fleet.init(worker())
    with pytest.raises(ValueError, match=message):
        pslib.fleet.distributed_optimizer(fluid.optimizer.Adam(0.1), strategy)


def test_pslib_tables(job):
    fleet = pslib.fleet
    fleet.init(worker())
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        ids = fluid.layers.data("ids", [1], dtype="int64", lod_level=1)
        emb = fluid.layers.embedding(ids, [5000, 8], is_sparse=True,
                                     param_attr=fluid.ParamAttr(name="table"))
        loss = fluid.layers.mean(fluid.layers.sequence_pool(emb, "sum"))
        fleet.distributed_optimizer(fluid.optimizer.SGD(0.1)).minimize(loss)
    del job[:]
    fleet.clear_model()
    assert job == [("job_change", 2),
                   ("job_clear", 5, SERVERS[0], "table.block0"),
                   ("job_clear", 5, SERVERS[1], "table.block1")]
    assert fleet.shrink_sparse_table() == 14
    with pytest.raises(ValueError, match=r"no table 1; there are 1 \(table\)"):
        fleet.clear_one_table(1)
    with pytest.raises(ValueError, match="mode=1"):
        fleet.save_persistables(None, "x", mode=1)
    with pytest.raises(ValueError, match="no setting 'nope'"):
        fleet.load_model("x", nope=1)
    with pytest.raises(ValueError, match="must be in"):
        fleet.shrink_dense_table(2.0)
    for call in (fleet.confirm, fleet.revert):
        with pytest.raises(NotImplementedError, match="cannot be taken back"):
            call()
    with pytest.raises(NotImplementedError, match="shows and clicks"):
        pslib.fleet_embedding("click")


# ---- scripts ----

def test_the_book_has_its_trainers_on_line_50():
    import paddle
    path = os.path.join(os.path.dirname(paddle.__file__), "fluid", "tests", "book_distribute",
                        "notest_dist_fit_a_line.py")
    with open(path) as file:
        assert file.read().splitlines()[49].strip() == "trainers=2)"


def test_waiting_for_servers_ends_when_they_listen(capfd):
    import socket
    import threading
    from paddle.fluid.transpiler.details import wait_server_ready
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        endpoint = "127.0.0.1:%d" % one.getsockname()[1]
        waiting = threading.Thread(target=wait_server_ready, args=([endpoint],))
        waiting.start()
        waiting.join(0.3)
        assert waiting.is_alive()
        one.listen(5)
        waiting.join(30)
        assert not waiting.is_alive()
    with pytest.raises(TypeError, match="list of"):
        wait_server_ready(endpoint)


@pytest.mark.parametrize("call, args", [
    ("save_cache_model", ("o", 1, 2)), ("write_xbox_donefile", ("o", 1, 2, 3, "d", "n", "u")),
    ("program_type_trans", ("d", "f", True)), ("check_two_programs", ({},)),
    ("draw_from_program_file", ("m", True, "d", "f"))])
def test_what_fleet_util_does_not_do_is_refused(call, args):
    with pytest.raises(NotImplementedError, match=call):
        getattr(FleetUtil("transpiler"), call)(*args)


def test_fleet_util_draws(model, tmp_path):
    program = model.block.program
    FleetUtil("transpiler").draw_from_program(program, str(tmp_path), "model")
    assert "fc_0.w_0" in (tmp_path / "model.dot").read_text()
    (tmp_path / "__model__").write_bytes(program.desc.serialize_to_string())
    FleetUtil("transpiler").draw_from_program_file(str(tmp_path / "__model__"), False,
                                                   str(tmp_path), "again")
    assert (tmp_path / "again.dot").exists()


def test_import_is_light():
    import subprocess
    out = subprocess.run([sys.executable, "-c", (
        "import sys, numpy; import paddle.fluid\n"
        "print([m for m in sys.modules if 'fleet' in m or m.endswith('communicator')])")],
        capture_output=True, text=True)
    assert out.stdout.strip() == "[]", out.stderr


def test_a_worker_without_its_startup_program_is_told_to_run_it():
    main = fluid.Program()
    block = main.global_block()
    block.create_var(name="table", shape=[10, 4], dtype="float32", persistable=True)
    block.create_var(name="ids", shape=[-1, 1], dtype="int64", need_check_feed=True)
    block.create_var(name="rows", shape=[-1, 4], dtype="float32")
    block.append_op(type="distributed_lookup_table", inputs={"Ids": ["ids"], "W": "table"},
                    outputs={"Outputs": ["rows"]},
                    attrs={"table_names": ["table"], "endpoints": ["127.0.0.1:1"]})
    with fluid.scope_guard(fluid.core.Scope()), pytest.raises(
            ValueError, match=r"table \(W\) has no value yet; run the startup program"):
        fluid.Executor().run(main, feed={"ids": np.zeros((2, 1), "int64")}, fetch_list=["rows"])
