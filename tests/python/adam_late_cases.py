"""A table that Adam trains by sparse gradients which are fed, so that they can be anything: run
alike by Paddle 1.8.5, which records, and by Regatta, which is compared."""
import numpy as np

import paddle.fluid as fluid

ROWS, WIDTH = 24, 5
BUSY = 6  # rows that are in nearly every batch; others rest for hundreds of steps


def build(rate=0.01, optimizer=None, is_sparse=True):
    """(main, startup, loss, test program): d loss / d table[id] is what is fed as "push"."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        ids = fluid.layers.data("ids", [1], dtype="int64", lod_level=1)
        push = fluid.layers.data("push", [WIDTH])
        rows = fluid.layers.embedding(ids, [ROWS, WIDTH], is_sparse=is_sparse, param_attr="table")
        loss = fluid.layers.reduce_sum(fluid.layers.elementwise_mul(rows, push))
        test = main.clone(for_test=True)
        (optimizer or fluid.optimizer.Adam)(rate).minimize(loss)
    return main, startup, loss, test


def feed(ids, push):
    ids = np.asarray(ids, "int64").reshape(-1, 1)
    return {"ids": fluid.create_lod_tensor(ids, [[len(ids)]], fluid.CPUPlace()),
            "push": np.asarray(push, "float32").reshape(len(ids), WIDTH)}


def schedule(steps, seed):
    """(ids, gradients) of every step. A row's gradients are of one size, from 1 to 1e-10: at
    the small ones epsilon rules. Rows from 20 on never have any."""
    rng = np.random.RandomState(seed)
    size = 10.0 ** -(np.arange(ROWS) % 11)
    for step in range(steps):
        ids = rng.randint(0, BUSY, 4).tolist()
        if step % 97 == 5:
            ids += rng.randint(BUSY, 20, 6).tolist()
        if step == 3:
            ids += range(BUSY, 20)
        grads = rng.randn(len(ids), WIDTH) * size[ids][:, None]
        yield ids, grads.astype("float32")


def start():
    return np.random.RandomState(9).uniform(-1, 1, (ROWS, WIDTH)).astype("float32")


def moment(main, which):
    return [v.name for v in main.list_vars() if v.name.startswith("table_moment%d" % which)][0]


def run_golden(steps=420, every=70):
    """The table and both moments after every so many steps."""
    main, startup, loss, _ = build(1e-3)
    scope, out = fluid.Scope(), []
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(scope):
        exe.run(startup)
        scope.find_var("table").get_tensor().set(start(), fluid.CPUPlace())
        for step, (ids, push) in enumerate(schedule(steps, 3)):
            exe.run(main, feed=feed(ids, push), fetch_list=[loss])
            if (step + 1) % every == 0:
                out.append([np.array(scope.find_var(name).get_tensor())
                            for name in ("table", moment(main, 1), moment(main, 2))])
    return np.array(out)


def run_end(steps=420):
    """The table at the end alone: nothing asks for it in between."""
    main, startup, loss, _ = build(1e-3)
    scope = fluid.Scope()
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(scope):
        exe.run(startup)
        scope.find_var("table").get_tensor().set(start(), fluid.CPUPlace())
        for ids, push in schedule(steps, 3):
            exe.run(main, feed=feed(ids, push), fetch_list=[loss])
        return np.array(scope.find_var("table").get_tensor())
