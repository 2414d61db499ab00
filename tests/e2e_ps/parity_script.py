"""A job of two servers and two trainers that real Paddle runs as well: dense layers, one of them
in slices, and a sparse table in slices.

    parity_script.py make OPTIMIZER FOLDER          parameters to start from
    parity_script.py job OPTIMIZER FOLDER FOLDER    a server or worker, by the environment;
                                                    from the first folder to the second

Workers print their losses, one a line."""
import sys

import numpy as np
import paddle.fluid as fluid

HALF, ROWS, WIDTH, HIDDEN = 8, 4200, 4, 1100
# Real Paddle's servers go wrong in longer runs with Adam: of 12 steps a row or two of the table
# came out differently from run to run, and from what its own single process makes, by a step.
STEPS = 6
RATES = {"SGD": 0.01, "Adam": 0.001}
SHAPES = {"table": (ROWS, WIDTH), "fc_0.w_0": (11 + WIDTH, HIDDEN), "fc_0.b_0": (HIDDEN,),
          "fc_1.w_0": (HIDDEN, 1), "fc_1.b_0": (1,)}
IDS = np.random.RandomState(3).permutation(ROWS)[:60]  # of both slices


def start_of(name):
    rng = np.random.RandomState(sum(bytearray(name.encode())))
    return rng.uniform(-0.1, 0.1, SHAPES[name]).astype("float32")


def batch(step, trainer):
    rng = np.random.RandomState(100 + 2 * step + trainer)
    dense = rng.rand(HALF, 11).astype("float32")
    return {"ids": rng.choice(IDS, (HALF, 1)).astype("int64"), "dense": dense,
            "y": dense.sum(1, keepdims=True).astype("float32")}


def model(optimizer):
    ids = fluid.layers.data("ids", [1], dtype="int64")
    dense = fluid.layers.data("dense", [11])
    y = fluid.layers.data("y", [1])
    rows = fluid.layers.embedding(ids, [ROWS, WIDTH], is_sparse=True,
                                  param_attr=fluid.ParamAttr(name="table"))
    hidden = fluid.layers.fc(fluid.layers.concat([rows, dense], axis=1), HIDDEN, act="tanh")
    loss = fluid.layers.mean(fluid.layers.square_error_cost(fluid.layers.fc(hidden, 1), y))
    return loss, getattr(fluid.optimizer, optimizer)(RATES[optimizer])


def make(loss, optimizer, folder):
    optimizer.minimize(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    for name in SHAPES:
        fluid.global_scope().find_var(name).get_tensor().set(start_of(name), fluid.CPUPlace())
    fluid.io.save_persistables(exe, folder, fluid.default_main_program())


def job(loss, optimizer, start, end):
    from paddle.fluid.incubate.fleet.base import role_maker
    from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import fleet
    from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy \
        import StrategyFactory
    fleet.init(role_maker.PaddleCloudRoleMaker())
    fleet.distributed_optimizer(optimizer, StrategyFactory.create_sync_strategy()).minimize(loss)
    if fleet.is_server():
        fleet.init_server(start)
        fleet.run_server()
        return
    fleet.init_worker()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fleet.startup_program)
    for step in range(STEPS):
        value, = exe.run(fleet.main_program, feed=batch(step, fleet.worker_index()),
                         fetch_list=[loss])
        print("loss %.9g" % value[0])
        sys.stdout.flush()
    if fleet.is_first_worker():
        fleet.save_persistables(exe, end)
    fleet.stop_worker()


def sample(folder):
    """What is compared: of large parameters every 37th element; of the table the rows in use."""
    found = {}
    for name, shape in SHAPES.items():
        block = fluid.Program().global_block()
        var = block.create_var(name=name, shape=shape, dtype="float32", persistable=True)
        scope = fluid.Scope()
        with fluid.scope_guard(scope):
            fluid.io.load_vars(fluid.Executor(fluid.CPUPlace()), folder, block.program, [var])
            value = np.array(scope.find_var(name).get_tensor())
        found[name] = value[IDS] if name == "table" else value.ravel()[::37 if value.size > 2000
                                                                        else 1]
        if name == "table":
            rest = np.ones(ROWS, bool)
            rest[IDS] = False
            assert (value[rest] == start_of(name)[rest]).all(), "rows that nobody touched moved"
    return found


def main():
    what, optimizer = sys.argv[1:3]
    {"make": make, "job": job}[what](*(model(optimizer) + tuple(sys.argv[3:])))


if __name__ == "__main__":
    main()
