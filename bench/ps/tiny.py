"""A model of 14 numbers in a sync job: what a step costs where there is nothing to compute. Each
worker writes one line of JSON to FILE.

    python -m paddle.distributed.launch_ps ... tiny.py --out FILE [--steps N] [--idle SECONDS]

With --idle worker 0 sleeps after its steps, while the others wait for it in the next one."""
import argparse
import json
import time

import numpy as np
import paddle.fluid as fluid
import paddle.fluid.incubate.fleet.base.role_maker as role_maker
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import fleet
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy \
    import StrategyFactory


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--idle", type=float, default=0.0)
    args = parser.parse_args()
    x = fluid.layers.data("x", [13])
    y = fluid.layers.data("y", [1])
    loss = fluid.layers.mean(fluid.layers.square_error_cost(fluid.layers.fc(x, 1), y))
    fleet.init(role_maker.PaddleCloudRoleMaker())
    fleet.distributed_optimizer(fluid.optimizer.SGD(1e-3),
                                StrategyFactory.create_sync_strategy()).minimize(loss)
    if fleet.is_server():
        fleet.init_server()
        fleet.run_server()
        return
    fleet.init_worker()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fleet.startup_program)
    feed = {"x": np.ones((4, 13), "float32"), "y": np.ones((4, 1), "float32")}

    def steps(n):
        for _ in range(n):
            exe.run(fleet.main_program, feed=feed, fetch_list=[loss])
    steps(50)
    began = time.time()
    steps(args.steps)
    figures = {"steps": args.steps, "seconds": time.time() - began}
    if args.idle:
        figures["idle_began"] = time.time()
        if fleet.worker_index() == 0:
            time.sleep(args.idle)
        steps(1)
        figures["idle_ended"] = time.time()
    fleet.stop_worker()
    with open(args.out, "a") as out:
        out.write(json.dumps(dict(figures, done=fleet.worker_index())) + "\n")


main()
