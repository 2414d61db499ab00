"""Trains from files on parameter servers; one line has an id that the table has not."""
import os
import sys

import paddle.fluid as fluid
from paddle.fluid.incubate.fleet.base.role_maker import PaddleCloudRoleMaker
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import fleet
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy \
    import StrategyFactory

fleet.init(PaddleCloudRoleMaker())
word = fluid.data("word", [None, 1], "int64", lod_level=1)
label = fluid.data("label", [None, 1], "float32")
row = fluid.layers.sequence_pool(fluid.embedding(word, [100, 4], is_sparse=True), "sum")
loss = fluid.layers.mean(fluid.layers.square_error_cost(
    fluid.layers.fc(fluid.layers.reshape(row, [-1, 4]), 1), label))
strategy = getattr(StrategyFactory, "create_%s_strategy" % os.environ["MODE"])()
fleet.distributed_optimizer(fluid.optimizer.SGD(0.01), strategy).minimize(loss)
if fleet.is_server():
    fleet.init_server()
    fleet.run_server()
    sys.exit()

with open("part-%d" % fleet.worker_index(), "w") as file:
    for i in range(3000):
        bad = i == 1233 and fleet.worker_index() == 1
        file.write("2 %d %d 1 0.5\n" % (i % 100, 100123 if bad else 7))
dataset = fluid.DatasetFactory().create_dataset("QueueDataset")
dataset.set_use_var([word, label])
dataset.set_batch_size(10)
dataset.set_filelist(["part-%d" % fleet.worker_index()])
exe = fluid.Executor(fluid.CPUPlace())
exe.run(fluid.default_startup_program())
fleet.init_worker()
exe.train_from_dataset(fluid.default_main_program(), dataset)
fleet.stop_worker()
