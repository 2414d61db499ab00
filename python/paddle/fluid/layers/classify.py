"""Classes, and which of them is the largest."""
from ..framework import Variable
from ..layer_helper import LayerHelper

__all__ = ["softmax", "log_softmax", "label_smooth", "one_hot", "cos_sim", "topk", "argmax",
           "argmin", "argsort", "sampling_id", "mean_iou"]


def softmax(input, use_cudnn=False, name=None, axis=-1):
    helper = LayerHelper("softmax", name=name)
    out = helper.create_variable_for_type_inference(dtype=input.dtype)
    helper.append_op("softmax", {"X": input}, {"Out": out},
                     {"axis": axis, "use_cudnn": use_cudnn})
    return out


def log_softmax(input, axis=None, dtype=None, name=None):
    """The logarithm of the softmax, in another float type if asked."""
    from ..framework import convert_np_dtype_to_dtype_
    helper = LayerHelper("log_softmax", name=name)
    if dtype is not None:
        cast = helper.create_variable_for_type_inference(dtype)
        helper.append_op("cast", {"X": input}, {"Out": cast},
                         {"in_dtype": int(input.dtype),
                          "out_dtype": int(convert_np_dtype_to_dtype_(dtype))})
        input = cast
    chances = helper.create_variable_for_type_inference(input.dtype)
    helper.append_op("softmax", {"X": input}, {"Out": chances},
                     {"axis": -1 if axis is None else axis})
    out = helper.create_variable_for_type_inference(input.dtype)
    helper.append_op("log", {"X": chances}, {"Out": out})
    return out


def label_smooth(label, prior_dist=None, epsilon=0.1, dtype="float32", name=None):
    if not 0.0 <= epsilon <= 1.0:
        raise ValueError("label_smooth: epsilon is %s, and must be in [0, 1]" % epsilon)
    helper = LayerHelper("label_smooth", name=name)
    label.stop_gradient = True
    out = helper.create_variable_for_type_inference(dtype)
    helper.append_op("label_smooth",
                     {"X": label} if prior_dist is None else {"X": label, "PriorDist": prior_dist},
                     {"Out": out}, {"epsilon": float(epsilon)})
    return out


def _one_hot(op_type, input, depth, allow_out_of_range, stop_gradient):
    helper = LayerHelper(op_type)
    out = helper.create_variable_for_type_inference(dtype="float32")
    inputs, attrs = {"X": input}, {"allow_out_of_range": allow_out_of_range}
    if isinstance(depth, Variable):
        depth.stop_gradient = True
        inputs["depth_tensor"] = depth
    else:
        attrs["depth"] = depth
    helper.append_op(op_type, inputs, {"Out": out}, attrs)
    if stop_gradient:
        out.stop_gradient = True
    return out


def one_hot(input, depth, allow_out_of_range=False):
    """Input is [..., 1]; see fluid.one_hot() for any shape."""
    return _one_hot("one_hot", input, depth, allow_out_of_range, True)


def cos_sim(X, Y):
    helper = LayerHelper("cos_sim")
    out, x_norm, y_norm = (helper.create_variable_for_type_inference(dtype=X.dtype)
                           for _ in range(3))
    helper.append_op("cos_sim", {"X": [X], "Y": [Y]},
                     {"Out": [out], "XNorm": [x_norm], "YNorm": [y_norm]})
    return out


def _stopped(*variables):
    for var in variables:
        var.stop_gradient = True
    return variables


def topk(input, k, name=None):
    """(the k largest of each row, where they stood)"""
    helper = LayerHelper("top_k", name=name)
    inputs, attrs = {"X": [input]}, {}
    if isinstance(k, Variable):
        inputs["K"] = [k]
    else:
        attrs["k"] = k
    values = helper.create_variable_for_type_inference(dtype=input.dtype)
    indices = helper.create_variable_for_type_inference(dtype="int64")
    helper.append_op("top_k", inputs, {"Out": [values], "Indices": [indices]}, attrs)
    return _stopped(values, indices)


def _arg(op_type, x, axis):
    helper = LayerHelper(op_type)
    out = helper.create_variable_for_type_inference(dtype="int64")
    helper.append_op(op_type, {"X": x}, {"Out": [out]}, {"axis": axis})
    return _stopped(out)[0]


def argmax(x, axis=0):
    return _arg("arg_max", x, axis)


def argmin(x, axis=0):
    return _arg("arg_min", x, axis)


def argsort(input, axis=-1, descending=False, name=None):
    """(sorted, where each stood)"""
    helper = LayerHelper("argsort", name=name)
    out = helper.create_variable_for_type_inference(dtype=input.dtype)
    indices = helper.create_variable_for_type_inference(dtype="int64")
    helper.append_op("argsort", {"X": input}, {"Out": out, "Indices": indices},
                     {"axis": axis, "descending": descending})
    return _stopped(out, indices)


def sampling_id(x, min=0.0, max=1.0, seed=0, dtype="float32"):
    """An index drawn from each row of probabilities; it is int64 whatever dtype says."""
    helper = LayerHelper("sampling_id")
    out = helper.create_variable_for_type_inference(dtype)
    helper.append_op("sampling_id", {"X": x}, {"Out": out},
                     {"min": float(min), "max": float(max), "seed": seed})
    return out


def mean_iou(input, label, num_classes):
    """(mean intersection over union, wrong per class, correct per class)"""
    helper = LayerHelper("mean_iou")
    mean = helper.create_variable_for_type_inference(dtype="float32")
    wrong = helper.create_variable_for_type_inference(dtype="int32")
    correct = helper.create_variable_for_type_inference(dtype="int32")
    helper.append_op("mean_iou", {"Predictions": input, "Labels": label},
                     {"OutMeanIou": mean, "OutWrong": wrong, "OutCorrect": correct},
                     {"num_classes": num_classes})
    return mean, wrong, correct
