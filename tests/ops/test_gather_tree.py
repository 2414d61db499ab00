import numpy as np
from opcase import case, check, ints, refused

CASES = []
for dtype in ("int32", "int64"):
    for steps, batch, beams in ((3, 2, 2), (1, 3, 4), (9, 5, 3), (4, 1, 1)):
        CASES.append(case("%s %d %d %d" % (dtype, steps, batch, beams), "gather_tree",
                          {"Ids": ints(steps, batch, beams, dtype=dtype),
                           "Parents": ints(steps, batch, beams, high=beams, dtype=dtype)}))
test = check(__file__, CASES)

_far = np.zeros((2, 1, 2), "int64")
_far[1, 0, 1] = 2
test_bad_trees_are_refused = refused(
    ("there are 2 beams", case("far", "gather_tree", {"Ids": _far, "Parents": _far})),
    ("same shape", case("shapes", "gather_tree",
                        {"Ids": ints(2, 1, 2), "Parents": ints(2, 2, 2, high=2)})))
