"""Normalisation and dropout."""
from ..core import VarDesc
from ..framework import Variable
from ..initializer import Constant, Normal
from ..layer_helper import LayerHelper
from ..param_attr import ParamAttr

__all__ = ["batch_norm", "inplace_abn", "instance_norm", "layer_norm", "group_norm", "data_norm",
           "spectral_norm", "lrn", "dropout", "affine_channel"]


def _channels(input, data_layout, what):
    if data_layout not in ("NCHW", "NHWC"):
        raise ValueError("%s: data_layout is %r, and must be 'NCHW' or 'NHWC'"
                         % (what, data_layout))
    shape = input.shape
    if len(shape) < 2:
        raise ValueError("%s: the input has the shape %s, and must have channels"
                         % (what, list(shape)))
    return shape[1 if data_layout == "NCHW" else -1]


def _tmp(helper, dtype, stop_gradient=True):
    return helper.create_variable_for_type_inference(dtype, stop_gradient=stop_gradient)


def _kept_dtype(input):
    """Of parameters and statistics: those of half precision are floats."""
    return "float32" if input.dtype == VarDesc.VarType.FP16 else input.dtype


def _statistic(helper, name, value, channels, average, dtype):
    """A mean or variance that the op itself keeps up to date."""
    var = helper.create_parameter(
        ParamAttr(name=name, initializer=Constant(value), trainable=False,
                  do_model_average=average), [channels], dtype)
    var.stop_gradient = True
    return var


def batch_norm(input, act=None, is_test=False, momentum=0.9, epsilon=1e-5, param_attr=None,
               bias_attr=None, data_layout="NCHW", in_place=False, name=None,
               moving_mean_name=None, moving_variance_name=None,
               do_model_average_for_mean_and_var=True, use_global_stats=False):
    """act((input - mean) / deviation * scale + bias): `paddle ops batch_norm` tells all."""
    helper = LayerHelper("batch_norm", param_attr=param_attr, bias_attr=bias_attr, act=act,
                         name=name)
    out = _batch_norm("batch_norm", helper, input, is_test, momentum, epsilon, data_layout,
                      in_place, moving_mean_name, moving_variance_name,
                      do_model_average_for_mean_and_var, use_global_stats)
    return helper.append_activation(out)


def _batch_norm(op_type, helper, input, is_test, momentum, epsilon, data_layout, in_place,
                mean_name, variance_name, average, use_global_stats, more_attrs=None):
    if helper.bias_attr is False:
        raise AssertionError("%s: bias_attr should not be False" % helper.layer_type)
    channels = _channels(input, data_layout, helper.layer_type)
    scale = helper.create_parameter(helper.param_attr, [channels], _kept_dtype(input),
                                    default_initializer=Constant(1.0))
    bias = helper.create_parameter(helper.bias_attr, [channels], _kept_dtype(input), is_bias=True)
    mean = _statistic(helper, mean_name, 0.0, channels, average, _kept_dtype(input))
    variance = _statistic(helper, variance_name, 1.0, channels, average, _kept_dtype(input))
    saved = [_tmp(helper, _kept_dtype(input)) for _ in range(2)]
    out = input if in_place else _tmp(helper, input.dtype, False)
    inputs = {"X": input, "Scale": scale, "Bias": bias, "Mean": mean, "Variance": variance}
    attrs = {"epsilon": float(epsilon), "is_test": is_test, "data_layout": data_layout,
             "use_global_stats": use_global_stats}
    attrs.update(more_attrs or {})
    if isinstance(momentum, Variable):
        inputs["MomentumTensor"] = momentum
    else:
        attrs["momentum"] = float(momentum)
    helper.append_op(op_type, inputs,
                     {"Y": out, "MeanOut": mean, "VarianceOut": variance, "SavedMean": saved[0],
                      "SavedVariance": saved[1]}, attrs)
    return out


def inplace_abn(input, act=None, is_test=False, momentum=0.9, epsilon=1e-5, param_attr=None,
                bias_attr=None, data_layout="NCHW", name=None, moving_mean_name=None,
                moving_variance_name=None, do_model_average_for_mean_and_var=True,
                use_global_stats=False, act_alpha=1.0):
    """Batch normalisation and an activation, written over `input`."""
    if act not in (None, "identity", "leaky_relu", "elu"):
        raise AssertionError("inplace_abn: act is %r, and must be None, 'identity', 'leaky_relu' "
                             "or 'elu'" % (act,))
    helper = LayerHelper("inplace_abn", param_attr=param_attr, bias_attr=bias_attr, act=act,
                         name=name)
    attrs = {"fuse_with_relu": False, "alpha": float(act_alpha)}
    if act is not None:
        attrs["activation"] = act
    return _batch_norm("inplace_abn", helper, input, is_test, momentum, epsilon, data_layout, True,
                       moving_mean_name, moving_variance_name,
                       do_model_average_for_mean_and_var, use_global_stats, attrs)


