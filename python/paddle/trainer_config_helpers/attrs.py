"""Attributes of parameters and layers."""

__all__ = ["HookAttr", "HookAttribute", "ParamAttr", "ExtraAttr", "ParameterAttribute",
           "ExtraLayerAttribute"]


def _number(what, value, low=None, high=None):
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError("%s is %r, and must be a number" % (what, value)) from None
    if (low is not None and number < low) or (high is not None and number > high):
        raise ValueError("%s is %r, and must be %s" % (
            what, value, "at least %g" % low if high is None else "from %g to %g" % (low, high)))
    return number


class HookAttribute:
    """What is done to a parameter after each update: 'pruning' with a sparsity_ratio."""

    def __init__(self, type, sparsity_ratio=None):
        self.type = type
        self.sparsity_ratio = _number("HookAttribute: sparsity_ratio", sparsity_ratio, 0, 1)


class ParameterAttribute:
    """How a parameter starts and learns. Without a word about its start it is normal around 0 with
    a deviation of 1/sqrt(rows): "smart"."""

    def __init__(self, name=None, is_static=False, initial_std=None, initial_mean=None,
                 initial_max=None, initial_min=None, l1_rate=None, l2_rate=None, learning_rate=None,
                 momentum=None, gradient_clipping_threshold=None, sparse_update=False,
                 update_hooks=None, initializer=None):
        self.name = name
        self.is_static = bool(is_static)
        self.initial_std = _number("ParameterAttribute: initial_std", initial_std, 0)
        self.initial_mean = _number("ParameterAttribute: initial_mean", initial_mean)
        self.initial_max = _number("ParameterAttribute: initial_max", initial_max)
        self.initial_min = _number("ParameterAttribute: initial_min", initial_min)
        if (self.initial_max is None) != (self.initial_min is None):
            raise ValueError("ParameterAttribute: initial_max and initial_min go together")
        if self.initial_max is not None and self.initial_min > self.initial_max:
            raise ValueError("ParameterAttribute: initial_min is above initial_max")
        self.l1_rate = _number("ParameterAttribute: l1_rate", l1_rate, 0)
        self.l2_rate = _number("ParameterAttribute: l2_rate", l2_rate, 0)
        self.learning_rate = _number("ParameterAttribute: learning_rate", learning_rate, 0)
        self.momentum = _number("ParameterAttribute: momentum", momentum, 0)
        self.gradient_clipping_threshold = _number(
            "ParameterAttribute: gradient_clipping_threshold", gradient_clipping_threshold, 0)
        self.sparse_update = bool(sparse_update)
        self.update_hooks = update_hooks
        if initializer is not None and not callable(initializer):
            raise TypeError("ParameterAttribute: initializer is %r, and must be a function that "
                            "gives the array for a parameter's name" % (initializer,))
        self.initializer = initializer

    @property
    def is_smart(self):
        return (self.initial_std is None and self.initial_mean is None
                and self.initial_max is None and self.initial_min is None)

    def set_default_parameter_name(self, name):
        if self.name is None:
            self.name = name


class ExtraLayerAttribute:
    def __init__(self, error_clipping_threshold=None, drop_rate=None, device=None):
        self.error_clipping_threshold = _number(
            "ExtraLayerAttribute: error_clipping_threshold", error_clipping_threshold, 0)
        self.drop_rate = _number("ExtraLayerAttribute: drop_rate", drop_rate, 0, 1)
        if device is not None and device != -1:
            raise NotImplementedError("ExtraLayerAttribute: device=%r: layers run where the "
                                      "trainer runs; leave it out" % (device,))
        self.device = device

    @property
    def attr(self):
        named = {"error_clipping_threshold": self.error_clipping_threshold,
                 "drop_rate": self.drop_rate}
        return {name: value for name, value in named.items() if value is not None}


HookAttr = HookAttribute
ParamAttr = ParameterAttribute
ExtraAttr = ExtraLayerAttribute
