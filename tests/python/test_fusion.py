"""A fused plan gives the numbers of the unfused one (FLAGS_fuse=0): losses, fetched values and
every persistable variable, after some steps. Each case also says which fused ops must be there,
so that a fusion that no longer matches is noticed."""
import numpy as np
import pytest

import paddle.fluid as fluid

layers = fluid.layers
BATCH, STEPS = 12, 5
SGD, FC, GRAD = "sgd", "fused_fc", "fused_fc_grad"
SOFTMAX, TABLE = "fused_softmax_cross_entropy_grad", "fused_embedding_sgd"
PARTS, ROWS = "fused_slice_grad", "fused_adam_rows"
LOOKED_UP = "fused_embedding_grad"


@pytest.fixture(autouse=True)
def flag():
    yield
    fluid.set_flags({"FLAGS_fuse": True})


def sgd():
    return fluid.optimizer.SGD(0.1)


def momentum():
    return fluid.optimizer.Momentum(0.1, 0.9)


def adam():
    return fluid.optimizer.Adam(0.01)


def floats(rng, *shape):
    return rng.uniform(-1, 1, shape).astype("float32")


def regression(hidden):
    """Mean squared error of a last layer over `hidden`, with the feed for its label."""
    label = fluid.data("label", [None, 1])
    return layers.mean(layers.square_error_cost(layers.fc(hidden, 1), label))


def stack(act, depth=3, bias=True, optimizer=sgd):
    def build(rng):
        hidden = fluid.data("x", [None, 10])
        for _ in range(depth):
            hidden = layers.fc(hidden, 7, act=act, bias_attr=None if bias else False)
        loss = regression(hidden)
        optimizer().minimize(loss)
        return loss, [hidden], {"x": floats(rng, BATCH, 10), "label": floats(rng, BATCH, 1)}
    return build


def flattened(rng):
    """fc over the last of three dimensions, and over the last two."""
    x = fluid.data("x", [None, 3, 4])
    hidden = layers.fc(x, 5, num_flatten_dims=2, act="relu")
    loss = regression(layers.fc(hidden, 6, act="tanh"))
    sgd().minimize(loss)
    return loss, [hidden], {"x": floats(rng, BATCH, 3, 4), "label": floats(rng, BATCH, 1)}


def two_readers(rng):
    """A layer that two others read, whose value before the activation is fetched."""
    x = fluid.data("x", [None, 6])
    before = layers.fc(x, 6)
    hidden = layers.relu(before)
    joined = layers.elementwise_add(layers.fc(hidden, 6, act="sigmoid"),
                                    layers.fc([hidden, before], 6, act="tanh"))
    loss = regression(joined)
    sgd().minimize(loss)
    return loss, [before, joined], {"x": floats(rng, BATCH, 6), "label": floats(rng, BATCH, 1)}


def shared_weight(rng):
    """One weight in two layers: its gradient is a sum, and the step cannot be folded in."""
    hidden = fluid.data("x", [None, 6])
    for _ in range(2):
        hidden = layers.fc(hidden, 6, act="tanh", param_attr="w")
    loss = regression(hidden)
    sgd().minimize(loss)
    return loss, [], {"x": floats(rng, BATCH, 6), "label": floats(rng, BATCH, 1)}


def decayed_and_clipped(rng):
    """Something stands between the gradient and the step."""
    x = fluid.data("x", [None, 6])
    hidden = layers.fc(x, 6, act="relu", param_attr=fluid.ParamAttr(
        regularizer=fluid.regularizer.L2Decay(0.1)))
    loss = regression(hidden)
    fluid.optimizer.SGD(0.1, grad_clip=fluid.clip.GradientClipByGlobalNorm(0.3)).minimize(loss)
    return loss, [], {"x": floats(rng, BATCH, 6), "label": floats(rng, BATCH, 1)}


def fetched_gradient(rng):
    """A gradient that is fetched must be there, whatever is folded."""
    x = fluid.data("x", [None, 6])
    loss = regression(layers.fc(x, 6, act="relu", param_attr="w"))
    sgd().minimize(loss)
    return loss, ["w@GRAD"], {"x": floats(rng, BATCH, 6), "label": floats(rng, BATCH, 1)}


