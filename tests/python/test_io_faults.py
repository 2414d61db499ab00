"""Saved models that are cut, changed, mixed up or missing: the error says which file, which
variable, what was wanted and what was found, and the scope is as it was. A save that is cut short
leaves the old model whole."""
import os
import shutil
import signal

import numpy as np
import pytest

import paddle.fluid as fluid
from points import of_saves

io, MANIFEST = fluid.io, "MANIFEST.regatta"


class Model:
    def __init__(self, width=3, dtype="float32"):
        self.main, self.startup, self.scope = fluid.Program(), fluid.Program(), fluid.Scope()
        with fluid.program_guard(self.main, self.startup), fluid.unique_name.guard():
            x = fluid.data("x", [None, width], dtype)
            self.out = fluid.layers.fc(x, 2, param_attr="w", bias_attr="b")
            fluid.optimizer.Momentum(0.1, 0.9).minimize(fluid.layers.mean(self.out))
        self.exe = fluid.Executor()
        self.exe.run(self.startup, scope=self.scope)

    def state(self):
        return {v.name: np.array(self.scope.find_var(v.name).get_tensor())
                for v in self.main.list_vars() if v.persistable}

    def fill(self, value):
        for name, array in self.state().items():
            self.scope.find_var(name).get_tensor().set(np.full_like(array, value),
                                                       fluid.CPUPlace())


class Way:
    """A way to save and to load; `files` are those it writes."""

    def __init__(self, files, save, load, names):
        self.files, self._save, self._load, self.names = files, save, load, names

    def save(self, model, folder):
        with fluid.scope_guard(model.scope):
            self._save(model, folder)

    def load(self, model, folder):
        with fluid.scope_guard(model.scope):
            self._load(model, folder)


ALL = ["b", "b_velocity_0", "learning_rate_0", "w", "w_velocity_0"]
INFER = {"model_filename": "net", "params_filename": "params"}
WAYS = {
    "vars": Way(["b", "w"], lambda m, d: io.save_vars(m.exe, d, m.main, vars=["w", "b"]),
                lambda m, d: io.load_vars(m.exe, d, m.main, vars=["w", "b"]), ["b", "w"]),
    "params": Way(["b", "w"], lambda m, d: io.save_params(m.exe, d, m.main),
                  lambda m, d: io.load_params(m.exe, d, m.main), ["b", "w"]),
    "persistables": Way(ALL, lambda m, d: io.save_persistables(m.exe, d, m.main),
                        lambda m, d: io.load_persistables(m.exe, d, m.main), ALL),
    "one file": Way(["all"], lambda m, d: io.save_persistables(m.exe, d, m.main, "all"),
                    lambda m, d: io.load_persistables(m.exe, d, m.main, "all"), ALL),
    "inference model": Way(
        ["__model__", "b", "w"],
        lambda m, d: io.save_inference_model(d, ["x"], [m.out], m.exe, m.main),
        lambda m, d: io.load_inference_model(d, m.exe), ["b", "w"]),
    "inference model in two files": Way(
        ["net", "params"],
        lambda m, d: io.save_inference_model(d, ["x"], [m.out], m.exe, m.main, **INFER),
        lambda m, d: io.load_inference_model(d, m.exe, **INFER), ["b", "w"]),
    "fluid.save": Way(["m.pdparams", "m.pdopt"],
                      lambda m, d: fluid.save(m.main, os.path.join(d, "m")),
                      lambda m, d: fluid.load(m.main, os.path.join(d, "m"), m.exe), ALL),
}
CASES = [(way, name) for way in WAYS for name in WAYS[way].files]


@pytest.fixture
def model():
    return Model()


def damage(path, how):
    with open(path, "rb") as f:
        bytes_ = f.read()
    middle = len(bytes_) // 2
    new = {"cut": bytes_[:-3], "cut in half": bytes_[:middle], "empty": b"",
           "changed": bytes_[:middle] + bytes([bytes_[middle] ^ 1]) + bytes_[middle + 1:],
           "changed at the head": bytes([bytes_[0] ^ 0x45]) + bytes_[1:],
           "longer": bytes_ + b"\0\0"}[how]
    with open(path, "wb") as f:
        f.write(new)


