"""Losses."""
import functools

from .. import unique_name
from ..core import VarDesc
from ..framework import Variable
from ..initializer import Constant, NumpyArrayInitializer
from ..layer_helper import LayerHelper
from ..param_attr import ParamAttr
from .classify import one_hot
from .nn import reduce_sum, square_error_cost
from .ops import square

__all__ = ["cross_entropy", "softmax_with_cross_entropy", "sigmoid_cross_entropy_with_logits",
           "sampled_softmax_with_cross_entropy", "nce", "hsigmoid", "log_loss", "mse_loss",
           "huber_loss", "smooth_l1", "kldiv_loss", "rank_loss", "margin_rank_loss", "bpr_loss",
           "teacher_student_sigmoid_loss", "center_loss", "dice_loss", "npair_loss",
           "sigmoid_focal_loss", "edit_distance", "warpctc"]

kIgnoreIndex = -100


# ---- arithmetic between ops: temporaries that no layer names ----

def _tmp_op(op_type, inputs, dtype, attrs=None, slot="Out"):
    helper = LayerHelper(op_type, name="tmp")
    block = helper.main_program.current_block()
    out = block.create_var(name=unique_name.generate("tmp"), dtype=dtype)
    helper.append_op(op_type, inputs, {slot: [out]}, attrs)
    return out


def _scaled(x, scale=1.0, bias=0.0):
    return _tmp_op("scale", {"X": [x]}, x.dtype, {"scale": scale, "bias": bias,
                                                  "bias_after_scale": True})


def _arithmetic(op_type, x, y):
    return _tmp_op(op_type, {"X": [x], "Y": [y]}, x.dtype,
                   {"axis": 0 if y.shape[0] == -1 else -1})


def _mean(x):
    helper = LayerHelper("reduce_mean")
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op("reduce_mean", {"X": [x]}, {"Out": [out]},
                     {"dim": [0], "keep_dim": False, "reduce_all": True})
    return out


# ---- classes ----

def cross_entropy(input, label, soft_label=False, ignore_index=kIgnoreIndex):
    """The loss of probabilities; see softmax_with_cross_entropy() for that of logits."""
    if soft_label:
        helper = LayerHelper("cross_entropy")
        out = helper.create_variable_for_type_inference(dtype=input.dtype)
        helper.append_op("cross_entropy", {"X": [input], "Label": [label]}, {"Y": [out]},
                         {"soft_label": True, "ignore_index": ignore_index})
        return out
    helper = LayerHelper("cross_entropy2")
    out, shape, match = (helper.create_variable_for_type_inference(dtype=input.dtype)
                         for _ in range(3))
    helper.append_op("cross_entropy2", {"X": [input], "Label": [label]},
                     {"Y": [out], "MatchX": [match], "XShape": [shape]},
                     {"ignore_index": ignore_index})
    return out


def softmax_with_cross_entropy(logits, label, soft_label=False, ignore_index=kIgnoreIndex,
                               numeric_stable_mode=True, return_softmax=False, axis=-1):
    """The loss, or (loss, softmax)."""
    helper = LayerHelper("softmax_with_cross_entropy")
    softmax = helper.create_variable_for_type_inference(dtype=logits.dtype)
    loss = helper.create_variable_for_type_inference(dtype=logits.dtype)
    helper.append_op("softmax_with_cross_entropy", {"Logits": logits, "Label": label},
                     {"Softmax": softmax, "Loss": loss},
                     {"soft_label": soft_label, "ignore_index": ignore_index,
                      "numeric_stable_mode": numeric_stable_mode, "axis": axis})
    return (loss, softmax) if return_softmax else loss


def sigmoid_cross_entropy_with_logits(x, label, ignore_index=kIgnoreIndex, name=None,
                                      normalize=False):
    helper = LayerHelper("sigmoid_cross_entropy_with_logits", name=name)
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op("sigmoid_cross_entropy_with_logits", {"X": x, "Label": label}, {"Out": out},
                     {"ignore_index": ignore_index, "normalize": normalize})
    return out


