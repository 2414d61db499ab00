"""Ctrl+C ends what computes without an end in sight."""
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

BEGIN = """
import paddle.fluid as fluid
layers = fluid.layers
"""
LOOP = """
i, least = layers.fill_constant([1], "int64", 0), layers.fill_constant([1], "int64", -1)
go_on = layers.less_than(least, i)
with layers.While(go_on).block():
    layers.increment(i, in_place=True)
    layers.less_than(least, i, cond=go_on)
out = i
"""
ROUNDS = """
w = layers.create_parameter([3, 4], "float32")
out = layers.spectral_norm(w, power_iters=2**31 - 1)
"""
GRADIENT = ROUNDS + """
out, = fluid.gradients(layers.reduce_sum(out), [w])
"""
RUN = """
exe = fluid.Executor()
exe.run(fluid.default_startup_program())
print("running", flush=True)
exe.run(fetch_list=[out])
"""


@pytest.mark.parametrize("program", [LOOP, ROUNDS, GRADIENT],
                         ids=["while", "spectral_norm", "spectral_norm_grad"])
def test_ctrl_c_ends_a_run(program):
    process = subprocess.Popen([sys.executable, "-c", BEGIN + program + RUN], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert process.stdout.readline() == "running\n"
        time.sleep(0.3)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == -signal.SIGINT and errors.endswith("KeyboardInterrupt\n"), errors


def test_lrn_looks_no_further_than_there_are_channels():
    import paddle.fluid as fluid
    x = np.arange(24, dtype="float32").reshape(2, 3, 2, 2)
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        outs = [fluid.layers.lrn(fluid.data("x", [2, 3, 2, 2]), n=n) for n in (5, 2**31 - 1)]
        got = fluid.Executor().run(feed={"x": x}, fetch_list=outs)
    assert (got[0] == got[1]).all()
