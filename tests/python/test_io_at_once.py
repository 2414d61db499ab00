"""Several processes at one model folder: savers take turns, readers get one save whole and change
nothing. Folders of strangers: links, pipes, saves that somebody else decided."""
import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid.incubate.fleet.utils import utils

from test_io_faults import MANIFEST, WAYS, Model, has_faults, in_child  # noqa: F401

SOME = ["persistables", "one file", "inference model", "fluid.save"]


@pytest.fixture
def model():
    return Model()


def listing(folder):
    """Every entry with what changes when it does."""
    found = []
    for root, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(root, name)
            st = os.lstat(path)
            found.append((path, st.st_ino, st.st_size, st.st_ctime_ns))
    return sorted(found)


def start(work):
    """In a child, which ends with 0 where it did not raise."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            work()
            status = 0
        except BaseException as e:  # said here: the parent sees only the status
            sys.stderr.write("%s\n" % e)
        finally:
            os._exit(status)
    return pid


@pytest.mark.parametrize("way", SOME)
def test_savers_and_a_reader_at_once(way, model, tmp_path):
    """Two processes save 30 times each, one reads all the time: none fails, and what is read is
    of one save."""
    way, folder = WAYS[way], str(tmp_path)
    model.fill(1.0)
    way.save(model, folder)

    def save_often(first):
        for i in range(30):
            model.fill(first + i)
            way.save(model, folder)

    savers = {start(lambda: save_often(100.0)), start(lambda: save_often(200.0))}
    loads, ends = 0, []
    while savers:
        way.load(model, folder)
        loads += 1
        values = {float(model.state()[name].ravel()[0]) for name in way.names}
        assert len(values) == 1, values
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid:
            savers.remove(pid)
            ends.append(status)
    assert ends == [0, 0] and loads > 1
    assert not [name for name in os.listdir(folder) if name.startswith(".regatta-")]


@pytest.mark.parametrize("way", sorted(WAYS))
def test_a_first_save_that_was_decided(way, has_faults, model, tmp_path):  # noqa: F811
    """Its process died before any file was in its place: a load finds them all, and writes
    nothing."""
    way, folder = WAYS[way], str(tmp_path / "m")
    model.fill(2.0)
    assert in_child(lambda: way.save(model, folder), "file.rename:2:kill") == -signal.SIGKILL
    assert not set(way.files) & set(os.listdir(folder))
    before = listing(folder)
    model.fill(9.0)
    way.load(model, folder)
    assert {float(model.state()[name].ravel()[0]) for name in way.names} == {2.0}
    assert listing(folder) == before
    if way is WAYS["persistables"]:
        assert set(fluid.io.load_program_state(folder)) == set(way.names)
    if way is WAYS["fluid.save"]:
        assert set(fluid.io.load_program_state(folder + "/m")) == set(way.names)


@pytest.mark.promise(31)
def test_a_strangers_folder_writes_nothing_outside(has_faults, model, tmp_path):  # noqa: F811
    """A decided save whose files would land, through a link, in another folder."""
    mine, folder = tmp_path / "mine", str(tmp_path / "m")
    mine.mkdir()
    (mine / "authorized_keys").write_text("mine")
    with fluid.scope_guard(model.scope):
        save = lambda: fluid.io.save_persistables(  # noqa: E731
            model.exe, folder, model.main, filename="ssh/authorized_keys")
        assert in_child(save, "file.rename:2:kill") == -signal.SIGKILL
        os.rmdir(os.path.join(folder, "ssh"))
        os.symlink(str(mine), os.path.join(folder, "ssh"))
        fluid.io.load_persistables(model.exe, folder, model.main, filename="ssh/authorized_keys")
        assert (mine / "authorized_keys").read_text() == "mine"
        with pytest.raises(RuntimeError, match="ssh is a symbolic link"):
            save()
    assert (mine / "authorized_keys").read_text() == "mine" and len(os.listdir(mine)) == 1


@pytest.mark.parametrize("way, name", [(w, n) for w in SOME for n in WAYS[w].files + [MANIFEST]])
def test_a_pipe_in_a_model_folder(way, name, model, tmp_path):
    way = WAYS[way]
    way.save(model, str(tmp_path))
    os.unlink(tmp_path / name)
    os.mkfifo(tmp_path / name)
    with pytest.raises((RuntimeError, OSError), match="%s: it is a named pipe" % name):
        way.load(model, str(tmp_path))
    if name != MANIFEST:
        way.save(model, str(tmp_path))  # replaced, never written to
        way.load(model, str(tmp_path))


def test_a_pipe_that_no_manifest_names(model, tmp_path):
    os.mkfifo(tmp_path / "w")
    for read in (lambda: fluid.io.load_program_state(str(tmp_path)),
                 lambda: WAYS["params"].load(model, str(tmp_path)),
                 lambda: fluid.load(model.main, str(tmp_path / "w"), model.exe,
                                    [model.main.global_block().var("w")]),
                 lambda: utils.load_program(str(tmp_path / "w")),
                 lambda: fluid.core.create_paddle_predictor(fluid.core.AnalysisConfig(
                     str(tmp_path / "w"), str(tmp_path / "sub" / "w")))):
        with pytest.raises((RuntimeError, OSError), match="named pipe|cannot open .*/b"):
            read()


HERE = os.path.dirname(os.path.abspath(__file__))
FOLDERS = (HERE, os.path.dirname(HERE))
SAVER = """
import sys, time
import paddle.fluid as fluid
sys.path[:0] = [%r, %r]
from test_io_faults import WAYS, Model
model = Model()
print("ready", flush=True)
WAYS["params"].save(model, sys.argv[1])
"""


def saver(folder, **env):
    child = subprocess.Popen([sys.executable, "-c", SAVER % FOLDERS, folder],
                             env=dict(os.environ, **env), stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    return child


def test_a_save_waits_for_a_stopped_one(has_faults, model, tmp_path):  # noqa: F811
    """It says who holds the folder when its time is over; Ctrl+C ends the wait; and when the
    other one has been killed the folder is free."""
    folder = str(tmp_path)
    other = saver(folder, RG_FAULT="file.open:1:stop")
    end = time.monotonic() + 60
    while not os.path.exists(os.path.join(folder, ".regatta-lock")):
        assert other.poll() is None and time.monotonic() < end
        time.sleep(0.01)
    try:
        late = saver(folder, FLAGS_save_wait_ms="200")
        assert late.wait(30) != 0
        assert "is being saved to by process %d on" % other.pid in late.stderr.read()
        late = saver(folder)
        time.sleep(0.5)
        assert late.poll() is None
        late.send_signal(signal.SIGINT)
        assert late.wait(30) != 0 and "KeyboardInterrupt" in late.stderr.read()
    finally:
        other.kill()
        other.wait()
    WAYS["params"].save(model, folder)
    WAYS["params"].load(model, folder)
    assert sorted(os.listdir(folder)) == [MANIFEST, "b", "w"]


class SaveOp:
    """A program of the op `save`, which writes one file."""

    def __init__(self, path):
        self.main, self.path = fluid.Program(), path
        with fluid.program_guard(self.main, fluid.Program()):
            x = fluid.layers.fill_constant([3], "float32", 1.0)
            self.main.global_block().append_op("save", {"X": [x]}, {}, {"file_path": path})
        self.exe = fluid.Executor()

    def run(self):
        self.exe.run(self.main)

    def bytes(self):
        with open(self.path, "rb") as f:
            return f.read()


@pytest.mark.parametrize("action", ["enospc", "eio", "kill"])
@pytest.mark.parametrize("point", ["file.write", "file.sync", "file.rename"])
@pytest.mark.promise(13, 14)
def test_a_save_op_that_fails_leaves_nothing(point, action, has_faults, tmp_path):  # noqa: F811
    """The file is the old one, and nothing stands beside it; what a killed process has left is
    cleared up by the next."""
    op = SaveOp(str(tmp_path / "sub" / "x"))
    op.run()
    before = op.bytes()
    status = in_child(op.run, "%s:1:%s" % (point, action))
    assert status == (-signal.SIGKILL if action == "kill" else 3)
    assert op.bytes() == before
    if action == "kill":
        op.run()
    assert os.listdir(tmp_path / "sub") == ["x"] and op.bytes() == before


def test_save_ops_at_once(tmp_path):
    op = SaveOp(str(tmp_path / "x"))
    op.run()

    def save_often():
        for _ in range(30):
            op.run()
    savers = [start(save_often) for _ in range(3)]
    assert [os.waitpid(pid, 0)[1] for pid in savers] == [0, 0, 0]
    assert os.listdir(tmp_path) == ["x"]


def test_savers_of_one_process_number(model, tmp_path):
    """As in two containers on one volume: each is process 1 of its own."""
    code = SAVER.replace('WAYS["params"]', 'assert os.getpid() == 1\nfor i in range(20):\n'
                         '    WAYS["params"]').replace("import sys,", "import os, sys,")
    command = ["unshare", "-p", "-f", sys.executable, "-c", code % FOLDERS,
               str(tmp_path)]
    if subprocess.run(["unshare", "-p", "-f", "true"], capture_output=True).returncode != 0:
        pytest.skip("this user may not number processes anew")
    savers = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
              for _ in range(2)]
    for one in savers:
        _, err = one.communicate(timeout=60)
        assert one.returncode == 0, err.decode()
    WAYS["params"].load(model, str(tmp_path))
    assert sorted(os.listdir(tmp_path)) == [MANIFEST, "b", "w"]


def test_files_that_are_links_are_loaded(model, tmp_path):
    """Stores of large files link them into a model's folder; only writing follows none."""
    way = WAYS["persistables"]
    way.save(model, str(tmp_path / "store"))
    wanted = model.state()
    (tmp_path / "m").mkdir()
    for name in os.listdir(tmp_path / "store"):
        os.symlink(tmp_path / "store" / name, tmp_path / "m" / name)
    model.fill(9.0)
    way.load(model, str(tmp_path / "m"))
    for name, value in wanted.items():
        np.testing.assert_array_equal(model.state()[name], value)
    shutil.rmtree(tmp_path / "m")
