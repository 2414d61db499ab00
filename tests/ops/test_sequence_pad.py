import numpy as np

from opcase import case, check, forward, ints, rand, Lod

ONE = np.array([-1], "float32")
BOTH = ["Out", "Length"]
LENGTHS = np.array([2, 3, 0], "int64")
CASES = [
    case("pad", "sequence_pad", {"X": Lod(rand(6, 2), [[1, 3, 2]]), "PadValue": ONE},
         outputs=BOTH, grads=["X"]),
    case("pad to a length", "sequence_pad", {"X": Lod(rand(4, 2), [[1, 3]]), "PadValue": ONE},
         {"padded_length": 5}, outputs=BOTH, grads=["X"]),
    case("pad with a row", "sequence_pad", {"X": Lod(rand(4, 2), [[1, 3]]), "PadValue": rand(2)},
         {"padded_length": 4}, outputs=BOTH, grads=["X"]),
    case("pad deep", "sequence_pad",
         {"X": Lod(rand(4, 2, 3), [[1, 3]]), "PadValue": rand(2, 3)}, outputs=BOTH, grads=["X"]),
    case("pad empty", "sequence_pad", {"X": Lod(rand(4, 2), [[1, 0, 3]]), "PadValue": ONE},
         outputs=BOTH, grads=["X"]),
    case("pad int64", "sequence_pad",
         {"X": Lod(ints(4, 1), [[1, 3]]), "PadValue": np.array([7], "int64")}, outputs=BOTH),
    case("unpad", "sequence_unpad", {"X": rand(3, 3, 2), "Length": LENGTHS}, grads=["X"]),
    case("unpad numbers", "sequence_unpad", {"X": rand(3, 4), "Length": LENGTHS}, grads=["X"]),
    case("unpad deep", "sequence_unpad", {"X": rand(3, 3, 2, 2), "Length": LENGTHS},
         grads=["X"]),
    case("unpad int64", "sequence_unpad", {"X": ints(3, 3), "Length": LENGTHS}),
]
test = check(__file__, CASES)


def _fails(what, type, inputs, attrs=None):
    import paddle.fluid as fluid
    import pytest
    outputs = BOTH if type == "sequence_pad" else ["Out"]
    with pytest.raises((fluid.core.EnforceNotMet, ValueError), match=what):
        forward(fluid, case("bad", type, inputs, attrs, outputs=outputs))


def test_what_cannot_be_padded_is_refused():
    x = Lod(rand(4, 2), [[1, 3]])
    _fails("padded_length is 2, and the longest sequence has 3", "sequence_pad",
           {"X": x, "PadValue": ONE}, {"padded_length": 2})
    _fails("PadValue has the shape", "sequence_pad", {"X": x, "PadValue": rand(3)})
    _fails("X has no LoD", "sequence_pad", {"X": rand(4, 2), "PadValue": ONE})
    _fails("X has a LoD of 2 levels", "sequence_pad",
           {"X": Lod(rand(4, 2), [[1, 1], [1, 3]]), "PadValue": ONE})


def test_lengths_that_do_not_fit_are_refused():
    for bad in ([1, 4], [-1, 2]):
        _fails("has the length %d" % (bad[1] if bad[1] > 2 else bad[0]), "sequence_unpad",
               {"X": rand(2, 3), "Length": np.array(bad, "int64")})
    _fails("X has 2 rows, and Length 3 numbers", "sequence_unpad",
           {"X": rand(2, 3), "Length": np.array([1, 1, 1], "int64")})