def bias_of_one(rng):
    """One number is added to all columns of a product."""
    x = fluid.data("x", [None, 6])
    for i, width in enumerate([64, 1]):
        w = layers.create_parameter([x.shape[1], width], "float32", name="w%d" % i)
        b = layers.create_parameter([1], "float32", name="b%d" % i)
        x = layers.tanh(layers.elementwise_add(layers.mul(x, w), b))
    loss = layers.mean(layers.square(x))
    sgd().minimize(loss)
    return loss, ["w0@GRAD", "b0@GRAD"], {"x": floats(rng, BATCH, 6)}


def rewritten_input(what):
    """What a layer reads, or its bias, is another before the activation is taken."""
    def build(rng):
        x, label = fluid.data("x", [None, 6]), fluid.data("label", [None, 1])
        given = {"x": layers.scale(x, 1.0), "w": layers.create_parameter([6, 4], "float32"),
                 "b": layers.create_parameter([4], "float32")}
        product = layers.mul(given["x"], given["w"])
        if what != "b":
            layers.assign(layers.scale(given[what], -1.0), given[what])
        before = layers.elementwise_add(product, given["b"])
        if what == "b":
            layers.assign(layers.scale(given[what], -1.0), given[what])
        hidden = layers.relu(before)
        after = layers.scale(given["x"], 2.0)
        loss = layers.mean(layers.square_error_cost(layers.fc(hidden, 1), label))
        sgd().minimize(loss)
        return loss, [hidden, after], {"x": floats(rng, BATCH, 6), "label": floats(rng, BATCH, 1)}
    return build


def rewritten_for_gradient(what):
    """What a gradient of a layer has read is another before the last of them."""
    def build(rng):
        x = fluid.data("x", [None, 6])
        x.stop_gradient = False
        loss = regression(layers.fc(x, 6, act="tanh", param_attr="w", bias_attr="b"))
        block = fluid.default_main_program().global_block()
        pairs = sgd().backward(loss)
        types = [op.type for op in block.ops]
        first = types.index("tanh_grad")
        assert types[first:first + 3] == ["tanh_grad", "elementwise_add_grad", "mul_grad"]
        op = block.ops[first]
        name = {"out": op.input("Out"), "dout": op.input("Out@GRAD"), "db": ["b@GRAD"]}[what][0]
        if what == "db":
            block._insert_op(first + 2, type="fill_constant", outputs={"Out": [name]},
                             attrs={"shape": [6], "value": 0.5, "dtype": x.dtype})
        else:
            block._insert_op(first + 1, type="scale", inputs={"X": [name]},
                             outputs={"Out": [name]}, attrs={"scale": -2.0})
        sgd().apply_gradients(pairs)
        return loss, ["x@GRAD", name], {"x": floats(rng, BATCH, 6), "label": floats(rng, BATCH, 1)}
    return build


def activation_between_gradient_and_step(first):
    """A layer with the weight of another, whose activation is taken when the other's gradients are
    there, and its step is not."""
    def build(rng):
        x = fluid.data("x", [None, 6])
        before = layers.fc(x, 4, param_attr="w", bias_attr="b0") if first else None
        loss = regression(layers.fc(x, 4, param_attr="w", bias_attr="b1"))
        before = layers.fc(x, 4, param_attr="w", bias_attr="b0") if before is None else before
        pairs = sgd().backward(loss)
        hidden = layers.tanh(before)
        sgd().apply_gradients(pairs)
        return loss, [hidden], {"x": floats(rng, BATCH, 6), "label": floats(rng, BATCH, 1)}
    return build


def rewritten_before_the_step(what, **other):
    """Ids, or the gradient of what was looked up, are others before the table's step is taken."""
    def build(rng):
        loss, more, feed = words(**other)(rng)
        block = fluid.default_main_program().global_block()
        at = [op.type for op in block.ops].index(other["optimizer"]().type)
        grads = [op for op in block.ops if op.type == "lookup_table_grad"]
        name = grads[0].input({"ids": "Ids", "dout": "Out@GRAD"}[what])[0]
        block._insert_op(at, type="scale", inputs={"X": [name]}, outputs={"Out": [name]},
                         attrs={"scale": 0.0})
        return loss, more + [name], feed
    return build


