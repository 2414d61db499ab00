"""Layers with parameters, and the arithmetic between them."""
from ..layer_helper import LayerHelper

__all__ = ["fc", "mean", "square_error_cost", "scale", "elementwise_add", "elementwise_sub",
           "elementwise_mul", "elementwise_div", "elementwise_max", "elementwise_min",
           "elementwise_pow", "elementwise_mod", "elementwise_floordiv", "reduce_sum",
           "reduce_mean", "reduce_max", "reduce_min", "reduce_prod", "reduce_all", "reduce_any",
           "embedding"]


def fc(input, size, num_flatten_dims=1, param_attr=None, bias_attr=None, act=None, name=None):
    """Fully connected: act(sum of input_i W_i + b)."""
    helper = LayerHelper("fc", input=input, param_attr=param_attr, bias_attr=bias_attr, act=act,
                         name=name)
    dtype = helper.input_dtype()
    products = []
    for x, attr in helper.iter_inputs_and_params():
        shape = x.shape
        if num_flatten_dims == -1:
            num_flatten_dims = len(shape) - 1
        width = 1
        for dim in shape[num_flatten_dims:]:
            width *= dim
        w = helper.create_parameter(attr=attr, shape=[width, size], dtype=dtype)
        out = helper.create_variable_for_type_inference(dtype)
        helper.append_op("mul", {"X": x, "Y": w}, {"Out": out},
                         {"x_num_col_dims": num_flatten_dims, "y_num_col_dims": 1})
        products.append(out)
    if len(products) == 1:
        total = products[0]
    else:
        total = helper.create_variable_for_type_inference(dtype)
        helper.append_op("sum", {"X": products}, {"Out": total})
    biased = helper.append_bias_op(total, dim_start=num_flatten_dims)
    return helper.append_activation(biased)


def mean(x, name=None):
    helper = LayerHelper("mean", name=name)
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op("mean", {"X": x}, {"Out": out})
    return out


def square_error_cost(input, label):
    helper = LayerHelper("square_error_cost")
    minus = helper.create_variable_for_type_inference(dtype=input.dtype)
    helper.append_op("elementwise_sub", {"X": [input], "Y": [label]}, {"Out": [minus]})
    out = helper.create_variable_for_type_inference(dtype=input.dtype)
    helper.append_op("square", {"X": [minus]}, {"Out": [out]})
    return out


def scale(x, scale=1.0, bias=0.0, bias_after_scale=True, act=None, name=None):
    helper = LayerHelper("scale", act=act, name=name)
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    inputs, attrs = {"X": [x]}, {"bias": float(bias), "bias_after_scale": bias_after_scale}
    if hasattr(scale, "block"):
        inputs["ScaleTensor"] = [scale]
    else:
        attrs["scale"] = float(scale)
    helper.append_op("scale", inputs, {"Out": out}, attrs)
    return helper.append_activation(out)


def _elementwise(op_type):
    def layer(x, y, axis=-1, act=None, name=None):
        helper = LayerHelper(op_type, act=act, name=name)
        out = helper.create_variable_for_type_inference(dtype=x.dtype)
        helper.append_op(op_type, {"X": x, "Y": y}, {"Out": out}, {"axis": axis})
        return helper.append_activation(out)
    layer.__name__ = layer.__qualname__ = op_type
    layer.__doc__ = "The op %s: `paddle ops %s` tells all." % (op_type, op_type)
    return layer


elementwise_add = _elementwise("elementwise_add")
elementwise_sub = _elementwise("elementwise_sub")
elementwise_mul = _elementwise("elementwise_mul")
elementwise_div = _elementwise("elementwise_div")
elementwise_max = _elementwise("elementwise_max")
elementwise_min = _elementwise("elementwise_min")
elementwise_pow = _elementwise("elementwise_pow")
elementwise_mod = _elementwise("elementwise_mod")
elementwise_floordiv = _elementwise("elementwise_floordiv")


def _reduce(op_type):
    def layer(input, dim=None, keep_dim=False, name=None):
        helper = LayerHelper(op_type, name=name)
        out = helper.create_variable_for_type_inference(dtype=input.dtype)
        if dim is not None and not isinstance(dim, (list, tuple)):
            dim = [dim]
        helper.append_op(op_type, {"X": input}, {"Out": out},
                         {"dim": list(dim) if dim else [0], "keep_dim": keep_dim,
                          "reduce_all": not dim})
        return out
    layer.__name__ = layer.__qualname__ = op_type
    layer.__doc__ = "The op %s: `paddle ops %s` tells all." % (op_type, op_type)
    return layer


reduce_sum = _reduce("reduce_sum")
reduce_mean = _reduce("reduce_mean")
reduce_max = _reduce("reduce_max")
reduce_min = _reduce("reduce_min")
reduce_prod = _reduce("reduce_prod")
reduce_all = _reduce("reduce_all")
reduce_any = _reduce("reduce_any")


def _look_up(op_type, input, size, is_sparse, is_distributed, padding_idx, param_attr, dtype,
             more=None):
    helper = LayerHelper("embedding", param_attr=param_attr)
    w = helper.create_parameter(attr=helper.param_attr, shape=list(size), dtype=dtype)
    if padding_idx is None:
        padding_idx = -1
    elif not -size[0] <= padding_idx < size[0]:
        raise ValueError("embedding: padding_idx is %d, and the table has %d rows"
                         % (padding_idx, size[0]))
    else:
        padding_idx %= size[0]
    out = helper.create_variable_for_type_inference(dtype)
    helper.append_op(op_type, {"Ids": input, "W": w}, {"Out": out},
                     {"is_sparse": is_sparse, "is_distributed": is_distributed,
                      "remote_prefetch": bool(is_sparse and not is_distributed),
                      "padding_idx": padding_idx, **(more or {})})
    return out


def embedding(input, size, is_sparse=False, is_distributed=False, padding_idx=None,
              param_attr=None, dtype="float32"):
    """Rows of a table by id; input is [..., 1]. See fluid.embedding() for any shape."""
    return _look_up("lookup_table", input, size, is_sparse, is_distributed, padding_idx,
                    param_attr, dtype)
