"""The same program on the same inputs gives the same bits, whatever the process has run before."""
import numpy as np
import pytest

import paddle.fluid as fluid

layers = fluid.layers


def mlp():
    x, y = fluid.data("x", [None, 64]), fluid.data("y", [None, 1])
    hidden = layers.fc(layers.fc(x, 64, act="relu"), 64, act="tanh")
    return layers.mean(layers.square_error_cost(layers.fc(hidden, 1), y))


def wide():
    x, y = fluid.data("x", [None, 64]), fluid.data("y", [None, 1])
    row = layers.embedding(layers.cast(layers.scale(y, 9.0), "int64"), [10, 64], is_sparse=True)
    hidden = layers.layer_norm(layers.fc(layers.concat([x, row], axis=1), 32, act="sigmoid"))
    return layers.mean(layers.square_error_cost(layers.fc(hidden, 1), y))


class Built:
    def __init__(self, build, optimizer):
        self.main, self.startup = fluid.Program(), fluid.Program()
        self.main.random_seed = self.startup.random_seed = 3
        with fluid.program_guard(self.main, self.startup), fluid.unique_name.guard():
            self.loss = build()
            self.forward = self.main.clone(for_test=True)
            optimizer().minimize(self.loss)

    def bits(self, rows, program=None, steps=3):
        rng = np.random.RandomState(1)
        feed = {"x": rng.rand(rows, 64).astype("float32"), "y": rng.rand(rows, 1).astype("float32")}
        scope = fluid.Scope()
        with fluid.scope_guard(scope):
            exe = fluid.Executor(fluid.CPUPlace())
            exe.run(self.startup)
            program = program or self.main
            out = [exe.run(program, feed=feed, fetch_list=[self.loss.name])[0].tobytes()
                   for _ in range(steps)]
        return out + [np.array(scope.find_var(v.name).get_tensor()).tobytes()
                      for v in self.main.list_vars() if v.persistable]


def sgd():
    return fluid.optimizer.SGD(0.1)


def adam():
    return fluid.optimizer.Adam(0.01)


@pytest.mark.parametrize("rows", [16, 64, 101, 200])
@pytest.mark.parametrize("build", [mlp, wide])
def test_the_twentieth_program_gives_the_bits_of_the_first(build, rows):
    first = Built(build, sgd).bits(rows)
    assert all(Built(build, sgd).bits(rows) == first for _ in range(20))


@pytest.mark.parametrize("optimizer", [sgd, adam])
@pytest.mark.parametrize("build", [mlp, wide])
def test_clones_give_the_bits_of_the_program(build, optimizer):
    one = Built(build, optimizer)
    wanted = one.bits(200)
    assert one.bits(200, one.main.clone()) == one.bits(200, one.main.clone()) == wanted
    assert one.bits(200, one.forward, 1)[0] == wanted[0]
    assert one.bits(200, one.main.clone(for_test=True), 1)[0] == wanted[0]


def test_a_data_parallel_run_changes_nothing_for_later_ones(monkeypatch):
    old = fluid.get_flags("FLAGS_paddle_num_threads")
    fluid.set_flags({"FLAGS_paddle_num_threads": 2})
    try:
        one = Built(mlp, sgd)
        wanted = one.bits(1000)
        monkeypatch.setenv("CPU_NUM", "2")
        many = fluid.CompiledProgram(one.main).with_data_parallel(loss_name=one.loss.name)
        together = one.bits(1000, many)
        assert one.bits(1000) == wanted
        assert one.bits(1000, many) == together
    finally:
        fluid.set_flags(old)