def rewritten_label(rng):
    """Labels are others before the gradient of the softmax is taken."""
    loss, more, feed = classifier()(rng)
    block = fluid.default_main_program().global_block()
    at = [op.type for op in block.ops].index("softmax_grad")
    names = [block.ops[at - 1].input(slot)[0] for slot in ("Label", "Y@GRAD")]
    for name in names:
        block._insert_op(at, type="scale", inputs={"X": [name]}, outputs={"Out": [name]},
                         attrs={"scale": 0.0})
    return loss, more + names, feed


def frozen(rng):
    """A layer that is not trained, below one that is."""
    x = fluid.data("x", [None, 6])
    hidden = layers.fc(x, 6, act="relu", param_attr=fluid.ParamAttr(trainable=False),
                       bias_attr=fluid.ParamAttr(trainable=False))
    loss = regression(layers.fc(hidden, 6, act="tanh"))
    sgd().minimize(loss)
    return loss, [], {"x": floats(rng, BATCH, 6), "label": floats(rng, BATCH, 1)}


def classifier(soft=False, separate=True, ignore=False, optimizer=sgd):
    def build(rng):
        x = fluid.data("x", [None, 8])
        hidden = layers.fc(x, 9, act="relu")
        if soft:
            label = fluid.data("label", [None, 5])
            given = np.abs(floats(rng, BATCH, 5))
            given /= given.sum(1, keepdims=True)
        else:
            label = fluid.data("label", [None, 1], "int64")
            given = rng.randint(0, 5, (BATCH, 1)).astype("int64")
            if ignore:
                given[::3] = -100
        if separate:
            predicted = layers.fc(hidden, 5, act="softmax")
            cost = layers.cross_entropy(predicted, label, soft_label=soft)
        else:
            cost, predicted = layers.softmax_with_cross_entropy(
                layers.fc(hidden, 5), label, soft_label=soft, return_softmax=True)
        loss = layers.mean(cost)
        optimizer().minimize(loss)
        return loss, [predicted], {"x": floats(rng, BATCH, 8), "label": given}
    return build


def words(count=4, shared=True, sparse=False, padding=None, v2=False, optimizer=sgd,
          data=fluid.data):
    """Several look-ups, joined: the N-gram model."""
    def build(rng):
        embedding = fluid.embedding if v2 else layers.embedding
        shape = [None] if v2 else [None, 1]
        feed, vectors = {}, []
        for k in range(count):
            ids = data("w%d" % k, shape, dtype="int64")
            feed["w%d" % k] = rng.randint(0, 11, (BATCH,) if v2 else (BATCH, 1)).astype("int64")
            vectors.append(embedding(ids, [11, 4], is_sparse=sparse, padding_idx=padding,
                                     param_attr="table" if shared else "table%d" % k))
        hidden = layers.fc(layers.concat(vectors, axis=1) if count > 1 else vectors[0], 6,
                           act="sigmoid")
        label = fluid.data("label", [None, 1], "int64")
        feed["label"] = rng.randint(0, 11, (BATCH, 1)).astype("int64")
        predicted = layers.fc(hidden, 11, act="softmax")
        loss = layers.mean(layers.cross_entropy(predicted, label))
        optimizer().minimize(loss)
        return loss, [predicted], feed
    return build


def table_read_twice(rng):
    """The table is used outside of look-ups too: its gradient is not of look-ups alone."""
    ids = fluid.data("ids", [None, 1], "int64")
    vector = layers.embedding(ids, [11, 4], param_attr="table")
    table = fluid.default_main_program().global_block().var("table")
    loss = layers.elementwise_add(regression(vector), layers.reduce_mean(layers.square(table)))
    sgd().minimize(loss)
    return loss, [], {"ids": rng.randint(0, 11, (BATCH, 1)).astype("int64"),
                      "label": floats(rng, BATCH, 1)}


