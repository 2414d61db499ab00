"""import paddle: light, one of a kind, and what scripts look for at the top."""
import os
import subprocess
import sys

import pytest

import paddle

PYTHON = os.path.dirname(os.path.dirname(os.path.abspath(paddle.__file__)))
HEAVY = ("multiprocessing", "urllib", "urllib.request", "logging", "json", "subprocess", "socket",
         "ssl", "http", "tarfile", "zipfile", "tempfile", "matplotlib", "PIL", "importlib.metadata")


def run(code, **env):
    """What a fresh Python prints."""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60,
                         env=dict(os.environ, **env))
    assert out.returncode == 0, out.stderr
    return out.stdout.strip()


@pytest.mark.parametrize("name", ["paddle", "paddle.fluid", "paddle.v2", "paddle.dataset.common",
                                  "paddle.reader", "paddle.fluid.profiler"])
def test_imports_are_light(name):
    # What numpy itself imports is not ours to save: 1.24 loads json, 2.x does not.
    loaded = run("import sys, numpy; before = set(sys.modules)\nimport %s\n"
                 "print(sorted(m for m in %r if m in set(sys.modules) - before))" % (name, HEAVY))
    assert loaded == "[]"


def test_import_paddle_is_lighter_still():
    loaded = run("import sys; import paddle\n"
                 "print([m for m in ('numpy', 'paddle.fluid', 'paddle._core', 'paddle.dataset') "
                 "if m in sys.modules])")
    assert loaded == "[]"


def test_attributes_come_when_they_are_used():
    assert run("import paddle\n"
               "print(paddle.fluid.__name__, paddle.reader.__name__, paddle.dataset.mnist.__name__,"
               " paddle.compat.__name__, paddle.batch.__name__)") == \
        "paddle.fluid paddle.reader paddle.dataset.mnist paddle.compat batch"
    with pytest.raises(AttributeError, match="no attribute 'nn'"):
        paddle.nn
    assert {"dataset", "fluid", "reader", "batch", "regatta_version"} <= set(dir(paddle))


def test_batch_is_the_function_however_it_is_imported():
    assert run("import paddle.batch; import paddle\nprint(callable(paddle.batch))\n"
               "from paddle.batch import batch; print(batch is paddle.batch)") == "True\nTrue"


def test_versions():
    assert paddle.__version__ == paddle.version.full_version == "1.8.5"
    assert (paddle.version.major, paddle.version.minor, paddle.version.patch) == ("1", "8", "5")
    assert paddle.regatta_version.count(".") == 2 and paddle.regatta_version != "1.8.5"
    assert run("import paddle; paddle.version.show()").splitlines()[0] == "full_version: 1.8.5"
    paddle.fluid.require_version("1.8.0")


@pytest.mark.parametrize("info", ["paddlepaddle-1.8.5.dist-info", "paddlepaddle-1.8.5.egg-info",
                                  "paddlepaddle_gpu-1.8.5.post107.dist-info"])
def test_it_stops_beside_paddlepaddle(tmp_path, info):
    os.symlink(os.path.join(PYTHON, "paddle"), tmp_path / "paddle")
    code = "import sys; sys.path.insert(0, %r)\nimport paddle; print(paddle.__file__)" % str(
        tmp_path)
    assert str(tmp_path) in run(code)
    (tmp_path / "paddlepaddle_helper").mkdir()  # other names do not matter
    (tmp_path / "regatta-0.1.0.dist-info").mkdir()
    assert str(tmp_path) in run(code)
    (tmp_path / info).mkdir()
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert out.returncode != 0
    name = info.split("-")[0].replace("_", "-")
    assert "ImportError: Regatta and %s" % info.rsplit(".", 1)[0] in out.stderr
    assert "pip uninstall %s," % name in out.stderr


def test_v2_is_the_same_objects():
    assert run("""
import paddle.v2 as v2
import paddle
assert v2.reader is paddle.reader and v2.dataset is paddle.dataset and v2.batch is paddle.batch
import paddle.v2.dataset.imikolov as imikolov
from paddle.v2.dataset import mnist
from paddle.v2.dataset.common import download
import paddle.v2.reader.decorator
import paddle.v2.reader.creator
assert imikolov is paddle.dataset.imikolov and mnist is paddle.dataset.mnist
assert download is paddle.dataset.common.download
assert paddle.v2.reader.creator is paddle.reader.creator
assert paddle.dataset.imikolov.__name__ == "paddle.dataset.imikolov"
print("same")""") == "same"


def test_compat():
    K = paddle.compat
    assert K.to_text(b"abc") == "abc" and K.to_text([b"a", "b"]) == ["a", "b"]
    assert K.to_text({b"a"}) == {"a"} and K.to_text({b"a": b"b"}) == {"a": "b"}
    assert K.to_text(None) is None and K.to_text(3) == 3 and K.to_text((b"a",)) == (b"a",)
    assert K.to_bytes(["a"]) == [b"a"] and K.to_bytes({"a"}) == {b"a"} and K.to_bytes(b"a") == b"a"
    some = [b"a"]
    assert K.to_text(some, inplace=True) is some and some == ["a"]
    some = {b"a"}
    assert K.to_text(some, inplace=True) is some and some == {"a"}
    assert [K.round(v) for v in (2.5, -2.5, 0.5, -0.5, 0.0)] == [3, -3, 1, -1, 0]
    assert K.round(2.675, 2) == 2.68 and K.round(1234567, -2) == 1234600
    assert K.floor_division(7, -2) == -4 and K.long_type is int
    assert K.get_exception_message(ValueError("x")) == "x"


def test_sysconfig_refuses():
    for function in (paddle.sysconfig.get_include, paddle.sysconfig.get_lib):
        with pytest.raises(NotImplementedError, match="custom C"):
            function()
