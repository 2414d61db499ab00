"""Layers of fluid.contrib."""
import numpy as np

from ... import unique_name
from ...framework import Variable
from ...initializer import Constant
from ...layer_helper import LayerHelper
from ...layers.nn import _look_up
from ...param_attr import ParamAttr

__all__ = ["shuffle_batch", "partial_concat", "partial_sum", "tdm_child", "tdm_sampler",
           "rank_attention", "fused_embedding_seq_pool", "match_matrix_tensor",
           "sequence_topk_avg_pooling", "var_conv_2d", "tree_conv", "fused_elemwise_activation",
           "search_pyramid_hash", "sparse_embedding"]


def sparse_embedding(input, size, padding_idx=None, is_test=False, entry=None, param_attr=None,
                     dtype="float32"):
    """Rows of a table on parameter servers that grows with the ids that come; input is [..., 1].
    entry: which ids get a row there, a paddle.distributed.CountFilterEntry or ProbabilityEntry;
    None: all. Without servers it is an embedding of `size`, and all have one."""
    from ....distributed.entry_attr import EntryAttr
    if is_test:
        raise NotImplementedError("sparse_embedding: is_test=True; a program that only looks up is "
                                  "program.clone(for_test=True)")
    if entry is not None and not isinstance(entry, EntryAttr):
        raise ValueError("sparse_embedding: entry is %r, and must be a CountFilterEntry or a "
                         "ProbabilityEntry of paddle.distributed" % (entry,))
    return _look_up("lookup_table", input, size, True, True, padding_idx, param_attr, dtype,
                    {"entry": entry._to_attr()} if entry is not None else None)


def shuffle_batch(x, seed=None):
    """The rows of x in a random order; the gradient goes back to where each row was. seed: a whole
    number to begin with (the program's random_seed, or one drawn), or a Variable that holds it."""
    helper = LayerHelper("shuffle_batch")
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    order = helper.create_variable_for_type_inference(dtype="int64")
    attrs = {}
    if seed is None:
        seed = helper.main_program.random_seed or int(np.random.randint(-65536, 65535))
    if not isinstance(seed, Variable):
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise TypeError("shuffle_batch: seed is %r, and must be an int or a Variable"
                            % (seed,))
        attrs["startup_seed"] = seed
        seed = helper.create_variable(name=unique_name.generate("shuffle_batch_seed"),
                                      dtype="int64", persistable=True)
    helper.append_op("shuffle_batch", {"X": [x], "Seed": [seed]},
                     {"Out": [out], "ShuffleIdx": [order], "SeedOut": [seed]}, attrs)
    return out


def _partial(op_type, input, start_index, length):
    inputs = input if isinstance(input, list) else [input]
    for x in inputs:
        if not isinstance(x, Variable):
            raise TypeError("%s: input is %r, and must be a Variable or a list of them"
                            % (op_type, input))
    helper = LayerHelper(op_type)
    out = helper.create_variable_for_type_inference(dtype=inputs[0].dtype)
    helper.append_op(op_type, {"X": inputs}, {"Out": [out]},
                     {"start_index": start_index, "length": length})
    return out


def partial_concat(input, start_index=0, length=-1):
    """The columns [start_index, start_index + length) of each matrix of `input`, side by side."""
    return _partial("partial_concat", input, start_index, length)


def partial_sum(input, start_index=0, length=-1):
    """The columns [start_index, start_index + length) of the matrices of `input`, added up."""
    return _partial("partial_sum", input, start_index, length)


def _whole(layer, **kwargs):
    """The data types of a layer's trees and outputs: int32 or int64."""
    for name, dtype in kwargs.items():
        if dtype not in ("int32", "int64"):
            raise TypeError("%s: %s is %r, and must be int32 or int64" % (layer, name, dtype))


