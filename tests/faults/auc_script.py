"""A model with an AUC, trained from files that come slowly: at the end each worker prints how many examples its
counts are of."""
import os

import numpy as np
import paddle.fluid as fluid
import paddle.fluid.incubate.fleet.base.role_maker as role_maker
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import (StrategyFactory,
                                                                                fleet)

BATCH, BATCHES = 4, 100


def main():
    ids = fluid.layers.data("ids", [1], dtype="int64", lod_level=1)
    label = fluid.layers.data("label", [1], dtype="int64")
    rows = fluid.layers.embedding(ids, [50, 4], is_sparse=True, param_attr="table")
    out = fluid.layers.fc(fluid.layers.sequence_pool(rows, "sum"), 2, act="softmax")
    auc, _, stats = fluid.layers.auc(out, label)
    loss = fluid.layers.mean(fluid.layers.cross_entropy(out, label))
    fleet.init(role_maker.PaddleCloudRoleMaker())
    fleet.distributed_optimizer(fluid.optimizer.SGD(0.1),
                                StrategyFactory.create_sync_strategy()).minimize(loss)
    if fleet.is_server():
        fleet.init_server()
        fleet.run_server()
        return
    fleet.init_worker()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fleet.startup_program)
    path = "data-%d" % fleet.worker_index()
    with open(path, "w") as file:
        for i in range(BATCH * BATCHES):
            file.write("1 %d 1 %d\n" % (i % 50, i % 2))
    dataset = fluid.DatasetFactory().create_dataset("QueueDataset")
    dataset.set_use_var([ids, label])
    dataset.set_batch_size(BATCH)
    dataset.set_thread(1)
    # A slow source, in its first life: 5 ms an example.
    slow = "while read line; do echo \"$line\"; sleep 0.005; done"
    dataset.set_pipe_command("cat" if os.environ.get("REGATTA_INCARNATION") else slow)
    dataset.set_filelist([path])
    exe.train_from_dataset(fleet.main_program, dataset, thread=1)
    counts = sum(int(np.array(fluid.global_scope().find_var(v.name).get_tensor()).sum())
                 for v in stats[2:])
    print("counted %d" % counts)
    fleet.stop_worker()


if __name__ == "__main__":
    main()
