"""Activations that have options: each is one op."""
from ..initializer import Constant
from ..layer_helper import LayerHelper

__all__ = ["relu6", "leaky_relu", "elu", "swish", "hard_sigmoid", "stanh", "brelu", "soft_relu",
           "selu", "prelu", "hard_swish", "gelu", "softshrink", "hard_shrink",
           "thresholded_relu", "maxout", "mish"]


def _activation(op_type, x, name=None, **attrs):
    helper = LayerHelper(op_type, name=name)
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op(op_type, {"X": x}, {"Out": out},
                     {key: value for key, value in attrs.items() if value is not None})
    return out


def relu6(x, threshold=6.0, name=None):
    return _activation("relu6", x, name, threshold=float(threshold))


def leaky_relu(x, alpha=0.02, name=None):
    return _activation("leaky_relu", x, name, alpha=float(alpha))


def elu(x, alpha=1.0, name=None):
    return _activation("elu", x, name, alpha=float(alpha))


def swish(x, beta=1.0, name=None):
    """x sigmoid(beta x). Fluid 1.8 takes beta for 1 whatever is given."""
    return _activation("swish", x, name, beta=float(beta))


def hard_sigmoid(x, slope=0.2, offset=0.5, name=None):
    return _activation("hard_sigmoid", x, name, slope=float(slope), offset=float(offset))


def stanh(x, scale_a=0.67, scale_b=1.7159, name=None):
    return _activation("stanh", x, name, scale_a=float(scale_a), scale_b=float(scale_b))


def brelu(x, t_min=0.0, t_max=24.0, name=None):
    return _activation("brelu", x, name, t_min=float(t_min), t_max=float(t_max))


def soft_relu(x, threshold=40.0, name=None):
    return _activation("soft_relu", x, name, threshold=float(threshold))


def selu(x, scale=None, alpha=None, name=None):
    return _activation("selu", x, name, scale=scale, alpha=alpha)


def hard_swish(x, threshold=6.0, scale=6.0, offset=3.0, name=None):
    return _activation("hard_swish", x, name, threshold=float(threshold), scale=float(scale),
                       offset=float(offset))


def gelu(x, approximate=False):
    return _activation("gelu", x, approximate=approximate)


def softshrink(x, alpha=None):
    return _activation("softshrink", x, **{"lambda": alpha})


def hard_shrink(x, threshold=None):
    return _activation("hard_shrink", x, threshold=threshold)


def thresholded_relu(x, threshold=None):
    return _activation("thresholded_relu", x, threshold=threshold)


def mish(x, threshold=20, name=None):
    return _activation("mish", x, name, threshold=float(threshold))


def maxout(x, groups, name=None, axis=1):
    """The largest of each group of channels, which lie at axis 1 or last."""
    if axis not in (1, -1, 3):
        raise ValueError("maxout: axis is %r, and must be 1, -1 or 3" % (axis,))
    return _activation("maxout", x, name, groups=groups, axis=3 if axis == -1 else axis)


def prelu(x, mode, param_attr=None, name=None):
    """x where it is positive, and elsewhere x times a learnt slope: one for 'all', for each
    'channel', or for each 'element'."""
    shapes = {"all": [1], "channel": [1, x.shape[1] if len(x.shape) > 1 else 1, 1, 1],
              "element": [1] + list(x.shape[1:])}
    if mode not in shapes:
        raise ValueError("prelu: mode is %r, and must be 'all', 'channel' or 'element'" % (mode,))
    helper = LayerHelper("prelu", param_attr=param_attr, name=name)
    alpha = helper.create_parameter(attr=helper.param_attr, shape=shapes[mode], dtype="float32",
                                    default_initializer=Constant(0.25))
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op("prelu", {"X": x, "Alpha": alpha}, {"Out": out}, {"mode": mode})
    return out
