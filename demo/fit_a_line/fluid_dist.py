"""Fit a line on parameter servers, with DistributeTranspiler and six variables:

    export PADDLE_PSERVER_IPS=ps0,ps1 PADDLE_PSERVER_PORT=6174 PADDLE_TRAINERS=2
    PADDLE_TRAINING_ROLE=PSERVER PADDLE_CURRENT_IP=ps0 python fluid_dist.py
    PADDLE_TRAINING_ROLE=PSERVER PADDLE_CURRENT_IP=ps1 python fluid_dist.py
    PADDLE_TRAINING_ROLE=TRAINER PADDLE_TRAINER_ID=0 python fluid_dist.py
    PADDLE_TRAINING_ROLE=TRAINER PADDLE_TRAINER_ID=1 python fluid_dist.py

Hosts by name or address. On one host the addresses 127.0.0.1 and 127.0.0.2 do."""
import os
import sys

import paddle
import paddle.fluid as fluid

from train import build

EPOCHS = int(os.getenv("EPOCHS", "30"))
BATCH_SIZE = 8


def cluster():
    """(role, this server's endpoint, all servers' endpoints, this trainer, trainers)"""
    port = os.getenv("PADDLE_PSERVER_PORT", "6174")
    hosts = os.environ["PADDLE_PSERVER_IPS"].split(",")
    return (os.getenv("PADDLE_TRAINING_ROLE"),
            "%s:%s" % (os.getenv("PADDLE_CURRENT_IP", ""), port),
            ",".join("%s:%s" % (host, port) for host in hosts),
            int(os.getenv("PADDLE_TRAINER_ID", "0")), int(os.environ["PADDLE_TRAINERS"]))


def serve(exe, transpiler, endpoint):
    program = transpiler.get_pserver_program(endpoint)
    startup = transpiler.get_startup_program(endpoint, program)
    exe.run(startup)
    exe.run(program)


def train(exe, program, feeds, loss):
    reader = paddle.batch(paddle.reader.shuffle(paddle.dataset.uci_housing.train(), buf_size=500),
                          batch_size=BATCH_SIZE)
    feeder = fluid.DataFeeder(place=fluid.CPUPlace(), feed_list=feeds)
    exe.run(fluid.default_startup_program())
    for epoch in range(EPOCHS):
        for number, batch in enumerate(reader()):
            value, = exe.run(program, feed=feeder.feed(batch), fetch_list=[loss])
            if (number + 1) % 10 == 0:
                print("Epoch: {0}, Batch: {1}, loss: {2}".format(epoch, number, value[0]))
    exe.close()  # the servers end when the last trainer has closed


def main():
    x, y, _, loss = build()
    fluid.optimizer.SGD(learning_rate=0.001).minimize(loss)
    role, endpoint, endpoints, trainer_id, trainers = cluster()
    transpiler = fluid.DistributeTranspiler()
    transpiler.transpile(trainer_id=trainer_id, pservers=endpoints, trainers=trainers)
    exe = fluid.Executor(fluid.CPUPlace())
    if role == "PSERVER":
        serve(exe, transpiler, endpoint)
    elif role == "TRAINER":
        train(exe, transpiler.get_trainer_program(), [x, y], loss)
    else:
        sys.exit("PADDLE_TRAINING_ROLE is %r, and must be TRAINER or PSERVER" % role)


if __name__ == "__main__":
    main()