def tdm_child(x, node_nums, child_nums, param_attr=None, dtype="int32"):
    """(children, leaf mask) of the nodes x of a tree: the shape of x, and child_nums.

    The parameter is [node_nums, 3 + child_nums]: for each node its item (0: none), layer, parent,
    and children. Node 0 is none; a node without children has zeros."""
    _whole("tdm_child", dtype=dtype)
    helper = LayerHelper("tdm_child", param_attr=param_attr)
    tree = helper.create_parameter(helper.param_attr, [node_nums, 3 + child_nums], dtype,
                                   default_initializer=Constant(0))
    tree.stop_gradient = True
    child = helper.create_variable_for_type_inference(dtype)
    leaf_mask = helper.create_variable_for_type_inference(dtype)
    helper.append_op("tdm_child", {"X": x, "TreeInfo": tree},
                     {"Child": child, "LeafMask": leaf_mask},
                     {"child_nums": child_nums, "dtype": child.dtype})
    return child, leaf_mask


def tdm_sampler(x, neg_samples_num_list, layer_node_num_list, leaf_node_num, tree_travel_attr=None,
                tree_layer_attr=None, output_positive=True, output_list=True, seed=0,
                tree_dtype="int32", dtype="int32"):
    """(nodes, labels, mask): the nodes from the top layer to the items x, each followed by that
    many other nodes of its layer; as a list of [batch, 1 + number, 1] by layer, or all in one.

    tree_travel_attr: the parameter [leaf_node_num, layers], the nodes above each leaf;
    tree_layer_attr: the nodes of all layers, one after the other. A label is 1 for the item's own
    nodes; the mask is 0 where a branch has no node in a layer."""
    _whole("tdm_sampler", tree_dtype=tree_dtype, dtype=dtype)
    if len(neg_samples_num_list) != len(layer_node_num_list):
        raise ValueError("tdm_sampler: neg_samples_num_list is of %d layers, and "
                         "layer_node_num_list of %d"
                         % (len(neg_samples_num_list), len(layer_node_num_list)))
    if leaf_node_num is None:
        raise ValueError("tdm_sampler: leaf_node_num must be given")
    offsets = [0]
    for i, (wanted, nodes) in enumerate(zip(neg_samples_num_list, layer_node_num_list)):
        offsets.append(offsets[-1] + nodes)
        if wanted >= nodes:
            raise ValueError("tdm_sampler: %d negative samples of layer %d, which has %d nodes; "
                             "they must be fewer" % (wanted, i, nodes))
    helper = LayerHelper("tdm_sampler")
    travel = helper.create_parameter(ParamAttr._to_attr(tree_travel_attr),
                                     [leaf_node_num, len(neg_samples_num_list)], tree_dtype,
                                     default_initializer=Constant(0))
    layer = helper.create_parameter(ParamAttr._to_attr(tree_layer_attr), [offsets[-1], 1],
                                    tree_dtype, default_initializer=Constant(0))
    outputs = [helper.create_variable_for_type_inference(dtype, stop_gradient=True)
               for _ in range(3)]
    helper.append_op("tdm_sampler", {"X": x, "Travel": travel, "Layer": layer},
                     {"Out": outputs[0], "Labels": outputs[1], "Mask": outputs[2]},
                     {"neg_samples_num_list": list(neg_samples_num_list),
                      "output_positive": output_positive, "layer_offset_lod": offsets,
                      "seed": seed, "dtype": outputs[0].dtype})
    if not output_list:
        return tuple(outputs)
    from ...layers import reshape, slice
    lists, at = ([], [], []), 0
    for wanted in neg_samples_num_list:
        width = wanted + bool(output_positive)
        parts = [slice(out, axes=[1], starts=[at], ends=[at + width]) for out in outputs]
        for parts_so_far, part in zip(lists, parts):
            part = reshape(part, [-1, width, 1])
            part.stop_gradient = True
            parts_so_far.append(part)
        at += width
    return lists


def rank_attention(input, rank_offset, rank_param_shape, rank_param_attr, max_rank=3):
    """Instances that are shown together: each gets the sum, over the places of rank_offset, of
    the instance there times the matrix for the two ranks. `paddle ops rank_attention` says what
    rank_offset holds; `input` gets no gradient."""
    helper = LayerHelper("rank_attention", input=input, rank_param_attr=rank_param_attr)
    dtype = helper.input_dtype()
    param = helper.create_parameter(ParamAttr._to_attr(rank_param_attr), rank_param_shape, dtype)
    out = helper.create_variable_for_type_inference(dtype)
    helper.append_op("rank_attention",
                     {"X": input, "RankOffset": rank_offset, "RankParam": param}, {"Out": out},
                     {"MaxRank": max_rank})
    return out


