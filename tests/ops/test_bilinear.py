"""bilinear_tensor_product and fsp."""
from opcase import case, check, ints, rand, refused

WHOLE = {"X": rand(4, 3), "Y": rand(4, 5), "Weight": rand(2, 3, 5)}


def product(name, x, y, weight, bias=None, **kw):
    inputs = {"X": x, "Y": y, "Weight": weight}
    if bias is not None:
        inputs["Bias"] = bias
    return case(name, "bilinear_tensor_product", inputs, grads=sorted(inputs), **kw)


CASES = [
    product("bilinear", rand(4, 3), rand(4, 5), rand(2, 3, 5), rand(1, 2)),
    product("bilinear without bias", rand(4, 3), rand(4, 5), rand(2, 3, 5)),
    product("bilinear of one", rand(1, 1), rand(1, 1), rand(1, 1, 1), rand(1, 1)),
    product("bilinear larger", rand(33, 17), rand(33, 20), rand(9, 17, 20), rand(1, 9),
            rtol=1e-4, atol=1e-4),
    case("bilinear of the weight", "bilinear_tensor_product", WHOLE, grads=["Weight"]),
    case("fsp", "fsp", {"X": rand(2, 3, 4, 5), "Y": rand(2, 6, 4, 5)}, grads=["X", "Y"]),
    case("fsp of one", "fsp", {"X": rand(1, 1, 1, 1), "Y": rand(1, 1, 1, 1)}, grads=["X", "Y"]),
    case("fsp of x", "fsp", {"X": rand(2, 3, 4, 5), "Y": rand(2, 6, 4, 5)}, grads=["X"]),
]
test = check(__file__, CASES)

test_refused = refused(
    ("do not go together", product("wide", rand(4, 3), rand(4, 5), rand(2, 4, 5))),
    ("do not go together", product("rows", rand(4, 3), rand(3, 5), rand(2, 3, 5))),
    ("must be [1, 2]", product("bias", rand(4, 3), rand(4, 5), rand(2, 3, 5), rand(2, 1))),
    ("Weight", product("rank", rand(4, 3), rand(4, 5), rand(3, 5))),
    ("only the channels", case("area", "fsp", {"X": rand(2, 3, 4, 5), "Y": rand(2, 3, 5, 4)})),
    ("", case("whole", "fsp", {"X": ints(2, 3, 4, 5), "Y": ints(2, 3, 4, 5)})),
)
