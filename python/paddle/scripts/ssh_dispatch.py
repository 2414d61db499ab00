"""Sends a workspace to every node: files that the last job of the same workspace left there, and
whose content is right, are taken from it; the others travel in one tar."""
import hashlib
import os
import tarfile
import threading
import time
from shlex import quote

from .ssh_node import NodeError


class Package(object):
    """What is in a workspace: {path: (sha256, size, whether it can be run)}, and its folders.
    Hidden names at its top and log/ stay at home."""

    def __init__(self, folder, every_piece):
        """every_piece(path) is called for each megabyte that is read, and may raise."""
        self.folder = os.path.realpath(folder)
        self.files, self.folders, self._every_piece = {}, [], every_piece
        self._walk("", {self.folder})

    def _walk(self, below, above):
        for name in sorted(os.listdir(os.path.join(self.folder, below))):
            path = os.path.join(below, name)
            full = os.path.join(self.folder, path)
            if not below and (name.startswith(".") or name in ("log", "nodefile")):
                continue
            if "\n" in name or "\\" in name:
                raise ValueError("%s: a name with a line end or a backslash cannot be sent" % full)
            if os.path.isdir(full):
                real = os.path.realpath(full)
                if real in above:
                    raise ValueError("%s is a link to a folder it is in" % full)
                self.folders.append(path)
                self._walk(path, above | {real})
            elif os.path.isfile(full):
                self.files[path] = (self._sha256(full), os.path.getsize(full), os.access(full, os.X_OK))
            else:
                raise ValueError("%s is no file (a broken link, a socket?): take it out" % full)

    def _sha256(self, path):
        digest = hashlib.sha256()
        with open(path, "rb") as file:
            for piece in iter(lambda: file.read(1 << 20), b""):
                digest.update(piece)
                self._every_piece(path)
        return digest.hexdigest()

    def manifest(self, paths):
        return "".join("%s  %s\n" % (self.files[p][0], p) for p in paths)

    def size(self, paths):
        return sum(self.files[p][1] for p in paths)


class Progress(object):
    """How far all nodes are together; said every two seconds."""

    def __init__(self, say):
        self._say, self._lock = say, threading.Lock()
        self._total = self._sent = 0
        self._told = time.monotonic()

    def expect(self, count):
        with self._lock:
            self._total += count

    def sent(self, count):
        with self._lock:
            self._sent += count
            if time.monotonic() > self._told + 2:
                self._told = time.monotonic()
                self._say("dispatch: %d %% of %s" % (
                    100 * self._sent // self._total, amount(self._total)))


def amount(count):
    for unit in ("bytes", "KB", "MB"):
        if count < 1000 or unit == "MB":
            return ("%d %s" if unit == "bytes" else "%.1f %s") % (count, unit)
        count /= 1000.0


def dispatch(node, package, root, folder, progress):
    """Makes `folder` on the node; raises NodeError, and then leaves it without a manifest."""
    base, whole = _base(node, package, root)
    same = [p for p in package.files if whole.get(p) == package.files[p][0]]
    kept = set(same)
    changed = [p for p in package.files if p not in kept]
    progress.expect(package.size(changed))
    _make(node, package, folder)
    if same:
        _try(node, "tar -C %s --null -T - -cf - | tar -C %s -xf -" % (quote(base), quote(folder)),
             [b"".join(("./" + p).encode() + b"\0" for p in same)])
    if changed:
        _send(node, package, folder, changed, progress)
    runnable = [p for p in same if package.files[p][2]]
    if runnable:
        _try(node, "cd %s && xargs -0 chmod u+x" % quote(folder),
             [b"".join(("./" + p).encode() + b"\0" for p in runnable)])
    node.put(package.folder, folder + "/.paddle_job/package")
    node.put(package.manifest(sorted(package.files)), folder + "/.paddle_job/manifest")
    node.say("%d files sent (%s), %d were there" % (
        len(changed), amount(package.size(changed)), len(same)))


def _base(node, package, root):
    """(folder of the last job of this package or None, {path: sha256} of its whole files)."""
    lines = node.must("base", root, package.folder).split("\n")
    if not lines[0]:
        return None, {}
    middle = lines.index("")
    listed = dict(reversed(line.split("  ", 1)) for line in lines[1:middle])
    return lines[0], {path: listed[path] for path in (
        line[:-len(": OK")] for line in lines[middle + 1:] if line.endswith(": OK"))}


def _make(node, package, folder):
    status, text = node.command("mkdir %s" % quote(folder))
    if status != 0:
        raise NodeError("%s cannot be made: %s (where hosts share ROOT_DIR, one has made it for all: "
                        "each needs a ROOT_DIR of its own)" % (folder, text.strip()))
    names = b"".join(("./" + p).encode() + b"\0" for p in package.folders + [".paddle_job"])
    _try(node, "cd %s && xargs -0 mkdir -p" % quote(folder), [names])


def _send(node, package, folder, paths, progress):
    _try(node, "tar -C %s -xf -" % quote(folder), _tar(package, paths, progress))
    _try(node, "cd %s && sha256sum --check --quiet -" % quote(folder),
         [package.manifest(paths).encode()])


def _tar(package, paths, progress):
    """A tar of files, piece by piece."""
    for path in paths:
        full = os.path.join(package.folder, path)
        with open(full, "rb") as file:
            info = tarfile.TarInfo(path)
            info.size = os.fstat(file.fileno()).st_size
            info.mode = 0o755 if package.files[path][2] else 0o644
            yield info.tobuf(tarfile.GNU_FORMAT)
            left = info.size
            while left > 0:
                piece = file.read(min(left, 1 << 18))
                if not piece:
                    raise OSError("%s became shorter while it was sent" % full)
                left -= len(piece)
                yield piece
                progress.sent(len(piece))
            yield b"\0" * (-info.size % tarfile.BLOCKSIZE)
    yield b"\0" * (2 * tarfile.BLOCKSIZE)


def _try(node, line, pieces):
    status, text = node.command(line, pieces)
    if status != 0:
        raise NodeError("dispatch failed at `%s`: %s" % (line, text.strip()))
