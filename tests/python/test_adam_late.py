"""Adam that is not lazy over a sparse table: rows without a gradient move when they are next
read, and must then be where they would have been. Against what Paddle 1.8.5 recorded, and
against the plain loop in float64."""
import os
import threading

import numpy as np
import pytest

import adam_late_cases as cases
from adam_late_cases import ROWS, WIDTH, feed, schedule, start
import paddle.fluid as fluid

GOLDEN = os.path.join(os.path.dirname(__file__), "golden", "adam_late.npz")


class Reference:
    """Every row at every step, in float64, but with the constants that float32 has."""
    b1, b2 = float(np.float32(0.9)), float(np.float32(0.999))

    def __init__(self, table, rate=0.01, eps=1e-8):
        self.p = table.astype("float64")
        self.m, self.v = np.zeros_like(self.p), np.zeros_like(self.p)
        self.pow1, self.pow2, self.rate, self.eps = self.b1, self.b2, rate, float(np.float32(eps))

    def step(self, ids, grads, rate=None, dense=False):
        g = np.zeros_like(self.p)
        np.add.at(g, ids, grads.astype("float64"))
        used = (self.pow1, self.pow2)
        self.pow1 *= self.b1
        self.pow2 *= self.b2
        if not dense:  # the sparse kernel advances them first
            used = (self.pow1, self.pow2)
        self.m = self.b1 * self.m + (1 - self.b1) * g
        self.v = self.b2 * self.v + (1 - self.b2) * g * g
        rate = (self.rate if rate is None else rate) * np.sqrt(1 - used[1]) / (1 - used[0])
        self.p -= rate * self.m / (np.sqrt(self.v) + self.eps)


class Job:
    """A table in a scope of its own, and the reference that goes with it."""

    def __init__(self, table=None, **options):
        self.main, startup, self.loss, self.test = cases.build(**options)
        self.scope, self.exe = fluid.Scope(), fluid.Executor(fluid.CPUPlace())
        with fluid.scope_guard(self.scope):
            self.exe.run(startup)
        self.set(start() if table is None else table)
        self.reference = Reference(start() if table is None else table)

    def tensor(self, name="table"):
        return self.scope.find_var(name).get_tensor()

    def set(self, table):
        self.tensor().set(table, fluid.CPUPlace())

    def step(self, ids, grads, program=None):
        return self.exe.run(program or self.main, feed=feed(ids, grads), fetch_list=[self.loss],
                            scope=self.scope)

    def both(self, ids, grads, **more):
        self.step(ids, grads)
        self.reference.step(ids, grads, **more)

    def check(self, atol=1e-6):
        np.testing.assert_allclose(np.array(self.tensor()), self.reference.p, atol=atol, rtol=0)


def test_the_numbers_are_those_of_paddle():
    with np.load(GOLDEN) as golden:
        wanted = golden["golden"]
    got = cases.run_golden()
    assert got.shape == wanted.shape
    for seen, want in zip(got, wanted):
        np.testing.assert_allclose(seen[0], want[0], atol=1e-6, rtol=0)
        for i in 1, 2:
            np.testing.assert_allclose(seen[i], want[i], rtol=2e-4, atol=1e-30)
    np.testing.assert_allclose(cases.run_end(), wanted[-1][0], atol=1e-6, rtol=0)


@pytest.mark.parametrize("seed", range(5))
def test_random_schedules_end_where_the_plain_loop_does(seed):
    job, rng = Job(), np.random.RandomState(seed)
    for step in range(400):
        n = rng.randint(1, 5)
        ids = rng.randint(0, ROWS if step % 50 == 0 else 5, n)
        grads = rng.randn(n, WIDTH) * 10.0 ** rng.uniform(-6, 2)
        job.both(ids, grads.astype("float32"))
    job.check()


@pytest.mark.parametrize("exponent", [-2, -5, -6, -7, -8, -9, -12, -20, -30])
def test_gradients_near_epsilon_and_far_below_it(exponent):
    job = Job()
    for step, (ids, grads) in enumerate(schedule(300, exponent + 50)):
        size = np.float32(10.0) ** np.float32(exponent)
        grads = np.sign(grads) * size if step < 4 else grads * 0
        job.both(ids, grads.astype("float32"))
    job.check()


