"""A job of a server and two workers that fails as its argument says, for `paddle doctor LOG_DIR`."""
import os
import resource
import signal
import socket
import sys

HOW = sys.argv[1]
ME = os.environ["TRAINING_ROLE"] + os.environ.get("PADDLE_TRAINER_ID", "0")


def fail_early():
    if HOW == "module":
        import no_such_module  # noqa: F401
    if HOW == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if HOW == "disk":
        with open("/dev/full", "w") as file:
            file.write("x")
    if HOW == "memory":
        resource.setrlimit(resource.RLIMIT_AS, (1 << 28, 1 << 28))
        bytearray(1 << 30)


if ME == "TRAINER1":
    fail_early()
    if os.environ.get("LATE_MS"):  # as on a host whose clock is behind
        os.environ["RG_FAULT_CLOCK_MS"] = "-" + os.environ["LATE_MS"]
if HOW == "server":
    if ME == "PSERVER0":
        os.kill(os.getpid(), signal.SIGSEGV)
    signal.pause()
if HOW in ("module", "killed", "disk", "memory", "wait"):
    signal.pause()

import paddle.fluid as fluid  # noqa: E402
from paddle.fluid.incubate.fleet.base.role_maker import PaddleCloudRoleMaker  # noqa: E402
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import (  # noqa: E402
    StrategyFactory, fleet)

if HOW == "port" and ME == "PSERVER0":
    taken = socket.socket()
    taken.bind((os.environ["POD_IP"], int(os.environ["PADDLE_PORT"])))
    taken.listen(1)
fleet.init(PaddleCloudRoleMaker())
word = fluid.data("word", [None, 1], "int64", lod_level=1)
label = fluid.data("label", [None, 1], "float32")
row = fluid.layers.sequence_pool(fluid.embedding(word, [100, 4], is_sparse=True), "sum")
out = fluid.layers.fc(fluid.layers.reshape(row, [-1, 4]), 1)
if HOW == "nan":
    out = fluid.layers.log(fluid.layers.scale(fluid.layers.abs(out), -1.0, -1.0))
loss = fluid.layers.mean(fluid.layers.square_error_cost(out, label))
strategy = StrategyFactory.create_sync_strategy()
fleet.distributed_optimizer(fluid.optimizer.SGD(0.01), strategy).minimize(loss)
if fleet.is_server():
    fleet.init_server()
    fleet.run_server()
    sys.exit()
second = fleet.worker_index() == 1
path = "part-%d" % fleet.worker_index()
with open(path, "w") as file:
    for i in range(300):
        bad = i == 123 and HOW == "data" and second
        file.write("2 %d %s 1 0.5\n" % (i % 100, "seven" if bad else 7))
dataset = fluid.DatasetFactory().create_dataset("QueueDataset")
dataset.set_use_var([word, label])
dataset.set_batch_size(10)
dataset.set_filelist([path])
exe = fluid.Executor(fluid.CPUPlace())
exe.run(fluid.default_startup_program())
fleet.init_worker()
exe.train_from_dataset(fluid.default_main_program(), dataset)
if HOW == "user" and second:
    raise ValueError("the model is wrong")
fleet.stop_worker()
