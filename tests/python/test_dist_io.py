"""Saving and loading distributed programs, with servers that are scopes of this process."""
import os

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle import _core
from paddle.fluid import communicator, dist_io

SERVERS = ["127.0.0.1:17174", "127.0.0.1:17175", "127.0.0.1:17176"]


def model(optimizer):
    attr = fluid.ParamAttr(name="table", initializer=fluid.initializer.Uniform(seed=3))
    ids = [fluid.layers.data("C%d" % i, [1], dtype="int64", lod_level=1) for i in range(2)]
    parts = [fluid.layers.sequence_pool(fluid.layers.embedding(
        one, [5001, 8], is_sparse=True, param_attr=attr, padding_idx=3), "sum") for one in ids]
    hidden = fluid.layers.fc(fluid.layers.concat(parts, axis=1), 3000, act="relu")
    predicted = fluid.layers.fc(hidden, 2, act="softmax")
    label = fluid.layers.data("label", [1], dtype="int64")
    fluid.layers.auc(predicted, label)
    loss = fluid.layers.mean(fluid.layers.cross_entropy(predicted, label))
    optimizer().minimize(loss)
    return predicted, loss


ADAM = (lambda: fluid.optimizer.Adam(fluid.layers.exponential_decay(0.1, 10, 0.5)))
SGD = (lambda: fluid.optimizer.SGD(0.1))


class Job(object):
    """A trainer and its servers, whose variables are scopes here."""

    def __init__(self, servers, optimizer, how=None, split=None):
        self.endpoints = SERVERS[:servers]
        self.main, self.startup = fluid.Program(), fluid.Program()
        self.main.random_seed = self.startup.random_seed = 7
        with fluid.program_guard(self.main, self.startup), fluid.unique_name.guard():
            self.predicted, self.loss = model(optimizer)
        self.single, self.single_startup = self.main.clone(), self.startup.clone()
        config = fluid.DistributeTranspilerConfig()
        config.split_method = split
        if how:
            how(config)
        t = fluid.DistributeTranspiler(config)
        t.transpile(0, program=self.main, pservers=",".join(self.endpoints), trainers=2,
                    startup_program=self.startup, sync_mode=config.sync_mode)
        self.trainer = fluid.Scope()
        self.scopes, self.programs = {}, {}
        self.exe = fluid.Executor(fluid.CPUPlace())
        for endpoint in self.endpoints:
            self.programs[endpoint], startup = t.get_pserver_programs(endpoint)
            self.scopes[endpoint] = fluid.Scope()
            self.exe.run(startup, scope=self.scopes[endpoint])

    def engine(self, monkeypatch):
        """The core's calls, on these scopes."""
        def get(endpoint, name):
            return self.scopes[endpoint].find_var(name).get_tensor()

        def put(change, endpoint, name, tensor):
            assert change == 1
            assert self.scopes[endpoint].find_var(name) is not None
            self.scopes[endpoint].var(name).get_tensor().set(np.array(tensor), fluid.CPUPlace())
        monkeypatch.setattr(_core, "job_get", get, raising=False)
        monkeypatch.setattr(_core, "job_change", lambda requests: 1, raising=False)
        monkeypatch.setattr(_core, "job_set", put, raising=False)
        monkeypatch.setattr(_core, "job_flush", lambda: None, raising=False)
        return self

    def whole(self):
        """{name: array} of all variables of servers, put together."""
        return {name: dist_io.pull(self.main, name)
                for name in self.main._parameters_on_pservers.parts}

    def set_trainer(self, values):
        for v in self.main.list_vars():
            if v.persistable and v.name in values:
                self.trainer.var(v.name).get_tensor().set(values[v.name], fluid.CPUPlace())


def single(job, folder):
    """What one process saves of the same model, by other numbers; its values."""
    scope, rng = fluid.Scope(), np.random.RandomState(1)
    with fluid.scope_guard(scope):
        job.exe.run(job.single_startup)
        values = {}
        for v in job.single.list_vars():
            if v.persistable:
                tensor = scope.find_var(v.name).get_tensor()
                old = np.array(tensor)
                values[v.name] = (rng.rand(*old.shape) * 100).astype(old.dtype)
                tensor.set(values[v.name], fluid.CPUPlace())
        fluid.io.save_persistables(job.exe, folder, job.single)
    return values