def ctr(optimizer, sparse=True):
    """Slots of several ids each, pooled, dense features, three layers, AUC."""
    def build(rng):
        dense = fluid.data("dense", [None, 5])
        feed, pooled = {"dense": floats(rng, BATCH, 5)}, [dense]
        for k in range(3):
            ids = fluid.data("slot%d" % k, [None, 1], "int64", lod_level=1)
            lengths = rng.randint(1, 4, BATCH).tolist()
            feed["slot%d" % k] = fluid.create_lod_tensor(
                rng.randint(0, 20, (sum(lengths), 1)).astype("int64"), [lengths], fluid.CPUPlace())
            pooled.append(layers.sequence_pool(layers.embedding(
                ids, [20, 6], is_sparse=sparse, param_attr="table"), "sum"))
        hidden = layers.concat(pooled, axis=1)
        for _ in range(3):
            hidden = layers.fc(hidden, 16, act="relu")
        predicted = layers.fc(hidden, 2, act="softmax")
        label = fluid.data("label", [None, 1], "int64")
        feed["label"] = rng.randint(0, 2, (BATCH, 1)).astype("int64")
        loss = layers.mean(layers.cross_entropy(predicted, label))
        auc = layers.auc(predicted, label)
        optimizer().minimize(loss)
        return loss, [predicted, auc[0], auc[1]], feed
    return build


def large_table(optimizer, count=1, v2=False, padding=None, fetch=()):
    """A large table whose gradient the program calls for as a dense one. Each step reads other
    rows, so that rows wait."""
    def build(rng):
        embedding, shape = (fluid.embedding, []) if v2 else (layers.embedding, [1])
        vectors, feeds = [], [{"label": floats(rng, BATCH, 1)} for _ in range(3)]
        for k in range(count):
            ids = fluid.data("ids%d" % k, [None] + shape, "int64")
            vectors.append(embedding(ids, [9000, 32], param_attr="table", padding_idx=padding))
            for i, feed in enumerate(feeds):
                feed[ids.name] = rng.randint(i, i + 20, [BATCH] + shape).astype("int64")
        loss = regression(layers.fc(layers.concat(vectors, axis=1) if count > 1 else vectors[0],
                                    6, act="tanh"))
        optimizer().minimize(loss)
        return loss, list(fetch), feeds
    return build


def many_and_few(rng):
    """Batches that name a good part of the table, whose gradient is dense, and small ones."""
    loss, more, feeds = large_table(adam)(rng)
    feeds[1] = {"ids0": rng.randint(0, 9000, (4000, 1)).astype("int64"),
                "label": floats(rng, 4000, 1)}
    return loss, more, feeds


def lazy_adam():
    return fluid.optimizer.Adam(0.01, lazy_mode=True)


def adagrad():
    return fluid.optimizer.Adagrad(0.1)


def large_classes(optimizer):
    """Many classes, of which a step looks at a few."""
    def build(rng):
        x, label = fluid.data("x", [None, 40]), fluid.data("label", [None, 1], "int64")
        hidden = layers.fc(x, 32, act="tanh")
        loss = layers.mean(layers.nce(hidden, label, 9000, num_neg_samples=4,
                                      sampler="log_uniform", seed=3))
        optimizer().minimize(loss)
        return loss, [], [{"x": floats(rng, BATCH, 40), "label": rng.randint(
            0, 9000, (BATCH, 1)).astype("int64")} for _ in range(3)]
    return build


def pairs_of_fields(others=False, bounds=None):
    """The pairs of a field-aware FM: many parts of one tensor, some of which overlap; with
    others, the whole is read too; with bounds, one end of a part is given when it runs."""
    def build(rng):
        ids = fluid.data("ids", [None, 4, 1], "int64")
        met = layers.reshape(layers.embedding(ids, [11, 12], param_attr="table"), [-1, 4, 4, 3])
        pairs = [layers.reduce_sum(met[:, i, j, :] * met[:, j, i, :], dim=1, keep_dim=True)
                 for i in range(4) for j in range(i, 4)]
        wide = layers.slice(met, axes=[1, 3], starts=[-3, 1], ends=[1000, 3])
        if bounds is not None:
            end = layers.fill_constant([1], "int32", bounds)
            wide = layers.slice(met, axes=[1], starts=[0], ends=[end])
        sums = [layers.reduce_sum(layers.square(wide), dim=[1, 2, 3])]
        if others:
            sums.append(layers.reduce_sum(layers.tanh(met), dim=[1, 2, 3]))
        total = layers.sum(pairs + [layers.reshape(s, [-1, 1]) for s in sums])
        loss = regression(total)
        adam().minimize(loss)
        return loss, [total], {"ids": rng.randint(0, 11, (BATCH, 4, 1)).astype("int64"),
                               "label": floats(rng, BATCH, 1)}
    return build


