"""CTR-DNN of the quick start on whatever paddle.fluid is importable: the same script measures
Paddle 1.8.5 and Regatta. Every repeat prints one line of JSON.

    python ctr_fluid.py --data DIR [--input memory|queue|feed] [--pipe none|python|native]
                        [--opt sgd|adam|lazy] [--threads N] [--parts N] [--passes N] [--reps N]
    python -m paddle.distributed.launch_ps ... ctr_fluid.py --ps MODE --out FILE --data DIR ...

With --ps it is a server or a worker of a job, and workers add their lines to FILE, too."""
import argparse
import glob
import json
import math
import os
import resource
import sys
import time

import numpy as np

TABLE_ROWS, WIDTH, DENSE, SLOTS, BATCH = 1000001, 10, 13, 26, 512


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True, help="a folder made by data.py")
    parser.add_argument("--input", default="memory", choices=["memory", "queue", "feed"])
    parser.add_argument("--pipe", default="none", choices=["none", "python", "native"],
                        help="what turns raw logs into text; none: text is read")
    parser.add_argument("--opt", default="sgd", choices=["sgd", "adam", "lazy"])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--parts", type=int, default=4, help="files an epoch")
    parser.add_argument("--passes", type=int, default=1, help="epochs in a repeat")
    parser.add_argument("--reps", type=int, default=3)
    parser.add_argument("--ps", choices=["sync", "async", "half_async", "geo"])
    parser.add_argument("--ranks", action="store_true",
                        help="one rank of a collective job, which mpirun or launch has started")
    parser.add_argument("--out", help="workers' lines, of all of them")
    return parser.parse_args()


args = arguments()
import paddle.fluid as fluid  # noqa: E402 (--help needs none)


def weights(inputs):
    return fluid.ParamAttr(initializer=fluid.initializer.Normal(scale=1 / math.sqrt(inputs)))


def build():
    dense = fluid.layers.data("dense_input", [DENSE])
    slots = [fluid.layers.data("C%d" % i, [1], dtype="int64", lod_level=1)
             for i in range(1, SLOTS + 1)]
    label = fluid.layers.data("label", [1], dtype="int64")
    table = fluid.ParamAttr(name="table", initializer=fluid.initializer.Uniform())
    hidden = fluid.layers.concat(
        [fluid.layers.embedding(s, [TABLE_ROWS, WIDTH], is_sparse=True, param_attr=table)
         for s in slots] + [dense], axis=1)
    for _ in range(3):
        hidden = fluid.layers.fc(hidden, 400, act="relu", param_attr=weights(hidden.shape[1]))
    predict = fluid.layers.fc(hidden, 2, act="softmax", param_attr=weights(400))
    loss = fluid.layers.reduce_sum(fluid.layers.cross_entropy(predict, label))
    auc, _, _ = fluid.layers.auc(predict, label, num_thresholds=2 ** 12, slide_steps=20)
    optimizer = {"sgd": lambda: fluid.optimizer.SGD(1e-4),
                 "adam": lambda: fluid.optimizer.Adam(1e-4),
                 "lazy": lambda: fluid.optimizer.Adam(1e-4, lazy_mode=True)}[args.opt]()
    return [dense] + slots + [label], loss, auc, optimizer


def join(optimizer):
    """Fleet, with the optimizer made one of the job."""
    import paddle.fluid.incubate.fleet.base.role_maker as role_maker
    from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import fleet
    from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler \
        .distributed_strategy import StrategyFactory
    fleet.init(role_maker.PaddleCloudRoleMaker())
    strategy = (StrategyFactory.create_geo_strategy(100) if args.ps == "geo" else
                getattr(StrategyFactory, "create_%s_strategy" % args.ps)())
    return fleet, fleet.distributed_optimizer(optimizer, strategy)


def join_ranks(optimizer):
    import paddle.fluid.incubate.fleet.base.role_maker as role_maker
    from paddle.fluid.incubate.fleet.collective import DistributedStrategy, fleet
    fleet.init(role_maker.PaddleCloudRoleMaker(is_collective=True))
    return fleet, fleet.distributed_optimizer(optimizer, DistributedStrategy())


