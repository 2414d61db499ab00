import numpy as np

from opcase import case, check, forward, ints, rand, Lod

OUTPUTS = ["selected_ids", "selected_scores", "parent_idx"]
LOD = [[2, 3], [1, 1, 1, 1, 1]]


def _case(name, pre_ids, scores, ids=None, **attrs):
    n = len(scores)
    lod = attrs.pop("lod", LOD)
    inputs = {"pre_ids": Lod(np.array(pre_ids).reshape(-1, 1), lod),
              "pre_scores": Lod(rand(n, 1), lod), "scores": Lod(scores, lod)}
    if ids is not None:
        inputs["ids"] = Lod(ids, lod)
    return case(name, "beam_search", inputs,
                dict({"level": 0, "beam_size": 2, "end_id": 0, "is_accumulated": True}, **attrs),
                outputs=OUTPUTS)


CASES = [
    _case("two sources", [1, 2, 3, 4, 5], rand(5, 3), ints(5, 3, high=20)),
    _case("without ids", [1, 2, 3, 4, 5], rand(5, 4), beam_size=3),
    _case("ended prefixes", [0, 2, 0, 4, 0], rand(5, 3), ints(5, 3, high=20)),
    _case("one source done", [0, 0, 3, 4, 5], rand(5, 3), ints(5, 3, high=20)),
    _case("all done", [0, 0, 0, 0, 0], rand(5, 3), ints(5, 3, high=20)),
    _case("probabilities", [1, 2, 0, 4, 5], rand(5, 3, low=0.1), ints(5, 3, high=20),
          is_accumulated=False),
    _case("equal scores", [1, 2, 3, 4, 5], np.round(rand(5, 4) * 2), ints(5, 4, high=20)),
    _case("many of few", [1, 2], rand(2, 2), beam_size=10, lod=[[1, 1], [1, 1]]),
    _case("no prefix left", [1, 2, 3], rand(3, 4), beam_size=2, lod=[[0, 2], [2, 1]]),
]

# Of v1: two sources with two sentences each, the last of them empty; of one the best, of two each
# with its length before and -1 behind.
SAID = {"Ids": Lod(np.array([[5], [0], [7], [8], [0], [9]]), [[2, 2], [2, 3, 1, 0]]),
        "Scores": Lod(np.array([[-1], [-2], [-1], [-3], [-4], [-.5]], "float32"),
                      [[2, 2], [2, 3, 1, 0]])}
CASES += [
    case("one result", "beam_results", SAID, {"num_results": 1}, ["Out", "Prob"],
         expect={"Out": np.array([[5], [0], [9]]), "Prob": np.array([[-2], [-.5]], "float32")}),
    case("two results", "beam_results", SAID, {"num_results": 2}, ["Out", "Prob"],
         expect={"Out": np.array([[2, 5, 0, -1, 3, 7, 8, 0, -1, 1, 9, -1, 0, -1]]).T,
                 "Prob": np.array([[-2, -4], [-.5, -np.inf]], "float32")}),
]
test = check(__file__, CASES)


def _fails(what, **changed):
    import paddle.fluid as fluid
    import pytest
    c = _case("bad", [1, 2, 3, 4, 5], rand(5, 3), ints(5, 3))
    c.attrs.update(changed.pop("attrs", {}))
    c.inputs.update(changed)
    with pytest.raises((fluid.core.EnforceNotMet, ValueError), match=what):
        forward(fluid, c)


def test_what_is_no_beam_is_refused():
    _fails("beam_size is 0", attrs={"beam_size": 0})
    _fails("level is 2, and scores has a LoD of 2", attrs={"level": 2})
    _fails("ids", ids=Lod(ints(5, 2), LOD))
    _fails("pre_ids has the shape", pre_ids=ints(4, 1))
