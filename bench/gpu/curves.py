"""Whether training on the GPU is what it is on the CPU: the losses of 200 steps of CTR-DNN on both, of the
same data. Ends with status 1 where they differ by more than 1e-3."""
import sys

import numpy as np

import ctr_dnn
import paddle.fluid as fluid

STEPS, BATCH = 200, 512


def losses(place):
    main, startup, loss, _ = ctr_dnn.build(rate=0.05)
    out = []
    with fluid.scope_guard(fluid.Scope()):
        exe = fluid.Executor(place)
        exe.run(startup)
        for feed in ctr_dnn.batches(STEPS, BATCH):
            out.append(float(exe.run(main, feed, [loss])[0][0]))
        exe.close()
    return np.array(out)


def main():
    ctr_dnn.ROWS = 100_001  # as much as a run of a minute needs
    here, there = losses(fluid.CPUPlace()), losses(fluid.CUDAPlace(0))
    worst = float(np.abs(here - there).max())
    print("losses of %d steps: CPU %.4f -> %.4f, GPU %.4f -> %.4f; they differ by %.2e at most"
          % (STEPS, here[0], here[-10:].mean(), there[0], there[-10:].mean(), worst))
    return int(not worst <= 1e-3)


if __name__ == "__main__":
    sys.exit(main())
