from opcase import case, check, rand, refused


def _part(name, type, start, length, n=2, **kw):
    inputs = {"X": [rand(3, 5, **kw) for _ in range(n)]}
    return case(name, type, inputs, {"start_index": start, "length": length}, grads=["X"])


CASES = [
    _part("concat", "partial_concat", 1, 3), _part("concat to the end", "partial_concat", 2, -1, 3),
    _part("concat from the end", "partial_concat", -2, 1),
    _part("concat one", "partial_concat", 0, 5, 1), _part("sum", "partial_sum", 1, 3),
    _part("sum to the end", "partial_sum", 2, -1, 3), _part("sum double", "partial_sum", 0, 2,
                                                            dtype="float64"),
    _part("concat double", "partial_concat", 0, 2, dtype="float64"),
]
test = check(__file__, CASES)

test_refusals = refused(
    ("3 columns from number 3 on, and the inputs have 5", _part("x", "partial_concat", 3, 3)),
    ("start_index is 5", _part("x", "partial_sum", 5, -1)),
    ("matrices of one shape", case("x", "partial_sum", {"X": [rand(3, 5), rand(3, 4)]},
                                   {"start_index": 0, "length": 1})))
