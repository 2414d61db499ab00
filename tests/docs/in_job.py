"""What is around the blocks that a worker of a job runs: `from in_job import *` returns in workers
alone, with the model and the names that pages use."""
import atexit
import os
import sys

import paddle.fluid as fluid
import paddle.fluid.incubate.fleet.base.role_maker as role_maker
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import (StrategyFactory,
                                                                                fleet)

ids = fluid.data("ids", [None, 1], "int64")
click = fluid.data("click", [None, 1], "int64")
rows = fluid.layers.embedding(ids, size=[100, 4], is_sparse=True,
                              param_attr=fluid.ParamAttr(name="emb"))
guess = fluid.layers.fc(rows, 2, act="softmax")
loss = fluid.layers.mean(fluid.layers.cross_entropy(guess, click))
auc, _, buckets = fluid.layers.auc(guess, click)
correct, total = fluid.layers.create_global_var([1], 1, "int64", True, name="correct"), \
    fluid.layers.create_global_var([1], 2, "int64", True, name="total")
feeds, targets = ["ids"], [guess]

fleet.init(role_maker.PaddleCloudRoleMaker())
strategy = StrategyFactory.create_async_strategy()
fleet.distributed_optimizer(fluid.optimizer.SGD(0.1), strategy).minimize(loss)
if fleet.is_server():
    fleet.init_server()
    fleet.run_server()
    sys.exit(0)
exe = fluid.Executor(fluid.CPUPlace())
fleet.init_worker()
exe.run(fleet.startup_program)
atexit.register(fleet.stop_worker)
program = fleet.main_program
block = fluid.Program().global_block()
all_files = ["lines-%d" % i for i in range(2)]
for name in all_files:
    with open(name + ".%d" % os.getpid(), "w") as f:
        f.write("".join("1 %d 1 %d\n" % (i, i % 2) for i in range(100)))
    os.rename(f.name, name)
