"""A click model on servers, over two files a worker, then by exe.run, then tested on one file.

    watch_script.py FOLDER      (who it is: the environment, as launch_ps sets it)"""
import json
import os
import signal
import sys
import urllib.request

import numpy as np

import paddle.fluid as fluid
from paddle.fluid.incubate.fleet.base import role_maker
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import fleet
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy \
    import StrategyFactory

BATCH, ROWS, RUNS = 16, 50, 7  # the last batch of a file is a small one


def write(path, rows, seed):
    rng = np.random.RandomState(seed)
    with open(path, "w") as file:
        for _ in range(rows):
            n = rng.randint(1, 4)
            ids = " ".join(str(i) for i in rng.randint(0, 1000, n))
            file.write("%d %s 1 %d\n" % (n, ids, rng.randint(2)))
    return path


def dataset(files, variables):
    made = fluid.DatasetFactory().create_dataset("QueueDataset")
    made.set_use_var(variables)
    made.set_batch_size(BATCH)
    made.set_thread(2)
    made.set_pipe_command("cat")
    made.set_filelist(files)
    return made


def scrape(folder, me):
    """As Prometheus does, where this process says."""
    with open(os.path.join(os.environ["FLAGS_watch_dir"], "worker.%d.jsonl" % me)) as file:
        address = json.loads(file.readline())["start"]["metrics"]
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(address, timeout=30) as answer:
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        text = answer.read()
    with open(os.path.join(folder, "metrics.%d.txt" % me), "wb") as file:
        file.write(text)


def main(folder):
    fleet.init(role_maker.PaddleCloudRoleMaker())
    ids = fluid.layers.data("ids", [1], dtype="int64", lod_level=1)
    label = fluid.layers.data("label", [1], dtype="int64")
    rows = fluid.layers.embedding(ids, [1000, 8], is_sparse=True, param_attr="emb")
    predict = fluid.layers.fc(fluid.layers.sequence_pool(rows, "sum"), 2, act="softmax")
    loss = fluid.layers.mean(fluid.layers.cross_entropy(predict, label))
    auc = fluid.layers.auc(predict, label)[0]
    strategy = getattr(StrategyFactory, "create_%s_strategy" % os.environ.get("MODE", "sync"))()
    fleet.distributed_optimizer(fluid.optimizer.SGD(0.1), strategy).minimize(loss)
    if fleet.is_server():
        fleet.init_server()
        fleet.run_server()
        return
    me = fleet.worker_index()
    exe = fluid.Executor(fluid.CPUPlace())
    fleet.init_worker()
    exe.run(fleet.startup_program)
    files = [write(os.path.join(folder, "part-%d-%d" % (me, i)), ROWS, 10 * me + i)
             for i in range(2)]
    exe.train_from_dataset(fleet.main_program, dataset(files, [ids, label]))
    for i in range(RUNS):
        fed = fluid.create_lod_tensor(np.arange(BATCH).reshape(-1, 1).astype("int64"),
                                      [[1] * BATCH], fluid.CPUPlace())
        exe.run(fleet.main_program, feed={"ids": fed, "label": np.zeros((BATCH, 1), "int64")},
                fetch_list=[loss, auc])
    held_out = write(os.path.join(folder, "test-%d" % me), 40, 99)
    exe.infer_from_dataset(fleet.main_program, dataset([held_out], [ids, label]))
    if os.environ.get("SCRAPE"):
        scrape(folder, me)
    if os.environ.get("DIE") == str(me) and "REGATTA_INCARNATION" not in os.environ:
        os.kill(os.getpid(), signal.SIGKILL)
    if os.environ.get("FAIL") == str(me):
        raise ValueError("this worker has had enough")
    fleet.stop_worker()


main(*sys.argv[1:])