def test_a_row_that_rests_for_thousands_of_steps():
    job = Job()
    job.both(range(ROWS), np.random.RandomState(1).randn(ROWS, WIDTH).astype("float32"))
    for _ in range(3000):
        job.both([0], np.ones((1, WIDTH), "float32"))
    rested = slice(1, None)  # row 0 has made 3000 roundings of a value that grows to 30
    np.testing.assert_allclose(np.array(job.tensor())[rested], job.reference.p[rested], atol=1e-6)
    job.both(range(ROWS), np.ones((ROWS, WIDTH), "float32"))
    np.testing.assert_allclose(np.array(job.tensor())[rested], job.reference.p[rested], atol=1e-6)


def test_a_rate_that_decays():
    def optimizer(rate):
        return fluid.optimizer.Adam(fluid.layers.exponential_decay(rate, 10, 0.8))
    job = Job(optimizer=optimizer)
    for step, (ids, grads) in enumerate(schedule(300, 5)):
        job.both(ids, grads, rate=0.01 * 0.8 ** (step / 10))
    job.check()


@pytest.mark.parametrize("betas", [dict(beta1=0.5, beta2=0.6), dict(beta1=0.95, beta2=0.95),
                                   dict(epsilon=1e-2)])
def test_other_constants(betas):
    job = Job(optimizer=lambda rate: fluid.optimizer.Adam(rate, **betas))
    job.reference.b1 = float(np.float32(betas.get("beta1", 0.9)))
    job.reference.b2 = float(np.float32(betas.get("beta2", 0.999)))
    job.reference.eps = float(np.float32(betas.get("epsilon", 1e-8)))
    job.reference.pow1, job.reference.pow2 = job.reference.b1, job.reference.b2
    for ids, grads in schedule(300, 6):
        job.both(ids, grads)
    job.check(atol=2e-6)


def test_whoever_reads_the_table_sees_it_up_to_date(tmp_path):
    job = Job()
    held = job.tensor()  # taken before the steps
    for step, (ids, grads) in enumerate(schedule(300, 7)):
        job.both(ids, grads)
        way = step % 60
        if way == 10:
            np.testing.assert_allclose(np.array(held), job.reference.p, atol=1e-6)
        elif way == 20:
            seen, = job.exe.run(job.main, feed=feed(ids, grads), fetch_list=["table"],
                                scope=job.scope)
            job.reference.step(ids, grads)
            np.testing.assert_allclose(seen, job.reference.p, atol=1e-6)
        elif way == 30:
            with fluid.scope_guard(job.scope):
                fluid.io.save_persistables(job.exe, str(tmp_path), job.main)
            copy = Job()
            with fluid.scope_guard(copy.scope):
                fluid.io.load_persistables(copy.exe, str(tmp_path), copy.main)
            np.testing.assert_allclose(np.array(copy.tensor()), job.reference.p, atol=1e-6)
        elif way == 40:  # by a program that only looks up
            ones = np.ones((ROWS, WIDTH), "float32")
            seen, = job.step(range(ROWS), ones, job.test)
            np.testing.assert_allclose(seen, job.reference.p.sum(), atol=1e-4)
        elif way == 50:
            with fluid.scope_guard(job.scope):
                fluid.save(job.main, str(tmp_path / "saved"))
            state = fluid.io.load_program_state(str(tmp_path / "saved"))
            np.testing.assert_allclose(state["table"], job.reference.p, atol=1e-6)
    job.check()


def test_training_goes_on_from_what_was_saved(tmp_path):
    steps = list(schedule(300, 8))
    job = Job()
    for ids, grads in steps[:170]:
        job.both(ids, grads)
    with fluid.scope_guard(job.scope):
        fluid.io.save_persistables(job.exe, str(tmp_path), job.main)
    for ids, grads in steps[170:]:  # away from it ...
        job.step(ids, -grads)
    with fluid.scope_guard(job.scope):
        fluid.io.load_persistables(job.exe, str(tmp_path), job.main)
    fresh = Job(table=np.zeros_like(start()))
    with fluid.scope_guard(fresh.scope):
        fluid.io.load_persistables(fresh.exe, str(tmp_path), fresh.main)
    for ids, grads in steps[170:]:  # ... and back
        job.both(ids, grads)
        fresh.step(ids, grads)
    job.check()
    np.testing.assert_array_equal(np.array(fresh.tensor()), np.array(job.tensor()))