def instance_norm(input, epsilon=1e-5, param_attr=None, bias_attr=None, name=None):
    if bias_attr is False:
        raise AssertionError("instance_norm: bias_attr should not be False")
    helper = LayerHelper("instance_norm", param_attr=param_attr, bias_attr=bias_attr, name=name)
    channels = _channels(input, "NCHW", "instance_norm")
    scale = helper.create_parameter(helper.param_attr, [channels], _kept_dtype(input),
                                    default_initializer=Constant(1.0))
    bias = helper.create_parameter(helper.bias_attr, [channels], _kept_dtype(input), is_bias=True,
                                   default_initializer=Constant(0.0))
    mean, variance = (_tmp(helper, _kept_dtype(input)) for _ in range(2))
    out = _tmp(helper, input.dtype, False)
    helper.append_op("instance_norm", {"X": input, "Scale": scale, "Bias": bias},
                     {"Y": out, "SavedMean": mean, "SavedVariance": variance},
                     {"epsilon": float(epsilon)})
    return out


def layer_norm(input, scale=True, shift=True, begin_norm_axis=1, epsilon=1e-5, param_attr=None,
               bias_attr=None, act=None, name=None):
    """Normalised over the dimensions from begin_norm_axis on."""
    helper = LayerHelper("layer_norm", param_attr=param_attr, bias_attr=bias_attr, act=act,
                         name=name)
    width = 1
    for dim in input.shape[begin_norm_axis:]:
        width *= dim
    inputs = {"X": input}
    for wanted, attr, slot in ((scale, param_attr, "Scale"), (shift, bias_attr, "Bias")):
        if not wanted:
            continue
        if attr is False:
            raise AssertionError("layer_norm: the attribute of %s is False, though it is wanted"
                                 % slot)
        if slot == "Scale":
            inputs[slot] = helper.create_parameter(helper.param_attr, [width], input.dtype,
                                                   default_initializer=Constant(1.0))
        else:
            inputs[slot] = helper.create_parameter(helper.bias_attr, [width], input.dtype,
                                                   is_bias=True)
    mean, variance = _tmp(helper, input.dtype), _tmp(helper, input.dtype)
    out = _tmp(helper, input.dtype, False)
    helper.append_op("layer_norm", inputs, {"Y": out, "Mean": mean, "Variance": variance},
                     {"epsilon": float(epsilon), "begin_norm_axis": begin_norm_axis})
    return helper.append_activation(out)


def group_norm(input, groups, epsilon=1e-5, param_attr=None, bias_attr=None, act=None,
               data_layout="NCHW", name=None):
    """Normalised over groups of channels; scale and bias only where an attribute is given."""
    helper = LayerHelper("group_norm", param_attr=param_attr, bias_attr=bias_attr, act=act,
                         name=name)
    channels = _channels(input, data_layout, "group_norm")
    inputs = {"X": input}
    if param_attr:
        inputs["Scale"] = helper.create_parameter(helper.param_attr, [channels], input.dtype,
                                                  default_initializer=Constant(1.0))
    if bias_attr:
        inputs["Bias"] = helper.create_parameter(helper.bias_attr, [channels], input.dtype,
                                                 is_bias=True)
    mean, variance = (helper.create_variable(dtype=input.dtype, stop_gradient=True)
                      for _ in range(2))
    out = helper.create_variable(dtype=input.dtype)
    helper.append_op("group_norm", inputs, {"Y": out, "Mean": mean, "Variance": variance},
                     {"epsilon": float(epsilon), "groups": groups, "data_layout": data_layout})
    return helper.append_activation(out)


