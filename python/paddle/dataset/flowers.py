"""Oxford's 102 flowers: photographs. As in Paddle, train() reads the larger set that the authors
meant for testing, and test() the one that they meant for training."""
import functools
import os

from . import common
from .image import load_image_bytes, simple_transform

__all__ = ["train", "test", "valid"]

DATA_URL = "http://paddlemodels.bj.bcebos.com/flowers/102flowers.tgz"
DATA_MD5 = "52808999861908f626f3c1f4e79d11fa"
LABEL_URL = "http://paddlemodels.bj.bcebos.com/flowers/imagelabels.mat"
LABEL_MD5 = "e0620be6f572b9609742df49c70aed4d"
SETID_URL = "http://paddlemodels.bj.bcebos.com/flowers/setid.mat"
SETID_MD5 = "a5357ecc9cb78c4bef273ce3793fc85c"
TRAIN_FLAG = "tstid"
TEST_FLAG = "trnid"
VALID_FLAG = "valid"


def default_mapper(is_train, sample):
    """(encoded image, label) -> (3 * 224 * 224 floats without their mean, label)"""
    image, label = sample
    image = simple_transform(load_image_bytes(image), 256, 224, is_train,
                             mean=[103.94, 116.78, 123.68])
    return image.flatten().astype("float32"), label


train_mapper = functools.partial(default_mapper, True)
test_mapper = functools.partial(default_mapper, False)


def fetch():
    """Download the three files; their paths."""
    return (common.download(DATA_URL, "flowers", DATA_MD5),
            common.download(LABEL_URL, "flowers", LABEL_MD5),
            common.download(SETID_URL, "flowers", SETID_MD5))


def reader_creator(data_file, label_file, setid_file, dataset_name, mapper, buffered_size=1024,
                   use_xmap=True, cycle=False):
    """A reader of mapper((encoded image, label from 0)), in the archive's order."""
    from . import _matlab
    labels = _matlab.read(label_file)["labels"].ravel()
    wanted = {"jpg/image_%05d.jpg" % i: int(labels[i - 1]) - 1
              for i in _matlab.read(setid_file)[dataset_name].ravel()}

    def images():
        for name, f in common.tar_members(data_file, lambda name: name in wanted):
            yield f.read(), wanted[name]
    return _mapped(images, mapper, buffered_size, use_xmap, cycle)


def _mapped(images, mapper, buffered_size, use_xmap, cycle):
    from ..reader import map_readers, xmap_readers

    def samples():
        for sample in images():
            yield sample
        while cycle:
            for sample in images():
                yield sample
    if not use_xmap:
        return map_readers(mapper, samples)
    return xmap_readers(mapper, samples, os.cpu_count() or 1, buffered_size, order=True)


def _open(flag, mapper, buffered_size, use_xmap, cycle):
    if common.synthetic("flowers"):
        from . import synthetic
        return _mapped(lambda: synthetic.blossoms(flag), mapper, buffered_size, use_xmap, cycle)
    return reader_creator(*fetch(), flag, mapper, buffered_size, use_xmap, cycle)


def train(mapper=train_mapper, buffered_size=1024, use_xmap=True, cycle=False):
    """A reader of (3 * 224 * 224 floats, label from 0 to 101): 6,149, each cropped and mirrored
    at random. cycle: again and again."""
    return _open(TRAIN_FLAG, mapper, buffered_size, use_xmap, cycle)


def test(mapper=test_mapper, buffered_size=1024, use_xmap=True, cycle=False):
    """1,020, from the middle."""
    return _open(TEST_FLAG, mapper, buffered_size, use_xmap, cycle)


def valid(mapper=test_mapper, buffered_size=1024, use_xmap=True):
    return _open(VALID_FLAG, mapper, buffered_size, use_xmap, False)
