import numpy as np
from opcase import case, check, ints, rand, Lod

OUTPUTS = ["Out", "PreOut", "W_Out"]


def tree(name, classes, labels, attrs=None, bias=True, nodes=None, x=None, **kw):
    nodes = nodes or classes - 1
    x = x if x is not None else rand(len(labels), 3)
    inputs = {"X": x, "W": rand(nodes, 3), "Label": labels}
    if bias:
        inputs["Bias"] = rand(nodes, 1)
    for slot in ("PathTable", "PathCode"):
        if slot in kw:
            inputs[slot] = kw.pop(slot)
    return case(name, "hierarchical_sigmoid", inputs, dict(attrs or {}, num_classes=classes),
                outputs=OUTPUTS, grads=["X", "W"] + (["Bias"] if bias else []),
                ignore_grad_of=["PreOut", "W_Out"], compare=["Out", "PreOut"], **kw)


def all_of(classes):
    return np.arange(classes).reshape(-1, 1).astype("int64")


PATHS = {"PathTable": np.array([[0, 2, -1, -1], [0, 1, 3, 5], [0, 1, 4, -1]], "int64"),
         "PathCode": np.array([[0, 1, -1, -1], [0, 1, 1, 0], [1, 0, 0, -1]], "int64")}
THREE = np.array([[0], [1], [4]], "int64")
CASES = [
    tree("two", 2, all_of(2)),
    tree("three", 3, all_of(3)),
    tree("six", 6, all_of(6)),
    tree("eight", 8, all_of(8)),
    tree("many", 300, ints(7, 1, high=300)),
    tree("no bias", 6, all_of(6), bias=False),
    tree("paths", 7, THREE, nodes=6, **PATHS),
    tree("paths sparse", 7, THREE, {"is_sparse": True}, nodes=6, **PATHS),
    # Real Paddle has no sparse gradient of its own tree.
    tree("sparse", 6, all_of(6), {"is_sparse": True}, golden_grads=False),
    tree("sequences", 6, all_of(5), x=Lod(rand(5, 3), [[2, 3]])),
    tree("flat labels", 6, np.arange(6, dtype="int64")),
    tree("int32 labels", 6, all_of(6).astype("int32"), golden=False),
]
test = check(__file__, CASES)


def test_far_from_the_truth_the_loss_stops_at_forty():
    import paddle.fluid as fluid
    from opcase import forward
    c = tree("far", 2, all_of(2), x=np.full((2, 3), 1000.0, "float32"))
    c.inputs["W"] = np.ones((1, 3), "float32")
    got = forward(fluid, c).values["Out0"]
    np.testing.assert_allclose(got, [[40.0], [0.0]], atol=1e-5)


def test_bad_labels_paths_and_shapes_are_refused():
    import paddle.fluid as fluid
    import pytest
    from opcase import forward
    outside = dict(PATHS, PathTable=PATHS["PathTable"] + 2)
    only = {"PathTable": PATHS["PathTable"]}
    cases = [
        (tree("bad", 6, all_of(6) + 1), "Label0 is 6 at element 5, and must be in 0 .. 5"),
        (tree("bad", 7, THREE, nodes=6, **outside), "PathTable0 is 7 at element 7"),
        (tree("bad", 7, THREE, nodes=6, **only), "both or not at all"),
        (tree("bad", 7, all_of(2), nodes=6, **PATHS), "3 paths for 2 rows"),
        (tree("bad", 6, all_of(6), nodes=3), "num_classes is 6"),
        (tree("bad", 6, all_of(6), x=rand(4, 3)), "6 labels for 4 rows"),
    ]
    for c, message in cases:
        with pytest.raises((ValueError, fluid.core.EnforceNotMet), match=message):
            forward(fluid, c)


def test_the_table_that_the_layer_names_as_an_output_too_is_not_copied():
    import paddle.fluid as fluid
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x, y = fluid.data("x", [None, 4]), fluid.data("y", [None, 1], "int64")
        loss = fluid.layers.mean(fluid.layers.hsigmoid(x, y, 6, is_sparse=True))
        fluid.optimizer.SGD(0.1).minimize(loss)
        assert "assign" not in [op.type for op in fluid.default_main_program().block(0).ops]