def data_norm(input, act=None, epsilon=1e-5, param_attr=None, data_layout="NCHW", in_place=False,
              name=None, moving_mean_name=None, moving_variance_name=None,
              do_model_average_for_mean_and_var=True, slot_dim=-1, sync_stats=False,
              summary_decay_rate=0.9999999, enable_scale_and_shift=False):
    """Columns normalised by statistics of all data so far. param_attr: a dict of the numbers
    that they start from. The moving_* names and do_model_average_for_mean_and_var have no
    meaning in Fluid either: this op keeps sums, not means."""
    helper = LayerHelper("data_norm", act=act, name=name)
    channels = _channels(input, data_layout, "data_norm")
    if param_attr is not None and not isinstance(param_attr, dict):
        raise TypeError("data_norm: param_attr is %r, and must be a dict of start values"
                        % (param_attr,))
    given = param_attr or {}
    starts = [("BatchSize", "batch_size", "batch_size", 1e4),
              ("BatchSum", "batch_sum", "batch_sum", 0.0),
              ("BatchSquareSum", "batch_square_sum", "batch_square", 1e4)]
    if enable_scale_and_shift:
        starts = [("scale_w", "scale_w", "scale_w", 1.0), ("bias", "bias", "bias", 0.0)] + starts
    inputs = {"X": input}
    for slot, suffix, key, value in starts:
        inputs[slot] = helper.create_parameter(
            ParamAttr(name="%s.%s" % (name or "dn", suffix),
                      initializer=Constant(float(given.get(key, value)))),
            [channels], input.dtype)
    means, scales = (helper.create_variable(dtype=input.dtype, stop_gradient=True)
                     for _ in range(2))
    out = input if in_place else helper.create_variable(dtype=input.dtype)
    helper.append_op("data_norm", inputs, {"Y": out, "Means": means, "Scales": scales},
                     {"epsilon": float(epsilon), "data_layout": data_layout, "slot_dim": slot_dim,
                      "sync_stats": sync_stats, "summary_decay_rate": float(summary_decay_rate),
                      "enable_scale_and_shift": enable_scale_and_shift})
    return helper.append_activation(out)


def spectral_norm(weight, dim=0, power_iters=1, eps=1e-12, name=None):
    """A weight divided by its largest singular value, as power iterations find it."""
    helper = LayerHelper("spectral_norm", name=name)
    height = weight.shape[dim]
    size = 1
    for n in weight.shape:
        size *= n
    u, v = (helper.create_parameter(ParamAttr(), [n], weight.dtype,
                                    default_initializer=Normal(0.0, 1.0))
            for n in (height, size // height))
    u.stop_gradient = v.stop_gradient = True
    out = helper.create_variable(dtype=weight.dtype)
    helper.append_op("spectral_norm", {"Weight": weight, "U": u, "V": v}, {"Out": out},
                     {"dim": dim, "power_iters": power_iters, "eps": float(eps)})
    return out


def lrn(input, n=5, k=1.0, alpha=1e-4, beta=0.75, name=None, data_format="NCHW"):
    """Local response normalisation, across n neighbouring channels."""
    if len(input.shape) != 4:
        raise ValueError("lrn: the input has the shape %s, and must have 4 dimensions"
                         % (list(input.shape),))
    _channels(input, data_format, "lrn")
    helper = LayerHelper("lrn", name=name)
    mid = _tmp(helper, input.dtype)
    out = _tmp(helper, input.dtype, False)
    helper.append_op("lrn", {"X": input}, {"Out": out, "MidOut": mid},
                     {"n": n, "k": float(k), "alpha": float(alpha), "beta": float(beta),
                      "data_format": data_format})
    return out


def dropout(x, dropout_prob, is_test=False, seed=None, name=None,
            dropout_implementation="downgrade_in_infer"):
    helper = LayerHelper("dropout", name=name)
    if not seed and helper.main_program.random_seed != 0:
        seed = helper.main_program.random_seed
    out = _tmp(helper, x.dtype, False)
    mask = _tmp(helper, "uint8")
    helper.append_op("dropout", {"X": [x]}, {"Out": [out], "Mask": [mask]},
                     {"dropout_prob": float(dropout_prob), "is_test": is_test,
                      "fix_seed": seed is not None, "seed": seed or 0,
                      "dropout_implementation": dropout_implementation})
    return out


def affine_channel(x, scale=None, bias=None, data_layout="NCHW", name=None, act=None):
    """act(scale * x + bias), with a scale and a bias for each channel."""
    for given, what in ((scale, "scale"), (bias, "bias")):
        if not isinstance(given, Variable):
            raise TypeError("affine_channel: %s is %r, and must be a Variable" % (what, given))
    helper = LayerHelper("affine_channel", act=act, name=name)
    out = _tmp(helper, x.dtype, False)
    helper.append_op("affine_channel", {"X": x, "Scale": scale, "Bias": bias}, {"Out": out},
                     {"data_layout": data_layout})
    return helper.append_activation(out)