def sigmoid_focal_loss(x, label, fg_num, gamma=2.0, alpha=0.25):
    helper = LayerHelper("sigmoid_focal_loss")
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op("sigmoid_focal_loss", {"X": x, "Label": label, "FgNum": fg_num}, {"Out": out},
                     {"gamma": gamma, "alpha": alpha})
    return out


# ---- many classes ----

def sampled_softmax_with_cross_entropy(logits, label, num_samples, num_true=1,
                                       remove_accidental_hits=True, use_customized_samples=False,
                                       customized_samples=None, customized_probabilities=None,
                                       seed=0):
    """The softmax loss over the true class and `num_samples` drawn ones."""
    if num_true != 1:
        raise ValueError("sampled_softmax_with_cross_entropy: num_true is %r, and one class an "
                         "example is what the loss is made for" % (num_true,))
    helper = LayerHelper("sample_logits")
    make = helper.create_variable_for_type_inference
    inputs = {"Logits": logits, "Labels": label}
    if use_customized_samples:
        samples, probabilities = customized_samples, customized_probabilities
        if samples is None or probabilities is None:
            raise ValueError("sampled_softmax_with_cross_entropy: use_customized_samples needs "
                             "customized_samples and customized_probabilities")
        inputs.update(CustomizedSamples=samples, CustomizedProbabilities=probabilities)
    else:
        samples, probabilities = make(dtype="int64"), make(dtype=logits.dtype)
    sampled_logits, sampled_label = make(dtype=logits.dtype), make(dtype="int64")
    soft_label, logits_dim = make(dtype="float32"), make(dtype=logits.dtype)
    labels_dim = make(dtype="int64")
    helper.append_op(
        "sample_logits", inputs,
        {"Samples": samples, "Probabilities": probabilities, "SampledLabels": sampled_label,
         "SampledLogits": sampled_logits, "LogitsDim": logits_dim, "LabelsDim": labels_dim},
        {"use_customized_samples": use_customized_samples, "uniq": True,
         "remove_accidental_hits": remove_accidental_hits, "num_samples": num_samples,
         "seed": seed})
    loss, softmax = make(dtype=logits.dtype), make(dtype=logits.dtype)
    helper.append_op("one_hot", {"X": sampled_label}, {"Out": soft_label},
                     {"depth": num_samples + 1})
    helper.append_op("softmax_with_cross_entropy",
                     {"Logits": sampled_logits, "Label": soft_label},
                     {"Softmax": softmax, "Loss": loss},
                     {"soft_label": True, "ignore_index": 0, "numeric_stable_mode": False})
    return _scaled(loss, 1.0 / num_true)


def _alias_tables(chances):
    """(alias, keep): class i is drawn with chances[i] if a number of 0 .. n-1 is drawn, and
    kept with the chance keep[i], else exchanged for alias[i]. -1: it has none."""
    n = len(chances)
    alias, keep = [-1] * n, [1.0] * n
    small = [(i, p * n) for i, p in enumerate(chances) if p * n < 1]
    large = [(i, p * n) for i, p in enumerate(chances) if p * n > 1]
    while small and large:
        (to, much), (of, little) = large.pop(0), small.pop(0)
        alias[of], keep[of] = to, little
        rest = much + little - 1
        if rest != 1:
            (small if rest < 1 else large).append((to, rest))
    return alias, keep


