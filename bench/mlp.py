"""The MLP 273-400-400-400-2 (batch 512, forward + backward + SGD, one thread) against its bare
GEMMs: pairs of runs, one after the other, and the median of their ratios.

    python mlp.py PATH-OF-bare_gemms [pairs]"""
import subprocess
import sys
import time

import numpy as np
import paddle.fluid as fluid

BATCH, WIDTHS, STEPS = 512, [273, 400, 400, 400, 2], 20


def build():
    x = fluid.data("x", [None, WIDTHS[0]])
    label = fluid.data("label", [None, 1], "int64")
    hidden = x
    for width in WIDTHS[1:-1]:
        hidden = fluid.layers.fc(hidden, width, act="relu")
    predicted = fluid.layers.fc(hidden, WIDTHS[-1], act="softmax")
    loss = fluid.layers.mean(fluid.layers.cross_entropy(predicted, label))
    fluid.optimizer.SGD(1e-2).minimize(loss)
    return loss


def main(bare, pairs):
    loss = build()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    program = fluid.default_main_program()
    rng = np.random.RandomState(0)
    feed = {"x": rng.randn(BATCH, WIDTHS[0]).astype("float32"),
            "label": rng.randint(0, 2, (BATCH, 1)).astype("int64")}

    def step_ms():
        cpu = time.thread_time()
        for _ in range(STEPS):
            exe.run(program, feed=feed, fetch_list=[loss])
        return (time.thread_time() - cpu) / STEPS * 1e3

    gemms = subprocess.Popen([bare, str(BATCH)] + [str(w) for w in WIDTHS], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, universal_newlines=True)
    step_ms()
    ratios = []
    for _ in range(pairs):
        gemms.stdin.write("go\n")
        gemms.stdin.flush()
        bare_ms = float(gemms.stdout.readline())
        ratios.append((bare_ms / step_ms(), bare_ms))
    gemms.stdin.close()
    gemms.wait()
    ratios.sort()
    ratio, bare_ms = ratios[len(ratios) // 2]
    print("mlp: bare GEMMs %.2f ms, step %.2f ms: %.2f of the bound (bar 0.85)"
          % (bare_ms, bare_ms / ratio, ratio))


main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 15)
