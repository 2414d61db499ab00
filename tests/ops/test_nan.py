"""A NaN is never hidden: where real Paddle shows NaN or an infinity, so do we.

Every op that had cases here when golden/nan.json was recorded is run with NaN, inf and -inf in
each of its float inputs, and the pattern of NaN, inf and numbers in outputs and gradients is
compared with real Paddle's. The tables below are all the differences, each with its reason;
who mends one takes it out."""
import json

import numpy as np
import pytest

from nan_cases import GOLDEN, described, find_all, spelled, variants
from opcase import case, forward, Lod

# Real Paddle loses a NaN (or an infinity) that ours shows.
SHOWN = {
    # Its vector loops give a number where its scalar ones give NaN.
    "exp", "sigmoid", "tanh", "stanh", "tanh_shrink", "soft_relu", "selu", "gru", "lstm",
    "softmax", "cos_sim",
    # It depends on where in the window, group or row the NaN stands.
    "adamax", "maxout", "pool2d", "pool3d", "sequence_pool", "top_k", "argsort",
    # The loss is NaN there too, and its gradient a number.
    "huber_loss", "smooth_l1_loss", "modified_huber_loss",
    # inf * 0 and inf - inf are met in another order.
    "adam", "ftrl", "hierarchical_sigmoid", "instance_norm", "rank_loss", "sequence_softmax",
    "center_loss", "bpr_loss",
}
# An infinity gives NaN in real Paddle (or log(inf) = 88.7: its vectors of sqrt, log and exp know
# no infinity, and masks are factors of 0), and its limit here: a number or an infinity.
LIMIT = {
    "adadelta", "decayed_adagrad", "proximal_adagrad", "ftrl", "elementwise_mod", "elu",
    "hard_swish", "log", "log1p", "logsigmoid", "softplus", "rsqrt", "sqrt", "softshrink",
    "thresholded_relu", "sigmoid_focal_loss", "bpr_loss",
}
# 0 times the NaN or infinity, which ours leaves out as it has no part in that element:
ZERO_TIMES = {
    "conv2d", "conv3d", "conv2d_transpose", "conv3d_transpose", "depthwise_conv2d",
    "depthwise_conv2d_transpose",  # padding
    "bilinear_interp", "trilinear_interp",  # a pixel of weight 0
    "center_loss",  # a centre without examples
    "lrn",          # a running sum keeps what has left the window
    "group_norm",   # the gradient of a scale of 0 is found by dividing by it
    # A sort by comparisons leaves a NaN wherever it stands; here it counts as the largest.
    "argsort", "top_k",
}

with open(GOLDEN) as _file:
    golden = json.load(_file)
known = find_all()
OPS = sorted({name.split(": ")[0] for name in golden})


def differences(op, value, wanted, got):
    """The elements that differ and should not, as pairs of letters."""
    pairs = {a + b for a, b in zip(wanted, got) if a != b}
    if op in SHOWN:
        pairs = {p for p in pairs if p[1] != "n"}
    if op in LIMIT and value != "nan":
        pairs = {p for p in pairs if p[0] == "."}  # a number that became an infinity
        if op in ("log", "log1p", "bpr_loss"):
            pairs -= {".+"}
    if op in ZERO_TIMES:
        pairs -= {"n."}
    return pairs


@pytest.mark.parametrize("op", OPS)
def test_nan_and_infinities_show_as_in_paddle(op):
    import paddle.fluid as fluid
    wrong = []
    for name in (n for n in golden if n.split(": ")[0] == op):
        assert name in known, "%s is no case any more: run tests/ops/record_nan.py" % name
        for where, value, c in variants(known[name]):
            ours = described(fluid, c)
            for key, wanted in golden[name].get(where, {}).items():
                wanted, got = spelled(wanted), spelled(ours[key])
                assert len(wanted) == len(got), "%s: %s: another size" % (name, key)
                pairs = differences(op, value, wanted, got)
                if pairs:
                    wrong.append("%s, %s: %s: Paddle/ours %s" % (name, where, key, sorted(pairs)))
    assert not wrong, "\n".join(wrong)


def test_a_nan_shows_wherever_it_stands_in_a_window_a_group_or_a_row():
    import paddle.fluid as fluid
    for n in (2, 9, 70):
        for at in sorted({0, 1, n // 2, n - 2, n - 1}):
            row = np.arange(n, dtype="float32")
            row[at] = np.nan
            for c in (case("pool2d", "pool2d", {"X": row.reshape(1, 1, 1, n)},
                           {"ksize": [1, n], "pooling_type": "max"}),
                      case("pool down", "pool2d", {"X": row.reshape(1, 1, n, 1)},
                           {"ksize": [n, 1], "pooling_type": "max"}),
                      case("maxout", "maxout", {"X": row.reshape(1, n, 1, 1)}, {"groups": n}),
                      case("sequence", "sequence_pool", {"X": Lod(row.reshape(n, 1), [[n]])},
                           {"pooltype": "MAX"}, outputs=["Out", "MaxIndex"]),
                      case("top", "top_k", {"X": row.reshape(1, n)}, {"k": 1},
                           outputs=["Out", "Indices"]),
                      case("softmax", "softmax", {"X": row.reshape(1, n)})):
                out = forward(fluid, c).values["Out0"]
                assert np.isnan(out).all(), "%s of %d hides a NaN at %d: %s" % (c.name, n, at, out)


def test_a_fused_layer_shows_a_nan_in_every_run():
    """Large products go through a library whose own relu makes 0 of a NaN."""
    import paddle.fluid as fluid
    for rows, width, act in ((4, 3, "relu"), (64, 128, "relu"), (64, 128, "tanh"),
                             (64, 128, "sigmoid")):
        main, startup = fluid.Program(), fluid.Program()
        with fluid.program_guard(main, startup):
            x = fluid.layers.data("x", [width])
            out = fluid.layers.fc(x, width, act=act)
        exe = fluid.Executor(fluid.CPUPlace())
        data = np.random.RandomState(1).rand(rows, width).astype("float32")
        data[1, 0] = data[rows - 1, width - 1] = np.nan
        with fluid.scope_guard(fluid.core.Scope()):
            exe.run(startup)
            for run in range(12):
                got, = exe.run(main, feed={"x": data}, fetch_list=[out])
                bad = np.isnan(got).all(axis=1)
                assert bad[1] and bad[rows - 1] and bad.sum() == 2, (act, rows, run)


def test_one_nan_in_the_data_shows_in_the_loss_at_once():
    import paddle.fluid as fluid
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        x, label = fluid.data("x", [None, 8]), fluid.data("label", [None, 1], "int64")
        hidden = fluid.layers.fc(fluid.layers.fc(x, 32, act="relu"), 16, act="relu")
        out = fluid.layers.fc(hidden, 2, act="softmax")
        loss = fluid.layers.mean(fluid.layers.cross_entropy(out, label))
        fluid.optimizer.Adam(0.01).minimize(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    data = np.random.RandomState(1).rand(40, 8).astype("float32")
    labels = np.arange(40).reshape(40, 1) % 2
    with fluid.scope_guard(fluid.core.Scope()):
        exe.run(startup)
        before, = exe.run(main, feed={"x": data, "label": labels}, fetch_list=[loss])
        data[17, 3] = np.nan
        shown, = exe.run(main, feed={"x": data, "label": labels}, fetch_list=[loss])
    assert np.isfinite(before).all() and np.isnan(shown).all()
