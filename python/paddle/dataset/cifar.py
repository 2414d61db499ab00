"""CIFAR-10 and CIFAR-100: 32 by 32 colour images of 10 and 100 kinds of things."""
import numpy as np

from . import common

__all__ = ["train100", "test100", "train10", "test10"]

URL_PREFIX = "https://dataset.bj.bcebos.com/cifar/"
CIFAR10_URL = URL_PREFIX + "cifar-10-python.tar.gz"
CIFAR10_MD5 = "c58f30108f718f92721af3b95e74349a"
CIFAR100_URL = URL_PREFIX + "cifar-100-python.tar.gz"
CIFAR100_MD5 = "eb9058c3a382ffc7106e4002c42a8d85"


def _batches(filename, sub_name):
    """(images, labels) of the archive's pickles, read without running them."""
    from ..fluid import safe_pickle
    found = False
    for name, f in common.tar_members(filename, lambda name: sub_name in name):
        batch = safe_pickle.load(f, encoding="bytes")
        labels = batch.get(b"labels", batch.get(b"fine_labels")) if type(batch) is dict else None
        images = batch.get(b"data") if labels is not None else None
        if not isinstance(images, np.ndarray) or images.shape != (len(labels), 3072):
            raise ValueError("%s: %s has no images and labels" % (filename, name))
        found = True
        yield images, labels
    if not found:
        raise ValueError("%s has no member %s" % (filename, sub_name))


def reader_creator(filename, sub_name, cycle=False):
    """A reader of (3072 floats in 0..1, label)."""
    return _reader(lambda: _batches(filename, sub_name), cycle)


def _reader(batches, cycle):
    def reader():
        while True:
            for images, labels in batches():
                for image, label in zip(images, labels):
                    yield (image / 255.0).astype("float32"), int(label)
            if not cycle:
                return
    return reader


def _open(url, md5, sub_name, synthetic_args, cycle=False):
    if common.synthetic("cifar"):
        from . import synthetic
        images, labels = synthetic.pictures(*synthetic_args)
        return _reader(lambda: [(images, labels)], cycle)
    return reader_creator(common.download(url, "cifar", md5), sub_name, cycle)


def train100():
    """A reader of (3072 floats in 0..1: red, green and blue planes; label): 50,000."""
    return _open(CIFAR100_URL, CIFAR100_MD5, "train", (100, 4000, 0))


def test100():
    """10,000 more."""
    return _open(CIFAR100_URL, CIFAR100_MD5, "test", (100, 1000, 1))


def train10(cycle=False):
    """50,000; cycle: again and again."""
    return _open(CIFAR10_URL, CIFAR10_MD5, "data_batch", (10, 4000, 2), cycle)


def test10(cycle=False):
    return _open(CIFAR10_URL, CIFAR10_MD5, "test_batch", (10, 1000, 3), cycle)


def fetch():
    common.download(CIFAR10_URL, "cifar", CIFAR10_MD5)
    common.download(CIFAR100_URL, "cifar", CIFAR100_MD5)
