"""Every op of collective training, on two ranks: each rank checks its own results. c_allreduce_sum,
c_allreduce_prod, c_allreduce_max, c_allreduce_min, allreduce; c_broadcast, broadcast; c_allgather,
c_reducescatter; c_sync_calc_stream, c_sync_comm_stream."""
import numpy as np

import paddle.fluid as fluid
from paddle import _core
from paddle.fluid.layers import collective as L

RANK, RANKS, _ = _core.group_who()
assert RANKS == 2
exe = fluid.Executor(fluid.CPUPlace())


def run(build, feed, fetch_gradient=False):
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        x = fluid.data("x", feed.shape, str(feed.dtype))
        x.stop_gradient = not fetch_gradient
        out = build(x)
        fetches = [out]
        if fetch_gradient:
            weights = fluid.data("weights", out.shape)
            loss = fluid.layers.reduce_sum(out * weights)
            fetches += fluid.gradients(loss, x)
    fed = {"x": feed}
    if fetch_gradient:
        fed["weights"] = (np.arange(np.prod(out.shape)).reshape(out.shape) + 10 * RANK).astype("f4")
    return exe.run(main, feed=fed, fetch_list=fetches)


mine = np.array([[1, 2], [3, -4]], "float32") * (RANK + 1)
both = [np.array([[1, 2], [3, -4]], "float32") * k for k in (1, 2)]
for name, wanted in (("sum", both[0] + both[1]), ("prod", both[0] * both[1]),
                     ("max", np.maximum(*both)), ("min", np.minimum(*both))):
    for build in (lambda x: L._c_allreduce(x, reduce_type=name),
                  lambda x: L._c_allreduce(x, reduce_type=name, use_calc_stream=True),
                  lambda x: L._allreduce(x, reduce_type=name)):
        assert (run(build, mine)[0] == wanted).all(), name
for dtype in ("int64", "float64", "int32"):
    assert (run(L._c_allreduce, mine.astype(dtype))[0] == (both[0] + both[1]).astype(dtype)).all()

# What an element does to the losses of all ranks: the sum of what they say.
out, gradient = run(L._c_allreduce, mine, True)
assert (gradient == 2 * np.arange(4).reshape(2, 2) + 10).all(), gradient

for root in (0, 1):
    assert (run(lambda x: L._c_broadcast(x, root), mine)[0] == both[root]).all()
    assert (run(lambda x: L._broadcast(x, root), mine)[0] == both[root]).all()

out, gradient = run(lambda x: L._c_allgather(x, 2), mine, True)
assert (out == np.concatenate(both)).all()
whole = 2 * np.arange(8).reshape(4, 2) + 10  # of both ranks' weights
assert (gradient == whole[2 * RANK:2 * RANK + 2]).all(), gradient

tall = np.concatenate([mine, -mine])
out, gradient = run(lambda x: L._c_reducescatter(x, 2), tall, True)
assert (out == (1 if RANK == 0 else -1) * (both[0] + both[1])).all()
assert (gradient == np.concatenate([np.arange(4).reshape(2, 2) + 10 * k for k in (0, 1)])).all()

for build in (lambda x: L._c_sync_calc_stream(x * 2), lambda x: L._c_sync_comm_stream(x * 2, 0)):
    out, gradient = run(build, mine, True)
    assert (out == mine * 2).all()
    assert (gradient == 2 * (np.arange(4).reshape(2, 2) + 10 * RANK)).all(), gradient


# Rows of a sparse gradient, of which ranks have different numbers, and one has none.
def rows_over_ranks(ids, sum_op):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        table = fluid.embedding(fluid.data("ids", [None, 1], dtype="int64"), [10, 3],
                                is_sparse=True, param_attr=fluid.ParamAttr(
                                    name="t", initializer=fluid.initializer.Constant(1.0)))
        loss = fluid.layers.reduce_sum(table * (RANK + 1.0))
        fluid.optimizer.SGD(1.0).minimize(loss)
        block = main.global_block()
        at = [i for i, op in enumerate(block.ops) if op.type == "sgd"][0]
        block._insert_op(at, type="c_allreduce_sum", inputs={"X": "t@GRAD"},
                         outputs={"Out": "t@GRAD"}, attrs={"ring_id": 0, **sum_op})
    scope = fluid.Scope()
    with fluid.scope_guard(scope):
        exe.run(startup)
        for _ in range(2):
            exe.run(main, feed={"ids": np.array(ids, "int64").reshape(-1, 1)})
        return np.array(scope.find_var("t").get_tensor())[:, 0]


for waits in ({}, {"use_calc_stream": True}):
    for first, second in (([1, 2, 2], [2, 9]), ([], [3]), ([4], [])):
        wanted = np.ones(10)
        for ids, weight in ((first, 1), (second, 2)):
            np.subtract.at(wanted, np.array(ids, int), 2 * weight)
        got = rows_over_ranks((first, second)[RANK], waits)
        assert (got == wanted).all(), (first, second, got)

# What cannot be is said.
for build, text in ((lambda x: L._c_allgather(x, 3), "nranks is 3, and the group has 2"),
                    (lambda x: L._c_broadcast(x, 2), "broadcast from rank 2 of 2")):
    try:
        run(build, mine)
        raise AssertionError("it ran")
    except (ValueError, RuntimeError) as e:
        assert text in str(e), e
print("rank %d: all is as it should be" % RANK)
