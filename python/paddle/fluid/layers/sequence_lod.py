"""Layers over sequences (LoD)."""
from ..framework import Variable, convert_np_dtype_to_dtype_
from ..layer_helper import LayerHelper

__all__ = ["sequence_conv", "sequence_softmax", "sequence_pool", "sequence_concat",
           "sequence_first_step", "sequence_last_step", "sequence_slice", "sequence_expand",
           "sequence_expand_as", "sequence_pad", "sequence_unpad", "sequence_reshape",
           "sequence_scatter", "sequence_enumerate", "sequence_mask", "sequence_reverse",
           "lod_reset", "lod_append", "im2sequence", "row_conv", "hash", "add_position_encoding",
           "continuous_value_model", "filter_by_instag"]


def _layer(helper, inputs, attrs=None, out="Out", dtype=None, stop_gradient=False):
    """The op of the helper's type with one output."""
    if dtype is None:
        first = inputs["X"]
        dtype = (first[0] if isinstance(first, (list, tuple)) else first).dtype
    var = helper.create_variable_for_type_inference(dtype, stop_gradient)
    helper.append_op(helper.layer_type, inputs, {out: var}, attrs)
    return var


def sequence_conv(input, num_filters, filter_size=3, filter_stride=1, padding=True,
                  padding_start=None, bias_attr=None, param_attr=None, act=None, name=None):
    """A convolution along sequences, with zeros around them; the window begins padding_start
    from its row (None: -filter_size // 2). `padding` has no meaning: it never had one."""
    helper = LayerHelper("sequence_conv", input=input, bias_attr=bias_attr, param_attr=param_attr,
                         act=act, name=name)
    dtype = helper.input_dtype()
    w = helper.create_parameter(helper.param_attr, [filter_size * input.shape[1], num_filters],
                                dtype)
    if padding_start is None:
        padding_start = -int(filter_size // 2)
    conv = _layer(helper, {"X": [input], "Filter": [w]},
                  {"contextStride": filter_stride, "contextStart": padding_start,
                   "contextLength": filter_size})
    return helper.append_activation(helper.append_bias_op(conv))


def sequence_softmax(input, use_cudnn=False, name=None):
    helper = LayerHelper("sequence_softmax", name=name)
    return _layer(helper, {"X": input}, {"use_cudnn": use_cudnn})


def sequence_pool(input, pool_type, is_test=False, pad_value=0.0):
    """One row for each sequence: its sum, average, sqrt (sum / sqrt(n)), max, first or last."""
    helper = LayerHelper("sequence_pool", input=input)
    dtype = helper.input_dtype()
    out = helper.create_variable_for_type_inference(dtype)
    index = helper.create_variable_for_type_inference(dtype)
    helper.append_op("sequence_pool", {"X": input}, {"Out": out, "MaxIndex": index},
                     {"pooltype": pool_type.upper(), "is_test": is_test,
                      "pad_value": float(pad_value)})
    if pool_type == "max":
        index.stop_gradient = True
    return out


def sequence_first_step(input):
    return sequence_pool(input=input, pool_type="first")


def sequence_last_step(input):
    return sequence_pool(input=input, pool_type="last")


def sequence_concat(input, name=None):
    helper = LayerHelper("sequence_concat", input=input, name=name)
    if not isinstance(input, (list, tuple)) or not input:
        raise TypeError("sequence_concat: input must be a list of Variables, and is %r" % (input,))
    return _layer(helper, {"X": list(input)})


def sequence_slice(input, offset, length, name=None):
    helper = LayerHelper("sequence_slice", name=name)
    offset.stop_gradient = True
    length.stop_gradient = True
    return _layer(helper, {"X": input, "Offset": offset, "Length": length})


def sequence_expand(x, y, ref_level=-1, name=None):
    helper = LayerHelper("sequence_expand", name=name)
    return _layer(helper, {"X": x, "Y": y}, {"ref_level": ref_level})


def sequence_expand_as(x, y, name=None):
    helper = LayerHelper("sequence_expand_as", name=name)
    return _layer(helper, {"X": x, "Y": y})


def sequence_pad(x, pad_value, maxlen=None, name=None):
    """(sequences as rows of equal length, their lengths)"""
    helper = LayerHelper("sequence_pad", name=name)
    out = helper.create_variable_for_type_inference(x.dtype)
    length = helper.create_variable_for_type_inference("int64")
    pad_value.stop_gradient = True
    length.stop_gradient = True
    helper.append_op("sequence_pad", {"X": x, "PadValue": pad_value},
                     {"Out": out, "Length": length},
                     {"padded_length": -1 if maxlen is None else maxlen})
    return out, length


def sequence_unpad(x, length, name=None):
    helper = LayerHelper("sequence_unpad", name=name)
    length.stop_gradient = True
    return _layer(helper, {"X": x, "Length": length})


def sequence_reshape(input, new_dim):
    return _layer(LayerHelper("sequence_reshape"), {"X": [input]}, {"new_dim": new_dim})


def sequence_scatter(input, index, updates, name=None):
    helper = LayerHelper("sequence_scatter", name=name)
    return _layer(helper, {"X": input, "Ids": index, "Updates": updates})


def sequence_enumerate(input, win_size, pad_value=0, name=None):
    helper = LayerHelper("sequence_enumerate", name=name)
    return _layer(helper, {"X": input}, {"win_size": win_size, "pad_value": pad_value},
                  stop_gradient=True)


def sequence_mask(x, maxlen=None, dtype="int64", name=None):
    """x[i] ones and then zeros, maxlen numbers in all (None: the largest of x)."""
    helper = LayerHelper("sequence_mask", name=name)
    inputs, attrs = {"X": [x]}, {"out_dtype": int(convert_np_dtype_to_dtype_(dtype))}
    if isinstance(maxlen, Variable):
        inputs["MaxLenTensor"] = maxlen
    else:
        attrs["maxlen"] = -1 if maxlen is None else maxlen
    out = _layer(helper, inputs, attrs, "Y", dtype)
    out.stop_gradient = True
    return out


def sequence_reverse(x, name=None):
    return _layer(LayerHelper("sequence_reverse", name=name), {"X": x}, out="Y")


# ---- levels of detail ----

def lod_reset(x, y=None, target_lod=None):
    """x with the sequences of y, or with the offsets target_lod."""
    helper = LayerHelper("lod_reset")
    if y is None and target_lod is None:
        raise ValueError("y and target_lod should not be both none.")
    out = helper.create_variable_for_type_inference(x.dtype)
    inputs, attrs = {"X": x}, {}
    if y is not None:
        inputs["Y"] = y
    else:
        attrs["target_lod"] = list(target_lod)
    helper.append_op("lod_reset", inputs, {"Out": out}, attrs)
    return out


def lod_append(x, level):
    """x with one more level of sequences below its own: offsets, or those of a Variable."""
    helper = LayerHelper("lod_append")
    if level is None:
        raise ValueError("Input(level) can't be None.")
    if not isinstance(level, (list, tuple, Variable)):
        raise ValueError("Input(level) must be list, tuple or Variable.")
    out = helper.create_variable_for_type_inference(x.dtype)
    inputs, attrs = {"X": x}, {"append": True}
    if isinstance(level, Variable):
        inputs["Y"] = level
    else:
        attrs["target_lod"] = list(level)
    helper.append_op("lod_reset", inputs, {"Out": out}, attrs)
    return out


# ---- relatives ----

def im2sequence(input, filter_size=1, stride=1, padding=0, input_image_size=None, out_stride=1,
                name=None):
    """The patches of images as sequences."""
    def pair(value):
        return [value, value] if isinstance(value, int) else list(value)
    helper = LayerHelper("im2sequence", input=input, name=name)
    padding = pair(padding)
    if len(padding) == 2:
        padding = padding + padding
    inputs = {"X": input}
    attrs = {"kernels": pair(filter_size), "strides": pair(stride), "paddings": padding}
    if input_image_size is not None:
        inputs["Y"] = input_image_size
        attrs["out_stride"] = pair(out_stride)
    return _layer(helper, inputs, attrs)


def row_conv(input, future_context_size, param_attr=None, act=None):
    helper = LayerHelper("row_conv", input=input, param_attr=param_attr, act=act)
    w = helper.create_parameter(helper.param_attr, [future_context_size + 1, input.shape[-1]],
                                helper.input_dtype())
    return helper.append_activation(_layer(helper, {"X": [input], "Filter": [w]}))


def hash(input, hash_size, num_hash=1, name=None):
    helper = LayerHelper("hash", name=name)
    return _layer(helper, {"X": input}, {"num_hash": num_hash, "mod_by": hash_size},
                  stop_gradient=True)


def add_position_encoding(input, alpha, beta, name=None):
    helper = LayerHelper("add_position_encoding", name=name)
    return _layer(helper, {"X": input}, {"alpha": float(alpha), "beta": float(beta)})


def continuous_value_model(input, cvm, use_cvm=True):
    """The shows and clicks that stand before an embedding, as logarithms or left out."""
    helper = LayerHelper("cvm")
    out = helper.create_variable(dtype=input.dtype)
    helper.append_op("cvm", {"X": [input], "CVM": [cvm]}, {"Y": [out]}, {"use_cvm": use_cvm})
    return out


def filter_by_instag(ins, ins_tag, filter_tag, is_lod, out_val_if_empty=0):
    """[out, loss_weight]: the instances of `ins` (rows, or with is_lod sequences) that have a tag
    of filter_tag among those of ins_tag, a sequence of tags an instance. Where there is none, out
    is one row of out_val_if_empty, and loss_weight 0."""
    helper = LayerHelper("filter_by_instag")
    out = helper.create_variable_for_type_inference(dtype=ins.dtype)
    loss_weight = helper.create_variable_for_type_inference(dtype="float32")
    index_map = helper.create_variable_for_type_inference(dtype="int64")
    helper.append_op("filter_by_instag",
                     {"Ins": ins, "Ins_tag": ins_tag, "Filter_tag": filter_tag},
                     {"Out": out, "LossWeight": loss_weight, "IndexMap": index_map},
                     {"is_lod": is_lod, "out_val_if_empty": out_val_if_empty})
    return [out, loss_weight]
