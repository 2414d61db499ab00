"""MNIST: 28 by 28 grey images of handwritten digits."""
import struct

import numpy as np

from . import common

__all__ = ["train", "test"]

URL_PREFIX = "https://dataset.bj.bcebos.com/mnist/"
TEST_IMAGE_URL = URL_PREFIX + "t10k-images-idx3-ubyte.gz"
TEST_IMAGE_MD5 = "9fb629c4189551a2d022fa330f9573f3"
TEST_LABEL_URL = URL_PREFIX + "t10k-labels-idx1-ubyte.gz"
TEST_LABEL_MD5 = "ec29112dd5afa0611ce80d1b7f02629c"
TRAIN_IMAGE_URL = URL_PREFIX + "train-images-idx3-ubyte.gz"
TRAIN_IMAGE_MD5 = "f68b3c2dcbeaaa9fbdd348bbdeb94873"
TRAIN_LABEL_URL = URL_PREFIX + "train-labels-idx1-ubyte.gz"
TRAIN_LABEL_MD5 = "d53e105ee54ea40749a09fcbcd1e9432"


def _take(f, n, name):
    data = f.read(n)
    if len(data) != n:
        raise ValueError("%s ends in the middle" % name)
    return data


def _header(f, name, magic, form):
    numbers = struct.unpack(form, _take(f, struct.calcsize(form), name))
    if numbers[0] != magic:
        raise ValueError("%s begins with %d instead of %d: it is no such file" % (
            name, numbers[0], magic))
    return numbers[1:]


def reader_creator(image_filename, label_filename, buffer_size):
    """A reader of (784 floats in -1..1, digit) from a pair of gzipped idx files."""
    def reader():
        import gzip
        with gzip.open(image_filename, "rb") as images, gzip.open(label_filename, "rb") as labels:
            n, rows, cols = _header(images, image_filename, 2051, ">IIII")
            if _header(labels, label_filename, 2049, ">II") != (n,):
                raise ValueError("%s and %s are not of the same length"
                                 % (image_filename, label_filename))
            for start in range(0, n, buffer_size):
                m = min(buffer_size, n - start)
                some = np.frombuffer(_take(images, m * rows * cols, image_filename), "uint8")
                yield from _samples(some.reshape(m, rows * cols),
                                    _take(labels, m, label_filename))
    return reader


def _samples(images, labels):
    images = images.astype("float32") / 255.0 * 2.0 - 1.0
    for image, label in zip(images, labels):
        yield image, int(label)


def _reader(n, seed, files):
    if common.synthetic("mnist"):
        from . import synthetic
        images, labels = synthetic.digits(n, seed)
        return lambda: _samples(images, labels)
    image_url, image_md5, label_url, label_md5 = files
    return reader_creator(common.download(image_url, "mnist", image_md5),
                          common.download(label_url, "mnist", label_md5), 100)


def train():
    """A reader of (784 floats in -1..1, digit): 60,000."""
    return _reader(6000, 0, (TRAIN_IMAGE_URL, TRAIN_IMAGE_MD5, TRAIN_LABEL_URL, TRAIN_LABEL_MD5))


def test():
    """10,000 more."""
    return _reader(1000, 1, (TEST_IMAGE_URL, TEST_IMAGE_MD5, TEST_LABEL_URL, TEST_LABEL_MD5))


def fetch():
    common.download(TRAIN_IMAGE_URL, "mnist", TRAIN_IMAGE_MD5)
    common.download(TRAIN_LABEL_URL, "mnist", TRAIN_LABEL_MD5)
    common.download(TEST_IMAGE_URL, "mnist", TEST_IMAGE_MD5)
    common.download(TEST_LABEL_URL, "mnist", TEST_LABEL_MD5)
