from opcase import case, check, forward, rand, Lod

CASES = [
    case("softmax", "sequence_softmax", {"X": Lod(rand(7, 1), [[4, 1, 2]])}, grads=["X"]),
    case("empty", "sequence_softmax", {"X": Lod(rand(4, 1), [[2, 0, 2]])}, grads=["X"]),
    case("two levels", "sequence_softmax", {"X": Lod(rand(4, 1), [[1, 1], [3, 1]])}, grads=["X"]),
    case("large", "sequence_softmax", {"X": Lod(rand(60, 1, low=80, high=90), [[20, 40]])},
         grads=["X"], golden=False),  # real Paddle overflows to zeros
    case("one dimension", "sequence_softmax", {"X": Lod(rand(4), [[1, 3]])}, grads=["X"],
         golden_grads=False),
]
test = check(__file__, CASES)


def test_rows_of_several_numbers_are_refused():
    import paddle.fluid as fluid
    import pytest
    with pytest.raises(fluid.core.EnforceNotMet, match="one number in a row"):
        forward(fluid, case("bad", "sequence_softmax", {"X": Lod(rand(4, 2), [[2, 2]])}))
