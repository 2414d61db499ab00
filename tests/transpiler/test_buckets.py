"""How a plan puts the sums of gradients over ranks together (src/pass/fuse_all_reduce.c)."""
import re

import pytest

import paddle.fluid as fluid
from paddle.fluid.transpiler.collective import GradAllReduce

ENDPOINTS = ["127.0.0.1:6170", "127.0.0.1:6171"]


@pytest.fixture(autouse=True)
def flags():
    yield
    fluid.set_flags({"FLAGS_fuse_parameter_memory_size": -1.0, "FLAGS_fuse": True})


def net():
    """Two large weights, a small one, biases, a table of rows."""
    ids = fluid.data("ids", [None, 1], dtype="int64")
    rows = fluid.layers.reshape(
        fluid.embedding(ids, [1000, 8], is_sparse=True, param_attr="table"), [-1, 8])
    hidden = fluid.layers.concat([fluid.data("x", [None, 300]), rows], 1)
    for _ in range(2):
        hidden = fluid.layers.fc(hidden, 300, act="relu")
    return fluid.layers.mean(fluid.layers.fc(hidden, 2))


def plan(change=lambda main: None, optimizer=None):
    """What a rank's plan runs: [(op, gradients where it is of a group)]."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        loss = net()
        (optimizer or fluid.optimizer.SGD(0.1)).minimize(loss)
    GradAllReduce(1).transpile(startup, main, 0, list(ENDPOINTS), ENDPOINTS[0], False)
    change(main)
    text = fluid.Executor()._core.plan_text(main, {"x": None, "ids": None}, [loss],
                                            fluid.Scope())
    return [(line.split("(")[0].split()[-1], re.findall(r"([\w.]+)@GRAD", line))
            for line in text.splitlines() if line.strip()]


def of_groups(ops):
    return [(name[len("c_bucket_"):], sorted(set(grads))) for name, grads in ops
            if name.startswith("c_bucket_")]


def test_large_gradients_go_alone_and_small_ones_together():
    ops = plan()
    starts = [grads for name, grads in of_groups(ops) if name == "start"]
    assert sorted(map(sorted, starts)) == sorted([
        ["fc_0.w_0"], ["fc_1.w_0"], ["table"],
        ["fc_0.b_0", "fc_1.b_0", "fc_2.b_0", "fc_2.w_0"]])
    names = [name for name, _ in ops]
    assert not any(name.startswith("c_sync") or name == "c_allreduce_sum" for name in names)


def test_sums_begin_in_backward_and_are_waited_for_before_they_are_used():
    ops = plan()
    names = [name for name, _ in ops]
    first = next(i for i, (name, g) in enumerate(ops)
                 if name == "c_bucket_start" and "fc_1.w_0" in g)
    assert "fused_fc_grad" in names[first:]  # backward of the first layer is still to come
    assert names.count("c_bucket_wait") == names.count("c_bucket_start") == 4
    begun, waited = set(), set()
    for name, grads in ops:
        if name == "c_bucket_start":
            begun.update(grads)
        elif name == "c_bucket_wait":
            assert set(grads) <= begun
            waited.update(grads)
        elif name == "sgd":
            assert grads and set(grads) <= waited


def test_the_flag_says_how_much_goes_together():
    fluid.set_flags({"FLAGS_fuse_parameter_memory_size": 16.0})
    starts = [grads for name, grads in of_groups(plan()) if name == "start"]
    assert sorted(map(len, starts)) == [1, 6]  # the rows, and all the rest
    fluid.set_flags({"FLAGS_fuse_parameter_memory_size": 0.0})
    assert [len(g) for name, g in of_groups(plan()) if name == "start"] == [1] * 7


def test_what_must_be_over_where_it_stands_stays():
    def wait(main):
        for op in main.global_block().ops:
            if op.type == "c_allreduce_sum":
                op._set_attr("use_calc_stream", True)
    names = [name for name, _ in plan(wait)]
    assert names.count("c_allreduce_sum") == 7 and "c_bucket_start" not in names
    fluid.set_flags({"FLAGS_fuse": False})
    assert "c_bucket_start" not in [name for name, _ in plan()]


def test_a_gradient_that_is_used_in_backward_is_waited_for_there():
    """Clipping by the norm of all: every sum is over before the first square."""
    clip = fluid.clip.GradientClipByGlobalNorm(1.0)
    names = [name for name, _ in plan(optimizer=fluid.optimizer.SGD(0.1, grad_clip=clip))]
    last = max(i for i, name in enumerate(names) if name == "c_bucket_wait")
    assert names.index("sgd") > last
    assert names.count("c_bucket_wait") == names.count("c_bucket_start") == 4
