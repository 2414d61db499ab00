"""Metrics inside a program."""
from .. import unique_name
from ..initializer import Constant
from ..layer_helper import LayerHelper
from .classify import topk

__all__ = ["accuracy", "auc"]


def accuracy(input, label, k=1, correct=None, total=None):
    """How often the label is among the k classes with the highest scores."""
    helper = LayerHelper("accuracy")
    values, indices = topk(input, k=k)
    out = helper.create_variable_for_type_inference(dtype="float32")
    if correct is None:
        correct = helper.create_variable_for_type_inference(dtype="int32")
    if total is None:
        total = helper.create_variable_for_type_inference(dtype="int32")
    helper.append_op("accuracy", {"Out": [values], "Indices": [indices], "Label": [label]},
                     {"Accuracy": [out], "Correct": [correct], "Total": [total]})
    return out


def auc(input, label, curve="ROC", num_thresholds=2 ** 12 - 1, topk=1, slide_steps=1):
    """(area under the ROC curve of all so far, that of the last slide_steps batches,
    [positives and negatives in each bin, of those batches and of all])"""
    if curve != "ROC":
        raise ValueError("auc: curve is %r; the area is that under the ROC curve" % (curve,))
    if topk != 1:
        raise ValueError("auc: topk is %r; one score an example is compared with its label"
                         % (topk,))
    helper = LayerHelper("auc")
    out = helper.create_variable_for_type_inference(dtype="float64")
    batch_out = helper.create_variable_for_type_inference(dtype="float64")
    bins = num_thresholds + 1
    states = []
    for shape in [[(1 + slide_steps) * bins + 1]] * 2 + [[1, bins]] * 2:
        var = helper.create_global_variable(
            persistable=True, dtype="int64", shape=shape,
            name=unique_name.generate("_generated_var"))
        helper.set_variable_initializer(var, Constant(value=0.0))
        states.append(var)
    for area, (pos, neg), steps in ((batch_out, states[:2], slide_steps),
                                    (out, states[2:], 0)):
        helper.append_op("auc", {"Predict": [input], "Label": [label], "StatPos": [pos],
                                 "StatNeg": [neg]},
                         {"AUC": [area], "StatPosOut": [pos], "StatNegOut": [neg]},
                         {"curve": curve, "num_thresholds": num_thresholds,
                          "slide_steps": steps})
    return out, batch_out, states
