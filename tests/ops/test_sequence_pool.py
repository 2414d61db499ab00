from opcase import apart, case, check, rand, Lod

CASES = []
for pool in ("SUM", "AVERAGE", "SQRT", "MAX", "FIRST", "LAST"):
    make = apart if pool == "MAX" else rand
    outputs = ["Out", "MaxIndex"]
    CASES += [
        case(pool, "sequence_pool", {"X": Lod(make(6, 3), [[2, 1, 3]])}, {"pooltype": pool},
             outputs=outputs, grads=["X"], compare=["Out"]),
        case(pool + " empty", "sequence_pool", {"X": Lod(make(5, 3), [[2, 0, 3]])},
             {"pooltype": pool, "pad_value": 0.5}, outputs=outputs, grads=["X"],
             compare=["Out"]),
        case(pool + " two levels", "sequence_pool",
             {"X": Lod(make(6, 3), [[2, 1], [2, 1, 3]])}, {"pooltype": pool}, outputs=outputs,
             grads=["X"], compare=["Out"]),
        case(pool + " deep", "sequence_pool", {"X": Lod(make(6, 3, 2), [[2, 4]])},
             {"pooltype": pool}, outputs=outputs, grads=["X"], compare=["Out"]),
    ]
test = check(__file__, CASES)


def test_a_missing_lod_says_what_to_feed():
    import paddle.fluid as fluid
    import pytest
    from opcase import forward
    bad = case("bad", "sequence_pool", {"X": rand(6, 3)}, outputs=["Out", "MaxIndex"])
    with pytest.raises(fluid.core.EnforceNotMet, match="X has no LoD; feed it as a LoDTensor"):
        forward(fluid, bad)
