# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

def load_image_bytes(bytes: bytes, is_color: bool = ...) -> Any:
    """An encoded image as (height, width, 3) in blue, green, red; as (height, width) with
    is_color=False.

    Args:
        bytes (bytes): An image in a file's form.
        is_color (bool): Whether it has colours. Default: True.

    Returns:
        array: the image.

    Examples:
        >>> import paddle.dataset.image
        >>> import paddle
        >>> with open("a.ppm", "wb") as f:
        ...     _ = f.write(b"P6 2 1 255 " + bytes(6))
        ...
        >>> paddle.dataset.image.load_image("a.ppm").shape
        (1, 2, 3)
    """
    ...

def load_image(file: str, is_color: bool = ...) -> Any:
    """An image of a file, as load_image_bytes() gives it.

    Args:
        file (str): A file.
        is_color (bool): Whether it has colours. Default: True.

    Returns:
        array: the image.

    Examples:
        >>> import paddle.dataset.image
        >>> import paddle
        >>> with open("a.ppm", "wb") as f:
        ...     _ = f.write(b"P6 2 1 255 " + bytes(6))
        ...
        >>> paddle.dataset.image.load_image("a.ppm").shape
        (1, 2, 3)
    """
    ...

def resize_short(im: Any, size: int) -> Any:
    """Resize so that the shorter side is size, and the sides keep their ratio.

    Args:
        im (array): An image, [height, width, channels].
        size (int): Pixels.

    Returns:
        array: the image.

    Examples:
        >>> import numpy
        >>> import paddle.dataset.image
        >>> import paddle
        >>> im = numpy.zeros((40, 60, 3), "uint8")
        >>> paddle.dataset.image.resize_short(im, 20).shape
        (20, 30, 3)
    """
    ...

def to_chw(im: Any, order: Sequence[Any] = ...) -> Any:
    """Colours first.

    Args:
        im (array): An image, [height, width, channels].
        order (tuple of int): The old dimensions in their new order. Default: (2, 0, 1).

    Returns:
        array: the image.

    Examples:
        >>> import numpy
        >>> import paddle.dataset.image
        >>> import paddle
        >>> im = numpy.zeros((40, 60, 3), "uint8")
        >>> paddle.dataset.image.to_chw(im).shape
        (3, 40, 60)
    """
    ...

def center_crop(im: Any, size: int, is_color: bool = ...) -> Any:
    """size by size pixels from the middle.

    Args:
        im (array): An image, [height, width, channels].
        size (int): Pixels.
        is_color (bool): Whether it has colours. Default: True.

    Returns:
        array: the image.

    Examples:
        >>> import numpy
        >>> import paddle.dataset.image
        >>> import paddle
        >>> im = numpy.zeros((40, 60, 3), "uint8")
        >>> paddle.dataset.image.center_crop(im, 32).shape
        (32, 32, 3)
    """
    ...

def random_crop(im: Any, size: int, is_color: bool = ...) -> Any:
    """size by size pixels from anywhere; np.random.seed() repeats it.

    Args:
        im (array): An image, [height, width, channels].
        size (int): Pixels.
        is_color (bool): Whether it has colours. Default: True.

    Returns:
        array: the image.

    Examples:
        >>> import numpy
        >>> import paddle.dataset.image
        >>> import paddle
        >>> im = numpy.zeros((40, 60, 3), "uint8")
        >>> paddle.dataset.image.random_crop(im, 32).shape
        (32, 32, 3)
    """
    ...

def left_right_flip(im: Any, is_color: bool = ...) -> Any:
    """The image, mirrored.

    Args:
        im (array): An image, [height, width, channels].
        is_color (bool): Whether it has colours. Default: True.

    Returns:
        array: the image.

    Examples:
        >>> import numpy
        >>> import paddle.dataset.image
        >>> import paddle
        >>> im = numpy.zeros((40, 60, 3), "uint8")
        >>> paddle.dataset.image.left_right_flip(im).shape
        (40, 60, 3)
    """
    ...

def simple_transform(im: Any, resize_size: int, crop_size: int, is_train: bool, is_color: bool = ..., mean: Optional[Sequence[Any]] = ...) -> Any:
    """Resize the shorter side, crop (at random and perhaps mirrored for training, else from the
    middle), colours first, float32, less the mean: a number for each colour, or an array.

    Args:
        im (array): An image, [height, width, channels].
        resize_size (int): The shorter side first becomes this.
        crop_size (int): Then this much is cut out.
        is_train (bool): Whether the cut is random, and mirrored half of the time.
        is_color (bool): Whether it has colours. Default: True.
        mean (list of float, optional): Taken off each channel. Default: None.

    Returns:
        array: the image.

    Examples:
        >>> import numpy
        >>> import paddle.dataset.image
        >>> import paddle
        >>> im = numpy.zeros((40, 60, 3), "uint8")
        >>> paddle.dataset.image.simple_transform(im, 36, 32, is_train=False).shape
        (3, 32, 32)
    """
    ...

def load_and_transform(filename: str, resize_size: int, crop_size: int, is_train: bool, is_color: bool = ..., mean: Optional[Sequence[Any]] = ...) -> Any:
    """simple_transform() of an image in a file.

    Args:
        filename (str): A file.
        resize_size (int): The shorter side first becomes this.
        crop_size (int): Then this much is cut out.
        is_train (bool): Whether the cut is random, and mirrored half of the time.
        is_color (bool): Whether it has colours. Default: True.
        mean (list of float, optional): Taken off each channel. Default: None.

    Returns:
        array: the image.

    Examples:
        >>> import paddle.dataset.image
        >>> import paddle
        >>> with open("a.ppm", "wb") as f:
        ...     _ = f.write(b"P6 2 1 255 " + bytes(6))
        ...
        >>> paddle.dataset.image.load_image("a.ppm").shape
        (1, 2, 3)
    """
    ...

def batch_images_from_tar(data_file: str, dataset_name: str, img2label: Dict[Any, Any], num_per_batch: int = ...) -> str:
    """Write the archive's images that have a label into pickles of num_per_batch images, beside it;
    the path of a list of their names.

    Args:
        data_file (str): A file.
        dataset_name (str): The name of the part.
        img2label (dict): Labels by the name in the archive.
        num_per_batch (int): Images in a file. Default: 1024.

    Returns:
        str: the path.

    Examples:
        >>> import paddle.dataset.image
        >>> import paddle
        >>> import io, tarfile
        >>> with tarfile.open("images.tar", "w") as tar:
        ...     entry = tarfile.TarInfo("a.ppm")
        ...     entry.size = 17
        ...     tar.addfile(entry, io.BytesIO(b"P6 2 1 255 " + bytes(6)))
        ...
        >>> _ = paddle.dataset.image.batch_images_from_tar("images.tar", "train", {"a.ppm": 3})
    """
    ...
