"""Ops that models saved for inference have in place of several."""
import numpy as np
from opcase import Lod, case, check, rand, refused


def _repeated(name, *widths):
    n = len(widths) - 1
    return case(name, "fusion_repeated_fc_relu",
                {"X": rand(5, widths[0]),
                 "W": [rand(a, b) for a, b in zip(widths, widths[1:])],
                 "Bias": [rand(1, b) for b in widths[1:]]},
                outputs=["ReluOut", "Out"], counts={"ReluOut": n - 1}, compare=["Out"])


def _squared(name, x, y, scalar):
    return case(name, "fusion_squared_mat_sub", {"X": x, "Y": y}, {"scalar": scalar},
                outputs=["SquaredX", "SquaredY", "SquaredXY", "Out"])


def _conv(name, x, filter, length, start, bias=None, **attrs):
    if bias is None:
        bias = rand(1, filter.shape[1])
    return case(name, "fusion_seqconv_eltadd_relu", {"X": x, "Filter": filter, "Bias": bias},
                dict({"contextLength": length, "contextStart": start, "contextStride": 1},
                     **attrs),
                outputs=["Out", "ColMat"], compare=["Out"])


def _expand(name, act, lengths, widths, out=3, bias=True, rows=None):
    inputs = {"X": [Lod(rand(sum(lengths), widths[0]), [lengths])] +
                   [Lod(rand(rows or len(lengths), w), [[1] * (rows or len(lengths))])
                    for w in widths[1:]],
              "FCWeight": rand(sum(widths), out)}
    if bias:
        inputs["FCBias"] = rand(1, out)
    return case(name, "fusion_seqexpand_concat_fc", inputs, {"fc_activation": act},
                outputs=["Out", "FCOut"], compare=["Out"])


CASES = [
    _repeated("two layers", 4, 5, 3), _repeated("four layers", 4, 7, 2, 6, 1),
    _squared("half", rand(3, 4), rand(4, 2), 0.5), _squared("minus", rand(1, 6), rand(6, 6), -2.0),
    _conv("around", Lod(rand(7, 4), [[3, 4]]), rand(12, 5), 3, -1),
    _conv("before", Lod(rand(7, 4), [[1, 2, 4]]), rand(8, 5), 2, -1),
    _conv("after", Lod(rand(7, 4), [[5, 2]]), rand(12, 2), 3, 0),
    _conv("its row alone", Lod(rand(7, 4), [[5, 2]]), rand(4, 2), 1, 0),
    _expand("identity", "identity", [2, 1, 3], [4, 3, 2]),
    _expand("relu", "relu", [2, 1, 3], [4, 3]),
    _expand("sigmoid", "sigmoid", [5], [4, 3]),
    _expand("tanh", "tanh", [2, 4], [1, 3, 5]),
    _expand("no bias", "relu", [2, 4], [1, 3, 5], bias=False),
]
test = check(__file__, CASES)

test_refusals = refused(
    ("output ReluOut is required", _repeated("x", 4, 5)),
    ("X has 4 columns, and Y 3 rows", _squared("x", rand(3, 4), rand(3, 2), 1.0)),
    ("Filter has 8 rows, and must have 12", _conv("x", Lod(rand(3, 4), [[3]]), rand(8, 5), 3, -1)),
    ("Bias must have 5 elements", _conv("x", Lod(rand(3, 4), [[3]]), rand(12, 5), 3, -1,
                                        rand(1, 4))),
    ("only 1 is possible", _conv("x", Lod(rand(3, 4), [[3]]), rand(12, 5), 3, -1,
                                 contextStride=2)),
    ("identity, relu, sigmoid or tanh", _expand("x", "gelu", [2], [3, 4])),
    ("has 3 rows, and X0 2 sequences", _expand("x", "relu", [2, 1], [3, 4], rows=3)),
    ("at least two", _expand("x", "relu", [2, 1], [3])))


def test_a_nan_is_not_hidden():
    import paddle.fluid as fluid
    from opcase import forward
    for c in (_repeated("x", 3, 2, 2), _expand("x", "relu", [1, 2], [3, 2])):
        x = c.inputs["X"][0].array if isinstance(c.inputs["X"], list) else c.inputs["X"]
        x[0, 0] = np.nan
        assert np.isnan(forward(fluid, c).values["Out0"][0]).all()
