"""CTR-DNN, small, trained by all ranks of a collective job, or by one process with the batches of
both joined: coll_ctr.py OUT.npz MODE OPTIMIZER [alone | slow]. Rank 0 writes its variables."""
import os
import sys
import time

import numpy as np

import paddle.fluid as fluid
from paddle.fluid.incubate.fleet.base import role_maker
from paddle.fluid.incubate.fleet.collective import DistributedStrategy, fleet

SLOTS, DENSE, ROWS, BATCH, STEPS = 6, 3, 1000, 32, 5


def model():
    dense = fluid.data("dense", [None, DENSE])
    label = fluid.data("label", [None, 1], dtype="int64")
    slots = [fluid.data("C%d" % i, [None, 1], dtype="int64") for i in range(SLOTS)]
    looked_up = [fluid.layers.reshape(
        fluid.embedding(s, size=[ROWS, 4], is_sparse=True, param_attr="table"), [-1, 4])
        for s in slots]
    x = fluid.layers.concat(looked_up + [dense], axis=1)
    for _ in range(3):
        x = fluid.layers.fc(x, 40, act="relu")
    predicted = fluid.layers.fc(x, 2, act="softmax")
    return fluid.layers.mean(fluid.layers.cross_entropy(predicted, label))


def batches(rank):
    """rank None: those of both ranks, joined."""
    random = np.random.RandomState(1)
    ids = random.randint(0, ROWS, (STEPS, 2, BATCH, SLOTS))
    dense = random.rand(STEPS, 2, BATCH, DENSE).astype("float32")
    label = random.randint(0, 2, (STEPS, 2, BATCH, 1))
    pick = (lambda a: a.reshape(-1, a.shape[-1])) if rank is None else (lambda a: a[rank])
    for step in range(STEPS):
        feed = {"dense": pick(dense[step]), "label": pick(label[step])}
        feed.update(("C%d" % i, pick(ids[step])[:, i:i + 1]) for i in range(SLOTS))
        yield feed


def train(out, mode, optimizer, how=""):
    alone = how == "alone"
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 7
    rank = 0
    if not alone:
        fleet.init(role_maker.PaddleCloudRoleMaker(is_collective=True))
        rank = fleet.worker_index()
        startup.random_seed += rank  # all begin as the first all the same
    with fluid.program_guard(main, startup):
        loss = model()
        optimizer = {"sgd": lambda: fluid.optimizer.SGD(0.1),
                     "adam": lambda: fluid.optimizer.Adam(0.01)}[optimizer]()
        if alone:
            optimizer.minimize(loss)
        else:
            strategy = DistributedStrategy()
            if mode == "local_sgd":
                strategy.use_local_sgd = True
            elif mode == "one_by_one":
                strategy.fuse_all_reduce_ops = False
            else:
                strategy.mode = mode
            fleet.distributed_optimizer(optimizer, strategy).minimize(loss)
    program = main if alone else fleet.main_program
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup if alone else fleet.startup_program)
    while True:
        for feed in batches(None if alone else rank):
            value, = exe.run(program, feed=feed, fetch_list=[loss])
        print("rank %d trains: pid %d" % (rank, os.getpid()), flush=True)
        if how != "slow":
            break
        time.sleep(0.2)
    if not alone:
        total = np.zeros(1, dtype="int64")
        fleet._role_maker.all_reduce_worker(np.array([rank + 1]), total)
        assert total[0] == 3 and fleet._role_maker.all_gather(rank) == [0, 1]
        fleet.barrier_worker()
    if rank == 0:
        scope = fluid.global_scope()
        np.savez(out, **{v.name: np.array(scope.find_var(v.name).get_tensor())
                         for v in main.list_vars() if v.persistable and "@" not in v.name})


if __name__ == "__main__":
    train(*sys.argv[1:])
