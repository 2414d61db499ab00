"""Layers in formulas: a + b, 2 * a - 1, layer_math.exp(a). Numbers may stand for a layer; a layer
of size 1 goes with one of any size."""
from . import activations as act
from .graph import ConfigError, LayerOutput, layer_name
from .layers import (identity_projection, mixed_layer, repeat_layer, scaling_layer,
                     slope_intercept_layer)

__all__ = ["exp", "log", "abs", "sigmoid", "tanh", "square", "relu", "sqrt", "reciprocal"]


def _function(name, activation):
    kind = name

    def function(input, name=None):
        return mixed_layer(input=[identity_projection(input=input)], name=layer_name(name, kind),
                           act=activation())
    function.__name__ = kind
    function.__doc__ = "%s of each element of a layer." % kind
    return function


exp = _function("exp", act.ExpActivation)
log = _function("log", act.LogActivation)
abs = _function("abs", act.AbsActivation)
sigmoid = _function("sigmoid", act.SigmoidActivation)
tanh = _function("tanh", act.TanhActivation)
square = _function("square", act.SquareActivation)
relu = _function("relu", act.ReluActivation)
sqrt = _function("sqrt", act.SqrtActivation)
reciprocal = _function("reciprocal", act.ReciprocalActivation)


# ---- operators ----

def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _check(sign, other):
    if not _is_number(other) and not isinstance(other, LayerOutput):
        raise ConfigError("a layer %s %r: only layers and numbers go with layers" % (sign, other))


def add(layer, other):
    _check("+", other)
    if _is_number(other):
        return slope_intercept_layer(input=layer, intercept=other)
    if layer.size != other.size:
        if 1 not in (layer.size, other.size):
            raise ConfigError("%r has size %d and %r has %d: to be added they must be of one size, "
                              "or one of them of size 1"
                              % (layer.name, layer.size, other.name, other.size))
        if layer.size == 1:
            layer, other = other, layer
        other = repeat_layer(other, layer.size)
    return mixed_layer(input=[identity_projection(layer), identity_projection(other)])


def sub(layer, other):
    _check("-", other)
    if _is_number(other):
        return slope_intercept_layer(input=layer, intercept=-other)
    return add(layer, slope_intercept_layer(input=other, slope=-1.0))


def rsub(layer, other):
    return add(slope_intercept_layer(input=layer, slope=-1.0), other)


def mul(layer, other):
    _check("*", other)
    if _is_number(other):
        return slope_intercept_layer(input=layer, slope=other)
    if layer.size == 1:
        return scaling_layer(input=other, weight=layer)
    if other.size == 1:
        return scaling_layer(input=layer, weight=other)
    raise ConfigError("%r has size %d and %r has %d: one of two layers that are multiplied must "
                      "have size 1; dotmul_operator multiplies element by element"
                      % (layer.name, layer.size, other.name, other.size))


LayerOutput.__add__ = LayerOutput.__radd__ = add
LayerOutput.__sub__, LayerOutput.__rsub__ = sub, rsub
LayerOutput.__mul__ = LayerOutput.__rmul__ = mul
