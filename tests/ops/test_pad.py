"""pad, pad_constant_like, pad2d, crop, crop_tensor."""
import numpy as np
from opcase import Lod, case, check, ints, rand, refused


def int32(*numbers):
    return np.array(numbers, "int32")


WHOLE, IMAGES = ints(6, 3), ints(2, 2, 3, 4)
CASES = [
    case("pad", "pad", {"X": rand(3, 2)}, {"paddings": [1, 2, 0, 1], "pad_value": 1.5},
         grads=["X"]),
    case("pad inside", "pad", {"X": rand(2, 3, 2)}, {"paddings": [0, 0, 2, 1, 0, 0]}, grads=["X"]),
    case("pad nothing", "pad", {"X": rand(3, 2)}, {"paddings": [0, 0, 0, 0]}, grads=["X"]),
    case("pad sequences", "pad", {"X": Lod(rand(6, 2), [[2, 4]])}, {"paddings": [0, 0, 0, 1]}),
    case("pad rows of sequences", "pad", {"X": Lod(rand(6, 2), [[2, 4]])},
         {"paddings": [0, 1, 0, 1]}, no_lod=["Out"]),
    case("like", "pad_constant_like", {"X": rand(4, 3), "Y": rand(2, 3)}, {"pad_value": 2.5},
         grads=["Y"]),
    case("like deep", "pad_constant_like", {"X": rand(4, 3, 2), "Y": rand(2, 1, 2)}, grads=["Y"]),
    case("like sequences", "pad_constant_like",
         {"X": Lod(rand(4, 3), [[1, 3]]), "Y": Lod(rand(4, 2), [[2, 2]])}, grads=["Y"]),
    case("crop", "crop", {"X": rand(6, 3)}, {"shape": [2, 2], "offsets": [3, 1]}, grads=["X"]),
    case("crop like", "crop", {"X": rand(6, 3), "Y": rand(2, 1)}, {"offsets": [1, 1]},
         grads=["X"]),
    case("crop by tensor", "crop", {"X": rand(6, 3), "Offsets": int32(1, 1)}, {"shape": [3, 1]},
         grads=["X"]),
    case("crop deep", "crop", {"X": rand(3, 4, 5)}, {"shape": [2, 2, 3], "offsets": [0, 1, 2]},
         grads=["X"]),
    case("crop_tensor", "crop_tensor", {"X": rand(6, 3)}, {"shape": [2, -1], "offsets": [1, 1]},
         grads=["X"]),
    case("crop_tensor by tensor", "crop_tensor",
         {"X": rand(6, 3), "Shape": int32(2, -1), "Offsets": int32(1, 1)}, grads=["X"]),
    case("crop_tensor by tensors", "crop_tensor",
         {"X": rand(6, 3), "ShapeTensor": [int32(2), int32(1)],
          "OffsetsTensor": [int32(1), int32(2)]},
         {"shape": [-1, -1], "offsets": [-1, -1]}, grads=["X"]),
    case("crop_tensor int64", "crop_tensor", {"X": WHOLE},
         {"shape": [2, -1], "offsets": [1, 1]}, expect={"Out": WHOLE[1:3, 1:]}),
    case("pad2d by tensor", "pad2d", {"X": rand(1, 2, 3, 4), "Paddings": int32(1, 0, 0, 2)},
         {"paddings": [0, 0, 0, 0], "pad_value": 1.5}, grads=["X"]),
]
for mode in ("constant", "reflect", "edge"):
    attrs = {"paddings": [1, 2, 3, 1], "mode": mode, "pad_value": 1.5}
    CASES += [
        case("pad2d %s" % mode, "pad2d", {"X": rand(2, 2, 3, 4)}, attrs, grads=["X"]),
        case("pad2d %s last" % mode, "pad2d", {"X": rand(2, 3, 4, 2)},
             dict(attrs, data_format="NHWC"), grads=["X"]),
        case("pad2d %s int64" % mode, "pad2d", {"X": IMAGES}, dict(attrs, pad_value=0.0),
             expect={"Out": np.pad(IMAGES, ((0, 0), (0, 0), (1, 2), (3, 1)), mode)}),
    ]
test = check(__file__, CASES)

IMAGE = rand(1, 1, 3, 4)
test_refused = refused(
    ("paddings has 2 numbers", case("few", "pad", {"X": rand(3, 2)}, {"paddings": [1, 2]})),
    ("paddings has -1 and 2", case("below 0", "pad", {"X": rand(3)}, {"paddings": [-1, 2]})),
    ("does not go into X", case("like", "pad_constant_like", {"X": rand(2, 3), "Y": rand(4, 3)})),
    ("does not fit dimension 0, of 6",
     case("crop", "crop", {"X": rand(6, 2)}, {"shape": [6, 2], "offsets": [1, 0]})),
    ("does not fit dimension 1, of 2",
     case("crop_tensor", "crop_tensor", {"X": rand(6, 2)}, {"shape": [2, 5], "offsets": [1, 0]})),
    ("does not fit dimension 0", case("behind", "crop_tensor", {"X": rand(6)},
                                      {"shape": [-1], "offsets": [7]})),
    ("each of 2 dimensions", case("crop few", "crop", {"X": rand(6, 2)},
                                  {"shape": [2], "offsets": [1]})),
    ("cannot be given such a margin", case("reflect", "pad2d", {"X": IMAGE},
                                           {"paddings": [3, 0, 0, 0], "mode": "reflect"})),
    ("mode is 'mirror'", case("mode", "pad2d", {"X": IMAGE},
                              {"paddings": [1, 0, 0, 0], "mode": "mirror"})),
    ("data_format is 'CHWN'", case("format", "pad2d", {"X": IMAGE},
                                   {"paddings": [1, 0, 0, 0], "data_format": "CHWN"})),
    ("none negative", case("below", "pad2d", {"X": IMAGE}, {"paddings": [-1, 0, 0, 0]})),
    ("4 dimensions", case("rank", "pad2d", {"X": rand(3, 4)}, {"paddings": [1, 0, 0, 0]})),
)
