"""Two trainers of a sync job, each a process or both in one: what each step's loss was, and what
the dense parameters are at the end, to the bit."""
import os
import sys
import threading

import numpy as np
import paddle.fluid as fluid
from paddle import _core
from ps_script import HALF, batch, model

STEPS, TRAINERS = 12, 2
ENDPOINTS = os.environ["PADDLE_PSERVERS_IP_PORT_LIST"]


def build(number):
    """Programs of trainer `number`; the servers' are the same for each."""
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 11
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        loss, optimizer = model("Adam", 0.001)[3:]
        optimizer.minimize(loss)
    transpiler = fluid.DistributeTranspiler()
    transpiler.transpile(number, program=main, pservers=ENDPOINTS, trainers=TRAINERS,
                         startup_program=startup)
    return transpiler, startup, loss


def train(number, job):
    transpiler, startup, loss = BUILT[number]
    program = transpiler.get_trainer_program()
    exe, scope = fluid.Executor(fluid.CPUPlace(), job=job), fluid.Scope()
    exe.run(startup, scope=scope)
    lines = []
    for step in range(STEPS):
        feed = batch(step, number * HALF, HALF)
        value = exe.run(program, feed=feed, fetch_list=[loss], scope=scope)[0]
        lines.append("trainer %d step %d loss %r" % (number, step, float(value[0])))
    weights = np.array(scope.find_var("fc_0.w_0").get_tensor())
    lines.append("trainer %d weights %s" % (number, weights.tobytes().hex()[:4000]))
    exe.close()
    print("\n".join(lines))


if os.environ["TRAINING_ROLE"] == "PSERVER":
    transpiler = build(0)[0]
    endpoint = "%s:%s" % (os.environ["POD_IP"], os.environ["PADDLE_PORT"])
    program, startup = transpiler.get_pserver_programs(endpoint)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    exe.run(program)
elif sys.argv[1:] == ["--together"]:
    BUILT = [build(number) for number in range(TRAINERS)]
    threads = [threading.Thread(target=train, args=(n, _core.Job())) for n in range(TRAINERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
else:
    number = int(os.environ["PADDLE_TRAINER_ID"])
    BUILT = {number: build(number)}
    train(number, None)
