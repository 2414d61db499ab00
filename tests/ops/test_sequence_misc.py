"""im2sequence, row_conv, hash, add_position_encoding, cvm."""
import numpy as np

from opcase import case, check, forward, ints, rand, Lod

SIZES = np.array([[8, 8], [5, 7]], "float32")
CASES = [
    case("patches", "im2sequence", {"X": rand(2, 3, 5, 6)}, {"kernels": [2, 3]}, grads=["X"]),
    case("patches apart", "im2sequence", {"X": rand(2, 1, 4, 4)},
         {"kernels": [2, 2], "strides": [2, 2]}, grads=["X"]),
    case("patches padded", "im2sequence", {"X": rand(1, 2, 3, 3)},
         {"kernels": [2, 2], "strides": [1, 2], "paddings": [1, 0, 2, 1]}, grads=["X"]),
    case("pictures", "im2sequence", {"X": rand(2, 2, 4, 4), "Y": SIZES},
         {"kernels": [2, 2], "out_stride": [2, 2]}),
    case("pictures padded", "im2sequence", {"X": rand(2, 2, 4, 4), "Y": SIZES},
         {"kernels": [2, 2], "out_stride": [2, 2], "paddings": [1, 1, 1, 1]}),
    case("one picture", "im2sequence", {"X": rand(1, 1, 4, 4), "Y": SIZES[1:]},
         {"kernels": [2, 2], "out_stride": [2, 2]}),

    case("row_conv", "row_conv", {"X": Lod(rand(7, 3), [[2, 5]]), "Filter": rand(3, 3)},
         grads=["X", "Filter"]),
    case("row_conv dense", "row_conv", {"X": rand(2, 4, 3), "Filter": rand(2, 3)},
         grads=["X", "Filter"]),
    case("row_conv short", "row_conv", {"X": Lod(rand(3, 3), [[1, 2]]), "Filter": rand(5, 3)},
         grads=["X", "Filter"]),
    case("row_conv empty", "row_conv", {"X": Lod(rand(3, 3), [[1, 0, 2]]), "Filter": rand(2, 3)},
         grads=["X", "Filter"], golden=False),  # real Paddle fails on an empty sequence

    case("hash", "hash", {"X": ints(4, 1, high=1000)}, {"num_hash": 3, "mod_by": 10000}),
    case("hash int32", "hash", {"X": ints(4, 1, high=1000, dtype="int32")},
         {"num_hash": 2, "mod_by": 1 << 30}),
    case("hash sequences", "hash", {"X": Lod(ints(4, 2, low=-9), [[1, 3]])},
         {"num_hash": 2, "mod_by": 1 << 62}),

    case("positions", "add_position_encoding", {"X": Lod(rand(6, 4), [[2, 4]])},
         {"alpha": 2.0, "beta": 0.5}, grads=["X"]),
    case("positions dense", "add_position_encoding", {"X": rand(2, 3, 6)},
         {"alpha": 1.0, "beta": 1.0}, grads=["X"]),
    case("positions of two", "add_position_encoding", {"X": Lod(rand(3, 2), [[3]])},
         {"alpha": 1.0, "beta": 3.0}, grads=["X"]),
]
for width in (2, 3, 4, 5, 7, 8, 9, 13):  # each length of what is left of a stripe
    CASES.append(case("hash %d" % width, "hash", {"X": ints(3, width, high=1 << 40)},
                      {"num_hash": 2, "mod_by": 1 << 62}))
    CASES.append(case("hash32 %d" % width, "hash",
                      {"X": ints(3, width, high=1 << 30, dtype="int32")},
                      {"num_hash": 2, "mod_by": (1 << 31) - 1}))
for use in (True, False):
    # Gradients of the counters are the rows of CVM, so there is nothing to differentiate.
    CASES += [
        case("cvm %s" % use, "cvm", {"X": rand(3, 5, low=0), "CVM": rand(3, 2)},
             {"use_cvm": use}, outputs=["Y"], grads=["X"], numeric=False),
        case("cvm sequences %s" % use, "cvm",
             {"X": Lod(rand(5, 4, low=0), [[1, 3, 1]]), "CVM": rand(3, 2)}, {"use_cvm": use},
             outputs=["Y"], grads=["X"], numeric=False),
    ]
test = check(__file__, CASES)


def _fails(what, type, inputs, attrs=None, outputs=("Out",)):
    import paddle.fluid as fluid
    import pytest
    with pytest.raises((fluid.core.EnforceNotMet, ValueError), match=what):
        forward(fluid, case("bad", type, inputs, attrs, outputs=outputs))


def test_an_image_smaller_than_a_window_is_refused():
    _fails("image 0, of 4 x 4, is smaller than a window", "im2sequence", {"X": rand(2, 1, 4, 4)},
           {"kernels": [5, 5]})
    _fails("image 1, of 1 x 4", "im2sequence",
           {"X": rand(2, 1, 4, 4), "Y": np.array([[4, 4], [1, 4]], "float32")},
           {"kernels": [2, 2]})
    _fails("has the size nan", "im2sequence",
           {"X": rand(2, 1, 4, 4), "Y": np.array([[4, 4], [float("nan"), 4]], "float32")},
           {"kernels": [2, 2]})
    _fails("strides has 0", "im2sequence", {"X": rand(2, 1, 4, 4)},
           {"kernels": [2, 2], "strides": [0, 1]})


def test_shapes_that_do_not_fit_are_refused():
    _fails("Filter has rows of 2, and X of 3", "row_conv",
           {"X": Lod(rand(3, 3), [[1, 2]]), "Filter": rand(2, 2)})
    _fails("rows of 3, which must be even", "add_position_encoding",
           {"X": Lod(rand(3, 3), [[1, 2]])})
    _fails("begin with 2 counters", "cvm", {"X": rand(3, 1), "CVM": rand(3, 2)}, outputs=["Y"])
    _fails("mod_by 0", "hash", {"X": ints(3, 1)}, {"mod_by": 0})


def test_the_gradient_of_cvm_needs_a_row_for_each_instance():
    import paddle.fluid as fluid
    import pytest
    from opcase import gradients, weights_for
    bad = case("bad", "cvm", {"X": Lod(rand(5, 4, low=0), [[1, 3, 1]]), "CVM": rand(5, 2)},
               outputs=["Y"], grads=["X"])
    weights = weights_for(bad, forward(fluid, bad))
    with pytest.raises(fluid.core.EnforceNotMet, match="X is of 3 instances"):
        gradients(fluid, bad, bad.inputs, weights)
