import numpy as np
from opcase import Lod, case, check, rand, refused


def _match(name, x, y, w, **kw):
    return case(name, "match_matrix_tensor", {"X": x, "Y": y, "W": w}, {"dim_t": w.shape[1]},
                ["Out", "Tmp"], ["X", "Y", "W"], compare=["Out"], **kw)


def _widths():
    """Real Paddle takes the width of X for that of Y: what is wanted is written out."""
    x, y, w = rand(5, 3), rand(6, 4), rand(3, 2, 4)
    out = [np.einsum("ia,atb,jb->tij", x[a:b], w, y[c:d]).reshape(-1, 1)
           for (a, b), (c, d) in zip([(0, 2), (2, 5)], [(0, 4), (4, 6)])]
    return _match("other widths", Lod(x, [[2, 3]]), Lod(y, [[4, 2]]), w,
                  expect={"Out": np.concatenate(out)})


CASES = [
    _match("two channels", Lod(rand(5, 3), [[2, 3]]), Lod(rand(6, 3), [[4, 2]]), rand(3, 2, 3)),
    _match("one channel", Lod(rand(4, 2), [[1, 2, 1]]), Lod(rand(6, 2), [[3, 1, 2]]),
           rand(2, 1, 2)),
    _widths(),
]
test = check(__file__, CASES)

test_refusals = refused(
    ("must be [3, 2, 4]", _match("x", Lod(rand(5, 3), [[2, 3]]), Lod(rand(6, 4), [[4, 2]]),
                                 rand(4, 2, 4))),
    ("X has 2 sequences, and Y has 1", _match("x", Lod(rand(5, 3), [[2, 3]]),
                                              Lod(rand(6, 4), [[6]]), rand(3, 2, 4))))