def refused(way, model, folder, path):
    """Loading fails, names the file, and leaves every variable that it had not read."""
    model.fill(5.0)
    with pytest.raises((RuntimeError, ValueError, OSError)) as e:
        way.load(model, folder)
    assert str(path) in str(e.value), str(e.value)
    return str(e.value)


@pytest.mark.parametrize("how", ["cut", "cut in half", "empty", "changed", "changed at the head",
                                 "longer"])
@pytest.mark.parametrize("way, name", CASES)
@pytest.mark.promise(15, 16)
def test_damage_is_found_by_the_manifest(way, name, how, model, tmp_path):
    way = WAYS[way]
    way.save(model, str(tmp_path))
    damage(tmp_path / name, how)
    text = refused(way, model, str(tmp_path), tmp_path / name)
    if how in ("cut", "cut in half", "empty", "longer"):
        assert " bytes, and its manifest says " in text
    if name in ALL:
        assert "variable %s:" % name in text
    if name in ("all", "params"):
        assert "variable" in text


@pytest.mark.parametrize("how", ["cut", "cut in half", "empty", "changed at the head"])
@pytest.mark.parametrize("way, name", CASES)
def test_damage_is_found_without_a_manifest(way, name, how, model, tmp_path):
    way = WAYS[way]
    way.save(model, str(tmp_path))
    os.unlink(tmp_path / MANIFEST)
    damage(tmp_path / name, how)
    text = refused(way, model, str(tmp_path), tmp_path / name)
    if name in ALL:
        assert "variable %s:" % name in text


@pytest.mark.parametrize("way, name", CASES)
@pytest.mark.promise(16)
def test_a_missing_file(way, name, model, tmp_path):
    way = WAYS[way]
    way.save(model, str(tmp_path))
    os.unlink(tmp_path / name)
    text = refused(way, model, str(tmp_path), tmp_path / name)
    if name in ALL:
        assert "variable %s:" % name in text


@pytest.mark.parametrize("way", [w for w in WAYS if "inference" not in w])
@pytest.mark.parametrize("other, found, wanted", [
    (dict(width=4), "[3, 2]", "[4, 2]"), (dict(dtype="float64"), "float32", "float64")])
def test_another_programs_files(way, other, found, wanted, model, tmp_path):
    way = WAYS[way]
    way.save(model, str(tmp_path))
    text = refused(way, Model(**other), str(tmp_path), tmp_path)
    assert found in text and "the program wants " + wanted in text
    assert "variable w" in text or "variable b" in text


@pytest.mark.parametrize("way", WAYS)
def test_a_folder_that_is_not_there(way, model, tmp_path):
    text = refused(WAYS[way], model, str(tmp_path / "none"), tmp_path / "none")
    assert "there is no" in text.lower()


@pytest.mark.parametrize("way", WAYS)
def test_a_folder_without_a_manifest_is_loaded_unchecked(way, model, tmp_path):
    WAYS[way].save(model, str(tmp_path))
    wanted = model.state()
    os.unlink(tmp_path / MANIFEST)
    model.fill(5.0)
    WAYS[way].load(model, str(tmp_path))
    for name in WAYS[way].names:
        np.testing.assert_array_equal(model.state()[name], wanted[name])


def test_a_damaged_manifest(model, tmp_path):
    way = WAYS["persistables"]
    way.save(model, str(tmp_path))
    damage(tmp_path / MANIFEST, "cut")
    refused(way, model, str(tmp_path), tmp_path / MANIFEST)
    damage(tmp_path / MANIFEST, "empty")
    refused(way, model, str(tmp_path), tmp_path / MANIFEST)


@pytest.mark.promise(16)
def test_a_file_of_another_save_is_found(model, tmp_path):
    """Right in itself, and not the one that was saved with the others."""
    way = WAYS["persistables"]
    way.save(model, str(tmp_path / "one"))
    model.fill(3.0)
    way.save(model, str(tmp_path / "two"))
    shutil.copy(tmp_path / "two" / "w", tmp_path / "one" / "w")
    assert "is damaged" in refused(way, model, str(tmp_path / "one"), tmp_path / "one" / "w")


