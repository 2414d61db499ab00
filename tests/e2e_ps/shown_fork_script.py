"""A trainer of a sync job with one server, whose parameter is large enough to be read where the
server has it. It is forked after steps, and from a thread while steps are made: each child reads
the parameter, also by a program of its own. After a step all of its elements are the same number, by
which a child knows that it sees one step; in the middle of one they need not be.

Prints "N children", and of each that did not end well with what it ended."""
import os
import threading

import numpy as np
import paddle.fluid as fluid
from paddle.fluid.incubate.fleet.base import role_maker
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import fleet

INPUTS, WIDTH, STEPS, CHILDREN = 240, 100, 10, 50

fleet.init(role_maker.PaddleCloudRoleMaker())
x = fluid.layers.data(name="x", shape=[INPUTS], dtype="float32")
y = fluid.layers.fc(x, WIDTH, bias_attr=False, param_attr=fluid.ParamAttr(
    name="w", initializer=fluid.initializer.Constant(1.0)))
loss = fluid.layers.reduce_mean(y)
fleet.distributed_optimizer(fluid.optimizer.SGD(0.5)).minimize(loss)

looks = fluid.Program()
block = looks.global_block()
w = block.create_var(name="w", shape=[INPUTS, WIDTH], dtype="float32", persistable=True)
block.create_var(name="twice", shape=[INPUTS, WIDTH], dtype="float32")
block.append_op(type="scale", inputs={"X": [w]}, outputs={"Out": ["twice"]}, attrs={"scale": 2.0})
ended = []


def step():
    exe.run(fleet.main_program, feed={"x": np.ones((4, INPUTS), "float32")})


def fork(look, between=True):
    child = os.fork()
    if child == 0:
        seen = look()
        os._exit(0 if seen.min() == seen.max() or not between else 3)
    ended.append(os.waitpid(child, 0)[1])


def fork_many(tensor):
    for _ in range(CHILDREN):
        fork(lambda: np.array(tensor), between=False)


if fleet.is_server():
    fleet.init_server()
    fleet.run_server()
else:
    fleet.init_worker()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fleet.startup_program)
    kept = fluid.global_scope().find_var("w").get_tensor()
    for _ in range(STEPS):
        step()
        fork(lambda: np.array(fluid.global_scope().find_var("w").get_tensor()))
        step()
        fork(lambda: exe.run(looks, fetch_list=["twice"])[0])
    forker = threading.Thread(target=fork_many, args=(kept,))
    forker.start()
    while forker.is_alive():
        step()
    print("%d children" % len(ended), [status for status in ended if status != 0], flush=True)
    fleet.stop_worker()