def pipe_command():
    reader = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../demo/ctr")
    return {"none": "cat", "native": "paddle criteo --hash %d" % TABLE_ROWS,
            "python": "%s %s/criteo_reader.py %d" % (sys.executable, reader, TABLE_ROWS)}[args.pipe]


def from_dataset(exe, program, slots, worker, workers):
    kind = "InMemoryDataset" if args.input == "memory" else "QueueDataset"
    folder = "text" if args.pipe == "none" else "raw"
    files = sorted(glob.glob("%s/%s/part-*" % (args.data, folder)))[worker::workers][:args.parts]
    dataset = fluid.DatasetFactory().create_dataset(kind)
    dataset.set_use_var(slots)
    dataset.set_pipe_command(pipe_command())
    dataset.set_batch_size(BATCH)
    dataset.set_thread(args.threads)
    dataset.set_filelist(files)
    if args.input == "memory":
        dataset.load_into_memory()
    with open(args.data + "/rows") as count:
        rows = int(count.read()) * len(files)

    def epoch():
        exe.train_from_dataset(program, dataset, thread=args.threads)
        return rows
    return epoch


def from_arrays(exe, loss, auc):
    arrays = np.load(args.data + "/train.npz")
    with open(args.data + "/rows") as count:
        n = int(count.read()) * args.parts // BATCH * BATCH
    place, lod = fluid.CPUPlace(), [[1] * BATCH]
    dense, ids = arrays["dense"][:n], arrays["ids"][:n]
    label = arrays["label"][:n].reshape(-1, 1)

    def epoch():
        for at in range(0, n, BATCH):
            part = slice(at, at + BATCH)
            feed = {"dense_input": dense[part], "label": label[part]}
            for i in range(SLOTS):
                column = np.ascontiguousarray(ids[part, i:i + 1])
                feed["C%d" % (i + 1)] = fluid.create_lod_tensor(column, lod, place)
            exe.run(fluid.default_main_program(), feed=feed, fetch_list=[loss, auc])
        return n
    return epoch


def cpu_seconds():
    """Of this process and of the pipe commands that have ended."""
    return sum(u.ru_utime + u.ru_stime for u in
               map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def traffic():
    """Bytes that this process sent to servers and got from them, where it counts them."""
    try:
        from paddle import _core
        return sum(_core.job_traffic())
    except ImportError:
        return 0


def say(figures):
    line = json.dumps(figures)
    print(line)
    sys.stdout.flush()
    if args.out:
        with open(args.out, "a") as out:
            out.write(line + "\n")


def measure(epoch, worker):
    epoch()
    for rep in range(args.reps):
        cpu, began, sent = cpu_seconds(), time.time(), traffic() if args.ps else 0
        rows = sum(epoch() for _ in range(args.passes))
        ended = time.time()
        cpu, wall = cpu_seconds() - cpu, ended - began
        figures = {"per_cpu": rows / cpu, "per_second": rows / wall, "rows": rows,
                   "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0}
        if args.ps or args.ranks:
            figures.update(cpu=cpu, rep=rep, worker=worker, began=began, ended=ended,
                           bytes=traffic() - sent)
        say(figures)


def main():
    slots, loss, auc, optimizer = build()
    fleet, worker, workers = None, 0, 1
    if args.ps:
        fleet, optimizer = join(optimizer)
    elif args.ranks:
        fleet, optimizer = join_ranks(optimizer)
    optimizer.minimize(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    program, startup = fluid.default_main_program(), fluid.default_startup_program()
    if args.ps and fleet.is_server():
        fleet.init_server()
        fleet.run_server()
        return
    if args.ps:
        fleet.init_worker()
    if fleet:
        worker, workers = fleet.worker_index(), fleet.worker_num()
        program, startup = fleet.main_program, fleet.startup_program
    exe.run(startup)
    measure(from_arrays(exe, loss, auc) if args.input == "feed" else
            from_dataset(exe, program, slots, worker, workers), worker)
    if args.ps:
        fleet.stop_worker()
        say({"done": worker})


main()
