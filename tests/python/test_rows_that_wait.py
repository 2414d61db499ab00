"""Optimizers that move every row at every step let rows without a gradient wait until they are
read; then they are where a dense gradient, by which all rows move at once, would have put them."""
import numpy as np
import pytest

import adam_late_cases as cases
from adam_late_cases import ROWS, WIDTH, feed, schedule, start
import paddle.fluid as fluid

OPTIMIZERS = {
    "momentum": lambda rate: fluid.optimizer.Momentum(rate, 0.9),
    "nesterov": lambda rate: fluid.optimizer.Momentum(rate, 0.9, use_nesterov=True),
    "rmsprop": lambda rate: fluid.optimizer.RMSProp(rate, momentum=0.8, epsilon=1e-6),
    "centered": lambda rate: fluid.optimizer.RMSProp(rate, momentum=0.8, centered=True,
                                                     epsilon=1e-4),
    "adadelta": lambda rate: fluid.optimizer.Adadelta(rate, 1e-6, 0.95),
    "decayed_adagrad": lambda rate: fluid.optimizer.DecayedAdagrad(rate, 0.9, 1e-6),
    "adam": fluid.optimizer.Adam,
}


@pytest.fixture
def fusion():
    yield lambda fuse: fluid.set_flags({"FLAGS_fuse": fuse})
    fluid.set_flags({"FLAGS_fuse": True})


class Job(object):
    def __init__(self, optimizer, is_sparse=True, scope=None):
        self.main, startup, self.loss, self.test = cases.build(0.01, optimizer, is_sparse)
        self.scope, self.exe = scope or fluid.Scope(), fluid.Executor(fluid.CPUPlace())
        with fluid.scope_guard(self.scope):
            self.exe.run(startup)
        self.set(start())

    def set(self, table):
        self.scope.find_var("table").get_tensor().set(table, fluid.CPUPlace())

    def step(self, ids, grads, program=None):
        return self.exe.run(program or self.main, feed=feed(ids, grads), fetch_list=[self.loss],
                            scope=self.scope)[0]

    def state(self):
        """The table and what the optimizer keeps of it, settled."""
        names = sorted(v.name for v in self.main.list_vars()
                       if v.name.startswith("table") and v.persistable)
        return {n: np.array(self.scope.find_var(n).get_tensor()) for n in names}


def same(one, other):
    assert list(one) == list(other)
    for name in one:
        # Steps at once are less rounding than steps one by one.
        np.testing.assert_allclose(one[name], other[name], rtol=2e-4, atol=2e-6, err_msg=name)


@pytest.mark.parametrize("name", sorted(set(OPTIMIZERS) - {"adam"}))
def test_rows_end_where_dense_steps_put_them(name):
    waits, dense = Job(OPTIMIZERS[name]), Job(OPTIMIZERS[name], is_sparse=False)
    for step, (ids, grads) in enumerate(schedule(300, 7)):
        np.testing.assert_allclose(waits.step(ids, grads), dense.step(ids, grads), rtol=1e-3,
                                   atol=1e-5)
        if step % 90 == 89:
            same(waits.state(), dense.state())
    waits.step(range(ROWS), np.zeros((ROWS, WIDTH)), waits.test)  # a look-up alone settles, too
    same(waits.state(), dense.state())


@pytest.mark.parametrize("name", sorted(set(OPTIMIZERS) - {"adam"}))
def test_what_was_set_midway_stays(name):
    waits, dense = Job(OPTIMIZERS[name]), Job(OPTIMIZERS[name], is_sparse=False)
    for step, (ids, grads) in enumerate(schedule(60, 8)):
        waits.step(ids, grads)
        dense.step(ids, grads)
        if step == 30:
            waits.set(start() * 2)
            dense.set(start() * 2)
    same(waits.state(), dense.state())


def test_two_optimizers_take_turns_with_one_table():
    """Each keeps its own record of rows that wait, and leaves none of the other's behind."""
    def pair(is_sparse):
        scope = fluid.Scope()
        return [Job(OPTIMIZERS[name], is_sparse, scope) for name in ("adam", "momentum")]
    waits, dense = pair(True), pair(False)
    # Adam's powers of beta start one step apart for sparse and dense gradients: its share is
    # what moves most, so rows are compared within what that makes of them.
    for step, (ids, grads) in enumerate(schedule(80, 9)):
        which = 1 if step % 3 else 0
        waits[which].step(ids, grads)
        dense[which].step(ids, grads)
    found, wanted = waits[1].state(), dense[1].state()
    assert np.isfinite(found["table"]).all()
    speed = [n for n in found if "velocity" in n][0]
    np.testing.assert_allclose(found[speed], wanted[speed], rtol=2e-4, atol=2e-6)
    assert np.abs(found["table"] - wanted["table"]).max() < 0.1


@pytest.mark.parametrize("name", sorted(OPTIMIZERS))
def test_dense_gradients_of_large_tables_wait_too(name, fusion):
    """A large table is given its dense gradient as rows; with FLAGS_fuse=0 it is not."""
    rows, width, found = 70000, 4, []
    for fuse in (True, False):
        fusion(fuse)
        main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
        main.random_seed = startup.random_seed = 5
        with fluid.program_guard(main, startup), fluid.unique_name.guard():
            ids = fluid.layers.data("ids", [1], dtype="int64")
            out = fluid.layers.embedding(ids, [rows, width], param_attr="table")
            loss = fluid.layers.reduce_sum(fluid.layers.square(out))
            OPTIMIZERS[name](0.01).minimize(loss)
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup, scope=scope)
        rng = np.random.RandomState(2)
        for _ in range(12):
            exe.run(main, feed={"ids": rng.randint(0, 40, (8, 1)).astype("int64") * 1000},
                    fetch_list=[loss], scope=scope)
        found.append(np.array(scope.find_var("table").get_tensor()))
    np.testing.assert_allclose(found[0], found[1], rtol=2e-5, atol=1e-6)


def test_memory_that_is_had_anew_is_zero():
    """By a tensor that was asked for before the steps: no row is moved afterwards."""
    job = Job(OPTIMIZERS["momentum"])
    kept = job.scope.find_var("table").get_tensor()
    for ids, grads in schedule(4, 5):
        job.step(ids, grads)
    kept._alloc_float(fluid.CPUPlace())
    assert not np.array(kept).any()