def test_a_combined_file_of_fewer_variables(model, tmp_path):
    with fluid.scope_guard(model.scope):
        io.save_params(model.exe, str(tmp_path), model.main, filename="all")
    text = refused(WAYS["one file"], model, str(tmp_path), tmp_path / "all")
    assert "variable" in text


def test_what_was_never_given_a_value_is_not_saved(model, tmp_path):
    with fluid.scope_guard(fluid.Scope()):
        for save in (lambda: io.save_persistables(model.exe, str(tmp_path), model.main),
                     lambda: fluid.save(model.main, str(tmp_path / "m"))):
            with pytest.raises(ValueError, match="variable [bw] .*run the startup program first"):
                save()
    assert os.listdir(tmp_path) == []


def test_where_nothing_can_be_written(model, tmp_path):
    (tmp_path / "file").write_text("")
    for way in WAYS.values():
        with pytest.raises((RuntimeError, OSError), match="cannot make the folder .*file"):
            way.save(model, str(tmp_path / "file"))


@pytest.mark.promise(31)
def test_names_that_lead_out_of_the_folder(model, tmp_path):
    with fluid.scope_guard(model.scope):
        for name in ("../all", "/tmp/all", ""):
            with pytest.raises((ValueError, RuntimeError)):
                io.save_persistables(model.exe, str(tmp_path), model.main, filename=name)
            with pytest.raises((ValueError, RuntimeError)):
                io.load_persistables(model.exe, str(tmp_path), model.main, filename=name)
    assert not (tmp_path.parent / "all").exists()


# ---- saves that are cut short ----

POINTS = of_saves()


def in_child(work, fault):
    """Run it in a child with a fault point set: its exit status, negative for a signal."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.environ["RG_FAULT"] = fault
            work()
            status = 0
        except (RuntimeError, OSError, MemoryError):
            status = 3
        finally:
            os._exit(status)
    _, status = os.waitpid(pid, 0)
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


@pytest.fixture(scope="module")
def has_faults(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("probe"))
    model = Model()
    if in_child(lambda: WAYS["params"].save(model, folder), "file.open:1:eio") != 3:
        pytest.skip("this build has no fault points (-DFAULTS=ON)")


@pytest.mark.parametrize("action", ["kill", "eio", "enospc"])
@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("way", ["persistables", "one file", "inference model", "fluid.save"])
@pytest.mark.promise(13, 14, 17)
def test_a_save_that_is_cut_short(way, point, action, has_faults, model, tmp_path):
    """After a kill or an error at any pass of the point the folder holds the old model or the
    new one, whole; and the next save works."""
    way, folder = WAYS[way], str(tmp_path)
    model.fill(1.0)
    way.save(model, folder)
    ends = []
    for number in range(1, 200):
        model.fill(2.0)
        status = in_child(lambda: way.save(model, folder), "%s:%d:%s" % (point, number, action))
        model.fill(9.0)
        way.load(model, folder)
        found = {float(model.state()[name].ravel()[0]) for name in way.names}
        assert found in ({1.0}, {2.0}), "%s of both at pass %d" % (found, number)
        ends.append((status, found.pop()))
        if status == 0:
            break
        model.fill(1.0)
        way.save(model, folder)
    assert ends[-1] == (0, 2.0), "the point was never left behind"
    assert all(status == (-signal.SIGKILL if action == "kill" else 3) for status, _ in ends[:-1])
    assert len(ends) > 1 and ends[0][1] == 1.0, "the first pass is before the decision"
    assert not [name for name in os.listdir(folder) if name.startswith(".regatta-")]


def test_reading_errors_are_said(has_faults, model, tmp_path):
    way = WAYS["persistables"]
    way.save(model, str(tmp_path))
    for point in ("file.read", "file.open"):
        assert in_child(lambda: way.load(model, str(tmp_path)), point + ":2:eio") == 3
