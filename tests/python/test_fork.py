"""A process that is forked once its parent has run: as a web server forks its workers."""
import os
import subprocess
import sys

import pytest

SCRIPT = """
import os, sys, time
import numpy as np
import paddle.fluid as fluid

if sys.argv[1] == "conv":
    x = fluid.data("x", [None, 8, 16, 16])
    y = fluid.layers.conv2d(x, 16, 3, act="relu")
else:
    x = fluid.data("x", [None, 256])
    y = fluid.layers.fc(fluid.layers.fc(x, 256, act="relu"), 16)
exe = fluid.Executor()
exe.run(fluid.default_startup_program())
data = np.random.RandomState(1).rand(*[64] + list(x.shape[1:])).astype("float32")


def run(data=data):
    return exe.run(feed={"x": data}, fetch_list=[y])[0]


before = run()
child = os.fork()
if child == 0:
    right = all(np.allclose(run(), before, 1e-4) for _ in range(3))
    right = right and np.allclose(run(data[:32]), before[:32], 1e-4)  # a shape of its own
    os._exit(7 if right else 8)
after = run()
for _ in range(300):
    ended, status = os.waitpid(child, os.WNOHANG)
    if ended:
        break
    time.sleep(0.1)
else:
    os.kill(child, 9)
    os.waitpid(child, 0)
    sys.exit("the child waits for ever")
assert np.array_equal(before, after)
sys.exit(os.WEXITSTATUS(status))
"""


@pytest.mark.parametrize("kind", ["fc", "conv"])
def test_a_forked_child_computes_where_products_had_threads(kind):
    done = subprocess.run([sys.executable, "-c", SCRIPT, kind], timeout=100,
                          env=dict(os.environ, FLAGS_paddle_num_threads="2"),
                          stderr=subprocess.PIPE)
    assert done.returncode == 7, done.stderr.decode()