def nce(input, label, num_total_classes, sample_weight=None, param_attr=None, bias_attr=None,
        num_neg_samples=None, name=None, sampler="uniform", custom_dist=None, seed=0,
        is_sparse=False):
    """The loss of many classes from the true one and a few drawn ones."""
    import numpy
    samplers = {"uniform": 0, "log_uniform": 1, "custom_dist": 2}
    if sampler not in samplers:
        raise ValueError("nce: sampler is %r, and must be one of %s" % (sampler, sorted(samplers)))
    helper = LayerHelper("nce", name=name, param_attr=param_attr, bias_attr=bias_attr)
    w = helper.create_parameter(attr=helper.param_attr, dtype=input.dtype,
                                shape=[num_total_classes, input.shape[1]])
    inputs = {"Input": input, "Label": label, "Weight": w}
    if helper.bias_attr:
        inputs["Bias"] = helper.create_parameter(attr=helper.bias_attr, is_bias=True,
                                                 shape=[num_total_classes, 1], dtype=input.dtype)
    cost = helper.create_variable_for_type_inference(dtype=input.dtype)
    logits = helper.create_variable_for_type_inference(dtype=input.dtype)
    labels = helper.create_variable_for_type_inference(dtype=label.dtype)
    if sample_weight is not None:
        inputs["SampleWeight"] = sample_weight
    if sampler == "custom_dist":
        if custom_dist is None or len(custom_dist) != num_total_classes:
            raise ValueError("nce: custom_dist must have the chance of each of the %d classes"
                             % num_total_classes)
        alias, keep = _alias_tables([float(p) for p in custom_dist])
        for slot, value in (("CustomDistProbs", numpy.array(custom_dist, "float32")),
                            ("CustomDistAlias", numpy.array(alias, "int32")),
                            ("CustomDistAliasProbs", numpy.array(keep, "float32"))):
            table = helper.create_parameter(
                attr=ParamAttr(), shape=list(value.shape), dtype=value.dtype.name,
                default_initializer=NumpyArrayInitializer(value))
            table.stop_gradient = True
            inputs[slot] = table
    num_neg_samples = 10 if num_neg_samples is None else int(num_neg_samples)
    helper.append_op("nce", inputs,
                     {"Cost": cost, "SampleLogits": logits, "SampleLabels": labels},
                     {"num_total_classes": int(num_total_classes), "seed": seed,
                      "num_neg_samples": num_neg_samples, "sampler": samplers[sampler],
                      "is_sparse": is_sparse, "remote_prefetch": is_sparse})
    return _scaled(cost, 1.0 / (num_neg_samples + 1))


def _also_as_in_1_2(function):
    """hsigmoid's arguments under their names of Fluid 1.2, which word2vec scripts use."""
    now = {"non_leaf_num": "num_classes", "ptable": "path_table", "pcode": "path_code",
           "is_costum": "is_custom"}

    @functools.wraps(function)
    def call(*args, **kwargs):
        return function(*args, **{now.get(name, name): value for name, value in kwargs.items()})
    return call


@_also_as_in_1_2
def hsigmoid(input, label, num_classes, param_attr=None, bias_attr=None, name=None,
             path_table=None, path_code=None, is_custom=False, is_sparse=False):
    """The loss of many classes as a walk down a binary tree: a complete one, or with
    is_custom the one that path_table and path_code describe."""
    if is_custom and (path_table is None or path_code is None or num_classes is None):
        raise ValueError("hsigmoid: is_custom needs path_table, path_code and num_classes")
    if not is_custom and (path_table is not None or path_code is not None):
        raise ValueError("hsigmoid: path_table and path_code are of a tree of your own; set "
                         "is_custom=True")
    if not is_custom and (num_classes is None or num_classes < 2):
        raise ValueError("hsigmoid: num_classes is %r, and must be 2 at least" % (num_classes,))
    helper = LayerHelper("hierarchical_sigmoid", name=name, param_attr=param_attr,
                         bias_attr=bias_attr)
    out = helper.create_variable_for_type_inference(dtype=input.dtype)
    pre_out = helper.create_variable_for_type_inference(dtype=input.dtype)
    nodes = num_classes if is_custom else num_classes - 1
    w = helper.create_parameter(attr=helper.param_attr, shape=[nodes, input.shape[1]],
                                dtype=input.dtype)
    inputs = {"X": input, "W": w, "Label": label, "PathTable": path_table, "PathCode": path_code}
    if helper.bias_attr:
        inputs["Bias"] = helper.create_parameter(attr=helper.bias_attr, shape=[nodes, 1],
                                                 is_bias=True, dtype=input.dtype)
    helper.append_op("hierarchical_sigmoid", inputs,
                     {"Out": out, "PreOut": pre_out, "W_Out": w},
                     {"num_classes": num_classes, "is_sparse": is_sparse,
                      "remote_prefetch": is_sparse})
    return out


