import numpy as np
from opcase import Lod, case, check, rand, refused


def _fc(name, x, w, bias=None, dims=1, act="", **attrs):
    inputs = {"Input": x, "W": w}
    if bias is not None:
        inputs["Bias"] = bias
    return case(name, "fc", inputs, dict({"in_num_col_dims": dims, "activation_type": act}, **attrs))


CASES = [
    _fc("plain", rand(3, 4), rand(4, 5)), _fc("bias", rand(3, 4), rand(4, 5), rand(5)),
    _fc("bias of a row", rand(3, 4), rand(4, 5), rand(1, 5)),
    _fc("relu", rand(3, 4), rand(4, 5), rand(5), act="relu"),
    _fc("of images", rand(2, 3, 4), rand(12, 5), rand(5)),
    _fc("of rows", rand(2, 3, 4), rand(4, 5), rand(5), 2),
    _fc("padded weights", rand(3, 4), rand(8, 9), rand(5), padding_weights=True),
    _fc("sequences", Lod(rand(3, 4), [[1, 2]]), rand(4, 5), rand(5)),
    case("seed", "seed", {}, {"seed": 7}),
    case("delete", "delete_var", {"X": [rand(2, 3), rand(1)]}, outputs=[], golden=False),
]
test = check(__file__, CASES)

test_refusals = refused(("relu, or none", _fc("x", rand(3, 4), rand(4, 5), act="tanh")),
                        ("Input has 4 columns, and W 3 rows", _fc("x", rand(3, 4), rand(3, 5))))
