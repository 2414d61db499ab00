"""What the loss layers add to a program, and that a model learns by them."""
import numpy as np
from layercase import check, data


def _scores():
    return data("scores", [10], grad=True), data("label", [1], "int64")


def _numbers():
    return data("x", [1], grad=True), data("y", [1])


def cross_entropy():
    from paddle.fluid import layers
    x, label = _scores()
    layers.cross_entropy(x, label)
    layers.cross_entropy(x, data("soft", [10]), soft_label=True, ignore_index=3)
    layers.cross_entropy(input=x, label=label, ignore_index=7)


def softmax_with_cross_entropy():
    from paddle.fluid import layers
    layers.softmax_with_cross_entropy(*_scores())
    layers.softmax_with_cross_entropy(data("x2", [10, 3], grad=True), data("y2", [10, 3]),
                                      soft_label=True, return_softmax=True, axis=1,
                                      ignore_index=2)


def sigmoid_cross_entropy_with_logits():
    from paddle.fluid import layers
    x, y = data("x", [10], grad=True), data("y", [10])
    layers.sigmoid_cross_entropy_with_logits(x, y)
    layers.sigmoid_cross_entropy_with_logits(x, label=y, ignore_index=-1, name="s", normalize=True)


def sigmoid_focal_loss():
    import paddle.fluid as fluid
    fg = fluid.layers.data("fg", [1], dtype="int32", append_batch_size=False)
    x, label = data("x", [6], grad=True), data("label", [1], "int32")
    fluid.layers.sigmoid_focal_loss(x, label, fg)
    fluid.layers.sigmoid_focal_loss(x, label, fg, gamma=1.5, alpha=0.6)


def numbers():
    from paddle.fluid import layers
    x, y = _numbers()
    layers.log_loss(x, y)
    layers.log_loss(input=x, label=y, epsilon=1e-3, name="ll")
    layers.huber_loss(x, y, 2.0)
    layers.smooth_l1(x, y)
    layers.smooth_l1(x, y, data("inside", [1]), data("outside", [1]), 2.0)
    layers.kldiv_loss(x, y)
    layers.kldiv_loss(x, y, "none", "kl")
    layers.mse_loss(x, y)


def ranks():
    from paddle.fluid import layers
    x, y = _numbers()
    layers.rank_loss(y, x, x)
    layers.rank_loss(label=y, left=x, right=x, name="rank")
    layers.margin_rank_loss(y, x, x)
    layers.margin_rank_loss(y, left=x, right=x, margin=0.3, name="margin")
    layers.bpr_loss(*_scores())
    layers.bpr_loss(data("s", [5], grad=True), data("l", [1], "int64"), "bpr")
    layers.teacher_student_sigmoid_loss(x, y)
    layers.teacher_student_sigmoid_loss(x, y, 10, -10)


def dice_loss():
    from paddle.fluid import layers
    layers.dice_loss(data("x", [3, 2], grad=True), data("y", [3, 1], "int64"))
    layers.dice_loss(data("x2", [4], grad=True), data("y2", [1], "int64"), 1e-3, "d")


def npair_loss():
    from paddle.fluid import layers
    shapes = {"anchor": [6, 3], "positive": [6, 3], "labels": [6]}
    layers.npair_loss(*[layers.data(name, shapes[name], append_batch_size=False)
                        for name in ("anchor", "positive", "labels")])


def center_loss():
    from paddle.fluid import layers
    layers.center_loss(data("x", [6], grad=True), data("y", [1], "int64"), 5, 0.3, None)


def center_loss_by_name():
    import paddle.fluid as fluid
    rate = fluid.layers.data("rate", [1], append_batch_size=False)
    fluid.layers.center_loss(data("x", [6], grad=True), data("y", [1], "int64"), 5, rate,
                             fluid.ParamAttr(name="centers"), False)


def nce():
    from paddle.fluid import layers
    x, label = _scores()
    layers.nce(x, label, 6)
    layers.nce(x, data("two", [2], "int64"), 6, sampler="log_uniform", num_neg_samples=3, seed=4)


def nce_custom():
    from paddle.fluid import layers
    x, label = _scores()
    layers.nce(x, label, 6, sample_weight=data("weight", [1]), num_neg_samples=3, name="n",
               sampler="custom_dist", custom_dist=[.1, .2, .3, .2, .1, .1], is_sparse=True,
               bias_attr=False, param_attr="w")


def hsigmoid():
    from paddle.fluid import layers
    x, label = _scores()
    layers.hsigmoid(x, label, 6)
    layers.hsigmoid(x, label, 7, path_table=data("table", [3], "int64"), is_sparse=True,
                    path_code=data("code", [3], "int64"), is_custom=True, bias_attr=False, name="h")