def geo(config):
    config.sync_mode = False
    config.geo_sgd_mode = True


def asynchronous(config):
    config.sync_mode = False
    config.runtime_split_send_recv = True


JOBS = [(1, ADAM, None, None), (2, ADAM, None, None), (3, ADAM, asynchronous, None),
        (2, SGD, None, None), (3, ADAM, None, fluid.transpiler.HashName), (2, SGD, geo, None)]


@pytest.mark.parametrize("servers, optimizer, how, split", JOBS)
def test_servers_load_what_one_process_saved_and_trainers_save_it_again(
        servers, optimizer, how, split, tmp_path, monkeypatch):
    job = Job(servers, optimizer, how, split).engine(monkeypatch)
    values = single(job, str(tmp_path / "one"))
    for endpoint in job.endpoints:
        with fluid.scope_guard(job.scopes[endpoint]):
            fluid.io.load_persistables(job.exe, str(tmp_path / "one"), job.programs[endpoint])
    for name, array in job.whole().items():
        np.testing.assert_array_equal(array, values[name], err_msg=name)
    job.set_trainer(values)
    with fluid.scope_guard(job.trainer):
        fluid.io.save_persistables(job.exe, str(tmp_path / "many"), job.main)
    one, many = (sorted(os.listdir(str(tmp_path / d))) for d in ("one", "many"))
    assert one == many
    for name in one:
        with open(str(tmp_path / "one" / name), "rb") as a, \
                open(str(tmp_path / "many" / name), "rb") as b:
            assert a.read() == b.read(), name


def test_a_server_loads_one_save_whole(tmp_path):
    """Also from a folder that another process saves to all the time."""
    job, scope, folder = Job(2, ADAM), fluid.Scope(), str(tmp_path)
    with fluid.scope_guard(scope):
        job.exe.run(job.single_startup)

    def save(value):
        for v in job.single.list_vars():
            if v.persistable:
                tensor = scope.find_var(v.name).get_tensor()
                tensor.set(np.full_like(np.array(tensor), value), fluid.CPUPlace())
        with fluid.scope_guard(scope):
            fluid.io.save_persistables(job.exe, folder, job.single)
    save(1)
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            for value in range(2, 12):
                save(value)
            status = 0
        finally:
            os._exit(status)
    names = [part.remote for parts in job.main._parameters_on_pservers.at(SERVERS[0]).values()
             for part in parts]
    ended = (0, 0)
    while ended[0] == 0:
        with fluid.scope_guard(job.scopes[SERVERS[0]]):
            fluid.io.load_persistables(job.exe, folder, job.programs[SERVERS[0]])
        found = {float(np.array(job.scopes[SERVERS[0]].find_var(name).get_tensor()).ravel()[0])
                 for name in names}
        assert len(found) == 1, found
        ended = os.waitpid(pid, os.WNOHANG)
    assert ended[1] == 0


@pytest.mark.parametrize("servers, optimizer, how, split", JOBS)
def test_trainers_load(servers, optimizer, how, split, tmp_path, monkeypatch):
    job = Job(servers, optimizer, how, split).engine(monkeypatch)
    values = single(job, str(tmp_path))
    with fluid.scope_guard(job.trainer):
        fluid.io.load_persistables(job.exe, str(tmp_path), job.main)
    for name, array in job.whole().items():
        np.testing.assert_array_equal(array, values[name], err_msg=name)
    layout = job.main._parameters_on_pservers
    for name, copies in layout.copies.items():
        for part in copies:
            np.testing.assert_array_equal(
                np.array(job.scopes[part.endpoint].find_var(part.remote).get_tensor()),
                values[name])
    own = [v.name for v in job.main.list_vars() if v.persistable and v.name in values and
           v.name not in layout.tables]
    for name in own:
        np.testing.assert_array_equal(np.array(job.trainer.find_var(name).get_tensor()),
                                      values[name])
    assert job.trainer.find_var("table") is None or how is geo


