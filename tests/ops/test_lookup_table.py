import numpy as np
from opcase import case, check, rand, Lod

# With is_sparse real Paddle gives the padding's rows the gradient of what they did not
# contribute; here it is zero, as it is for a dense gradient.
ids = np.array([[1], [4], [1], [0], [6]], "int64")
CASES = [
    case("dense", "lookup_table", {"W": rand(7, 3), "Ids": ids}, grads=["W"]),
    case("sparse", "lookup_table", {"W": rand(7, 3), "Ids": ids}, {"is_sparse": True},
         grads=["W"]),
    case("padding", "lookup_table", {"W": rand(7, 3), "Ids": ids}, {"padding_idx": 1},
         grads=["W"]),
    case("padding sparse", "lookup_table", {"W": rand(7, 3), "Ids": ids},
         {"padding_idx": 4, "is_sparse": True}, grads=["W"], golden_grads=False),
    case("sequences", "lookup_table", {"W": rand(7, 3), "Ids": Lod(ids, [[2, 3]])}, grads=["W"]),
    case("deep", "lookup_table", {"W": rand(7, 3), "Ids": np.tile(ids, (2, 1, 1))}, grads=["W"]),
    case("v2", "lookup_table_v2", {"W": rand(7, 3), "Ids": ids}, grads=["W"]),
    case("v2 flat", "lookup_table_v2", {"W": rand(7, 3), "Ids": ids.ravel()}, grads=["W"]),
    case("v2 sparse", "lookup_table_v2", {"W": rand(7, 3), "Ids": ids.ravel()},
         {"is_sparse": True, "padding_idx": 6}, grads=["W"], golden_grads=False),
    case("v2 sparse plain", "lookup_table_v2", {"W": rand(7, 3), "Ids": ids.ravel()},
         {"is_sparse": True}, grads=["W"]),
    case("int32 ids", "lookup_table_v2", {"W": rand(7, 3), "Ids": ids.astype("int32")},
         golden=False),
]
test = check(__file__, CASES)


def test_an_id_outside_the_table_is_named():
    import paddle.fluid as fluid
    import pytest
    from opcase import forward
    bad = case("bad", "lookup_table", {"W": rand(7, 3), "Ids": ids + 2})
    with pytest.raises(fluid.core.EnforceNotMet, match="id 8 at element 4.*7 rows"):
        forward(fluid, bad)