# ---- numbers ----

def log_loss(input, label, epsilon=1e-4, name=None):
    helper = LayerHelper("log_loss", name=name)
    out = helper.create_variable_for_type_inference(dtype=input.dtype)
    helper.append_op("log_loss", {"Predicted": [input], "Labels": [label]}, {"Loss": [out]},
                     {"epsilon": epsilon})
    return out


def mse_loss(input, label):
    return _mean(square_error_cost(input, label))


def huber_loss(input, label, delta):
    helper = LayerHelper("huber_loss")
    residual = helper.create_variable_for_type_inference(dtype=input.dtype)
    out = helper.create_variable_for_type_inference(dtype=input.dtype)
    helper.append_op("huber_loss", {"X": input, "Y": label}, {"Out": out, "Residual": residual},
                     {"delta": float(delta)})
    return out


def smooth_l1(x, y, inside_weight=None, outside_weight=None, sigma=None):
    helper = LayerHelper("smooth_l1_loss")
    diff = helper.create_variable_for_type_inference(dtype=x.dtype)
    loss = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op("smooth_l1_loss",
                     {"X": x, "Y": y, "InsideWeight": inside_weight,
                      "OutsideWeight": outside_weight},
                     {"Diff": diff, "Out": loss},
                     {"sigma": 1.0 if sigma is None else float(sigma)})
    return loss


def kldiv_loss(x, target, reduction="mean", name=None):
    helper = LayerHelper("kldiv_loss", name=name)
    loss = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op("kldiv_loss", {"X": x, "Target": target}, {"Loss": loss},
                     {"reduction": reduction})
    return loss


# ---- ranks ----

def rank_loss(label, left, right, name=None):
    helper = LayerHelper("rank_loss", name=name)
    out = helper.create_variable_for_type_inference(dtype="float32")
    helper.append_op("rank_loss", {"Label": label, "Left": left, "Right": right}, {"Out": out})
    return out


def margin_rank_loss(label, left, right, margin=0.1, name=None):
    helper = LayerHelper("margin_rank_loss", name=name)
    out = helper.create_variable_for_type_inference(dtype=left.dtype)
    active = helper.create_variable_for_type_inference(dtype=left.dtype)
    helper.append_op("margin_rank_loss", {"Label": label, "X1": left, "X2": right},
                     {"Out": out, "Activated": active}, {"margin": margin})
    return out


def bpr_loss(input, label, name=None):
    helper = LayerHelper("bpr_loss", name=name)
    out = helper.create_variable_for_type_inference(dtype=input.dtype)
    helper.append_op("bpr_loss", {"X": [input], "Label": [label]}, {"Y": [out]})
    return out


def teacher_student_sigmoid_loss(input, label, soft_max_up_bound=15.0,
                                 soft_max_lower_bound=-15.0):
    helper = LayerHelper("teacher_student_sigmoid_loss")
    out = helper.create_variable(name=unique_name.generate("_generated_var"), dtype=input.dtype)
    helper.append_op("teacher_student_sigmoid_loss", {"X": [input], "Label": [label]},
                     {"Y": [out]},
                     {"soft_max_lower_bound": float(soft_max_lower_bound),
                      "soft_max_up_bound": float(soft_max_up_bound)})
    return out


# ---- composed ----

def center_loss(input, label, num_classes, alpha, param_attr, update_center=True):
    """Examples are drawn to the centre of their class, and the centres to them."""
    helper = LayerHelper("center_loss", param_attr=param_attr)
    centers = helper.create_parameter(attr=helper.param_attr, shape=[num_classes, input.shape[1]],
                                      dtype=input.dtype)
    centers.stop_gradient = True
    if not isinstance(alpha, Variable):
        alpha = helper.create_variable(name="centerloss_alpha", shape=[1], dtype="float32",
                                       persistable=True, stop_gradient=True,
                                       initializer=Constant(alpha))
    diff = helper.create_variable_for_type_inference(dtype=input.dtype)
    loss = helper.create_variable_for_type_inference(dtype=input.dtype)
    helper.append_op("center_loss",
                     {"X": [input], "Label": [label], "Centers": [centers],
                      "CenterUpdateRate": [alpha]},
                     {"SampleCenterDiff": [diff], "Loss": [loss], "CentersOut": [centers]},
                     {"cluster_num": num_classes, "need_update": update_center})
    return loss


