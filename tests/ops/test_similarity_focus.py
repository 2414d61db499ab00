import numpy as np
from opcase import case, check, rand, refused


def _focus(name, x, axis, indexes, **kw):
    return case(name, "similarity_focus", {"X": x}, {"axis": axis, "indexes": indexes}, **kw)


_SPOILT = rand(1, 2, 2, 2)
_SPOILT[0, 0, 1, 1] = np.nan

CASES = [
    _focus("axis 1", rand(2, 3, 4, 5), 1, [0]),
    _focus("axis 1, two cuts", rand(2, 3, 4, 5), 1, [2, 0]),
    _focus("axis 2", rand(3, 4, 2, 3), 2, [1]),
    _focus("axis 3", rand(2, 2, 5, 3), 3, [2, 1, 0]),
    _focus("doubles", rand(1, 2, 6, 6, dtype="float64"), 1, [1]),
    _focus("a row", rand(2, 2, 1, 7), 1, [1]),
    _focus("the first of equal ones", np.ones((1, 1, 2, 3), "float32"), 1, [0],
           expect={"Out": np.array([[[[1, 0, 0], [0, 1, 0]]]], "float32")}),
]
test = check(__file__, CASES)

test_refusals = refused(
    ("axis is 0, and must be 1, 2 or 3", _focus("x", rand(2, 3, 4, 5), 0, [0])),
    ("indexes has 3, and dimension 1 of X is 3", _focus("x", rand(2, 3, 4, 5), 1, [3])),
    ("indexes has -1", _focus("x", rand(2, 3, 4, 5), 1, [-1])),
    ("X0 has a NaN", _focus("x", _SPOILT, 1, [0])))