def parts_with_fetched_gradient(rng):
    """The gradient of the whole is fetched: the fused op makes it."""
    x = fluid.data("x", [None, 6])
    x.stop_gradient = False
    loss = regression(layers.concat([x[:, 1:3], x[:, 2:6], x[:, 0:1]], axis=1))
    sgd().minimize(loss)
    return loss, ["x@GRAD"], {"x": floats(rng, BATCH, 6), "label": floats(rng, BATCH, 1)}


CASES = {
    "large table, adam": (large_table(adam), [ROWS]),
    "large table v2, adam": (large_table(adam, v2=True, padding=3), [ROWS]),
    "shared large table, adam": (large_table(adam, count=3, padding=5), [ROWS]),
    "large table, many ids": (many_and_few, [ROWS]),
    "large table, lazy adam": (large_table(lazy_adam), [ROWS]),
    "large table, adagrad": (large_table(adagrad, count=2), ["Grad=table@GRAD rows of"]),
    "large table, momentum": (large_table(momentum), []),
    "large table, gradient fetched": (large_table(adam, fetch=["table@GRAD"]), []),
    "large table, fetched": (large_table(adam, fetch=["table"]), [ROWS]),
    "nce, sgd": (large_classes(sgd), ["Grad=nce_0.w_0@GRAD rows of"]),
    "nce, adagrad": (large_classes(adagrad), ["Grad=nce_0.w_0@GRAD rows of"]),
    "nce, adam": (large_classes(adam), [ROWS]),
    "parts": (pairs_of_fields(), [PARTS]),
    "parts and the whole": (pairs_of_fields(others=True), [PARTS]),
    "parts of given ends": (pairs_of_fields(bounds=2), [PARTS]),
    "parts, fetched": (parts_with_fetched_gradient, [PARTS]),
    "relu": (stack("relu"), [FC, GRAD]), "sigmoid": (stack("sigmoid"), [FC, GRAD]),
    "tanh": (stack("tanh"), [FC, GRAD]), "no activation": (stack(None), [FC, GRAD]),
    "softmax inside": (stack("softmax"), [FC, GRAD]), "gelu": (stack("gelu"), [FC]),
    "leaky_relu": (stack("leaky_relu"), [FC]), "softplus": (stack("softplus"), [FC]),
    "relu6": (stack("relu6"), [FC]), "exp": (stack("exp", depth=1), [FC]),
    "square": (stack("square", depth=1), [FC]),
    "no bias": (stack("relu", bias=False), []),
    "one layer": (stack("relu", depth=0), [FC, GRAD]),
    "momentum": (stack("tanh", optimizer=momentum), [FC, GRAD]),
    "adam": (stack("relu", optimizer=adam), [FC, GRAD]),
    "flattened": (flattened, [FC, GRAD]), "two readers": (two_readers, [FC]),
    "shared weight": (shared_weight, [FC]),
    "decay and clip": (decayed_and_clipped, [FC, GRAD]),
    "fetched gradient": (fetched_gradient, [FC, GRAD]), "frozen": (frozen, [FC]),
    "bias of one number": (bias_of_one, [FC, GRAD]),
    "another input": (rewritten_input("x"), [FC]), "another weight": (rewritten_input("w"), [FC]),
    "another bias": (rewritten_input("b"), [FC]),
    "another output": (rewritten_for_gradient("out"), [FC]),
    "another gradient": (rewritten_for_gradient("dout"), [FC]),
    "another bias gradient": (rewritten_for_gradient("db"), [FC]),
    "activation before the step": (activation_between_gradient_and_step(True), [FC]),
    "other activation before the step": (activation_between_gradient_and_step(False), [FC]),
    "other ids": (rewritten_before_the_step("ids", optimizer=sgd), []),
    "other gradient": (rewritten_before_the_step("dout", optimizer=sgd), []),
    "other ids of one": (rewritten_before_the_step("ids", optimizer=sgd, count=1), []),
    "other labels": (rewritten_label, []),
    "hard labels": (classifier(), [SOFTMAX]), "soft labels": (classifier(soft=True), []),
    "ignored labels": (classifier(ignore=True), [SOFTMAX]),
    "with logits": (classifier(separate=False), [FC]),
    "soft labels with logits": (classifier(soft=True, separate=False), [FC]),
    "classifier, momentum": (classifier(optimizer=momentum), [SOFTMAX]),
    "classifier, adam": (classifier(optimizer=adam), [SOFTMAX]),
    "words": (words(), [TABLE, SOFTMAX]), "sparse words": (words(sparse=True), [TABLE]),
    "one word": (words(count=1), [TABLE]), "own tables": (words(shared=False), [TABLE]),
    "padding": (words(padding=3), [TABLE]),
    "sparse padding": (words(padding=3, sparse=True), [TABLE]),
    "words v2": (words(v2=True, sparse=True), [TABLE]),
    "words v2 dense": (words(v2=True, padding=-1), [TABLE]),
    "words, momentum": (words(optimizer=momentum), [SOFTMAX]),
    "sparse words, adam": (words(optimizer=adam, sparse=True), [SOFTMAX, LOOKED_UP]),
    "sparse padding, adam": (words(optimizer=adam, padding=3, sparse=True), [LOOKED_UP]),
    "words v2, momentum": (words(optimizer=momentum, v2=True, sparse=True), [LOOKED_UP]),
    "table read twice": (table_read_twice, []),
    "ctr, sgd": (ctr(sgd), [FC, GRAD, TABLE]),
    "ctr, dense table": (ctr(sgd, sparse=False), [FC, GRAD, TABLE]),
    "ctr, momentum": (ctr(momentum, sparse=False), [FC, GRAD]),
    "ctr, adam": (ctr(adam), [FC, GRAD]),
}


