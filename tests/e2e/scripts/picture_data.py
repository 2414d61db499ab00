"""Coloured pictures of four kinds, 3 x 16 x 16: what tells them apart is the pattern (stripes one way,
the other, a chequerboard, a disc), in any two colours, anywhere, with noise."""
import numpy as np

SIDE, KINDS, BATCH = 16, 4, 32
_down, _across = np.mgrid[0:SIDE, 0:SIDE]


def _pattern(kind, rng):
    at, wide = rng.randint(0, 8), rng.randint(3, 5)
    if kind == 0:
        return (_down + at) // wide % 2
    if kind == 1:
        return (_across + at) // wide % 2
    if kind == 2:
        return ((_across + at) // wide + (_down + at) // wide) % 2
    centre = rng.randint(5, 11, 2)
    return (_down - centre[0]) ** 2 + (_across - centre[1]) ** 2 < 20


def batch(seed, size=BATCH):
    rng = np.random.RandomState(seed)
    labels = rng.randint(0, KINDS, (size, 1)).astype("int64")
    pictures = []
    for kind in labels[:, 0]:
        first, second = rng.permutation(5)[:2] / 5.0
        shape = _pattern(kind, rng).astype("float32")
        colour = np.array([first, second, rng.rand()]).reshape(3, 1, 1)
        pictures.append(colour * shape + (1 - colour[::-1]) * (1 - shape))
    pictures = np.array(pictures) + 0.05 * rng.randn(size, 3, SIDE, SIDE)
    return pictures.astype("float32"), labels


def batches(count):
    """The same batches in every pass."""
    return [dict(zip(("pixel", "label"), batch(100 + i))) for i in range(count)]
