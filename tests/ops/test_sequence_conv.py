from opcase import case, check, forward, rand, Lod

CASES = []
for start, length in ((-1, 3), (0, 3), (-2, 3), (-1, 2), (1, 2), (-5, 2), (0, 1), (-2, 5)):
    name = "%d from %d" % (length, start)
    attrs = {"contextStart": start, "contextLength": length, "contextStride": 1}
    # Real Paddle fails on a context that is far off its row, and computes another Filter@GRAD
    # than that of its own forward pass where the context begins after the row.
    known = -5 < start <= 0
    CASES += [
        case(name, "sequence_conv",
             {"X": Lod(rand(9, 4), [[3, 1, 5]]), "Filter": rand(length * 4, 6)}, attrs,
             grads=["X", "Filter"], golden_grads=known),
        case(name + " empty", "sequence_conv",
             {"X": Lod(rand(4, 2), [[1, 0, 3]]), "Filter": rand(length * 2, 3)}, attrs,
             grads=["X", "Filter"], golden_grads=known),
    ]
    around = max(0, -start) + max(0, start + length - 1)
    if around:
        CASES.append(case(
            name + " padding", "sequence_conv",
            {"X": Lod(rand(5, 3), [[1, 0, 4]]), "Filter": rand(length * 3, 2),
             "PaddingData": rand(around, 3)}, dict(attrs, paddingTrainable=True),
            grads=["X", "Filter", "PaddingData"], golden=known))
CASES.append(case("wide", "sequence_conv",
                  {"X": Lod(rand(40, 33), [[7, 20, 13]]), "Filter": rand(99, 17)},
                  {"contextStart": -1, "contextLength": 3}, grads=["X", "Filter"]))
test = check(__file__, CASES)


def _fails(what, inputs, **attrs):
    import paddle.fluid as fluid
    import pytest
    attrs = dict({"contextStart": -1, "contextLength": 3}, **attrs)
    with pytest.raises((fluid.core.EnforceNotMet, ValueError), match=what):
        forward(fluid, case("bad", "sequence_conv", inputs, attrs))


def test_a_filter_that_does_not_fit_is_refused():
    _fails("Filter has 4 rows, and must have 6",
           {"X": Lod(rand(3, 2), [[1, 2]]), "Filter": rand(4, 2)})


def test_two_levels_are_refused():
    _fails("X has a LoD of 2 levels, and must have one",
           {"X": Lod(rand(3, 2), [[1, 1], [1, 2]]), "Filter": rand(6, 2)})


def test_a_stride_is_refused():
    _fails("contextStride is 2", {"X": Lod(rand(3, 2), [[1, 2]]), "Filter": rand(6, 2)},
           contextStride=2)


def test_padding_of_another_size_is_refused():
    _fails(r"PaddingData has the shape \[1, 2\], and must have \[2, 2\]",
           {"X": Lod(rand(3, 2), [[1, 2]]), "Filter": rand(6, 2), "PaddingData": rand(1, 2)},
           paddingTrainable=True)
    _fails("PaddingData is missing", {"X": Lod(rand(3, 2), [[1, 2]]), "Filter": rand(6, 2)},
           paddingTrainable=True)