def sampled_softmax():
    from paddle.fluid import layers
    layers.sampled_softmax_with_cross_entropy(*_scores(), num_samples=4, seed=3)


def sampled_softmax_of_given():
    from paddle.fluid import layers
    layers.sampled_softmax_with_cross_entropy(
        *_scores(), num_samples=4, remove_accidental_hits=False, use_customized_samples=True,
        customized_samples=data("samples", [5], "int64"),
        customized_probabilities=data("chances", [5]))


def edit_distance():
    from paddle.fluid import layers
    layers.edit_distance(data("x", [1], "int64", lod_level=1), data("y", [1], "int64", lod_level=1))
    layers.edit_distance(data("a", [7], "int64"), data("b", [8], "int64"), normalized=False,
                         input_length=data("c", [1], "int64"), label_length=data("d", [1], "int64"))


def edit_distance_without_tokens():
    from paddle.fluid import layers
    layers.edit_distance(data("x", [1], "int64", lod_level=1),
                         data("y", [1], "int64", lod_level=1), ignored_tokens=[0, 3])


def warpctc():
    from paddle.fluid import layers
    layers.warpctc(data("x", [5], lod_level=1, grad=True), data("y", [1], "int32", lod_level=1))
    layers.warpctc(data("a", [2, 5], grad=True), data("b", [4], "int32"), blank=4,
                   norm_by_times=True, input_length=data("c", [1], "int64"),
                   label_length=data("d", [1], "int64"))


CASES = [cross_entropy, softmax_with_cross_entropy, sigmoid_cross_entropy_with_logits,
         sigmoid_focal_loss, numbers, ranks, dice_loss, npair_loss, center_loss,
         center_loss_by_name, nce, nce_custom, hsigmoid, sampled_softmax,
         sampled_softmax_of_given, edit_distance, edit_distance_without_tokens, warpctc]
test = check(
    __file__, CASES,
    # the tree's depth is not known, the shape of labels has no type, distances are floats, the
    # gradient of each loss has a shape
    ignore_vars=("hierarchical_sigmoid_0.tmp_1", "h.tmp_1", "sample_logits_0.tmp_4",
                 "sample_logits_0.tmp_6", "edit_distance_0.tmp_0", "edit_distance_1.tmp_0",
                 "edit_distance_0.tmp_2", "warpctc_0.tmp_1", "warpctc_1.tmp_1"))


# ---- that a model learns by them ----

def _classes(loss):
    """A loss of logits [batch, 8] and of labels."""
    def build(layers, x, label, number):
        return loss(layers, layers.fc(x, 8), label)
    return build


def _number(loss):
    """A loss of one number, and of the number it should be."""
    def build(layers, x, label, number):
        return loss(layers, layers.fc(x, 1), number)
    return build



LEARN = {
    "cross_entropy": _classes(lambda l, x, y: l.cross_entropy(l.softmax(x), y)),
    "softmax_with_cross_entropy": _classes(lambda l, x, y: l.softmax_with_cross_entropy(x, y)),
    "soft labels": _classes(lambda l, x, y: l.softmax_with_cross_entropy(
        x, l.label_smooth(l.one_hot(y, 8)), soft_label=True)),
    "sigmoid": _classes(lambda l, x, y: l.sigmoid_cross_entropy_with_logits(x, l.one_hot(y, 8))),
    "sampled softmax": _classes(lambda l, x, y: l.sampled_softmax_with_cross_entropy(x, y, 5)),
    "bpr_loss": _classes(lambda l, x, y: l.bpr_loss(x, y)),
    "dice_loss": _classes(lambda l, x, y: l.dice_loss(l.softmax(x), y)),
    "nce": lambda l, x, y, n: l.nce(x, y, 8, num_neg_samples=5),
    "nce sparse": lambda l, x, y, n: l.nce(x, y, 8, num_neg_samples=5, is_sparse=True,
                                           sampler="log_uniform"),
    "hsigmoid": lambda l, x, y, n: l.hsigmoid(x, y, 8),
    "hsigmoid sparse": lambda l, x, y, n: l.hsigmoid(x, y, 8, is_sparse=True),
    "center_loss": lambda l, x, y, n: l.center_loss(l.fc(x, 4), y, 8, 0.5, None),
    "mse_loss": _number(lambda l, x, y: l.mse_loss(x, y)),
    "huber_loss": _number(lambda l, x, y: l.huber_loss(x, y, 1.0)),
    "smooth_l1": _number(lambda l, x, y: l.smooth_l1(x, y)),
    "log_loss": _number(lambda l, x, y: l.log_loss(l.sigmoid(x), l.sigmoid(y))),
    "teacher_student": _number(lambda l, x, y: l.teacher_student_sigmoid_loss(x, l.sigmoid(y))),
    "rank_loss": _number(lambda l, x, y: l.rank_loss(l.sigmoid(y), x, l.scale(x, -1.0))),
    "margin_rank_loss": _number(lambda l, x, y: l.margin_rank_loss(l.sign(y), x,
                                                                   l.scale(x, -1.0))),
}


