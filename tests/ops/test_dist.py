"""dist and allclose."""
import numpy as np
from opcase import apart, case, check, ints, rand, refused


def dist(name, x, y, p, **kw):
    return case(name, "dist", {"X": x, "Y": y}, {"p": p}, grads=["X", "Y"], **kw)


INF = float("inf")
NAN = np.array([1, np.nan, 3], "float32")
CASES = [
    dist("dist", rand(3, 4), rand(3, 4), 2.0),
    dist("dist 1", apart(3, 4), apart(3, 4) + 5, 1.0),
    dist("dist 3.5", rand(3, 4), rand(3, 4) + 2, 3.5),
    dist("dist 0.5", rand(3, 4), rand(3, 4) + 2, 0.5),
    case("dist 0", "dist", {"X": np.array([1, 2, 3], "float32"),
                            "Y": np.array([1, 0, 5], "float32")}, {"p": 0.0}),
    dist("dist inf", apart(3, 4), apart(3, 4) + 3, INF),
    dist("dist -inf", apart(3, 4), apart(3, 4) + 3, -INF),
    dist("dist of a row", rand(3, 4), rand(4), 2.0),
    dist("dist of a column", rand(3, 1), rand(3, 4), 2.0),
    dist("dist both", rand(3, 1, 2), rand(4, 1), 2.0),
]
for name, x, y, attrs in (
        ("same", rand(3, 4), None, {}),
        ("near", np.array([1.0, 2.0], "float32"), np.array([1.000001, 2.0], "float32"), {}),
        ("apart", np.array([1.0, 2.0], "float32"), np.array([1.001, 2.0], "float32"), {}),
        ("rtol", np.array([1.0, 2.0], "float32"), np.array([1.001, 2.0], "float32"),
         {"rtol": 0.01}),
        ("atol", np.array([0.0, 2.0], "float32"), np.array([0.001, 2.0], "float32"),
         {"atol": 0.01}),
        ("nan", NAN, NAN, {}),
        ("equal nan", NAN, NAN, {"equal_nan": True})):
    CASES.append(case("allclose " + name, "allclose", {"Input": x, "Other": x if y is None else y},
                      attrs))
test = check(__file__, CASES)

test_refused = refused(
    ("", dist("shapes", rand(3, 4), rand(5), 2.0)),
    ("int64", case("whole", "dist", {"X": ints(3), "Y": ints(3)})),
    ("", case("close shapes", "allclose", {"Input": rand(3), "Other": rand(4)})),
)