def fused_embedding_seq_pool(input, size, is_sparse=False, padding_idx=None, combiner="sum",
                             param_attr=None, dtype="float32"):
    """The sum, for each sequence of ids, of their rows of a table of shape `size`: embedding and
    sequence_pool in one."""
    if combiner != "sum":
        raise ValueError("fused_embedding_seq_pool: combiner is %r, and sum alone is there"
                         % (combiner,))
    helper = LayerHelper("fused_embedding_seq_pool", param_attr=param_attr)
    table = helper.create_parameter(helper.param_attr, size, dtype)
    out = helper.create_variable_for_type_inference(dtype)
    if padding_idx is None:
        padding_idx = -1
    elif padding_idx < 0:
        padding_idx += size[0]
    helper.append_op("fused_embedding_seq_pool", {"Ids": input, "W": table}, {"Out": out},
                     {"is_sparse": is_sparse, "combiner": combiner, "padding_idx": padding_idx})
    return out


def match_matrix_tensor(x, y, channel_num, act=None, param_attr=None, dtype="float32", name=None):
    """(out, tmp): every word of the sequences x against every word of y, x W y^T in channel_num
    ways; out has an image [channel_num, words of x, words of y] a sequence."""
    helper = LayerHelper("match_matrix_tensor", param_attr=param_attr, act=act, name=name)
    w = helper.create_parameter(helper.param_attr, [x.shape[-1], channel_num, y.shape[-1]], dtype)
    out = helper.create_variable_for_type_inference(dtype)
    tmp = helper.create_variable_for_type_inference(dtype, stop_gradient=True)
    helper.append_op("match_matrix_tensor", {"X": x, "Y": y, "W": w}, {"Out": out, "Tmp": tmp},
                     {"dim_t": channel_num})
    return helper.append_activation(out), tmp


def sequence_topk_avg_pooling(input, row, col, topks, channel_num):
    """The averages of the topks[0], topks[1], ... largest of each row of images: `input` has an
    image [channel_num, rows, columns] a sequence, of as many rows and columns as the sequences of
    `row` and `col` have."""
    helper = LayerHelper("sequence_topk_avg_pooling")
    out = helper.create_variable_for_type_inference(input.dtype)
    pos = helper.create_variable_for_type_inference(input.dtype, stop_gradient=True)
    helper.append_op("sequence_topk_avg_pooling", {"X": input, "ROW": row, "COLUMN": col},
                     {"Out": out, "pos": pos}, {"topks": topks, "channel_num": channel_num})
    return out


def _pair(layer, name, value):
    """A size of rows and of columns, from one number or two."""
    values = [value, value] if isinstance(value, int) else list(value)
    if len(values) != 2:
        raise ValueError("%s: %s is %r, and must be one number or two" % (layer, name, value))
    return values


def var_conv_2d(input, row, col, input_channel, output_channel, filter_size, stride=1,
                param_attr=None, act=None, dtype="float32", name=None):
    """Convolution over images of many sizes: `input` has an image [input_channel, rows, columns]
    a sequence, of as many rows and columns as the sequences of `row` and `col` have."""
    helper = LayerHelper("var_conv_2d", param_attr=param_attr, act=act, name=name)
    kernel = _pair("var_conv_2d", "filter_size", filter_size)
    stride = _pair("var_conv_2d", "stride", stride)
    w = helper.create_parameter(
        helper.param_attr, [int(output_channel), int(input_channel) * kernel[0] * kernel[1]], dtype)
    out = helper.create_variable_for_type_inference(dtype)
    col_out = helper.create_variable_for_type_inference(dtype, stop_gradient=True)
    helper.append_op("var_conv_2d", {"X": input, "ROW": row, "COLUMN": col, "W": w},
                     {"Out": out, "Col": col_out},
                     {"InputChannel": input_channel, "OutputChannel": output_channel,
                      "StrideH": stride[0], "StrideW": stride[1], "KernelH": kernel[0],
                      "KernelW": kernel[1]})
    return helper.append_activation(out)


