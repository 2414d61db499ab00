"""Milliseconds an op to build a program of about 5000 ops (forward, backward, SGD).

    python build_program.py"""
import time

from measure import report

import paddle.fluid as fluid


def build():
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.layers.data("x", [16])
        label = fluid.layers.data("label", [1])
        hidden = x
        for _ in range(417):  # 3 ops forward, 3 + 2 backward, 2 SGD, ... for each layer
            hidden = fluid.layers.fc(hidden, 16, act="relu")
            hidden = fluid.layers.elementwise_add(hidden, x)
        loss = fluid.layers.mean(fluid.layers.square_error_cost(
            fluid.layers.fc(hidden, 1), label))
        fluid.optimizer.SGD(0.1).minimize(loss)
    return len(main.global_block().ops)


rates = []
for _ in range(3):
    cpu = time.process_time()
    ops = build()
    rates.append(ops / (time.process_time() - cpu))
report("build", sorted(rates), ops=ops, ms_an_op=1e3 / max(rates))
