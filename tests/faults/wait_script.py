"""A small job on parameter servers over a dataset or a feed: what the tests of waits run.

Everybody is told who it is by the environment. These make one process different from the rest:
BAD_LINE has an id beyond its table in a worker's data, STUCK makes a worker sleep for ever in its
own code after its first steps."""
import argparse
import os
import signal
import sys
import threading
import time

import numpy as np
import paddle.fluid as fluid
import paddle.fluid.incubate.fleet.base.role_maker as role_maker
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import (
    StrategyFactory, fleet)

ROWS = 50


def write_data(folder, index, lines):
    path = os.path.join(folder, "part-%d" % index)
    with open(path, "w") as file:
        for i in range(lines):
            bad = os.environ.get("BAD_LINE") and i == lines // 2
            file.write("1 %d 1 %d\n" % (ROWS + 7 if bad else i % ROWS, i % 2))
    return path


def model():
    word = fluid.layers.data("word", [1], dtype="int64", lod_level=1)
    label = fluid.layers.data("label", [1], dtype="int64")
    row = fluid.layers.embedding(word, [ROWS, 4], is_sparse=True, param_attr="table")
    predicted = fluid.layers.fc(fluid.layers.sequence_pool(row, "sum"), 2, act="softmax")
    return word, label, fluid.layers.mean(fluid.layers.cross_entropy(predicted, label))


def over_dataset(args, exe, inputs, index):
    dataset = fluid.DatasetFactory().create_dataset("QueueDataset")
    dataset.set_use_var(inputs)
    dataset.set_batch_size(4)
    dataset.set_thread(args.threads)
    dataset.set_filelist([write_data(os.getcwd(), 10 * index + i, args.lines)
                          for i in range(args.threads)])
    exe.train_from_dataset(fleet.main_program, dataset)


def fork(exe, program, loss):
    """A child as os.fork() makes it, which ends as a script does: it takes no part in the job."""
    child = os.fork()
    if child == 0:
        try:
            exe.run(program, fetch_list=[loss], feed={
                "word": fluid.create_lod_tensor(np.zeros((4, 1), "int64"), [[1] * 4],
                                                fluid.CPUPlace()),
                "label": np.zeros((4, 1), "int64")})
            print("the child trains", flush=True)
        except Exception as e:  # noqa: the message is looked at
            print("the child hears:", e, flush=True)
        sys.exit(0)
    print("the child ended with", os.waitpid(child, 0)[1], flush=True)


def by_feed(args, exe, loss, index):
    program = fleet.main_program
    if args.threads > 1:
        os.environ["CPU_NUM"] = str(args.threads)
        program = fluid.compiler.CompiledProgram(program).with_data_parallel(loss_name=loss.name)
    for step in range(args.lines // 4 + (args.more_steps if index == 0 else 0)):
        ids = np.arange(4, dtype="int64").reshape(4, 1)
        if os.environ.get("BAD_LINE") and step == 2:
            ids[3] = ROWS + 7
        exe.run(program, fetch_list=[loss],
                feed={"word": fluid.create_lod_tensor(ids, [[1] * 4], fluid.CPUPlace()),
                      "label": np.array([[0], [1], [0], [1]], dtype="int64")})
        print("step", step, flush=True)
        if args.fork and step == 1:
            fork(exe, program, loss)
        if os.environ.get("STUCK") and step == 1:
            print("stuck", flush=True)
            time.sleep(1000)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", default="sync")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--lines", type=int, default=40)
    parser.add_argument("--feed", action="store_true")
    parser.add_argument("--late-worker", type=int, default=-1, help="comes after 1000 s")
    parser.add_argument("--stop-server", type=int, default=-1, help="stands still after 3 s")
    parser.add_argument("--more-steps", type=int, default=0, help="of worker 0, by feed")
    parser.add_argument("--fork", action="store_true")
    parser.add_argument("--no-wait-port", action="store_true")
    parser.add_argument("--only-start", action="store_true")
    args = parser.parse_args()
    word, label, loss = model()
    fleet.init(role_maker.PaddleCloudRoleMaker())
    strategy = (StrategyFactory.create_geo_strategy(2) if args.mode == "geo" else
                getattr(StrategyFactory, "create_%s_strategy" % args.mode)())
    if args.no_wait_port:
        strategy.set_program_config({"wait_port": False})
    fleet.distributed_optimizer(fluid.optimizer.SGD(0.1), strategy).minimize(loss)
    if fleet.is_server():
        if fleet.server_index() == args.stop_server:
            threading.Timer(3, os.kill, (os.getpid(), signal.SIGSTOP)).start()
        fleet.init_server()
        fleet.run_server()
        return
    time.sleep(1000 if fleet.worker_index() == args.late_worker else 0)
    fleet.init_worker()
    if args.only_start:
        fleet.stop_worker()
        return
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fleet.startup_program)
    print("training", flush=True)
    if args.feed:
        by_feed(args, exe, loss, fleet.worker_index())
    else:
        over_dataset(args, exe, [word, label], fleet.worker_index())
    print("trained", flush=True)
    if os.environ.get("MEET") == "sum":
        fleet.all_reduce_worker(np.ones(3), np.zeros(3))
    elif os.environ.get("MEET"):
        fleet.barrier_worker()
    fleet.stop_worker()


if __name__ == "__main__":
    main()
