"""A click model on servers that trains until FOLDER/stop is there; tests/watch/slow_pipe.sh gives it
its data.

    page_job.py FOLDER      (who it is: the environment, as launch_ps sets it)"""
import os
import sys

import numpy as np

import paddle.fluid as fluid
from paddle.fluid.incubate.fleet.base import role_maker
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import fleet
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy \
    import StrategyFactory

BATCH, ROWS = 16, 2000
PIPE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "slow_pipe.sh")


def write(path, seed):
    rng = np.random.RandomState(seed)
    with open(path, "w") as file:
        for _ in range(ROWS):
            first, second = rng.randint(0, 1000, 2)
            file.write("2 %d %d 1 %d\n" % (first, second, (first + second) % 2))
    return path


def main(folder):
    fleet.init(role_maker.PaddleCloudRoleMaker())
    ids = fluid.layers.data("ids", [1], dtype="int64", lod_level=1)
    label = fluid.layers.data("label", [1], dtype="int64")
    rows = fluid.layers.embedding(ids, [1000, 8], is_sparse=True, param_attr="emb")
    predict = fluid.layers.fc(fluid.layers.sequence_pool(rows, "sum"), 2, act="softmax")
    loss = fluid.layers.mean(fluid.layers.cross_entropy(predict, label))
    fluid.layers.auc(predict, label)
    fleet.distributed_optimizer(fluid.optimizer.SGD(0.1),
                                StrategyFactory.create_async_strategy()).minimize(loss)
    if fleet.is_server():
        fleet.init_server()
        fleet.run_server()
        return
    exe = fluid.Executor(fluid.CPUPlace())
    fleet.init_worker()
    exe.run(fleet.startup_program)
    data = fluid.DatasetFactory().create_dataset("QueueDataset")
    data.set_use_var([ids, label])
    data.set_batch_size(BATCH)
    data.set_thread(1)
    data.set_pipe_command("sh %s %s" % (PIPE, folder))
    data.set_filelist([write(os.path.join(folder, "part-%d" % fleet.worker_index()),
                             fleet.worker_index())])
    while not os.path.exists(os.path.join(folder, "stop")):
        exe.train_from_dataset(fleet.main_program, data)
    fleet.stop_worker()


if __name__ == "__main__":
    main(sys.argv[1])
