"""Trainers of a sync job with one server, whose parameters are large enough to be read where the
server has them. What each computes, and what its parameters are to the bit, is printed: through
steps between which it writes to a parameter itself, after it has left, and when the server is gone.

    shown_script.py FOLDER      worker 1 says "ready" and waits for FOLDER/gone"""
import hashlib
import os
import sys
import time

import numpy as np
import paddle.fluid as fluid
from paddle.fluid.incubate.fleet.base import role_maker
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import fleet

INPUTS, WIDTH, STEPS = 120, 100, 12

fleet.init(role_maker.PaddleCloudRoleMaker())
x = fluid.layers.data(name="x", shape=[INPUTS], dtype="float32")
hidden = fluid.layers.fc(x, WIDTH, act="tanh", bias_attr=False, param_attr=fluid.ParamAttr(
    name="w", initializer=fluid.initializer.Uniform(-1, 1, seed=3)))
loss = fluid.layers.reduce_mean(fluid.layers.square(hidden))
fleet.distributed_optimizer(fluid.optimizer.Momentum(0.5, 0.9)).minimize(loss)

grow = fluid.Program()  # writes to w in place; its plan is made once
block = grow.global_block()
w = block.create_var(name="w", shape=[INPUTS, WIDTH], dtype="float32", persistable=True)
block.append_op(type="scale", inputs={"X": [w]}, outputs={"Out": [w]}, attrs={"scale": 1.5})


def weights():
    return np.array(fluid.global_scope().find_var("w").get_tensor())


def tell(what):
    print("%s: %s" % (what, hashlib.sha256(weights().tobytes()).hexdigest()), flush=True)


def fill(tensor):
    """As scripts make their own start values, element by element, of a tensor that they have."""
    tensor._alloc_float(fluid.CPUPlace())
    tensor._set_float_element(7, 0.5)
    print("filled: %g %g" % (np.array(tensor).sum(), tensor._get_float_element(7)))


def train(number):
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fleet.startup_program)
    kept = fluid.global_scope().find_var("w").get_tensor()
    random = np.random.RandomState(number)
    for step in range(STEPS + 4 * number):  # worker 0 is done first
        if number == 0 and step in (3, 5, 6):
            exe.run(grow)
        if number == 1 and step == 7:
            tensor = fluid.global_scope().find_var("w").get_tensor()
            tensor.set(weights() * np.float32(0.5), fluid.CPUPlace())
        if number == 0 and step == 8:
            kept._set_dims([INPUTS, WIDTH])
        if number == 0 and step == 9:
            fill(kept)
        batch = random.rand(4, INPUTS).astype("float32")
        value = exe.run(fleet.main_program, feed={"x": batch}, fetch_list=[loss.name])[0]
        print("step %d: %s" % (step, value.tobytes().hex()))
        if step % 4 == 2:
            tell("in between")
    return exe


if fleet.is_server():
    fleet.init_server()
    fleet.run_server()
elif fleet.worker_index() == 0:
    fleet.init_worker()
    train(0)
    fleet.stop_worker()
    while not os.path.exists(os.path.join(sys.argv[1], "gone")):
        time.sleep(0.02)
    tell("after worker 1 has gone on")
else:
    fleet.init_worker()
    exe = train(1)
    print("ready", flush=True)
    while not os.path.exists(os.path.join(sys.argv[1], "gone")):
        time.sleep(0.02)
    try:
        exe.run(fleet.main_program, feed={"x": np.zeros((4, INPUTS), "float32")})
    except Exception:
        tell("without a server")
    os._exit(0)
