import numpy as np
from opcase import Lod, case, check, rand, refused

TAGS = Lod(np.array([[7], [2], [7], [3], [5], [9], [2]], "int64"), [[2, 1, 3, 1]])


def _filter(name, ins, tags, *wanted, **kw):
    grads = kw.pop("grads", ["Ins"])
    attrs = dict({"is_lod": isinstance(ins, Lod)}, **kw.pop("attrs", {}))
    return case(name, "filter_by_instag",
                {"Ins": ins, "Ins_tag": tags, "Filter_tag": np.array(wanted, "int64")}, attrs,
                ["Out", "LossWeight", "IndexMap"], grads, ignore_grad_of=["LossWeight"], **kw)


CASES = [
    _filter("rows", rand(4, 3), TAGS, 2, 3),
    _filter("all", rand(4, 3), TAGS, 2, 7, 9),
    _filter("sequences", Lod(rand(6, 2), [[1, 2, 0, 3]]), TAGS, 7, 5),
    _filter("none", rand(4, 3), TAGS, 1, attrs={"out_val_if_empty": 5}),
    _filter("no sequence", Lod(rand(6, 2), [[1, 2, 0, 3]]), TAGS, 11),
    _filter("double", rand(4, 2, dtype="float64"), TAGS, 3),
    _filter("whole numbers", np.arange(8, dtype="int64").reshape(4, 2), TAGS, 9, grads=[]),
]
test = check(__file__, CASES)
