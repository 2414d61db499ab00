"""The cmake line of the Fluid guides configures, and every WITH_ option is honoured or refused with
a reason. (tools/test_cmake.sh, in `make test-full`, builds by that line too.)"""
import os
import shutil
import subprocess

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GUIDE = ["-DWITH_DOC=OFF", "-DWITH_GPU=OFF", "-DWITH_DISTRIBUTE=ON", "-DWITH_SWIG_PY=ON",
         "-DWITH_PYTHON=ON"]

pytestmark = pytest.mark.skipif(shutil.which("cmake") is None, reason="no cmake here")


def options_alone(folder, *options):
    """What cmake/options.cmake makes of them, without the search for compilers and libraries."""
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.18)\nproject(options NONE)\ninclude(%s)\n"
        % os.path.join(ROOT, "cmake", "options.cmake"))
    return configure(folder / "build", *options, source=folder)


def configure(folder, *options, source=ROOT):
    env = {k: v for k, v in os.environ.items() if k not in ("LD_PRELOAD", "PYTHONPATH")}
    done = subprocess.run(["cmake", "-S", str(source), "-B", str(folder)] + list(options),
                          capture_output=True, text=True, timeout=120, env=env)
    return done.returncode, " ".join((done.stdout + done.stderr).split())


def test_the_line_of_the_guides(tmp_path):
    code, text = configure(tmp_path, *GUIDE)
    assert code == 0, text


@pytest.mark.parametrize("options", [
    ["-DWITH_PYTHON=OFF", "-DWITH_SWIG_PY=OFF"], ["-DWITH_DOC=ON"], ["-DWITH_TESTING=ON"],
    ["-DWITH_AVX=ON", "-DWITH_MKLDNN=ON", "-DWITH_RDMA=OFF", "-DWITH_MKL=OFF"],
], ids=" ".join)
def test_options_that_are_honoured(options, tmp_path):
    code, text = options_alone(tmp_path, *options)
    assert code == 0, text


@pytest.mark.parametrize("options, reason", [
    (["-DWITH_DISTRIBUTE=OFF"], "not separable"),
    (["-DWITH_PYTHON=OFF"], "WITH_SWIG_PY=ON needs WITH_PYTHON=ON"),
    (["-DWITH_MKL=ON"], "OpenBLAS and oneDNN are"),
    (["-DWITH_RDMA=ON"], "no RDMA transport"),
    (["-DWITH_DOUBLE=ON"], "a data type of a program"),
    (["-DWITH_GOLANG=ON"], "Go"),
    (["-DWITH_TIMER=ON"], "fluid.profiler"),
    (["-DWITH_AVX=OFF"], "it is always on here"),
    (["-DWITH_NONSENSE=ON"], "WITH_NONSENSE=ON: no such part exists here"),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_options_that_are_refused(options, reason, tmp_path):
    code, text = options_alone(tmp_path, *options)
    assert code != 0 and reason in text, text


def test_a_gpu_build_without_cuda_says_what_to_install(tmp_path):
    code, text = configure(tmp_path, *GUIDE, "-DWITH_GPU=ON", "-DCUDA_INCLUDE=IGNORE")
    assert code != 0 and "WITH_GPU=ON needs nvcc and cuBLASLt: install CUDA 12 or later" in text
    code, text = configure(tmp_path, *GUIDE, "-DWITH_GPU=AUTO", "-DCUDA_INCLUDE=IGNORE")
    assert code == 0, text
