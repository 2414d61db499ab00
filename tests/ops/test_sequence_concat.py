from opcase import case, check, forward, ints, rand, Lod

CASES = [
    case("two", "sequence_concat",
         {"X": [Lod(rand(4, 2), [[1, 3]]), Lod(rand(3, 2), [[2, 1]])]}, grads=["X"]),
    case("three", "sequence_concat",
         {"X": [Lod(rand(4, 1), [[1, 3]]), Lod(rand(3, 1), [[2, 1]]), Lod(rand(2, 1), [[1, 1]])]},
         grads=["X"]),
    case("one", "sequence_concat", {"X": [Lod(rand(4, 2), [[1, 3]])]}, grads=["X"],
         golden=False),  # real Paddle wants two
    case("empty", "sequence_concat",
         {"X": [Lod(rand(4, 2), [[1, 3]]), Lod(rand(3, 2), [[0, 3]])]}, golden_grads=False,
         grads=["X"]),  # real Paddle fails on an empty sequence in the backward pass
    case("deep", "sequence_concat",
         {"X": [Lod(rand(4, 2, 3), [[1, 3]]), Lod(rand(3, 2, 3), [[2, 1]])]}, grads=["X"]),
    case("int64", "sequence_concat",
         {"X": [Lod(ints(4, 1), [[1, 3]]), Lod(ints(3, 1), [[2, 1]])]}),
]
test = check(__file__, CASES)


def _fails(what, *x):
    import paddle.fluid as fluid
    import pytest
    with pytest.raises((fluid.core.EnforceNotMet, ValueError), match=what):
        forward(fluid, case("bad", "sequence_concat", {"X": list(x)}))


def test_what_cannot_be_joined_is_refused():
    _fails("X1 has 3 sequences, and X0 has 2", Lod(rand(4, 1), [[1, 3]]),
           Lod(rand(3, 1), [[1, 1, 1]]))
    _fails("X1 must have a LoD of one level", Lod(rand(4, 1), [[1, 3]]), rand(3, 1))
    _fails("X0 has no LoD|X has no LoD", rand(3, 1), Lod(rand(4, 1), [[1, 3]]))
    _fails("cannot be joined", Lod(rand(4, 2), [[1, 3]]), Lod(rand(3, 1), [[2, 1]]))
    _fails("cannot be joined", Lod(rand(4, 1), [[1, 3]]), Lod(ints(3, 1), [[2, 1]]))
    # Real Paddle takes the first level as if it counted rows.
    _fails("X has a LoD of 2 levels", Lod(rand(4, 1), [[1, 1], [1, 3]]),
           Lod(rand(3, 1), [[1, 1], [2, 1]]))
