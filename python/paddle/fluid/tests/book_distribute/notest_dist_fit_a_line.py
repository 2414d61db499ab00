"""Fit a line on parameter servers, with the calls of Fluid's first releases.

A server, then two trainers, each in a shell of its own, all with

    export PSERVERS=127.0.0.1:6174 SERVER_ENDPOINT=127.0.0.1:6174
    TRAINING_ROLE=PSERVER python notest_dist_fit_a_line.py
    TRAINING_ROLE=TRAINER python notest_dist_fit_a_line.py

The server says "Server listening on 127.0.0.1:6174" when trainers may come, and ends when the
last of them has. A trainer succeeds when its loss is below 10."""
import os
import sys

import paddle
import paddle.fluid as fluid

BATCH_SIZE = 20
PASSES = 100


def build():
    """The model: (its inputs, the loss, what minimize() gives)."""
    x = fluid.layers.data(name="x", shape=[13], dtype="float32")
    y_predict = fluid.layers.fc(input=x, size=1, act=None)
    y = fluid.layers.data(name="y", shape=[1], dtype="float32")
    cost = fluid.layers.square_error_cost(input=y_predict, label=y)
    avg_cost = fluid.layers.mean(x=cost)
    sgd = fluid.optimizer.SGD(learning_rate=0.001)
    optimize_ops, params_grads = sgd.minimize(avg_cost)
    return [x, y], avg_cost, optimize_ops, params_grads


def main():
    feeds, avg_cost, optimize_ops, params_grads = build()

    # What this process is, in the variables of the time.
    pserver_endpoints = os.getenv("PSERVERS", "127.0.0.1:6174")
    current_endpoint = os.getenv("SERVER_ENDPOINT", "127.0.0.1:6174")
    training_role = os.getenv("TRAINING_ROLE", "TRAINER")

    # Nobody gives the trainers numbers: the servers count them as they come. How many there
    # are is what everybody has to agree on: to have more, change the number of trainers below
    # in every copy of this file.
    t = fluid.DistributeTranspiler()

    t.transpile(
        optimize_ops,
        params_grads,
        pservers=pserver_endpoints,
        trainers=2)
    exe = fluid.Executor(fluid.CPUPlace())
    if training_role == "PSERVER":
        serve(exe, t, current_endpoint)
        return 0
    if training_role == "TRAINER":
        return train(exe, t, feeds, avg_cost)
    sys.stderr.write("TRAINING_ROLE=%s: it is PSERVER or TRAINER\n" % training_role)
    return 2


def serve(exe, t, endpoint):
    pserver_prog = t.get_pserver_program(endpoint)
    pserver_startup = t.get_startup_program(endpoint, pserver_prog)
    exe.run(pserver_startup)
    exe.run(pserver_prog)


def train(exe, t, feeds, avg_cost):
    """0 when the loss is low enough, 1 when the passes are over without that."""
    train_reader = paddle.batch(
        paddle.reader.shuffle(paddle.dataset.uci_housing.train(), buf_size=500),
        batch_size=BATCH_SIZE)
    feeder = fluid.DataFeeder(place=fluid.CPUPlace(), feed_list=feeds)
    exe.run(fluid.default_startup_program())
    for pass_id in range(PASSES):
        for data in train_reader():
            loss, = exe.run(t.get_trainer_program(), feed=feeder.feed(data),
                            fetch_list=[avg_cost])
        print("pass %d, loss %.3f" % (pass_id, loss[0]))
        sys.stdout.flush()
        if loss[0] < 10.0:
            return 0  # a trainer that goes is counted as closed, and the other goes on
    return 1


if __name__ == "__main__":
    sys.exit(main())
