"""Fit a line on parameter servers, with DistributeTranspiler and the oldest variables:

    export PSERVERS=127.0.0.1:6174 SERVER_ENDPOINT=127.0.0.1:6174
    TRAINING_ROLE=PSERVER python dist_train.py
    TRAINING_ROLE=TRAINER python dist_train.py

The last line once for each of PADDLE_TRAINERS_NUM (2) trainers; or all of them at once:

    python -m paddle.distributed.launch_ps --worker_num 2 --server_num 1 dist_train.py
"""
import argparse
import os
import sys

import paddle
import paddle.fluid as fluid

from train import build


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--passes", type=int, default=20)
    parser.add_argument("--model", metavar="FOLDER", help="trainer 0 writes an inference model")
    args = parser.parse_args()
    x, y, predicted, loss = build()
    optimize_ops, params_grads = fluid.optimizer.SGD(learning_rate=0.001).minimize(loss)
    transpiler = fluid.DistributeTranspiler()
    transpiler.transpile(optimize_ops, params_grads, pservers=os.environ["PSERVERS"],
                         trainers=int(os.environ.get("PADDLE_TRAINERS_NUM", "2")))
    exe = fluid.Executor(fluid.CPUPlace())
    if os.environ["TRAINING_ROLE"] == "PSERVER":
        endpoint = os.environ["SERVER_ENDPOINT"]
        program = transpiler.get_pserver_program(endpoint)
        exe.run(transpiler.get_startup_program(endpoint, program))
        exe.run(program)
        return 0
    program = transpiler.get_trainer_program()
    exe.run(fluid.default_startup_program())
    feeder = fluid.DataFeeder(place=fluid.CPUPlace(), feed_list=[x, y])
    reader = paddle.batch(paddle.reader.shuffle(paddle.dataset.uci_housing.train(), buf_size=500),
                          batch_size=20)
    first = value = None
    for number in range(args.passes):
        for batch in reader():
            value, = exe.run(program, feed=feeder.feed(batch), fetch_list=[loss])
            first = value[0] if first is None else first
        print("pass %3d  loss %8.3f" % (number, value[0]))
    if args.model:
        fluid.io.save_inference_model(args.model, ["x"], [predicted], exe, program)
    exe.close()
    return 0 if value[0] < first else 1


if __name__ == "__main__":
    sys.exit(main())
