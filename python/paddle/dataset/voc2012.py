"""PASCAL VOC 2012, segmentation: photographs, and images of the same size that say what each
pixel shows (0: background, 1 to 20: things, 255: a border)."""
import io

import numpy as np

from . import common

__all__ = ["train", "test", "val"]

VOC_URL = "http://host.robots.ox.ac.uk/pascal/VOC/voc2012/VOCtrainval_11-May-2012.tar"
VOC_MD5 = "6cd6e144f989b92b3379bac3b3de84fd"
SET_FILE = "VOCdevkit/VOC2012/ImageSets/Segmentation/{}.txt"
DATA_FILE = "VOCdevkit/VOC2012/JPEGImages/{}.jpg"
LABEL_FILE = "VOCdevkit/VOC2012/SegmentationClass/{}.png"
CACHE_DIR = "voc2012"


def fetch():
    return common.download(VOC_URL, CACHE_DIR, VOC_MD5)


def _image(data):
    from .image import import_pillow
    return np.array(import_pillow().open(io.BytesIO(data)))


def reader_creator(filename, sub_name):
    """A reader of (image of height, width and 3 colours; labels of height and width)."""
    def reader():
        import tarfile
        with tarfile.open(filename) as tar:
            def member(form, name):
                return tar.extractfile(form.format(name)).read()

            for name in member(SET_FILE, sub_name).decode().split():
                yield _image(member(DATA_FILE, name)), _image(member(LABEL_FILE, name))
    return reader


def _open(sub_name):
    if common.synthetic("voc2012"):
        from . import synthetic
        return lambda: synthetic.scenes(sub_name)
    return reader_creator(fetch(), sub_name)


def train():
    """2,913 images: those of test() and val()."""
    return _open("trainval")


def test():
    """1,464 images."""
    return _open("train")


def val():
    """1,449 images."""
    return _open("val")
