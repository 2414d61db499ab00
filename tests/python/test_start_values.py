"""Where parameters start: what Paddle 1.8.5 promises of seeds (by its own runs), and a little more."""
import numpy as np
import pytest

import paddle.fluid as fluid

layers, init = fluid.layers, fluid.initializer
KINDS = {"Uniform": init.Uniform, "Normal": init.Normal, "TruncatedNormal": init.TruncatedNormal,
         "Xavier": init.Xavier, "Xavier, normal": lambda **seed: init.Xavier(uniform=False, **seed),
         "MSRA": init.MSRA}


class Model:
    """Built without unique_name.guard(), so that names differ each time."""

    def __init__(self, build, seed=0):
        self.main, self.startup = fluid.Program(), fluid.Program()
        self.main.random_seed = self.startup.random_seed = seed
        with fluid.program_guard(self.main, self.startup):
            self.fetch = build()

    def run(self, startup=None, feed=None, steps=0, times=1):
        exe, scope = fluid.Executor(fluid.CPUPlace()), fluid.Scope()
        with fluid.scope_guard(scope):
            for _ in range(times):
                exe.run(startup or self.startup)
            for _ in range(steps):
                exe.run(self.main, feed=feed, fetch_list=self.fetch)
            return [np.array(scope.find_var(p.name).get_tensor())
                    for p in self.main.all_parameters()]


def same(one, other):
    return [a.tobytes() == b.tobytes() for a, b in zip(one, other)]


def parameters(kind, n=2, shape=(30, 20), **seed):
    def build():
        for _ in range(n):
            layers.create_parameter(list(shape), "float32",
                                    default_initializer=KINDS[kind](**seed))
    return build


def network():
    x, ids = fluid.data("x", [None, 8]), fluid.data("ids", [None, 1], "int64")
    row = layers.embedding(ids, [50, 8], is_sparse=True)
    hidden = layers.dropout(layers.fc(layers.concat([x, row], axis=1), 16, act="relu"), 0.5)
    hidden = layers.dropout(layers.fc(hidden, 16), 0.3)
    loss = layers.mean(layers.fc(hidden, 1))
    fluid.optimizer.Adam(0.01).minimize(loss)
    return [loss]


@pytest.mark.parametrize("kind", KINDS)
def test_one_seed_one_start_whatever_variables_are_called(kind):
    one, other = Model(parameters(kind), 7), Model(parameters(kind), 7)
    assert all(same(one.run(), other.run()))
    assert not any(same(one.run(), Model(parameters(kind), 8).run()))


def test_two_layers_of_a_program_start_apart():
    first, second = Model(parameters("Normal"), 7).run()
    assert abs(np.corrcoef(first.ravel(), second.ravel())[0, 1]) < 0.2


def test_a_model_built_twice_trains_the_same():
    feed = {"x": np.random.RandomState(1).rand(6, 8).astype("float32"),
            "ids": np.arange(6).reshape(6, 1)}
    wanted = Model(network, 3).run(feed=feed, steps=5)
    assert all(same(Model(network, 3).run(feed=feed, steps=5), wanted))


@pytest.mark.parametrize("kind", ["Uniform", "Normal", "TruncatedNormal"])
def test_a_seed_of_its_own_decides_alone(kind):
    first, second = Model(parameters(kind, seed=5), 7).run()
    assert first.tobytes() == second.tobytes()
    alone, = Model(parameters(kind, n=1, seed=5)).run()
    assert alone.tobytes() == first.tobytes()
    longer, = Model(parameters(kind, n=1, shape=(40, 20), seed=5)).run()
    assert longer[:30].tobytes() == first.tobytes()


def test_clones_and_second_runs_start_the_same():
    one = Model(network, 7)
    wanted = one.run()
    assert all(same(one.run(times=2), wanted))
    assert all(same(one.run(one.startup.clone()), wanted))
    copy = fluid.Program.parse_from_string(one.startup.desc.serialize_to_string())
    assert all(same(one.run(copy), wanted))


def test_what_is_added_to_a_copy_starts_on_its_own():
    one = Model(parameters("Normal"), 7)
    for again in (one.startup.clone(), fluid.Program.parse_from_string(
            one.startup.desc.serialize_to_string())):
        again.random_seed = 7
        main = one.main.clone()
        with fluid.program_guard(main, again):
            parameters("Normal", n=1)()
        one_more = Model(lambda: None)
        one_more.main, one_more.startup = main, again
        values = one_more.run()
        assert same(values[:2], one.run()) == [True, True]
        assert not any(same(values[2:] * 2, values[:2]))


def test_without_a_seed_programs_of_a_process_differ():
    one, other = Model(parameters("Normal")), Model(parameters("Normal"))
    assert not any(same(one.run(), other.run()))
    assert all(same(one.run(), one.run()))  # of one process; another process starts like it
