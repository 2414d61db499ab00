"""A disk that forgets what was not flushed, and a power cut after each thing that a save does to it:
the old model is there or the new one, whole; and the new one when the save has returned. And a disk
that is full, and bytes that change on it."""
import os
import shutil
import subprocess
import sys

import pytest

from test_io_faults import WAYS, Model

HERE = os.path.dirname(os.path.abspath(__file__))
SAVE = """
import sys
sys.path[:0] = [%r, %r]
from test_io_faults import WAYS, Model
model = Model()
model.fill(2.0)
WAYS[sys.argv[1]].save(model, sys.argv[2])
""" % (os.path.dirname(HERE), HERE)


class Node(object):
    """A file or a folder: as the process sees it (now), and as the disk has it (kept)."""

    def __init__(self, folder):
        self.folder = folder
        self.now, self.kept = ({}, {}) if folder else (bytearray(), b"")

    def sync(self):
        self.kept = dict(self.now) if self.folder else bytes(self.now)


class Disk(object):
    def __init__(self, root):
        self.root = root
        self.top = Node(True)
        self._read(root, self.top)
        self._sync_all(self.top)

    def _read(self, path, node):
        for name in os.listdir(path):
            inside = os.path.join(path, name)
            node.now[name] = below = Node(os.path.isdir(inside))
            if below.folder:
                self._read(inside, below)
            else:
                with open(inside, "rb") as file:
                    below.now = bytearray(file.read())

    def _sync_all(self, node):
        node.sync()
        for below in node.now.values() if node.folder else ():
            self._sync_all(below)

    def _at(self, path):
        """The folder that a path is in, and its last part."""
        parts = [p for p in os.path.relpath(path, self.root).split(os.sep) if p != "."]
        node = self.top
        for part in parts[:-1]:
            node = node.now[part]
        return node, parts[-1] if parts else None

    def _node(self, path):
        parent, name = self._at(path)
        return parent if name is None else parent.now[name]

    def play(self, line):
        what, path, more = line.rstrip("\n").split("\t")
        if path == self.root and what == "folder":
            return
        if what == "syncfs":
            self._sync_all(self.top)
        elif what == "sync":
            self._node(path).sync()
        elif what in ("make", "folder"):
            parent, name = self._at(path)
            if name not in parent.now:
                parent.now[name] = Node(what == "folder")
            elif more == "empty":
                parent.now[name].now = bytearray()
        elif what == "write":
            at, data = more.split(" ")
            node, data = self._node(path), bytes.fromhex(data)
            node.now[int(at):int(at) + len(data)] = data
        elif what == "remove":
            parent, name = self._at(path)
            del parent.now[name]
        elif what == "rename":
            parent, name = self._at(path)
            node = parent.now.pop(name)
            to, to_name = self._at(more)
            to.now[to_name] = node
        else:
            raise AssertionError(line)

    def after(self, folder, names, contents):
        """What is found after the power cut: names and contents as they were last ("now") or as
        they were flushed ("kept"); a disk may have written more than it had to."""
        shutil.rmtree(folder, ignore_errors=True)
        self._write(folder, self.top, names, contents)

    def _write(self, path, node, names, contents):
        if not node.folder:
            with open(path, "wb") as file:
                file.write(bytes(getattr(node, contents)))
            return
        os.mkdir(path)
        for name, below in getattr(node, names).items():
            self._write(os.path.join(path, name), below, names, contents)


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    if "LD_PRELOAD" in os.environ:
        pytest.skip("a sanitizer is preloaded")
    made = str(tmp_path_factory.mktemp("shim") / "disk_shim.so")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", made, os.path.join(HERE, "disk_shim.c"),
                    "-ldl"], check=True)
    return made


@pytest.mark.promise(14)
@pytest.mark.parametrize("way", ["persistables", "one file", "inference model", "fluid.save"])
def test_the_power_is_cut_after_each_thing_a_save_does(way, shim, tmp_path):
    root, notes, found = (str(tmp_path / name) for name in ("model", "notes", "found"))
    model = Model()
    model.fill(1.0)
    WAYS[way].save(model, root)
    disk = Disk(root)
    subprocess.run([sys.executable, "-c", SAVE, way, root], check=True,
                   env=dict(os.environ, LD_PRELOAD=shim, DISK_ROOT=root, DISK_NOTES=notes))
    with open(notes) as file:
        lines = file.readlines()
    assert len(lines) > 12 and any(line.startswith("write") for line in lines)
    seen = set()
    for done in range(len(lines) + 1):
        for names, contents in (("kept", "kept"), ("now", "kept"), ("kept", "now"), ("now", "now")):
            disk.after(found, names, contents)
            model.fill(9.0)
            WAYS[way].load(model, found)
            values = {float(model.state()[name].ravel()[0]) for name in WAYS[way].names}
            assert values in ({1.0}, {2.0}), (lines[:done], names, contents)
            if done == len(lines):
                assert values == {2.0}, "the save has returned, and is not on the disk"
            seen |= values
        if done < len(lines):
            disk.play(lines[done])
    assert seen == {1.0, 2.0}


FULL = """
import sys
sys.path[:0] = [%r, %r]
from test_io_faults import WAYS, Model
way, folder = WAYS[sys.argv[1]], sys.argv[2]
model = Model()
model.fill(1.0)
way.save(model, folder)
large = Model(width=600000)  # 4.8 MB a parameter, and twice that of its optimizer's state
try:
    way.save(large, folder)
    print("SAVED")
except (RuntimeError, OSError) as error:
    print("REFUSED", error)
model.fill(9.0)
way.load(model, folder)
print("LOADED", sorted({float(v.ravel()[0]) for n, v in model.state().items() if n in way.names}))
way.save(model, folder)  # there is room again
print("AGAIN")
""" % (os.path.dirname(HERE), HERE)


@pytest.mark.promise(13)
@pytest.mark.parametrize("way", ["persistables", "one file", "inference model", "fluid.save"])
def test_a_disk_that_is_really_full(way, tmp_path):
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("a small disk is mounted by root, with unshare (Debian: util-linux)")
    disk = tmp_path / "disk"
    disk.mkdir()
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", 'mount -t tmpfs -o size=1m tmpfs "$1" && shift && exec "$@"',
         "sh", str(disk), sys.executable, "-c", FULL, way, str(disk / "model")],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert "SAVED" not in done.stdout, done.stdout
    assert "REFUSED" in done.stdout and "No space left on device" in done.stdout, done.stdout
    assert "LOADED [1.0]" in done.stdout and "AGAIN" in done.stdout, done.stdout


@pytest.mark.promise(15, 16)
@pytest.mark.parametrize("way", ["persistables", "one file", "inference model", "fluid.save"])
def test_each_byte_of_a_save_counts(way, tmp_path):
    """Changed, or cut off there: refused with the file's name; never loaded as something else."""
    model, way, folder = Model(), WAYS[way], str(tmp_path)
    model.fill(1.0)
    way.save(model, folder)
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        with open(path, "rb") as file:
            whole = file.read()
        for at in range(0, len(whole), 1 if len(whole) < 250 else 13):
            for damaged in (whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:], whole[:at]):
                with open(path, "wb") as file:
                    file.write(damaged)
                model.fill(5.0)
                try:
                    way.load(model, folder)
                except (RuntimeError, ValueError, OSError) as error:
                    assert folder in str(error), str(error)
                    continue
                # Not noticed: then nothing of the model is another one for it.
                values = {float(model.state()[n].ravel()[0]) for n in way.names}
                assert values == {1.0}, (name, at, len(damaged))
        with open(path, "wb") as file:
            file.write(whole)
