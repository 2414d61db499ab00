"""v1's model folders: a file for each parameter, `done`, and a copy of the config.

A parameter's file is a header (int32 version 0, uint32 bytes of a value, uint64 number of values)
and the values, float32. A folder is written aside and renamed, so that it is whole or absent."""
import os
import re
import shutil
import struct
import tempfile

import numpy as np

__all__ = ["ModelError", "load", "pass_dir", "prepare", "read_parameter", "save", "write_parameter"]

HEADER = struct.Struct("<iIQ")
_PASS = re.compile(r"pass-(\d{5,})(-\d{3,})?")
_DTYPES = {4: "<f4", 8: "<f8"}


class ModelError(Exception):
    """A model folder that cannot be used: the message names the file, and what is wrong."""


def pass_dir(save_dir, number, batch=None):
    """save_dir/pass-00001, or pass-00001-002 for one that is saved inside of a pass."""
    name = "pass-%05d" % number
    return os.path.join(save_dir, name if batch is None else "%s-%03d" % (name, batch))


def prepare(save_dir):
    """Make the folder of the model folders, and see that it can be written, before a pass is
    trained for it."""
    try:
        os.makedirs(save_dir, exist_ok=True)
        os.rmdir(tempfile.mkdtemp(prefix=".", dir=save_dir))
    except OSError as e:
        raise ModelError("--save_dir=%s: no model can be saved there: %s"
                         % (save_dir, e.strerror)) from None


def write_parameter(f, values):
    """One parameter into an open file."""
    values = np.ascontiguousarray(values, dtype="<f4")
    f.write(HEADER.pack(0, 4, values.size))
    f.write(values.tobytes())


def _file_of(folder, name):
    if "/" in name or name in ("", ".", ".."):
        raise ModelError("a parameter called %r cannot be a file of %s" % (name, folder))
    return os.path.join(folder, name)


def save(folder, values, config_path=None):
    """Write {name: array} as a model folder, in place of what is there under its name."""
    folder = os.path.abspath(folder)
    aside = _beside(folder, "saving")  # what is left of one that was killed goes
    os.makedirs(aside)
    try:
        for name, value in values.items():
            with open(_file_of(aside, name), "wb") as f:
                write_parameter(f, value)
                _settle(f)
        if config_path:
            shutil.copyfile(config_path, os.path.join(aside, os.path.basename(config_path)))
            _write_text(os.path.join(aside, "path.txt"), os.path.basename(config_path) + "\n")
        from ..version import full_version
        _write_text(os.path.join(aside, "done"), full_version + "\n")
        _exchange(aside, folder)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise


def _beside(folder, what):
    """A name beside a folder where nothing is."""
    path = os.path.join(os.path.dirname(folder), ".%s.%s" % (os.path.basename(folder), what))
    if os.path.islink(path) or os.path.isfile(path):
        os.unlink(path)
    elif os.path.isdir(path):
        shutil.rmtree(path)
    return path


def _settle(f):
    f.flush()
    os.fsync(f.fileno())


def _write_text(path, text):
    with open(path, "w") as f:
        f.write(text)
        _settle(f)


def _exchange(new, folder):
    """Put a folder in the place of another, which is whole until then."""
    old = None
    if os.path.lexists(folder):
        old = _beside(folder, "old")
        os.rename(folder, old)
    os.rename(new, folder)
    handle = os.open(os.path.dirname(folder), os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    if old is not None:
        _beside(folder, "old")


def remove_old(save_dir, keep):
    """save_only_one: the models of other passes go. Gives the names of those that went."""
    gone = []
    for name in sorted(os.listdir(save_dir)):
        if _PASS.fullmatch(name) and os.path.abspath(os.path.join(save_dir, name)) != \
                os.path.abspath(keep):
            shutil.rmtree(os.path.join(save_dir, name), ignore_errors=True)
            gone.append(os.path.join(save_dir, name))
    return gone


def read_parameter(path, size):
    """The values of a parameter's file, which must have `size` of them."""
    try:
        with open(path, "rb") as f:
            data = f.read()
    except OSError as error:
        raise ModelError("%s: %s" % (path, error.strerror or error)) from None
    if len(data) < HEADER.size:
        raise ModelError("%s is no parameter file: it has %d bytes, and the header %d"
                         % (path, len(data), HEADER.size))
    version, width, count = HEADER.unpack_from(data)
    if version != 0 or width not in _DTYPES:
        raise ModelError("%s is no parameter file of version 0: its header says version %d and "
                         "%d bytes a value" % (path, version, width))
    if count != size:
        raise ModelError("%s has %d values, and the parameter of this config %d: it is of another "
                         "model" % (path, count, size))
    if len(data) != HEADER.size + count * width:
        raise ModelError("%s is cut off or has more than it says: %d bytes, and its header says %d"
                         % (path, len(data), HEADER.size + count * width))
    return np.frombuffer(data, _DTYPES[width], count, HEADER.size).astype("float32")


def load(folder, sizes, missing="fail"):
    """{name: values} of a model folder for {name: number of values}. A file that is not there is
    an error, or left out of the result (missing="rand": what the parameter starts with stays), or
    zeros (missing="zero")."""
    if not os.path.isdir(folder):
        raise ModelError("there is no model folder %s%s" % (folder, _near(folder)))
    if missing not in ("fail", "rand", "zero"):
        raise ModelError("load_missing_parameter_strategy is fail, rand or zero, not %r" % missing)
    values = {}
    for name, size in sizes.items():
        path = _file_of(folder, name)
        if os.path.exists(path):
            values[name] = read_parameter(path, size)
        elif missing == "zero":
            values[name] = np.zeros(size, "float32")
        elif missing == "fail":
            raise ModelError("%s has no file for the parameter %s; "
                             "--load_missing_parameter_strategy=rand or zero goes on without"
                             % (folder, name))
    return values


def _near(folder):
    parent = os.path.dirname(os.path.abspath(folder))
    try:
        there = sorted(name for name in os.listdir(parent) if _PASS.fullmatch(name))
    except OSError:
        return "; there is no %s either" % parent
    return "; %s has %s" % (parent, ", ".join(there[-4:])) if there else ""
