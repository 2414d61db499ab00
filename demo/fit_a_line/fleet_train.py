"""Fit a line with Fleet, on two servers and two workers of this host:

    python -m paddle.distributed.launch_ps --worker_num 2 --server_num 2 fleet_train.py
"""
import argparse
import sys

import paddle
import paddle.fluid as fluid
import paddle.fluid.incubate.fleet.base.role_maker as role_maker
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import (StrategyFactory,
                                                                                fleet)

from train import build


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mode", default="sync", choices=["sync", "async", "half_async", "geo"])
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--model", metavar="FOLDER", default="output/fit_a_line.fleet",
                        help="where worker 0 puts the inference model")
    args = parser.parse_args()
    x, y, predicted, loss = build()
    fleet.init(role_maker.PaddleCloudRoleMaker())
    strategy = getattr(StrategyFactory, "create_%s_strategy" % args.mode)()
    fleet.distributed_optimizer(fluid.optimizer.SGD(learning_rate=0.001), strategy).minimize(loss)
    if fleet.is_server():
        fleet.init_server()
        fleet.run_server()
        return
    fleet.init_worker()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fleet.startup_program)
    feeder = fluid.DataFeeder(place=fluid.CPUPlace(), feed_list=[x, y])
    # Every worker reads its share of the examples.
    mine = [example for i, example in enumerate(paddle.dataset.uci_housing.train()())
            if i % fleet.worker_num() == fleet.worker_index()]
    reader = paddle.batch(paddle.reader.shuffle(lambda: iter(mine), buf_size=500), batch_size=10)
    for epoch in range(args.epochs):
        total = count = 0.0
        for batch in reader():
            value, = exe.run(fleet.main_program, feed=feeder.feed(batch), fetch_list=[loss])
            total, count = total + float(value[0]) * len(batch), count + len(batch)
        mean = fleet.metrics.mse([total], [count])  # over all workers
        if fleet.is_first_worker():
            print("epoch %3d  loss %8.3f" % (epoch, mean))
            sys.stdout.flush()
    if fleet.is_first_worker():
        fleet.save_inference_model(exe, args.model, ["x"], [predicted])
        print("inference model: %s" % args.model)
    fleet.stop_worker()


if __name__ == "__main__":
    main()