def test_what_has_no_room_is_not_even_fetched(tmp_path, monkeypatch):
    job = Job(2, ADAM).engine(monkeypatch)
    layout = job.main._parameters_on_pservers
    name = sorted(layout.params)[0]
    monkeypatch.setitem(layout.wanted, name, (5 * 10**12, 8))
    monkeypatch.setattr(_core, "job_get", None, raising=False)
    folder = tmp_path / "saved"
    with fluid.scope_guard(job.trainer), pytest.raises(OSError) as error:
        fluid.io.save_persistables(job.exe, str(folder), job.main)
    assert "needs 145.5 TiB" in str(error.value) and " are free" in str(error.value)
    assert not folder.exists()


@pytest.mark.parametrize("number", [1, -1])
def test_every_trainer_writes(number, tmp_path, monkeypatch):
    """Also one that has its number from the servers. The folder is that of trainer 0."""
    job = Job(2, ADAM).engine(monkeypatch)
    values = single(job, str(tmp_path / "one"))
    job.set_trainer(values)
    for name in job.main._parameters_on_pservers.parts:
        dist_io.push(job.main, name, values[name])
    monkeypatch.setattr(_core, "job_who", lambda: (1, 2, "sync"), raising=False)
    saved = {}
    with fluid.scope_guard(job.trainer):
        for trainer in (0, number):
            job.main._trainer_id = trainer
            folder = tmp_path / str(trainer)
            fluid.io.save_persistables(job.exe, str(folder), job.main)
            fluid.io.save_params(job.exe, str(folder / "params"), job.main)
            fluid.io.save_inference_model(str(folder / "model"), ["C0", "C1"], [job.predicted],
                                          job.exe, job.main)
            fluid.save(job.main, str(folder / "saved" / "m"))
            saved[trainer] = {os.path.relpath(os.path.join(root, name), str(folder)):
                              open(os.path.join(root, name), "rb").read()
                              for root, _, files in os.walk(str(folder)) for name in files}
    assert len(saved[0]) > 20
    assert saved[0].keys() == saved[number].keys()
    for name in saved[0]:
        if "__model__" not in name and "pdmodel" not in name and "MANIFEST" not in name:
            assert saved[0][name] == saved[number][name], name


@pytest.mark.parametrize("servers, optimizer, how, split", JOBS)
def test_fluid_save_has_what_servers_keep(servers, optimizer, how, split, tmp_path, monkeypatch):
    """And fluid.load on a trainer sets it there; one process loads it, too."""
    job = Job(servers, optimizer, how, split).engine(monkeypatch)
    values = single(job, str(tmp_path / "one"))
    for name in job.main._parameters_on_pservers.parts:
        dist_io.push(job.main, name, values[name])
    job.set_trainer({n: v for n, v in values.items() if n != "table" or how is geo})
    with fluid.scope_guard(job.trainer):
        fluid.save(job.main, str(tmp_path / "m"))
    state = fluid.io.load_program_state(str(tmp_path / "m"))
    assert set(state) == set(values)
    for name, array in state.items():
        np.testing.assert_array_equal(array, values[name], err_msg=name)
    scope = fluid.Scope()
    with fluid.scope_guard(scope):
        job.exe.run(job.single_startup)
        fluid.load(job.single, str(tmp_path / "m"), job.exe)
        np.testing.assert_array_equal(np.array(scope.find_var("table").get_tensor()),
                                      values["table"])
    for load in (lambda: fluid.load(job.main, str(tmp_path / "m"), job.exe),
                 lambda: fluid.io.set_program_state(job.main, state)):
        for name in job.main._parameters_on_pservers.parts:
            dist_io.push(job.main, name, np.zeros_like(values[name]))
        with fluid.scope_guard(job.trainer):
            load()
        for name, array in job.whole().items():
            np.testing.assert_array_equal(array, values[name], err_msg=name)
    assert how is geo or job.trainer.find_var("table") is None