def dice_loss(input, label, epsilon=1e-5, name=None):
    """1 less twice the overlap over the sum, of what was predicted and of the labels."""
    label = one_hot(label, depth=input.shape[-1])
    dims = list(range(1, len(input.shape)))
    inside = reduce_sum(_arithmetic("elementwise_mul", input, label), dim=dims)
    both = _arithmetic("elementwise_add", reduce_sum(input, dim=dims), reduce_sum(label, dim=dims))
    twice = _scaled(inside, 2.0)
    share = _arithmetic("elementwise_div", twice, _scaled(both, bias=epsilon))
    return _mean(_scaled(share, -1.0, 1.0))


def npair_loss(anchor, positive, labels, l2_reg=0.002):
    """Each anchor should be most like its own positive."""
    from . import equal, expand, matmul, reshape, transpose
    batch = labels.shape[0]
    labels = reshape(labels, shape=[batch, 1], inplace=True)
    labels = expand(labels, expand_times=[1, batch])
    labels = equal(labels, transpose(labels, perm=[1, 0]))
    labels = _tmp_op("cast", {"X": [labels]}, "float32",
                     {"in_dtype": int(labels.dtype), "out_dtype": int(VarDesc.VarType.FP32)})
    labels = _arithmetic("elementwise_div", labels, reduce_sum(labels, dim=1, keep_dim=True))
    squares = _arithmetic("elementwise_add", _mean(reduce_sum(square(anchor), 1)),
                          _mean(reduce_sum(square(positive), 1)))
    squares = _scaled(_scaled(squares, 0.25), l2_reg)
    likeness = matmul(anchor, positive, transpose_x=False, transpose_y=True)
    loss = softmax_with_cross_entropy(logits=likeness, label=labels, soft_label=True)
    loss = _mean(reduce_sum(_arithmetic("elementwise_mul", labels, loss), 0))
    return _arithmetic("elementwise_add", squares, loss)


def edit_distance(input, label, normalized=True, ignored_tokens=None, input_length=None,
                  label_length=None):
    """(distances [sequences, 1], how many sequences)"""
    helper = LayerHelper("edit_distance")
    if ignored_tokens is not None and len(ignored_tokens) > 0:
        erased = []
        for var in (input, label):
            out = helper.create_variable_for_type_inference(dtype="int64")
            helper.append_op("sequence_erase", {"X": [var]}, {"Out": [out]},
                             {"tokens": list(ignored_tokens)})
            erased.append(out)
        input, label = erased
    inputs = {"Hyps": [input], "Refs": [label]}
    if input_length is not None and label_length is not None:
        inputs.update(HypsLength=[input_length], RefsLength=[label_length])
    out = helper.create_variable_for_type_inference(dtype="int64")
    count = helper.create_variable_for_type_inference(dtype="int64")
    helper.append_op("edit_distance", inputs, {"Out": [out], "SequenceNum": [count]},
                     {"normalized": normalized})
    return out, count


def warpctc(input, label, blank=0, norm_by_times=False, input_length=None, label_length=None):
    """The loss of a sequence of labels, whichever steps of the input say them: `paddle ops warpctc`
    tells all."""
    if (input_length is None) != (label_length is None):
        raise ValueError("warpctc: input_length and label_length are given both or not at all")
    helper = LayerHelper("warpctc")
    inputs = {"Logits": [input], "Label": [label]}
    if input_length is not None:
        inputs.update(LogitsLength=[input_length], LabelLength=[label_length])
    loss = helper.create_variable_for_type_inference(dtype=input.dtype)
    grad = helper.create_variable_for_type_inference(dtype=input.dtype)
    helper.append_op("warpctc", inputs, {"WarpCTCGrad": [grad], "Loss": [loss]},
                     {"blank": blank, "norm_by_times": norm_by_times})
    return loss
