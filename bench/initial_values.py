"""Million values a CPU-second that initializers draw: 16 M floats in a scope that is new each
time. Runs on real Paddle 1.8.5 and here.

    python initial_values.py uniform|normal|truncated [reps]"""
import sys

import paddle.fluid as fluid
from measure import repeat, report

KINDS = {"uniform": fluid.initializer.Uniform(-1.0, 1.0, seed=3),
         "normal": fluid.initializer.Normal(0.0, 1.0, seed=3),
         "truncated": fluid.initializer.TruncatedNormal(0.0, 1.0, seed=3)}
ROWS, WIDTH = 262144, 64


def main(kind, reps):
    startup = fluid.Program()
    with fluid.program_guard(fluid.Program(), startup):
        fluid.layers.create_parameter([ROWS, WIDTH], "float32", default_initializer=KINDS[kind])
    exe = fluid.Executor(fluid.CPUPlace())
    rates, _ = repeat(lambda i: exe.run(startup, scope=fluid.Scope()), 1, reps, warm_up=1)
    report("initial values, " + kind, [rate * ROWS * WIDTH / 1e6 for rate in rates])


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5)
