"""The script that the guides call train.py, which is the reader's own: a small click model, on
servers where a launcher says so, else alone. STAY=1: workers do not end by themselves."""
import os
import random
import time

import paddle.fluid as fluid
import paddle.fluid.incubate.fleet.base.role_maker as role_maker
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import (StrategyFactory,
                                                                                fleet)

word = fluid.data("word", [None, 1], "int64", lod_level=1)
click = fluid.data("click", [None, 1], "int64")
rows = fluid.layers.embedding(word, size=[100, 8], is_sparse=True,
                              param_attr=fluid.ParamAttr(name="emb"))
guess = fluid.layers.fc(fluid.layers.sequence_pool(rows, "average"), 2, act="softmax")
loss = fluid.layers.mean(fluid.layers.cross_entropy(guess, click))
fluid.layers.auc(guess, click)


def made(number):
    path = "part-%d" % number
    if not os.path.exists(path):
        draw, aside = random.Random(number), "%s.%d" % (path, os.getpid())
        with open(aside, "w") as f:
            for _ in range(2000):
                drawn = draw.randrange(100)
                f.write("1 %d 1 %d\n" % (drawn, drawn < 50))
        os.rename(aside, path)
    return path


def dataset(files, **how):
    found = fluid.DatasetFactory().create_dataset("QueueDataset")
    found.set_batch_size(100)
    found.set_use_var([word, click])
    found.set_filelist(files, **how)
    return found


exe = fluid.Executor(fluid.CPUPlace())
adam = fluid.optimizer.Adam(learning_rate=0.05)
if os.environ.get("PADDLE_PSERVERS_IP_PORT_LIST"):
    fleet.init(role_maker.PaddleCloudRoleMaker())
    fleet.distributed_optimizer(adam, StrategyFactory.create_sync_strategy()).minimize(loss)
    if fleet.is_server():
        fleet.init_server()
        fleet.run_server()
    else:
        fleet.init_worker()
        exe.run(fleet.startup_program)
        if int(os.environ.get("FLAGS_ps_elastic", "0")):
            data = dataset([made(0), made(1)], lease=True)
        else:
            data = dataset([made(fleet.worker_index() % 2)])
        exe.train_from_dataset(fleet.main_program, data)
        open("trained-%d" % fleet.worker_index(), "w").close()
        time.sleep(60 if os.environ.get("STAY") else 0)
        if fleet.is_first_worker():
            fleet.save_persistables(exe, "model")
        fleet.stop_worker()
else:
    adam.minimize(loss)
    exe.run(fluid.default_startup_program())
    fluid.io.save_persistables(exe, "model_at_start")
    exe.train_from_dataset(fluid.default_main_program(), dataset([made(0)]))
    fluid.io.save_persistables(exe, "model")