@pytest.mark.parametrize("filename", [None, "all"])
@pytest.mark.parametrize("trainer", [0, 1])
def test_params_of_servers(trainer, filename, tmp_path, monkeypatch):
    """save_params and save_vars get them from servers; load_params and load_vars set them there,
    on trainer 0."""
    job = Job(2, ADAM).engine(monkeypatch)
    values = single(job, str(tmp_path / "one"))
    layout = job.main._parameters_on_pservers
    for name in layout.parts:
        dist_io.push(job.main, name, values[name])
    params = sorted(v.name for v in fluid.io.get_program_parameter(job.single))
    with fluid.scope_guard(job.trainer):
        fluid.io.save_params(job.exe, str(tmp_path / "p"), job.main, filename)
        fluid.io.save_vars(job.exe, str(tmp_path / "v"), job.main, vars=["table"])
        in_memory = fluid.io.save_vars(job.exe, None, job.main, vars=["table"])
    assert in_memory == (tmp_path / "v" / "table").read_bytes()
    one = fluid.Scope()
    with fluid.scope_guard(one):
        fluid.io.load_params(job.exe, str(tmp_path / "p"), job.single, filename)
    for name in params:
        np.testing.assert_array_equal(np.array(one.find_var(name).get_tensor()), values[name])
    for name in params:
        dist_io.push(job.main, name, np.zeros_like(values[name]))
    job.main._trainer_id = trainer
    with fluid.scope_guard(job.trainer):
        fluid.io.load_params(job.exe, str(tmp_path / "p"), job.main, filename)
    for name in params:
        want = values[name] if trainer == 0 else np.zeros_like(values[name])
        np.testing.assert_array_equal(job.whole()[name], want, err_msg=name)
        own = job.trainer.find_var(name)
        if name in layout.tables:
            assert own is None or not own.get_tensor()._is_initialized()
        else:
            np.testing.assert_array_equal(np.array(own.get_tensor()), values[name])


@pytest.mark.parametrize("how", [None, asynchronous, geo])
@pytest.mark.parametrize("combined", [None, "params"])
def test_inference_models_run_without_servers(how, combined, tmp_path, monkeypatch):
    job = Job(2, SGD, how).engine(monkeypatch)
    values = single(job, str(tmp_path / "one"))
    for name in list(values):
        values[name] = (values[name] / 1000).astype(values[name].dtype)
    for name in job.main._parameters_on_pservers.parts:
        dist_io.push(job.main, name, values[name])
    job.set_trainer(values)
    with fluid.scope_guard(job.trainer):
        fluid.io.save_inference_model(str(tmp_path / "model"), ["C0", "C1"], [job.predicted],
                                      job.exe, job.main, params_filename=combined)
    ids = fluid.create_lod_tensor(np.array([[1], [3], [5000]], "int64"), [[2, 1]],
                                  fluid.CPUPlace())
    feed = {"C0": ids, "C1": ids}
    with fluid.scope_guard(fluid.Scope()):
        program, feeds, fetches = fluid.io.load_inference_model(
            str(tmp_path / "model"), job.exe, params_filename=combined)
        types = [op.type for op in program.global_block().ops]
        assert types.count("lookup_table") == 2 and "distributed_lookup_table" not in types
        assert not {"send", "recv"} & set(types) and feeds == ["C0", "C1"]
        got, = job.exe.run(program, feed=feed, fetch_list=fetches)
    scope = fluid.Scope()
    with fluid.scope_guard(scope):
        job.exe.run(job.single_startup)
        for name, value in values.items():
            scope.var(name).get_tensor().set(value, fluid.CPUPlace())
        test = job.single.clone(for_test=True)._prune_with_input(["C0", "C1"],
                                                                 [job.predicted.name])
        want, = job.exe.run(test, feed=feed, fetch_list=[job.predicted.name])
    np.testing.assert_array_equal(got, want)
    # The trainer's own program still talks to servers.
    kinds = [op.type for op in job.main.global_block().ops]
    assert ("distributed_lookup_table" in kinds) == (how is not geo)


