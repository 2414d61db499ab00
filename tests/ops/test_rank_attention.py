"""Real Paddle has the op for GPUs alone: what is wanted is written out here."""
import numpy as np
from opcase import case, check, rand, refused

# Rank of the instance, then (rank, instance) of each of those shown beside it; 0: none.
OFFSETS = np.array([[1, 1, 0, 2, 1, 0, 0], [2, 1, 0, 2, 1, 0, 0], [3, 3, 2, 0, 0, 1, 4],
                    [0, 0, 0, 0, 0, 0, 0], [1, 1, 4, 3, 2, 0, 0]], "int32")


def _attend(name, x, offsets, param, **kw):
    width, wanted = x.shape[1], np.zeros((len(offsets), param.shape[1]), x.dtype)
    blocks = param.reshape(3, 3, width, -1) if param.size == 9 * width * param.shape[1] else None
    for i, line in enumerate(offsets if blocks is not None and offsets.max() < 5 else []):
        for rank, index in line[1:].reshape(-1, 2):
            if line[0] > 0 and rank > 0:
                wanted[i] += x[index].dot(blocks[line[0] - 1, rank - 1])
    return case(name, "rank_attention", {"X": x, "RankOffset": offsets, "RankParam": param},
                {"MaxRank": 3}, grads=["RankParam"], expect={"Out": wanted})


CASES = [
    _attend("three ranks", rand(5, 2), OFFSETS, rand(18, 4)),
    _attend("one column", rand(5, 3), OFFSETS, rand(27, 1)),
]
test = check(__file__, CASES)


def _changed(value):
    offsets = OFFSETS.copy()
    offsets[2, 2] = value
    return offsets


test_refusals = refused(
    ("must have 18", _attend("x", rand(5, 2), OFFSETS, rand(17, 4))),
    ("at [2, 2]: there are 5 rows", _attend("x", rand(5, 2), _changed(5), rand(18, 4))),
    ("must have 7", _attend("x", rand(5, 2), OFFSETS[:, :5], rand(18, 4))))