def train(build, fuse):
    """(losses and fetched values of every step, persistable variables by name, the plan)"""
    fluid.set_flags({"FLAGS_fuse": fuse})
    main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
    main.random_seed = startup.random_seed = 7
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(scope):
        loss, more, feed = build(np.random.RandomState(0))
        exe = fluid.Executor()
        exe.run(startup)
        fetch = [loss] + more
        feeds = feed if isinstance(feed, list) else [feed]
        text = exe._core.plan_text(main, feeds[0], fetch, scope)
        values = [np.array(v) for i in range(STEPS)
                  for v in exe.run(main, feed=feeds[i % len(feeds)], fetch_list=fetch,
                                   return_numpy=False)]
        state = {v.name: np.array(scope.find_var(v.name).get_tensor())
                 for v in main.list_vars() if v.persistable}
    return values, state, text


@pytest.mark.parametrize("name", CASES)
def test_fused_and_unfused_agree(name):
    build, expected = CASES[name]
    fused, fused_state, plan = train(build, True)
    plain, plain_state, written = train(build, False)
    for op in expected:
        assert op in plan, plan
    assert "fused_" not in written, written
    assert len(fused) == len(plain) and fused_state.keys() == plain_state.keys()
    for got, wanted in zip(fused, plain):
        np.testing.assert_allclose(got, wanted, rtol=2e-5, atol=2e-6)
    for key, wanted in plain_state.items():
        np.testing.assert_allclose(fused_state[key], wanted, rtol=2e-5, atol=2e-6, err_msg=key)
    first, last = fused[0], fused[-len(fused) // STEPS]
    assert np.isfinite(last).all() and not np.array_equal(first, last)


def test_what_is_fetched_is_not_fused_away():
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.scope_guard(fluid.Scope()):
        x = fluid.data("x", [None, 3])
        before = layers.fc(x, 2)
        after = layers.relu(before)
        exe = fluid.Executor()
        exe.run(startup)
        feed = {"x": np.float32([[1, -2, 3], [-1, 2, -3]])}
        a, b = exe.run(main, feed=feed, fetch_list=[before, after])
        np.testing.assert_allclose(np.maximum(a, 0), b)
        assert (a < 0).any()


@pytest.mark.parametrize("optimizer", [sgd, adam])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("count", [1, 3])
def test_ids_may_be_fed_as_int32(count, sparse, optimizer):
    """Ids that are declared as int64, of which some are fed as int32, as unfused look-ups allow.
    What layers.data() declares is not checked."""
    def as_int32(which):
        def build(rng):
            loss, more, feed = words(count=count, sparse=sparse, padding=3,
                                     optimizer=optimizer, data=layers.data)(rng)
            for name in which:
                feed[name] = feed[name].astype("int32")
            return loss, more, feed
        return build
    wide, state, _ = train(as_int32([]), False)
    for which in (["w%d" % k for k in range(count)], ["w0"]):
        narrow, narrow_state, plan = train(as_int32(which), True)
        assert "fused_embedding" in plan or optimizer is adam and not (sparse and count > 1), plan
        for got, wanted in zip(narrow + [narrow_state["table"]], wide + [state["table"]]):
            np.testing.assert_allclose(got, wanted, rtol=2e-5, atol=2e-6)


SHAPED = {
    "shape": lambda v: layers.cast(layers.shape(v), "float32"),
    "constant": lambda v: layers.fill_constant_batch_size_like(v, [-1, 4], "float32", 2.0),
    "random": lambda v: layers.uniform_random_batch_size_like(v, [-1, 4], seed=5),
    "zeros": lambda v: layers.zeros_like(v),
}


@pytest.mark.parametrize("of", ["product", "sum"])
@pytest.mark.parametrize("name", SHAPED)
def test_who_looks_at_a_shape_inside_of_a_layer_sees_that_of_this_batch(name, of):
    """Batches of several sizes, and one who asks for the shape of a product before the bias is
    added, or of the sum before the activation."""
    def fetched(fuse):
        fluid.set_flags({"FLAGS_fuse": fuse})
        main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
        main.random_seed = startup.random_seed = 7
        with fluid.program_guard(main, startup), fluid.unique_name.guard():
            x = fluid.data("x", [None, 3])
            product = layers.mul(x, layers.create_parameter([3, 4], "float32"))
            early = SHAPED[name](product) if of == "product" else None
            before = layers.elementwise_add(product, layers.create_parameter([4], "float32"))
            seen = SHAPED[name](before) if early is None else early
            y = layers.relu(before)
            loss = layers.mean(layers.square(layers.fc(y, 2)))
            sgd().minimize(loss)
        exe = fluid.Executor()
        exe.run(startup, scope=scope)
        rng = np.random.RandomState(0)
        return [v for n in (3, 3, 5, 2) for v in
                exe.run(main, feed={"x": floats(rng, n, 3)}, fetch_list=[seen, y, loss],
                        scope=scope)]
    for got, wanted in zip(fetched(True), fetched(False)):
        np.testing.assert_allclose(got, wanted, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("act", [None, "tanh"])
def test_a_bias_in_the_scope_of_another_size_than_declared_is_refused(act):
    main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
    with fluid.program_guard(main, startup), fluid.scope_guard(scope):
        loss = layers.mean(layers.square(layers.fc(fluid.data("x", [None, 8]), 64, act=act,
                                                   bias_attr="b")))
        sgd().minimize(loss)
        exe, feed = fluid.Executor(), {"x": np.ones((4, 8), "float32")}
        exe.run(startup)
        exe.run(main, feed=feed, fetch_list=[loss])
        scope.find_var("b").get_tensor().set(np.zeros(1, "float32"), fluid.CPUPlace())
        with pytest.raises(Exception, match="Bias has 1 elements, and 64 are wanted"):
            exe.run(main, feed=feed, fetch_list=[loss])


def sent_and_received(fetch=()):
    """The ops that a trainer of two servers runs, with the slices of two weights; those that name
    a slice or make one."""
    main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(scope):
        hidden = layers.fc(fluid.data("x", [None, 40]), 500, act="relu")
        loss = regression(layers.fc(hidden, 500))
        sgd().minimize(loss)
        transpiler = fluid.DistributeTranspiler()
        transpiler.transpile(0, main, pservers="127.0.0.1:7001,127.0.0.1:7002", trainers=2,
                             startup_program=startup)
        program = transpiler.get_trainer_program(wait_port=False)
        feed = {"x": np.zeros((2, 40), "float32"), "label": np.zeros((2, 1), "float32")}
        block = program.global_block()
        text = fluid.Executor()._core.plan_text(
            program, feed, [loss] + [block.var(name) for name in fetch], scope)
    return [line for line in text.splitlines() if "split_byref" in line or "concat" in line]


def test_slices_are_cut_and_put_together_on_the_way():
    assert sent_and_received() == []


def test_slices_that_are_fetched_are_made():
    made = sent_and_received(["fc_0.w_0.block1"])
    assert len(made) == 1 and "concat" in made[0] and "fc_0.w_0.block1" in made[0], made


@pytest.mark.parametrize("fuse", [True, False])
def test_training_on_files_obeys_the_flag(fuse, tmp_path, capfd):
    """train_from_dataset runs the ops that exe.run would, as debug=True shows."""
    (tmp_path / "part-0").write_text("2 0.5 1.5 1 1.0\n2 0.25 -1 1 0\n")
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        x, label = fluid.data("x", [None, 2]), fluid.data("label", [None, 1])
        loss = layers.mean(layers.square_error_cost(layers.fc(x, 1, act="relu"), label))
        sgd().minimize(loss)
    dataset = fluid.DatasetFactory().create_dataset("QueueDataset")
    dataset.set_use_var([x, label])
    dataset.set_filelist([str(tmp_path / "part-0")])
    exe, scope = fluid.Executor(), fluid.Scope()
    fluid.set_flags({"FLAGS_fuse": fuse})
    exe.run(startup, scope=scope)
    exe.train_from_dataset(main, dataset, scope=scope, debug=True)
    assert (FC in capfd.readouterr().out) == fuse


def gradient_of_a_table(padding=None, again=False, fetch=False):
    """The ops that look up, put together and make the gradient of a table on servers."""
    main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(scope):
        ids = [fluid.data("C%d" % i, [None, 1], dtype="int64") for i in range(3)]
        hidden = [layers.embedding(i, [1000, 8], is_sparse=True, param_attr="table",
                                   padding_idx=padding) for i in ids + ids[:again]]
        loss = regression(layers.concat([fluid.data("x", [None, 5])] + hidden, axis=1))
        sgd().minimize(loss)
        transpiler = fluid.DistributeTranspiler()
        transpiler.transpile(0, main, pservers="127.0.0.1:7001,127.0.0.1:7002", trainers=2,
                             startup_program=startup)
        program = transpiler.get_trainer_program(wait_port=False)
        feed = dict({"C%d" % i: np.zeros((2, 1), "int64") for i in range(3)},
                    x=np.zeros((2, 5), "float32"), label=np.zeros((2, 1), "float32"))
        text = fluid.Executor()._core.plan_text(program, feed, [loss] + hidden[:fetch], scope)
    kinds = ("op distributed_lookup_table", "op fused_places_concat", "op concat", "op " + LOOKED_UP)
    return [line for line in text.splitlines() if line.startswith(kinds)]


def test_the_gradient_of_a_table_uses_the_order_of_its_look_up():
    _, together, gradient = gradient_of_a_table()
    assert "Places=table@GRAD" in gradient
    assert "fused_places_concat" in together and "Rows=table@GRAD" in together


def test_rows_that_somebody_looks_at_are_made():
    ops = gradient_of_a_table(fetch=True)
    assert ["concat(" in line for line in ops] == [False, True, False, False], ops
    assert "concat_grad" in ops[2] and "Places=table@GRAD" in ops[3]


def test_a_padding_or_ids_twice_are_sorted_again():
    """A padding is not asked for and has a gradient; where ids stand is told by their name."""
    for ops in (gradient_of_a_table(padding=3), gradient_of_a_table(again=True)):
        assert not any("@PLACES" in line for line in ops), ops
