"""unfold: windows as columns."""
from opcase import case, check, rand, refused


def _case(name, x, kernel, strides=(1, 1), paddings=(0, 0, 0, 0), dilations=(1, 1)):
    return case(name, "unfold", {"X": x}, {
        "kernel_sizes": list(kernel), "strides": list(strides), "paddings": list(paddings),
        "dilations": list(dilations)}, outputs=["Y"], grads=["X"])


CASES = [
    _case("plain", rand(2, 3, 5, 6), (3, 3)),
    _case("one_pixel", rand(1, 2, 3, 3), (1, 1)),
    _case("strides", rand(2, 2, 7, 6), (2, 3), (2, 3)),
    _case("paddings", rand(2, 1, 4, 5), (2, 2), (1, 2), (1, 2, 0, 3)),
    _case("dilations", rand(1, 2, 7, 8), (2, 3), (1, 1), (0, 0, 0, 0), (3, 2)),
    _case("all", rand(3, 2, 6, 7), (3, 2), (2, 1), (1, 0, 2, 1), (2, 3)),
    _case("double", rand(2, 2, 4, 4, dtype="float64"), (2, 2), (2, 2), (1, 1, 1, 1)),
    _case("whole", rand(2, 2, 3, 4), (3, 4)),
]
test = check(__file__, CASES)

IMAGE = rand(1, 1, 3, 4)
test_refused = refused(
    ("smaller than a window", _case("large", IMAGE, (4, 4))),
    ("must have 4 dimensions", _case("rank", rand(1, 3, 4), (2, 2))),
    ("strides has a 0", _case("stride", IMAGE, (2, 2), (0, 1))),
    ("kernel_sizes has 1 numbers", _case("kernel", IMAGE, (2,))),
)
