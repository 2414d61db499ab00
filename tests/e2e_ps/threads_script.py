"""A trainer on CPU_NUM threads, as PaddleRec runs it: one weight and a table of four rows, SGD of
rate 1, every gradient of the weight 1 and of a row 1/4, BATCHES batches from a loader. Runs on
real Paddle 1.8.5 as well (record_threads.py).

    threads_script.py MODE FOLDER      (who it is: the environment, as launch_ps sets it)

A worker prints what it fetched, step by step, as JSON; worker 0 saves to FOLDER. With DATASET set
the threads are train_from_dataset's."""
import json
import os
import sys
import time

import numpy as np

import paddle.fluid as fluid
from paddle.fluid.incubate.fleet.base import role_maker
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import fleet
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy \
    import StrategyFactory

BATCHES, BATCH, ROWS = 20, 12, 4
MAKE = {"sync": StrategyFactory.create_sync_strategy,
        "async": StrategyFactory.create_async_strategy,
        "half_async": StrategyFactory.create_half_async_strategy,
        "geo": lambda: StrategyFactory.create_geo_strategy(5)}


def model():
    def start(value):
        return fluid.initializer.Constant(value)
    x = fluid.data("x", [None, 1], "float32")
    ids = fluid.data("ids", [None, 1], "int64")
    loader = None if os.environ.get("DATASET") else fluid.io.DataLoader.from_generator(
        feed_list=[x, ids], capacity=64, iterable=False)
    w = fluid.layers.create_parameter([1], "float32", "w", default_initializer=start(0.))
    row = fluid.layers.embedding(ids, [ROWS, 1], is_sparse=True,
                                 param_attr=fluid.ParamAttr("table", initializer=start(0.)))
    return loader, fluid.layers.mean(x * w + fluid.layers.reshape(row, [-1, 1]))


def batches():
    for _ in range(BATCHES):
        time.sleep(float(os.environ.get("PAUSE", 0)))
        yield np.ones([BATCH, 1], "float32"), (np.arange(BATCH).reshape(-1, 1) % ROWS).astype("int64")


def train_from_dataset(exe, folder):
    threads = int(os.environ["CPU_NUM"])
    dataset = fluid.DatasetFactory().create_dataset("QueueDataset")
    block = fluid.default_main_program().global_block()
    dataset.set_use_var([block.var("x"), block.var("ids")])
    dataset.set_batch_size(BATCH)
    dataset.set_thread(threads)
    dataset.set_pipe_command("cat")
    files = [folder + ".data%d" % i for i in range(threads)]
    for name in files:
        with open(name, "w") as file:
            file.writelines("1 1.0 1 %d\n" % (i % ROWS) for i in range(BATCHES // threads * BATCH))
    dataset.set_filelist(files)
    exe.train_from_dataset(fleet.main_program, dataset, thread=threads)


def train_from_loader(exe, loader, loss, strategy):
    program = fluid.CompiledProgram(fleet.main_program).with_data_parallel(
        loss_name=loss.name, build_strategy=strategy.get_build_strategy(),
        exec_strategy=strategy.get_execute_strategy())
    loader.set_batch_generator(batches, places=fluid.cpu_places())
    loader.start()
    fetched = []
    try:
        while True:
            fetched.append(np.array(exe.run(program, fetch_list=[loss.name])[0]).tolist())
    except fluid.core.EOFException:
        loader.reset()
    print(json.dumps({"loss": fetched}))
    sys.stdout.flush()


def work(loader, loss, strategy, folder):
    exe = fluid.Executor(fluid.CPUPlace())
    fleet.init_worker()
    exe.run(fleet.startup_program)
    if os.environ.get("DATASET"):
        train_from_dataset(exe, folder)
    else:
        train_from_loader(exe, loader, loss, strategy)
    if fleet.is_first_worker():
        time.sleep(float(os.environ.get("PAUSE", 0)) * 5)
        fleet.save_persistables(exe, folder)
    fleet.stop_worker()


def main(mode, folder):
    fleet.init(role_maker.PaddleCloudRoleMaker())
    loader, loss = model()
    strategy = MAKE[mode]()
    fleet.distributed_optimizer(fluid.optimizer.SGD(1.0), strategy).minimize(loss)
    if fleet.is_server():
        fleet.init_server()
        fleet.run_server()
    else:
        work(loader, loss, strategy, folder)


main(*sys.argv[1:])