def _train(build, steps=60):
    """The losses of each step, on examples whose labels can be told from them."""
    import paddle.fluid as fluid
    rng = np.random.RandomState(0)
    x = rng.randn(64, 16).astype("float32")
    label = np.argmax(x[:, :8], 1).reshape(-1, 1)
    number = x[:, :1] * 2 - x[:, 1:2]
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 5
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        loss = fluid.layers.mean(build(fluid.layers, data("x", [16]), data("label", [1], "int64"),
                                       data("number", [1])))
        fluid.optimizer.SGD(0.3).minimize(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.core.Scope()):
        exe.run(startup)
        return [float(exe.run(main, feed={"x": x, "label": label, "number": number},
                              fetch_list=[loss])[0].item()) for _ in range(steps)]


def test_models_learn_by_every_loss():
    for name, build in LEARN.items():
        losses = _train(build)
        assert np.isfinite(losses).all(), name
        # Losses that draw classes, or whose least value is not zero, fall by less.
        assert np.mean(losses[-5:]) < 0.95 * np.mean(losses[:5]), (name, losses[0], losses[-1])


def test_a_custom_tree_learns_as_the_same_complete_one_does():
    """Paths of the complete tree of four classes, given by hand."""
    import paddle.fluid as fluid
    nodes = np.array([[1, 0], [1, 0], [2, 0], [2, 0]])
    codes = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    x = np.random.RandomState(0).randn(8, 5).astype("float32")
    label = np.arange(8).reshape(-1, 1) % 4
    out = []
    for custom in (False, True):
        main, startup = fluid.Program(), fluid.Program()
        with fluid.program_guard(main, startup), fluid.unique_name.guard():
            w = fluid.ParamAttr(name="w", initializer=fluid.initializer.Constant(0.1))
            more = {} if not custom else dict(path_table=data("nodes", [2], "int64"),
                                              path_code=data("codes", [2], "int64"),
                                              is_custom=True)
            loss = fluid.layers.mean(fluid.layers.hsigmoid(
                data("x", [5]), data("label", [1], "int64"), 3 if custom else 4, param_attr=w,
                bias_attr=False, **more))
            fluid.optimizer.SGD(0.3).minimize(loss)
        exe = fluid.Executor(fluid.CPUPlace())
        feed = {"x": x, "label": label}
        if custom:
            feed.update(nodes=nodes[label[:, 0]], codes=codes[label[:, 0]])
        with fluid.scope_guard(fluid.core.Scope()):
            exe.run(startup)
            out.append([exe.run(main, feed=feed, fetch_list=[loss])[0] for _ in range(5)])
    np.testing.assert_allclose(out[0], out[1], rtol=1e-6)
    assert out[0][4] < out[0][0]


def test_alias_tables_draw_what_they_were_made_from():
    from paddle.fluid.layers.loss import _alias_tables
    chances = np.random.RandomState(0).rand(37)
    chances /= chances.sum()
    alias, keep = _alias_tables(list(chances))
    got = np.array(keep)
    for i, to in enumerate(alias):
        if to >= 0:
            got[to] += 1 - keep[i]
    np.testing.assert_allclose(got / 37, chances, rtol=1e-9)


def test_options_that_mean_nothing_are_refused():
    import paddle.fluid as fluid
    import pytest
    layers = fluid.layers
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x, label = _scores()
        paths = data("paths", [3], "int64")
        for message, build in (
                ("sampler is 'other'", lambda: layers.nce(x, label, 6, sampler="other")),
                ("each of the 6 classes", lambda: layers.nce(x, label, 6, sampler="custom_dist",
                                                             custom_dist=[0.5, 0.5])),
                ("num_classes is 1", lambda: layers.hsigmoid(x, label, 1)),
                ("needs path_table", lambda: layers.hsigmoid(x, label, 6, is_custom=True)),
                ("is_custom=True", lambda: layers.hsigmoid(x, label, 6, path_table=paths,
                                                           path_code=paths)),
                ("num_true is 2", lambda: layers.sampled_softmax_with_cross_entropy(
                    x, label, 4, num_true=2)),
                ("needs customized_samples", lambda: layers.sampled_softmax_with_cross_entropy(
                    x, label, 4, use_customized_samples=True)),
                ("reduction 'median'", lambda: layers.kldiv_loss(x, x, "median"))):
            with pytest.raises(ValueError, match=message):
                build()