def tree_conv(nodes_vector, edge_set, output_size, num_filters=1, max_depth=2, act="tanh",
              param_attr=None, bias_attr=None, name=None):
    """Convolution over trees: nodes_vector [n, nodes, width], edge_set int32 [n, edges, 2] of
    (parent, child) from 1 on, ended by zeros. The output is [n, nodes, output_size,
    num_filters]."""
    helper = LayerHelper("tree_conv", param_attr=param_attr, bias_attr=bias_attr, act=act,
                         name=name)
    dtype = nodes_vector.dtype
    w = helper.create_parameter(helper.param_attr,
                                [nodes_vector.shape[2], 3, output_size, num_filters], dtype)
    out = helper.create_variable_for_type_inference(dtype)
    helper.append_op("tree_conv",
                     {"NodesVector": nodes_vector, "EdgeSet": edge_set, "Filter": w},
                     {"Out": out}, {"max_depth": max_depth})
    return helper.append_activation(helper.append_bias_op(out) if bias_attr is not False else out)


def fused_elemwise_activation(x, y, functor_list, axis=-1, scale=0.0, save_intermediate_out=True):
    """An elementwise op and an activation in one: ["elementwise_add", "relu"] is x + relu(y),
    ["relu", "elementwise_add"] relu(x + y). scale: of the functor "scale"."""
    if isinstance(functor_list, str):
        functor_list = functor_list.split(",")
    if not isinstance(functor_list, list) or len(functor_list) != 2:
        raise ValueError("fused_elemwise_activation: functor_list is %r, and must be a list of two"
                         % (functor_list,))
    helper = LayerHelper("fused_elemwise_activation")
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    between = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op("fused_elemwise_activation", {"X": x, "Y": y},
                     {"Out": out, "IntermediateOut": between},
                     {"axis": axis, "scale": scale,
                      "save_intermediate_out": save_intermediate_out,
                      "functor_list": functor_list})
    return out


def search_pyramid_hash(input, num_emb, space_len, pyramid_layer, rand_len, drop_out_percent,
                        is_training, use_filter, white_list_len, black_list_len, seed, lr,
                        param_attr=None, param_attr_wl=None, param_attr_bl=None, name=None,
                        distribute_update_vars=None, dtype="float32"):
    """Runs of two to pyramid_layer ids of the sequences `input` (int32) as vectors of num_emb,
    pieces of one table [space_len + rand_len, 1] that hashes of the run choose.

    The table is trained by the op's gradient with the rate lr, without an optimizer, and only where
    input.stop_gradient is False. param_attr_wl and param_attr_bl: Bloom filters of the runs that are
    taken, and that are not. `paddle ops pyramid_hash` tells the rest."""
    helper = LayerHelper("search_pyramid_hash", name=name)
    inputs = {"X": input}
    for slot, attr, length in (("W", param_attr, space_len + rand_len),
                               ("WhiteList", param_attr_wl, white_list_len),
                               ("BlackList", param_attr_bl, black_list_len)):
        if slot == "W" or length > 0:
            inputs[slot] = helper.create_parameter(ParamAttr._to_attr(attr), [length, 1], dtype)
            inputs[slot].stop_gradient = True
    given = [attr.name for attr in (param_attr, param_attr_wl, param_attr_bl) if attr]
    for param in distribute_update_vars or []:
        if param not in given:
            raise ValueError("search_pyramid_hash: distribute_update_vars has %s, and the "
                             "parameters are %s" % (param, ", ".join(map(str, given))))
    out, drop_pos, x_temp_out = [helper.create_variable_for_type_inference(dtype)
                                 for _ in range(3)]
    helper.append_op("pyramid_hash", inputs,
                     {"Out": out, "X_Temp_Out": x_temp_out, "DropPos": drop_pos},
                     {"num_emb": num_emb, "space_len": space_len, "pyramid_layer": pyramid_layer,
                      "rand_len": rand_len, "drop_out_percent": drop_out_percent,
                      "is_training": is_training, "use_filter": use_filter,
                      "white_list_len": white_list_len, "black_list_len": black_list_len,
                      "seed": seed, "lr": lr,
                      "distribute_update_vars": ",".join(distribute_update_vars or [])})
    return out
