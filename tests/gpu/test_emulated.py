"""The CUDA kernels without a GPU: tests/ops once more, with the kernels of src/gpu in the place of
the CPU's, compiled by a C++ compiler and run by tests/gpu/emu. What they compute is held to the
same goldens, numeric gradients and messages."""
import os
import subprocess
import sys

import pytest

import emulated_path
import kernels

# A sparse sum is not merged on a GPU, whoever applies it merges; the same numbers to the last bit
# of two ways of computing are the CPU's alone.
OTHERWISE = ["tests/ops/test_selected_rows.py::test[sum]",
             "tests/ops/test_selected_rows.py::test[sum of one]",
             "tests/ops/test_batch_norm.py::test_momentum_may_come_as_a_tensor"]


@pytest.mark.skipif(not os.path.exists(emulated_path.PATH),
                    reason="no C++ compiler built %s" % emulated_path.PATH)
def test_kernels_pass_the_tests_of_the_ops(tmp_path):
    log = tmp_path / "ran"
    env = dict(os.environ, PYTHONPATH=os.path.join(kernels.ROOT, "tests", "gpu"), EMU_LOG=str(log))
    left = [arg for name in OTHERWISE for arg in ("--deselect", name)]
    run = subprocess.run([sys.executable, "-m", "pytest", "-q", "-x", "-p", "emulated",
                          "-p", "no:cacheprovider", "tests/ops", "tests/gpu/test_large.py",
                          "tests/gpu/test_layers.py"] + left,
                         cwd=kernels.ROOT, env=env, capture_output=True, text=True, timeout=900)
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]
    ran = {line.split()[0] for line in log.read_text().splitlines() if line.endswith(" ran")}
    # Made by passes alone: tests/python/test_fusion.py has programs of them. By NCCL: not emulated.
    idle = {kind for kind in kernels.types() - ran if not kind.startswith(("fused_", "c_"))}
    assert not idle, "no test runs the kernels of %s" % sorted(idle)
