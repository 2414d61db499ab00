import numpy as np
from opcase import Lod, case, check, ints, rand, refused


def _table(name, w, ids, **kw):
    return case(name, "fused_embedding_seq_pool", {"W": w, "Ids": ids},
                dict({"combiner": "sum"}, **kw.pop("attrs", {})), grads=["W"], **kw)


def _pooled(name, pooltype, **kw):
    return case(name, "fusion_seqpool_concat",
                {"X": [Lod(rand(6, 8), [[1, 2, 3]]), Lod(rand(4, 8), [[2, 1, 1]])]},
                {"pooltype": pooltype, "axis": 1}, **kw)


def _cvm(name, pooltype, use_cvm=True):
    return case(name, "fusion_seqpool_cvm_concat",
                {"X": [Lod(rand(6, 8, low=0.1), [[1, 2, 3]]), Lod(rand(4, 8, low=0.1),
                                                                [[2, 1, 1]])],
                 "CVM": rand(3, 2, low=0)},
                {"pooltype": pooltype, "axis": 1, "use_cvm": use_cvm})


CASES = [
    _table("sum", rand(10, 4), Lod(ints(6, 1), [[2, 1, 3]])),
    _table("an empty one", rand(10, 4), Lod(ints(6, 1), [[2, 0, 4]])),
    _table("padding", rand(10, 4), Lod(np.array([[3], [4], [3], [3], [0]], "int64"), [[2, 1, 2]]),
           attrs={"padding_idx": 3}),
    _table("sparse", rand(10, 4), Lod(ints(6, 1), [[2, 1, 3]]), attrs={"is_sparse": True}),
    _table("sparse padding", rand(10, 4),
           Lod(np.array([[3], [4], [3], [3], [0]], "int64"), [[2, 1, 2]]),
           attrs={"is_sparse": True, "padding_idx": 3},
           golden_grads=False),  # real Paddle gives the padding's rows a gradient
    _pooled("concat sum", "SUM"), _pooled("concat average", "AVERAGE"),
    _pooled("concat sqrt", "SQRT"), _cvm("cvm sum", "SUM"), _cvm("cvm average", "AVERAGE"),
    _cvm("cvm sqrt", "SQRT"),
]
test = check(__file__, CASES)

test_refusals = refused(
    ("only true is there", _cvm("x", "SUM", False)), ("SUM, AVERAGE or SQRT", _pooled("x", "MAX")),
    ("as many sequences", case("x", "fusion_seqpool_concat",
                               {"X": [Lod(rand(3, 2), [[1, 2]]), Lod(rand(3, 2), [[3]])]},
                               {"pooltype": "SUM"})),
    ("rows of the table", _table("x", rand(10, 4), Lod(ints(2, 1, low=10, high=11), [[2]]))),
    ("only sum", _table("x", rand(10, 4), Lod(ints(2, 1), [[2]]), attrs={"combiner": "mean"})))
