"""Real Paddle has cudnn_lstm on GPUs alone: what is wanted is worked out here, with numpy."""
import numpy as np
from opcase import case, check, forward, rand, refused

OUTPUTS = ["Out", "last_h", "last_c", "Reserve"]
CASES = []


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def by_hand(x, h0, c0, w, layers, directions, size):
    """The layers, one step of one direction after the other."""
    x, h0, c0, w = [a.astype("float64") for a in (x, h0, c0, w)]
    widths = [x.shape[2]] + [directions * size] * (layers - 1)
    biases = w[len(w) - layers * directions * 8 * size:].reshape(layers, directions, 2, 4 * size)
    at, last_h, last_c = 0, [], []
    for layer in range(layers):
        outs = []
        for d in range(directions):
            wx = w[at:at + 4 * size * widths[layer]].reshape(4 * size, -1)
            at += wx.size
            wh = w[at:at + 4 * size * size].reshape(4 * size, size)
            at += wh.size
            h, c = h0[layer * directions + d], c0[layer * directions + d]
            steps = [None] * len(x)
            for t in (range(len(x)) if d == 0 else reversed(range(len(x)))):
                gates = x[t].dot(wx.T) + h.dot(wh.T) + biases[layer, d].sum(0)
                i, f, g, o = np.split(gates, 4, axis=1)
                c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
                h = sigmoid(o) * np.tanh(c)
                steps[t] = h
            outs.append(np.stack(steps))
            last_h.append(h)
            last_c.append(c)
        x = np.concatenate(outs, axis=2)
    return [a.astype("float32") for a in (x, np.stack(last_h), np.stack(last_c))]


def inputs_of(steps, batch, width, size, layers, directions):
    n = layers * directions
    count = sum(directions * 4 * size * ((width if i == 0 else directions * size) + size + 2)
                for i in range(layers))
    return {"Input": rand(steps, batch, width), "InitH": rand(n, batch, size),
            "InitC": rand(n, batch, size), "W": rand(count)}


def attrs_of(width, size, layers, directions, **more):
    return dict({"input_size": width, "hidden_size": size, "num_layers": layers, "max_len": 9,
                 "is_bidirec": directions == 2}, **more)


for steps, batch, width, size, layers, directions in (
        (4, 2, 3, 2, 1, 1), (1, 1, 2, 3, 1, 1), (4, 2, 3, 2, 3, 1), (4, 2, 3, 2, 1, 2),
        (3, 2, 4, 3, 2, 2)):
    ins = inputs_of(steps, batch, width, size, layers, directions)
    out, h, c = by_hand(ins["Input"], ins["InitH"], ins["InitC"], ins["W"], layers, directions,
                        size)
    CASES.append(case("%d steps of %d, %d layers, %d directions" % (steps, width, layers,
                                                                    directions),
                      "cudnn_lstm", ins, attrs_of(width, size, layers, directions),
                      outputs=OUTPUTS, compare=["Out", "last_h", "last_c"], grads=sorted(ins),
                      expect={"Out": out, "last_h": h, "last_c": c}))
ins = inputs_of(3, 4, 3, 4, 2, 2)
CASES.append(case("dropout", "cudnn_lstm", ins,
                  attrs_of(3, 4, 2, 2, dropout_prob=0.4, seed=5), outputs=OUTPUTS, golden=False,
                  compare=["Out", "last_h", "last_c"], grads=sorted(ins)))
test = check(__file__, CASES)


def test_dropout_is_between_layers_and_in_training_alone():
    import paddle.fluid as fluid
    ins = inputs_of(3, 4, 3, 8, 2, 1)
    run = lambda **attrs: forward(fluid, case(  # noqa: E731
        "drop", "cudnn_lstm", ins, attrs_of(3, 8, 2, 1, **attrs), outputs=OUTPUTS)).values
    plain, dropped = run(), run(dropout_prob=0.5, seed=3)
    tried = run(dropout_prob=0.5, is_test=True)
    assert np.array_equal(plain["Out0"], tried["Out0"])
    assert np.array_equal(plain["last_h0"][0], dropped["last_h0"][0])  # the lower layer's own
    assert not np.allclose(plain["last_h0"][1], dropped["last_h0"][1])


test_what_does_not_fit_is_refused = refused(
    ("max_len is 2", case("long", "cudnn_lstm", ins, attrs_of(3, 4, 2, 2, max_len=2),
                          outputs=OUTPUTS)),
    ("W has the shape", case("w", "cudnn_lstm", dict(ins, W=rand(7)), attrs_of(3, 4, 2, 2),
                             outputs=OUTPUTS)),
    ("dropout_prob is 1", case("p", "cudnn_lstm", ins, attrs_of(3, 4, 2, 2, dropout_prob=1.0),
                               outputs=OUTPUTS)),
    ("hidden_size 0", case("h", "cudnn_lstm", ins, attrs_of(3, 0, 2, 2), outputs=OUTPUTS)))
