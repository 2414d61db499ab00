"""accuracy, precision_recall, mean_iou, edit_distance."""
import numpy as np
from opcase import case, check, ints, rand, Lod


def accuracy(name, indices, label, **kw):
    return case("accuracy: " + name, "accuracy",
                {"Out": rand(*indices.shape), "Indices": indices, "Label": label},
                outputs=["Accuracy", "Correct", "Total"], **kw)


def precision(name, n, classes, weights=None, states=None, **kw):
    inputs = {"MaxProbs": rand(n, 1, low=0.0), "Indices": ints(n, 1, high=classes, dtype="int32"),
              "Labels": ints(n, 1, high=classes, dtype="int32")}
    if weights is not None:
        inputs["Weights"] = weights
    if states is not None:
        inputs["StatesInfo"] = states
    return case("precision: " + name, "precision_recall", inputs, {"class_number": classes},
                outputs=["BatchMetrics", "AccumMetrics", "AccumStatesInfo"], **kw)


def iou(name, predictions, labels, classes=5, **kw):
    inputs = {"Predictions": predictions, "Labels": labels}
    for slot in ("InWrongs", "InCorrects", "InMeanIou"):
        if slot in kw:
            inputs[slot] = [kw.pop(slot)]
    return case("iou: " + name, "mean_iou", inputs, {"num_classes": classes},
                outputs=["OutMeanIou", "OutWrong", "OutCorrect"], **kw)


def edit(name, hyps, refs, normalized=False, lengths=None, **kw):
    inputs = {"Hyps": hyps, "Refs": refs}
    if lengths:
        inputs.update(HypsLength=lengths[0], RefsLength=lengths[1])
    return case("edit: " + name, "edit_distance", inputs, {"normalized": normalized},
                outputs=["SequenceNum", "Out"], **kw)


def words(*lengths):
    return Lod(ints(sum(lengths), 1, high=4), [list(lengths)])


LENGTHS = (np.array([[3], [2]], "int64"), np.array([[4], [1]], "int64"))
CASES = [
    accuracy("one", ints(20, 1, high=3), ints(20, 1, high=3)),
    accuracy("three", ints(20, 3, high=9), ints(20, 1, high=9)),
    accuracy("named twice", np.array([[1, 1], [2, 0]], "int64"), np.array([[1], [1]], "int64")),
    accuracy("none", np.zeros((0, 2), "int64"), np.zeros((0, 1), "int64")),
    precision("rows", 30, 4),
    precision("classes that do not occur", 3, 7),
    precision("weights", 30, 4, rand(30, 1, low=0.1)),
    precision("going on", 30, 4, None, rand(4, 4, low=0.0, high=9.0)),
    precision("weights going on", 30, 4, rand(30, 1, low=0.1), rand(4, 4, low=0.0, high=9.0)),
    iou("flat", ints(40, high=5, dtype="int32"), ints(40, high=5, dtype="int32")),
    iou("deep", ints(4, 3, 1, high=5), ints(4, 3, 1, high=5)),
    iou("classes that do not occur", ints(40, high=3, dtype="int32"),
        ints(40, high=3, dtype="int32"), 9),
    iou("going on", ints(40, high=5, dtype="int32"), ints(40, high=5, dtype="int32"),
        InWrongs=ints(5, dtype="int32"), InCorrects=ints(5, dtype="int32"),
        InMeanIou=rand(1, low=0.0)),
    edit("words", words(3, 1, 6), words(4, 2, 5)),
    edit("words normalized", words(3, 1, 6), words(4, 2, 5), True),
    edit("empty", words(3, 0, 6), words(0, 2, 5)),
    edit("empty normalized", words(3, 0, 6), words(1, 2, 5), True),
    edit("same", Lod(np.array([[1], [2], [3]], "int64"), [[3]]),
         Lod(np.array([[1], [2], [3]], "int64"), [[3]])),
    edit("long", words(40, 33), words(37, 41)),
    edit("rows", ints(2, 3, high=4), ints(2, 5, high=4), lengths=LENGTHS),
    edit("rows normalized", ints(2, 3, high=4), ints(2, 5, high=4), True, LENGTHS),
    edit("flat lengths", ints(2, 3, high=4), ints(2, 5, high=4), True,
         (LENGTHS[0][:, 0], LENGTHS[1][:, 0])),
]
test = check(__file__, CASES)


def test_states_may_be_added_to_in_place():
    """Real Paddle forgets what was there before."""
    import paddle.fluid as fluid
    from opcase import forward
    apart = [c for c in CASES if c.name == "precision: weights going on"][0]
    there = case("in place", apart.type, apart.inputs, apart.attrs, outputs=apart.outputs,
                 inplace={"AccumStatesInfo": "StatesInfo"})
    a, b = forward(fluid, apart).values, forward(fluid, there).values
    for key in a:
        np.testing.assert_array_equal(a[key], b[key])


def test_what_does_not_fit_is_refused():
    import paddle.fluid as fluid
    import pytest
    from opcase import forward
    states = precision("bad", 3, 4, None, rand(3, 4))
    outside = precision("bad", 3, 4)
    outside.attrs["class_number"] = 1
    short = (LENGTHS[0] + 1, LENGTHS[1])
    cases = [
        (accuracy("bad", ints(3, 2), ints(4, 1)), "4 labels for 3 rows"),
        (accuracy("bad", ints(3, 2), ints(3)), r"Label must be \[batch, 1\]"),
        (states, r"StatesInfo must be \[4, 4\], and is \[3, 4\]"),
        (outside, r"(Indices|Labels)0 is \d at element \d, and must be in 0 .. 0"),
        (iou("bad", ints(3, high=5), ints(4, high=5)), "must have the same shape"),
        (iou("bad", ints(3, high=5), ints(3, low=5)), "Labels0 is .* at element 0"),
        (iou("bad", ints(3, high=5), ints(3, high=5), InWrongs=ints(4, dtype="int32")),
         "InWrongs must be int32 of 5 elements"),
        (edit("bad", words(3, 1), words(3, 0), True), "sequence 1 of Refs0 is empty"),
        (edit("bad", words(3, 1), words(3)), "Hyps has 2 sequences and Refs 1"),
        (edit("bad", ints(4, 1), ints(4, 1)), "Hyps has no LoD"),
        (edit("bad", ints(2, 3), ints(2, 5), lengths=short), "HypsLength0 is 4 at element 0"),
    ]
    for c, message in cases:
        with pytest.raises((ValueError, fluid.core.EnforceNotMet), match=message):
            forward(fluid, c)
