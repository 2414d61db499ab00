"""Pictures of ten figures: a prototype each, shifted by a pixel or two, and noise."""
import numpy as np

SIDE, BATCH = 28, 64
_rng = np.random.RandomState(2)
_coarse = (_rng.rand(10, 7, 7) < 0.4).astype("float32")
_PROTOTYPES = _coarse.repeat(4, axis=1).repeat(4, axis=2)


def batch(seed, size=BATCH):
    rng = np.random.RandomState(seed)
    labels = rng.randint(0, 10, (size, 1)).astype("int64")
    shifted = [np.roll(_PROTOTYPES[k], rng.randint(-2, 3, 2), (0, 1)) for k in labels[:, 0]]
    pictures = np.array(shifted) + 0.3 * rng.randn(size, SIDE, SIDE)
    return pictures.astype("float32").reshape(size, 1, SIDE, SIDE), labels


def batches(count):
    """The same batches in every pass."""
    return [dict(zip(("img", "label"), batch(100 + i))) for i in range(count)]
