"""Images as arrays of height, width and colours (blue, green, red), and what is done to them
before training. Files are decoded by Pillow, which is needed for that alone."""
import numpy as np

__all__ = [
    "load_image_bytes", "load_image", "resize_short", "to_chw", "center_crop", "random_crop",
    "left_right_flip", "simple_transform", "load_and_transform", "batch_images_from_tar",
]


def import_pillow():
    try:
        from PIL import Image
    except ImportError:
        raise ImportError("images are decoded by Pillow, which is not installed: pip install "
                          "pillow")
    return Image


def _pnm(data):
    """A binary PPM or PGM image, for which no library is needed."""
    head = data[:100].split(None, 4)
    if len(head) < 4 or not all(part.isdigit() for part in head[1:4]):
        return None
    width, height, most = (int(part) for part in head[1:4])
    depth = 3 if head[0] == b"P6" else 1
    size = width * height * depth
    if most != 255 or size == 0 or len(data) <= size:
        return None
    image = np.frombuffer(data, "uint8", size, len(data) - size)
    return image.reshape((height, width, 3) if depth == 3 else (height, width))


def _decode(data):
    """(height, width, 3) in red, green, blue, or (height, width)."""
    image = _pnm(data) if data[:2] in (b"P5", b"P6") else None
    if image is None:
        import io
        try:
            image = import_pillow().open(io.BytesIO(data))
            image = np.asarray(image if image.mode == "L" else image.convert("RGB"))
        except OSError as error:
            raise ValueError("the image cannot be decoded: %s" % error)
    return image


def load_image_bytes(bytes, is_color=True):
    """An encoded image as (height, width, 3) in blue, green, red; as (height, width) with
    is_color=False."""
    image = _decode(bytes)
    if is_color:
        if image.ndim == 2:
            return np.stack([image] * 3, axis=2)
        return np.ascontiguousarray(image[:, :, ::-1])
    if image.ndim == 3:
        grey = image.astype("uint32") @ np.array([4899, 9617, 1868], "uint32")
        image = ((grey + 8192) >> 14).astype("uint8")
    return image.copy()


def load_image(file, is_color=True):
    with open(file, "rb") as f:
        return load_image_bytes(f.read(), is_color)


def _taps(old, new):
    """For each of new places along an axis of old pixels: the four around it, and their weights
    in 2048ths (cubic convolution with a = -0.75: the arithmetic of OpenCV's INTER_CUBIC)."""
    at = ((np.arange(new) + 0.5) * (old / new) - 0.5).astype("float32")
    start = np.floor(at)
    t = at - start
    a = -0.75
    w0 = ((a * (t + 1) - 5 * a) * (t + 1) + 8 * a) * (t + 1) - 4 * a
    w1 = ((a + 2) * t - (a + 3)) * t * t + 1
    w2 = ((a + 2) * (1 - t) - (a + 3)) * (1 - t) * (1 - t) + 1
    index = np.clip(start.astype("int64")[:, None] + np.arange(-1, 3), 0, old - 1)
    weights = np.stack([w0, w1, w2, 1 - w0 - w1 - w2], axis=1)
    return index, np.rint(weights * 2048).astype("int32")


def _resize(image, height, width):
    rows, row_weights = _taps(image.shape[0], height)
    cols, col_weights = _taps(image.shape[1], width)
    whole = image.dtype == np.uint8
    flat = image.reshape(image.shape[0], image.shape[1], -1).astype("int32" if whole else "f8")
    wide = sum(flat[:, cols[:, k]] * col_weights[None, :, k, None] for k in range(4))
    out = sum(wide[rows[:, k]] * row_weights[:, k, None, None] for k in range(4))
    out = np.clip((out + (1 << 21)) >> 22, 0, 255) if whole else out / (1 << 22)
    return out.astype(image.dtype).reshape((height, width) + image.shape[2:])


def resize_short(im, size):
    """Resize so that the shorter side is size, and the sides keep their ratio."""
    height, width = im.shape[:2]
    if height > width:
        return _resize(im, size * height // width, size)
    return _resize(im, size, size * width // height)


def to_chw(im, order=(2, 0, 1)):
    """Colours first."""
    if im.ndim != len(order):
        raise AssertionError("to_chw: an image of %d dimensions and the order %s"
                             % (im.ndim, order))
    return im.transpose(order)


def _crop(im, size, h, w, is_color):
    return im[h:h + size, w:w + size, :] if is_color else im[h:h + size, w:w + size]


def center_crop(im, size, is_color=True):
    """size by size pixels from the middle."""
    h, w = im.shape[:2]
    return _crop(im, size, (h - size) // 2, (w - size) // 2, is_color)


def random_crop(im, size, is_color=True):
    """size by size pixels from anywhere; np.random.seed() repeats it."""
    h, w = im.shape[:2]
    top = np.random.randint(0, h - size + 1)
    left = np.random.randint(0, w - size + 1)
    return _crop(im, size, top, left, is_color)


def left_right_flip(im, is_color=True):
    return im[:, ::-1, :] if is_color and im.ndim == 3 else im[:, ::-1]


def simple_transform(im, resize_size, crop_size, is_train, is_color=True, mean=None):
    """Resize the shorter side, crop (at random and perhaps mirrored for training, else from the
    middle), colours first, float32, less the mean: a number for each colour, or an array."""
    im = resize_short(im, resize_size)
    if is_train:
        im = random_crop(im, crop_size, is_color=is_color)
        if np.random.randint(2) == 0:
            im = left_right_flip(im, is_color)
    else:
        im = center_crop(im, crop_size, is_color=is_color)
    if im.ndim == 3:
        im = to_chw(im)
    im = im.astype("float32")
    if mean is not None:
        mean = np.array(mean, dtype=np.float32)
        if mean.ndim == 1 and is_color:
            mean = mean[:, np.newaxis, np.newaxis]
        im -= mean
    return im


def load_and_transform(filename, resize_size, crop_size, is_train, is_color=True, mean=None):
    return simple_transform(load_image(filename, is_color), resize_size, crop_size, is_train,
                            is_color, mean)


def batch_images_from_tar(data_file, dataset_name, img2label, num_per_batch=1024):
    """Write the archive's images that have a label into pickles of num_per_batch images, beside
    it; the path of a list of their names."""
    import os
    import pickle

    from ..batch import batch
    from .common import must_mkdirs, tar_members
    folder = os.path.join(data_file + "_batch", dataset_name)
    listing = folder + ".txt"
    if os.path.exists(listing):
        return listing
    must_mkdirs(folder)

    def images():
        for name, f in tar_members(data_file, lambda name: name in img2label):
            yield f.read(), img2label[name]

    paths = []
    for number, some in enumerate(batch(images, num_per_batch)()):
        path = os.path.join(folder, "batch_%d" % number)
        with open(path, "wb") as f:
            pickle.dump({"label": [label for _, label in some],
                         "data": [data for data, _ in some]}, f, protocol=2)
        paths.append(os.path.abspath(path))
    part = "%s.%d" % (listing, os.getpid())
    with open(part, "w") as f:
        f.write("".join(path + "\n" for path in paths))
    os.replace(part, listing)
    return listing
