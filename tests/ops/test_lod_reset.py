import numpy as np

from opcase import case, check, forward, ints, rand, Lod

X = Lod(rand(5, 2), [[2, 3]])
CASES = [
    case("offsets", "lod_reset", {"X": X}, {"target_lod": [0, 1, 5]}, grads=["X"]),
    case("of nothing", "lod_reset", {"X": rand(5, 1)}, {"target_lod": [0, 1, 5]}, grads=["X"]),
    case("as Y", "lod_reset", {"X": X, "Y": Lod(rand(5, 1), [[1, 1], [4, 1]])},
         {"target_lod": [0, 5]}, grads=["X"]),
    case("offsets in Y", "lod_reset", {"X": X, "Y": np.array([0, 4, 5], "int32")},
         grads=["X"]),
    case("append", "lod_reset", {"X": X}, {"target_lod": [0, 1, 2, 3, 4, 5], "append": True},
         grads=["X"]),
    case("append to nothing", "lod_reset", {"X": rand(5, 1)},
         {"target_lod": [0, 1, 3, 5], "append": True}, grads=["X"]),
    case("append Y", "lod_reset", {"X": X, "Y": Lod(rand(5, 1), [[1] * 5])}, {"append": True}),
    case("int64", "lod_reset", {"X": Lod(ints(5, 1), [[2, 3]])}, {"target_lod": [0, 5]}),
]
test = check(__file__, CASES)


def test_offsets_that_are_no_lod_are_refused():
    import paddle.fluid as fluid
    import pytest
    for target, append, what in (([4, 1], False, "does not begin with 0"),
                                 ([0, 4], False, "4"),
                                 ([0, 4, 3, 5], False, "falls from 4 to 3"),
                                 ([], False, "neither Y nor target_lod"),
                                 # Real Paddle takes levels that do not agree.
                                 ([0, 1, 5], True, "level")):
        with pytest.raises((fluid.core.EnforceNotMet, ValueError), match=what):
            forward(fluid, case("bad", "lod_reset", {"X": X},
                                {"target_lod": target, "append": append}))