def test_a_table_that_is_set_midway_goes_on_from_there():
    job = Job()
    for step, (ids, grads) in enumerate(schedule(300, 9)):
        if step == 150:
            job.set(start() * 0.5)
            job.reference.p = start().astype("float64") * 0.5
        if step == 200:  # moments, too: rows that had none have some now
            name = cases.moment(job.main, 1)
            value = np.full((ROWS, WIDTH), 0.01, "float32")
            job.tensor(name).set(value, fluid.CPUPlace())
            job.reference.m = value.astype("float64")
            square = np.full((ROWS, WIDTH), 1e-3, "float32")
            job.tensor(cases.moment(job.main, 2)).set(square, fluid.CPUPlace())
            job.reference.v = square.astype("float64")
        job.both(ids, grads)
    job.check()


def test_dense_steps_in_between():
    """The same variables, updated by a program whose gradient is dense."""
    job = Job()
    dense, _, loss, _ = cases.build(is_sparse=False)
    for step, (ids, grads) in enumerate(schedule(300, 10)):
        if step % 25 == 7:
            job.exe.run(dense, feed=feed(ids, grads), fetch_list=[loss], scope=job.scope)
            job.reference.step(ids, grads, dense=True)
        else:
            job.both(ids, grads)
    job.check()


def test_another_program_writes_the_table():
    """assign() reads and writes all of it: nothing may be lost or done twice."""
    job = Job()
    other = fluid.Program()
    with fluid.program_guard(other, fluid.Program()):
        table = other.global_block().create_var(name="table", shape=[ROWS, WIDTH],
                                                dtype="float32", persistable=True)
        fluid.layers.assign(fluid.layers.scale(table, 0.5), table)
    for step, (ids, grads) in enumerate(schedule(200, 11)):
        job.both(ids, grads)
        if step % 40 == 11:
            job.exe.run(other, scope=job.scope)
            job.reference.p *= 0.5
    job.check()


def test_the_scope_may_go_before_the_steps_are_made():
    for _ in range(3):
        job = Job()
        for ids, grads in schedule(50, 12):
            job.step(ids, grads)
        del job  # late rows and all


def test_threads_that_train_one_table_lose_no_steps():
    """Each thread has rows of its own; all rows must have moved at every step of both."""
    job, main2 = Job(), cases.build()
    half = {0: range(0, 8), 1: range(8, 16)}
    job.step(range(ROWS), np.ones((ROWS, WIDTH), "float32"))
    name = cases.moment(job.main, 1)
    steps = 40

    def work(which):
        exe = fluid.Executor(fluid.CPUPlace())
        program, loss = (job.main, job.loss) if which == 0 else (main2[0], main2[2])
        ids = list(half[which])
        for _ in range(steps):
            exe.run(program, feed=feed(ids, np.zeros((8, WIDTH))), fetch_list=[loss],
                    scope=job.scope)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    moments = np.array(job.tensor(name))
    wanted = np.float32(0.1) * 0.9 ** (2 * steps)
    np.testing.assert_allclose(moments[16:], wanted, rtol=1e-3)  # rows of neither
    assert np.all(moments[:16] < wanted * 1.2) and np.all(moments[:16] > wanted * 0.4)


@pytest.mark.parametrize("optimizer", [
    lambda rate: fluid.optimizer.Momentum(rate, 0.9),
    lambda rate: fluid.optimizer.Adagrad(rate),
    lambda rate: fluid.optimizer.RMSProp(rate),
    lambda rate: fluid.optimizer.Adam(rate, lazy_mode=True),
    lambda rate: fluid.optimizer.SGD(rate, grad_clip=fluid.clip.GradientClipByGlobalNorm(0.1)),
])
def test_other_optimizers_change_only_what_they_should(optimizer):
    """A row that never had a gradient stays, whatever the optimizer; the others learn."""
    job = Job(optimizer=optimizer)
    for ids, grads in schedule(30, 13):
        job.step(ids, grads)
    table = np.array(job.tensor())
    assert np.array_equal(table[20:], start()[20:])
    assert np.abs(table[:6] - start()[:6]).max() > 1e-4
