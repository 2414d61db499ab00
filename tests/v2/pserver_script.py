"""A trainer over `paddle pserver`: a Fluid program by hand, with a cost that is a sum over samples
and gradients that are summed over trainers, as v1 and v2 jobs have them.

Without --pservers it trains alone on what all trainers would have seen in a step. What it has
learned is written to --out as JSON."""
import argparse
import json
import sys
import time

import numpy

import paddle.fluid as fluid

ROWS = 8  # samples of a trainer in a step
WORDS, WIDTH = 50, 4


OPTIMIZERS = {
    "sgd": lambda: fluid.optimizer.SGD(0.01),
    "adam": lambda: fluid.optimizer.Adam(fluid.layers.piecewise_decay([2, 4], [0.1, 0.05, 0.01])),
    "momentum": lambda: fluid.optimizer.Momentum(
        0.01, 0.9, regularization=fluid.regularizer.L2Decay(1e-3)),
    "rmsprop": lambda: fluid.optimizer.RMSProp(fluid.layers.exponential_decay(0.01, 2, 0.5)),
    "ftrl": lambda: fluid.optimizer.Ftrl(fluid.layers.polynomial_decay(0.05, 4)),
}


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pservers", default="", help="dense endpoints")
    parser.add_argument("--sparse", default="", help="endpoints for tables")
    parser.add_argument("--trainer", type=int, default=0)
    parser.add_argument("--trainers", type=int, default=1)
    parser.add_argument("--mode", default="sync")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--pause", type=float, default=0.0)
    parser.add_argument("--out")
    parser.add_argument("--dense-only", action="store_true")
    parser.add_argument("--optimizer", default="sgd", choices=sorted(OPTIMIZERS))
    return parser.parse_args()


def build(dense_only, optimizer):
    x = fluid.layers.data("x", [3])
    y = fluid.layers.data("y", [1])
    word = fluid.layers.data("word", [1], dtype="int64")
    constant = fluid.initializer.Constant
    inputs = [x]
    if not dense_only:
        inputs.append(fluid.layers.embedding(
            word, size=[WORDS, WIDTH], is_sparse=True,
            param_attr=fluid.ParamAttr(name="table", initializer=constant(0.1))))
    hidden = fluid.layers.fc(inputs, 5, act="tanh",
                             param_attr=[fluid.ParamAttr(name="w%d" % i,
                                                         initializer=constant(0.05 * (i + 1)))
                                         for i in range(len(inputs))],
                             bias_attr=fluid.ParamAttr(name="b"))
    out = fluid.layers.fc(hidden, 1, param_attr=fluid.ParamAttr(name="w_out",
                                                                initializer=constant(0.2)),
                          bias_attr=fluid.ParamAttr(name="b_out"))
    cost = fluid.layers.reduce_sum(fluid.layers.square_error_cost(out, y))
    OPTIMIZERS[optimizer]().minimize(cost)
    return cost


def batch(step, first, rows):
    """Rows [first, first + rows) of what all trainers see in this step."""
    chance = numpy.random.RandomState(step)
    x = chance.uniform(-1, 1, [64, 3]).astype("float32")
    word = chance.randint(0, WORDS, [64, 1]).astype("int64")
    y = (x.sum(axis=1, keepdims=True) + 0.1 * (word % 3)).astype("float32")
    return {name: value[first:first + rows]
            for name, value in (("x", x), ("y", y), ("word", word))}


def learned(dense_only):
    names = ["w0", "b", "w_out", "b_out"] + ([] if dense_only else ["w1", "table"])
    scope = fluid.global_scope()
    return {name: numpy.asarray(scope.find_var(name).get_tensor()).ravel().tolist()
            for name in names}


def fetch_table(endpoints):
    from paddle import _core
    for endpoint in endpoints:
        try:
            return numpy.asarray(_core.job_get(endpoint, "table")).ravel().tolist()
        except Exception as missing:  # it is elsewhere
            print(missing)
    raise RuntimeError("no server has the table")


def main():
    args = options()
    cost = build(args.dense_only, args.optimizer)
    main_program, startup = fluid.default_main_program(), fluid.default_startup_program()
    exe = fluid.Executor(fluid.CPUPlace())
    first, rows = args.trainer * ROWS, ROWS
    endpoints = [e for e in (args.pservers + "," + args.sparse).split(",") if e]
    if endpoints:
        t = fluid.DistributeTranspiler()
        t._transpile(args.trainer, main_program, args.pservers, args.trainers,
                     args.mode == "sync", startup,
                     sparse_endpoints=[e for e in args.sparse.split(",") if e],
                     sum_gradients=True)
        if args.trainer == 0:
            t.send_programs()
            print("programs are sent")
    else:
        rows = ROWS * args.trainers
    exe.run(startup)
    print("started")
    sys.stdout.flush()
    for step in range(args.steps):
        value, = exe.run(main_program, feed=batch(step, first, rows), fetch_list=[cost])
        print("step %d cost %.6f" % (step, float(numpy.ravel(value)[0])))
        sys.stdout.flush()
        time.sleep(args.pause)
    if args.out:
        if endpoints:  # in async the last answers may be under way
            from paddle import _core
            _core.job_flush()
        found = learned(True)
        if not args.dense_only:
            found = dict(found, w1=learned_one("w1"),
                         table=fetch_table(endpoints) if endpoints else learned_one("table"))
        found["last"] = float(numpy.ravel(value)[0])
        with open(args.out, "w") as out:
            json.dump(found, out)
    exe.close()


def learned_one(name):
    return numpy.asarray(fluid.global_scope().find_var(name).get_tensor()).ravel().tolist()


if __name__ == "__main__":
    main()
