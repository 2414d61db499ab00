"""gather, gather_nd, index_select, index_sample, scatter, scatter_nd_add."""
import numpy as np
from opcase import case, check, ints, Lod, rand, refused


def int32(*numbers):
    return np.array(numbers, "int32")


def int64(*numbers):
    return np.array(numbers, "int64")


CASES = [
    case("gather", "gather", {"X": rand(6, 3), "Index": int32(4, 1, 5)}, grads=["X"]),
    case("gather column", "gather", {"X": rand(6, 3), "Index": int64(4, 1, 5).reshape(3, 1)},
         grads=["X"]),
    case("gather blocks", "gather", {"X": rand(6, 3, 2), "Index": int32(4, 1)}, grads=["X"]),
    case("gather int64", "gather", {"X": ints(6, 3), "Index": int32(4, 1, 4)}),
    # the last of several gradients stays: what `overwrite` asks for
    case("gather twice", "gather", {"X": rand(6, 3), "Index": int32(4, 1, 4)}, grads=["X"],
         numeric=False),
    case("gather adding", "gather", {"X": rand(6, 3), "Index": int32(4, 1, 4)},
         {"overwrite": False}, grads=["X"]),
    case("gather_nd elements", "gather_nd", {"X": rand(4, 3), "Index": int32(1, 2, 3, 0, 1, 2)
                                             .reshape(3, 2)}, grads=["X"]),
    case("gather_nd rows", "gather_nd", {"X": rand(4, 3), "Index": int64(1, 3, 1).reshape(3, 1)},
         grads=["X"]),
    case("gather_nd deep", "gather_nd", {"X": rand(4, 3, 2), "Index": int32(1, 2, 3, 0)
                                         .reshape(2, 1, 2)}, grads=["X"]),
    case("gather_nd all", "gather_nd", {"X": rand(4, 3), "Index": np.zeros((2, 0), "int32")}),
    case("gather_nd int64", "gather_nd", {"X": ints(4, 3), "Index": int32(1, 2).reshape(1, 2)}),
    case("index_select rows", "index_select", {"X": rand(4, 3), "Index": int32(2, 0, 2)},
         {"dim": 0}, grads=["X"]),
    case("index_select columns", "index_select", {"X": rand(4, 3, 2), "Index": int64(2, 0)},
         {"dim": 1}, grads=["X"]),
    case("index_select last", "index_select", {"X": rand(4, 3), "Index": int64(2, 0, 0, 1)},
         {"dim": -1}, grads=["X"]),
    case("index_sample", "index_sample", {"X": rand(2, 4), "Index": int32(0, 3, 3, 1, 2, 0)
                                          .reshape(2, 3)}, grads=["X"]),
    case("index_sample int64", "index_sample", {"X": ints(2, 4), "Index": int64(0, 3, 1, 2)
                                                .reshape(2, 2)}),
    # of scatter's X, real Paddle lets the gradient of replaced rows through
    case("scatter", "scatter", {"X": rand(6, 2), "Ids": int32(4, 1), "Updates": rand(2, 2)},
         grads=["X", "Updates"], golden_grads=False),
    case("scatter updates", "scatter", {"X": rand(6, 2), "Ids": int32(4, 1),
                                        "Updates": rand(2, 2)}, grads=["Updates"]),
    case("scatter twice", "scatter", {"X": rand(6, 2), "Ids": int64(4, 1, 4),
                                      "Updates": rand(3, 2)}),
    case("scatter adding", "scatter", {"X": rand(6, 2), "Ids": int64(4, 1, 4),
                                       "Updates": rand(3, 2)}, {"overwrite": False},
         grads=["X", "Updates"], golden_grads=False),
    case("scatter adding updates", "scatter", {"X": rand(6, 2, 2), "Ids": int64(4, 1, 4),
                                               "Updates": rand(3, 2, 2)}, {"overwrite": False},
         grads=["Updates"]),
    case("scatter_nd_add rows", "scatter_nd_add",
         {"X": rand(4, 3), "Index": int32(1, 3, 1).reshape(3, 1), "Updates": rand(3, 3)},
         grads=["X", "Updates"]),
    case("scatter_nd_add elements", "scatter_nd_add",
         {"X": rand(4, 3), "Index": int64(1, 2, 1, 2).reshape(2, 2), "Updates": rand(2)},
         grads=["X", "Updates"]),
    case("scatter_nd_add deep", "scatter_nd_add",
         {"X": rand(4, 3, 2), "Index": int64(1, 2, 3, 0).reshape(2, 1, 2),
          "Updates": rand(2, 1, 2)}, grads=["X", "Updates"]),
    # of the two, gather_nd alone gives X's LoD on
    case("gather sequences", "gather", {"X": Lod(rand(4, 3), [[1, 3]]), "Index": int32(3, 0)},
         no_lod=["Out"]),
    case("gather_nd sequences", "gather_nd", {"X": Lod(rand(4, 3), [[1, 3]]),
                                              "Index": int32(3, 0, 1, 2).reshape(4, 1)}),
]
test = check(__file__, CASES)

test_refused = refused(
    ("has 6 at element 1, and there are 6",
     case("gather high", "gather", {"X": rand(6, 3), "Index": int32(4, 6)})),
    ("has -1 at element 0", case("gather low", "gather", {"X": rand(6, 3), "Index": int32(-1)})),
    ("Index must be [n] or [n, 1]",
     case("gather shape", "gather", {"X": rand(6, 3), "Index": int32(1, 2, 3, 4).reshape(2, 2)})),
    ("Index is float32", case("gather type", "gather", {"X": rand(6, 3), "Index": rand(2)})),
    ("has 3 at [0, 1], and X has 3",
     case("nd high", "gather_nd", {"X": rand(4, 3), "Index": int32(1, 3).reshape(1, 2)})),
    ("cannot be indexed",
     case("nd deep", "gather_nd", {"X": rand(4, 3), "Index": int32(1, 2, 0).reshape(1, 3)})),
    ("has 4 at element 1", case("select high", "index_select",
                                {"X": rand(4, 3), "Index": int32(2, 4)}, {"dim": 0})),
    ("X has 2 rows, and Index has 1",
     case("sample rows", "index_sample", {"X": rand(2, 4), "Index": int32(0, 3).reshape(1, 2)})),
    ("has 6 at [1, 0], and X has 6",
     case("scatter high", "scatter", {"X": rand(6, 2), "Ids": int32(4, 6), "Updates": rand(2, 2)})),
    ("do not go into X",
     case("scatter shape", "scatter", {"X": rand(6, 2), "Ids": int32(4, 1),
                                       "Updates": rand(3, 2)})),
    ("do not go into X",
     case("nd shape", "scatter_nd_add", {"X": rand(4, 3), "Index": int32(1, 2).reshape(1, 2),
                                         "Updates": rand(3)})),
)