def test_folders_that_do_not_fit(tmp_path, monkeypatch, capsys):
    job = Job(2, ADAM).engine(monkeypatch)
    folder = str(tmp_path)
    single(job, folder)
    program = job.programs[SERVERS[0]]

    def load():
        with fluid.scope_guard(job.scopes[SERVERS[0]]):
            fluid.io.load_persistables(job.exe, folder, program)
    with pytest.raises(ValueError, match="There is no directory named"):
        fluid.io.load_persistables(job.exe, folder + "/nope", program)
    with pytest.raises(ValueError, match="not from all"):
        fluid.io.load_persistables(job.exe, folder, program, filename="all")
    os.remove(os.path.join(folder, "MANIFEST.regatta"))
    os.remove(os.path.join(folder, "@LR_DECAY_COUNTER@"))
    load()  # real Paddle does not write it
    state = [n for n in os.listdir(folder) if "_moment" in n or "_pow_acc" in n]
    os.remove(os.path.join(folder, "table_moment1_0"))
    with pytest.raises(ValueError, match="some of the optimizer's state, but not table_moment1_0"):
        load()
    for name in state:
        if os.path.exists(os.path.join(folder, name)):
            os.remove(os.path.join(folder, name))
    load()
    assert "no state of the optimizer" in capsys.readouterr().err
    os.rename(os.path.join(folder, "fc_0.w_0"), os.path.join(folder, "moved"))
    with pytest.raises(ValueError, match="does not hold fc_0.w_0"):
        load()
    os.rename(os.path.join(folder, "fc_0.b_0"), os.path.join(folder, "fc_0.w_0"))
    os.rename(os.path.join(folder, "moved"), os.path.join(folder, "fc_0.b_0"))
    with pytest.raises(ValueError, match="has the shape"):
        load()


def test_save_params_and_vars_fetch_from_servers(tmp_path, monkeypatch):
    job = Job(2, ADAM).engine(monkeypatch)
    values = single(job, str(tmp_path / "one"))
    for name in job.main._parameters_on_pservers.parts:
        dist_io.push(job.main, name, values[name])
    with fluid.scope_guard(job.trainer):
        fluid.io.save_params(job.exe, str(tmp_path / "params"), job.main)
        fluid.io.save_vars(job.exe, str(tmp_path / "table"), job.main, ["table"])
    assert sorted(os.listdir(str(tmp_path / "params"))) == [
        "MANIFEST.regatta", "fc_0.b_0", "fc_0.w_0", "fc_1.b_0", "fc_1.w_0", "table"]
    state = fluid.load_program_state(str(tmp_path / "table"))
    np.testing.assert_array_equal(state["table"], values["table"])


def test_dense_parameters_alone(monkeypatch):
    from paddle.fluid.incubate.fleet.utils.fleet_util import FleetUtil
    job = Job(2, SGD).engine(monkeypatch)
    FleetUtil("transpiler").pull_all_dense_params(job.trainer, job.main)
    for name in ("fc_0.w_0", "fc_0.b_0", "fc_1.w_0", "fc_1.b_0"):
        np.testing.assert_array_equal(np.array(job.trainer.find_var(name).get_tensor()),
                                      dist_io.pull(job.main, name))
    assert job.trainer.find_var("table") is None
    with pytest.raises(ValueError, match="not made by a fleet"):
        FleetUtil("transpiler").pull_all_dense_params(job.trainer, fluid.Program())


def test_sums_of_data_norm_fade(monkeypatch):
    job = Job(2, SGD).engine(monkeypatch)
    before = dist_io.pull(job.main, "fc_0.w_0")
    dist_io.scale(job.main, "fc_0.w_0", 0.5)
    np.testing.assert_array_equal(dist_io.pull(job.main, "fc_0.w_0"), before * np.float32(0.5))


def test_it_needs_a_job(tmp_path):
    job = Job(2, SGD)
    with pytest.raises(RuntimeError, match="needs a running job"):
        fluid.io.save_params(job.exe, str(tmp_path / "model"), job.main)
    assert os.listdir(str(tmp_path / "model")) == []
    communicator.leave()
