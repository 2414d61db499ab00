"""A tree-based model, small: it learns which items go with which users from the nodes above them,
and finds an item by walking down the tree."""
import numpy as np

ITEMS, USERS = 8, 4
# Nodes 1-2, 3-6, 7-14; the items 1-8 are the last layer. Node 0 pads.
TRAVEL = [[0, 0, 0]] + [[1 + i // 4, 3 + i // 2, 7 + i] for i in range(ITEMS)]
TREE = [[0] * 5] + [[0, 1, 0, 2 * n + 1, 2 * n + 2] for n in range(1, 3)] + [
    [0, 2, (n - 1) // 2, 2 * n + 1, 2 * n + 2] for n in range(3, 7)] + [
    [n - 6, 3, (n - 1) // 2, 0, 0] for n in range(7, 15)]


def _score(user, nodes, width=8):
    """How well each of the nodes [batch, n, 1] suits the user: [batch, n, 2]."""
    import paddle.fluid as fluid
    from paddle.fluid import layers
    u = fluid.embedding(user, [USERS, width], param_attr="users")
    n = layers.embedding(nodes, [15, width], param_attr="nodes")
    u = layers.expand(layers.reshape(u, [-1, 1, width]), [1, nodes.shape[1], 1])
    h = layers.fc(layers.concat([u, n, u * n], 2), 16, 2, "fc1", fluid.ParamAttr("b1"), "tanh")
    return layers.fc(h, 2, 2, "fc2", fluid.ParamAttr("b2"))


def _train_program(fluid):
    from paddle.fluid import layers
    user, item = fluid.data("user", [None, 1], "int64"), fluid.data("item", [None, 1], "int64")
    nodes, labels, mask = fluid.contrib.layers.tdm_sampler(
        item, [1, 2, 4], [2, 4, 8], ITEMS + 1, fluid.ParamAttr("travel"), fluid.ParamAttr("layer"),
        output_list=True, tree_dtype="int64", dtype="int64")
    nodes, labels, mask = [layers.concat(parts, 1) for parts in (nodes, labels, mask)]
    cost, _ = layers.softmax_with_cross_entropy(_score(user, nodes), labels, return_softmax=True)
    cost = layers.elementwise_mul(cost, layers.cast(mask, "float32"))
    loss = layers.reduce_mean(cost)
    fluid.optimizer.Adam(0.03).minimize(loss)
    return loss


def _infer_program(fluid):
    """From the top layer down, the better child of each step."""
    from paddle.fluid import layers
    user = fluid.data("user", [None, 1], "int64")
    at = fluid.data("top", [None, 2], "int64")
    for _ in range(3):
        score = layers.softmax(_score(user, layers.unsqueeze(at, [2])))
        right = layers.squeeze(layers.slice(score, [2], [1], [2]), [2])
        best = layers.argmax(right, 1)
        at = fluid.layers.index_sample(at, layers.reshape(best, [-1, 1]))
        node = at
        child, _ = fluid.contrib.layers.tdm_child(at, 15, 2, fluid.ParamAttr("tree"), "int64")
        at = layers.reshape(child, [-1, 2])
    return node


def test_it_learns_and_finds():
    import paddle.fluid as fluid
    main, startup, infer = fluid.Program(), fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 3
    with fluid.program_guard(main, startup):
        loss = _train_program(fluid)
    with fluid.program_guard(infer, startup):
        found = _infer_program(fluid)
    users = np.arange(USERS).reshape(-1, 1)
    items = np.array([[1], [4], [6], [7]])
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.core.Scope()):
        exe.run(startup)
        scope = fluid.global_scope()
        for name, value in (("travel", TRAVEL), ("tree", TREE),
                            ("layer", [[n] for n in range(1, 15)])):
            scope.find_var(name).get_tensor().set(np.array(value, "int64"), fluid.CPUPlace())
        feed = {"user": users, "item": items}
        costs = [float(exe.run(main, feed, [loss])[0][0]) for _ in range(150)]
        assert costs[-1] < 0.1 * costs[0], "%g to %g" % (costs[0], costs[-1])
        top = np.tile(np.array([[1, 2]], "int64"), (USERS, 1))
        nodes = exe.run(infer, {"user": users, "top": top}, [found])[0]
    np.testing.assert_array_equal(nodes.reshape(-1) - 6, items.reshape(-1))
