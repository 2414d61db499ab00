"""Images as arrays: load, resize, crop, flip. The functions are those of paddle.dataset.image."""
from paddle.dataset import image as _image
from paddle.dataset.image import *  # noqa: F401,F403

__all__ = list(_image.__all__)
