import numpy as np
from opcase import case, check, rand, refused

# item, layer, parent, children; node 0 pads
TREE = np.array([[0, 0, 0, 1, 2], [0, 1, 0, 3, 4], [0, 1, 0, 5, 6], [0, 2, 1, 7, 8], [0, 2, 1, 9, 10],
                 [0, 2, 2, 11, 12], [0, 2, 2, 13, 0], [1, 3, 3, 0, 0], [2, 3, 3, 0, 0],
                 [3, 3, 4, 0, 0], [4, 3, 4, 0, 0], [5, 3, 5, 0, 0], [6, 3, 5, 0, 0], [7, 3, 6, 0, 0]])
TRAVEL = np.array([[1, 3, 7], [1, 3, 8], [1, 4, 9], [1, 4, 0], [2, 5, 11], [2, 5, 12], [2, 6, 13]])
LAYER = np.arange(1, 14).reshape(13, 1)


def _child(name, x, kind="int32", **attrs):
    return case(name, "tdm_child", {"X": np.array(x, kind), "TreeInfo": TREE.astype("int32")},
                dict({"child_nums": 2, "dtype": 2}, **attrs), ["Child", "LeafMask"])


def _sample(name, items, numbers, kind="int32", dtype=2, positive=True, **kw):
    return case(name, "tdm_sampler",
                {"X": np.array(items, kind).reshape(-1, 1), "Travel": TRAVEL.astype("int32"),
                 "Layer": LAYER.astype("int32")},
                {"neg_samples_num_list": numbers, "layer_offset_lod": [0, 2, 6, 13],
                 "output_positive": positive, "dtype": dtype, "seed": 0},
                ["Out", "Labels", "Mask"], **kw)


CASES = [
    _child("children", [[1], [3], [0], [6], [7], [13]]),
    _child("of rows", [[1, 3, 2], [0, 6, 12]], "int64", dtype=3),
    _sample("positives", [0, 3, 6, 2], [0, 0, 0]),
    _sample("positives int64", [5, 3], [0, 0, 0], "int64", 3),
    # Who is drawn is chance: but labels and padding are not, ...
    _sample("labels", [0, 3, 6, 2], [1, 2, 3], compare=["Labels", "Mask"]),
    _sample("without positives", [1, 3], [1, 2, 3], positive=False, compare=["Labels", "Mask"]),
    # ... and in a layer of two there is one other.
    _sample("the only other", [0, 4], [1, 0, 0]),
]
test = check(__file__, CASES)


def test_samples():
    """Of the right layer, never the node itself, none twice, and in time all of them."""
    import paddle.fluid as fluid
    from opcase import forward
    seen = [set(), set(), set()]
    items = [0, 3, 6] * 60
    rows = forward(fluid, _sample("x", items, [1, 3, 4], golden=False)).values["Out0"]
    for row, nodes in zip(rows, TRAVEL[items]):
        at = 0
        for layer, (number, low, high) in enumerate([(1, 1, 3), (3, 3, 7), (4, 7, 14)]):
            positive, others = row[at], list(row[at + 1:at + 1 + number])
            at += 1 + number
            assert positive == nodes[layer]
            if positive == 0:
                assert not any(others)
                continue
            assert len(set(others)) == number and positive not in others
            assert all(low <= n < high for n in others)
            seen[layer].update(others)
    assert [len(s) for s in seen] == [2, 4, 7]


def test_the_seed_decides():
    import paddle.fluid as fluid
    from opcase import forward

    def draw(seed):
        c = _sample("x", [0, 6], [1, 3, 4], golden=False)
        c.attrs["seed"] = seed
        return forward(fluid, c).values["Out0"].tolist()

    assert draw(5) == draw(5)
    assert len({str(draw(seed)) for seed in range(1, 9)}) > 1


test_refusals = refused(
    ("nodes of the tree", case("x", "tdm_child", {"X": np.array([[14]], "int32"),
                                           "TreeInfo": TREE.astype("int32")},
                        {"child_nums": 2, "dtype": 2}, ["Child", "LeafMask"])),
    ("needs 6 for 3 children", _child("x", [[1]], child_nums=3)),
    ("it can give 1", _sample("x", [0], [2, 0, 0])),
    ("must have one number more", _sample("x", [0], [1, 0])),
    ("Travel", _sample("x", [7], [1, 0, 0])))
