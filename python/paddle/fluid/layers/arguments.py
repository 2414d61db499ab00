"""What layers take: checked before a layer builds anything, so that who passes an array for a
variable reads the argument's name and not what some op makes of it.

The tables are what Paddle 1.8.5 takes (tests/layers/badcalls.py asked it), as layer:argument,... by
what the argument may be. An argument that is in none is checked by the layer or by the op alone."""
import functools

import numpy

from ..data_feeder import convert_dtype
from ..framework import Variable, convert_np_dtype_to_dtype_

_TENSORS = {  # arguments that are variables, by their data types
    "any": """
        accuracy:correct,label,total addcmul:out addmm:input affine_channel:bias,scale
        allclose:input,other array_length:array array_read:array array_write:array,x
        assign:output bilinear_tensor_product:y bmm:x,y bpr_loss:label center_loss:label
        clamp:input,output continuous_value_model:cvm cross:input,other cross_entropy:label
        cumsum:x data_norm:input edit_distance:input_length,label_length elementwise_equal:x,y
        fill_constant:out fill_constant_batch_size_like:input fluid.one_hot:input
        full_like:input,out gather:index,input gather_nd:index,input
        gaussian_random_batch_size_like:input gelu:x get_tensor_from_selected_rows:x has_inf:x
        has_nan:x hsigmoid:path_code,path_table im2sequence:input_image_size
        image_resize:actual_shape,input image_resize_short:input interpolate:input
        label_smooth:prior_dist less_than:cond lod_reset:y log1p:out logical_and:out
        logical_not:out logical_or:out logical_xor:out margin_rank_loss:left,right
        merge_selected_rows:x nce:sample_weight nonzero:input pad_constant_like:x pool2d:input
        pool3d:input rank:input reduce_max:input reduce_min:input reduce_prod:input
        reorder_lod_tensor_by_rank:rank_table,x reshape:actual_shape resize_bilinear:input
        resize_nearest:input resize_trilinear:input
        sampled_softmax_with_cross_entropy:customized_probabilities,customized_samples,label,logits
        sampling_id:x scatter:index,input,updates scatter_nd:index
        scatter_nd_add:index,ref,updates sequence_expand:y sequence_expand_as:y sequence_mask:x
        shuffle_channel:x sigmoid_cross_entropy_with_logits:label size:input slice:input
        smooth_l1:inside_weight,outside_weight softmax_with_cross_entropy:label,logits
        split:input stack:x tensor_array_to_tensor:input topk:input unsqueeze:input unstack:x
        where:condition""",
    "float32 float64": """
        add_position_encoding:input addcmul:input addmm:x,y affine_channel:x auc:input dist:x,y
        dynamic_gru:h_0,input dynamic_lstm:c_0,h_0,input fsp_matrix:x,y grid_sampler:grid,x
        group_norm:input gru_unit:hidden,input hsigmoid:input huber_loss:input,label
        inplace_abn:input instance_norm:input kldiv_loss:target,x l2_normalize:x label_smooth:label
        layer_norm:input log1p:x log_loss:input,label logsumexp:x
        lstm_unit:cell_t_prev,hidden_t_prev,x_t maxout:x mish:x mse_loss:input,label nce:input
        nets.sequence_conv_pool:input npair_loss:anchor,positive pixel_shuffle:x prelu:x selu:x
        sequence_conv:input sequence_first_step:input sequence_last_step:input
        sequence_pool:input sequence_softmax:input sigmoid_focal_loss:x similarity_focus:input
        smooth_l1:x,y
        spectral_norm:weight square_error_cost:input,label
        teacher_student_sigmoid_loss:input,label temporal_shift:x unfold:x
        uniform_random_batch_size_like:input""",
    "float16 float32 float64": """
        accuracy:input batch_norm:input bilinear_tensor_product:x bpr_loss:input brelu:x
        center_loss:input clip:x continuous_value_model:input conv2d:input
        conv2d_transpose:input conv3d:input conv3d_transpose:input cross_entropy:input dropout:x
        elu:x fc:input hard_shrink:x hard_sigmoid:x hard_swish:x leaky_relu:x log_softmax:input
        matmul:x,y mean:x mul:x,y nets.glu:input nets.img_conv_group:input
        nets.simple_img_conv_pool:input relu6:x relu:x sigmoid:x
        sigmoid_cross_entropy_with_logits:x soft_relu:x softmax:input softshrink:x sqrt:x
        stanh:x swish:x tanh:x thresholded_relu:x""",
    "int32 int64 float32 float64": """
        addcmul:tensor1,tensor2 crop_tensor:x dice_loss:input dot:x,y equal:x,y increment:x
        index_sample:x index_select:input isfinite:x less_than:x,y lod_append:x lod_reset:x
        multiplex:inputs pad_constant_like:y pow:x reduce_mean:input reduce_sum:input
        sequence_expand:x sequence_expand_as:x sequence_pad:pad_value,x sequence_reshape:input
        sequence_scatter:input,updates sequence_slice:input sequence_unpad:x shape:input
        strided_slice:input sum:x sums:input,out tril:input triu:input unique:x
        unique_with_counts:x""",
    "int32 int64 float16 float32 float64": """
        adaptive_pool2d:input adaptive_pool3d:input concat:input diag_embed:input
        elementwise_add:x,y elementwise_div:x,y elementwise_max:x,y elementwise_min:x,y
        elementwise_mul:x,y elementwise_pow:x,y elementwise_sub:x,y kron:x,y meshgrid:input
        pad2d:input pad:x reshape:x roll:input space_to_depth:x square:x t:input trace:input
        transpose:x""",
    "float32": """
        clip_by_norm:x cos_sim:X,Y crop:x im2sequence:input lrn:input margin_rank_loss:label
        nets.scaled_dot_product_attention:keys,queries,values rank_loss:label,left,right
        row_conv:input warpctc:input""",
    "int64": """
        array_read:i array_write:i edit_distance:input,label embedding:input
        fluid.embedding:input hsigmoid:label nce:label sequence_unpad:length shard_index:input
        warpctc:input_length,label_length""",
    "int32 int64": """
        auc:label dice_loss:label index_sample:index index_select:index mean_iou:input,label
        multiplex:index one_hot:input sequence_enumerate:input sequence_scatter:index
        sequence_slice:length,offset""",
    "bool": """
        logical_and:x,y logical_not:x logical_or:x,y logical_xor:x,y reduce_all:input
        reduce_any:input""",
    "bool int32 int64 float32 float64": """
        expand:x expand_as:target_tensor,x ones_like:out,x zeros_like:out,x""",
    "uint8 int32 int64 float32 float64": """
        argmax:x argmin:x argsort:input reverse:x""",
    "bool int32 int64 float16 float32 float64": """
        flip:input scatter_nd:updates""",
    "bool int32 int64 float16 bfloat16 float32 float64": """
        assign:input""",
    "int8 int32 int64 float32 float64": """
        flatten:x sequence_reverse:x""",
    "int64 float32 float64": """
        npair_loss:labels sequence_concat:input""",
    "int32": """
        sigmoid_focal_loss:fg_num,label warpctc:label""",
    "bool uint8 int32 int64 float16 bfloat16 float32 float64": """
        cast:x""",
    "uint8 int32 float32 float64": """
        random_crop:x""",
    "int8 uint8 int32 int64 float16 float32 float64": """
        scale:x""",
    "int8 int32 int64 float16 float32 float64": """
        squeeze:input""",
}

# Of them those that may be lists of variables, and those that may be arrays.
_LISTS = """
    addmm:input allclose:input,other bmm:y concat:input cross:other fc:input
    fill_constant_batch_size_like:input fluid.one_hot:input gather:index gather_nd:index
    hsigmoid:path_code,path_table im2sequence:input_image_size label_smooth:prior_dist log1p:out
    margin_rank_loss:right meshgrid:input multiplex:inputs nce:sample_weight
    sampled_softmax_with_cross_entropy:customized_probabilities,customized_samples sampling_id:x
    scatter:index,updates scatter_nd:index scatter_nd_add:index sequence_concat:input
    sequence_expand:y sigmoid_cross_entropy_with_logits:label size:input
    smooth_l1:inside_weight,outside_weight softmax_with_cross_entropy:label stack:x sum:x
    sums:input tensor_array_to_tensor:input where:condition"""
_ARRAYS = "assign:input diag_embed:input rank:input"

_DTYPES = {  # arguments that name a data type
    "bool int32 int64 float16 bfloat16 float32 float64": """
        fill_constant:dtype full:dtype full_like:dtype linspace:dtype ones:dtype zeros:dtype""",
    "int32 int64 float32 float64": """
        arange:dtype range:dtype""",
    "float16 float32 float64": """
        create_parameter:dtype embedding:dtype""",
    "int32 int64": """
        randint:dtype randperm:dtype""",
    "bool int8 int32 int64 float16 float32 float64": """
        create_tensor:dtype""",
    "float32 float64": """
        uniform_random_batch_size_like:dtype""",
    "any": """
        eye:dtype fill_constant_batch_size_like:dtype gaussian_random:dtype label_smooth:dtype
        log_softmax:dtype sampling_id:dtype sequence_mask:dtype unique:dtype""",
}

_REFUSED = {  # other arguments, by what they cannot be
    "array list number": """
        adaptive_pool2d:pool_type adaptive_pool3d:pool_type affine_channel:act
        batch_norm:act,bias_attr,moving_mean_name,moving_variance_name,param_attr
        bilinear_tensor_product:act,param_attr center_loss:param_attr conv2d:act,param_attr
        conv2d_transpose:act conv3d:act conv3d_transpose:act data:name data_norm:act
        elementwise_add:act embedding:param_attr fc:act,bias_attr fluid.data:name
        fluid.embedding:param_attr group_norm:act instance_norm:bias_attr,param_attr
        kldiv_loss:reduction layer_norm:act,bias_attr,param_attr nce:param_attr
        nets.img_conv_group:conv_act nets.sequence_conv_pool:act nets.simple_img_conv_pool:act
        prelu:param_attr reshape:act row_conv:act scale:act sequence_conv:act""",
    "array list text": """
        addcmul:value allclose:atol,rtol auc:num_thresholds,slide_steps clamp:max,min
        clip_by_norm:max_norm concat:axis cosine_decay:learning_rate dist:p
        eye:num_columns,num_rows gru_unit:size image_resize:scale layer_norm:begin_norm_axis
        linspace:num,start,stop mish:threshold nets.glu:dim noam_decay:warmup_steps
        one_hot:depth pixel_shuffle:upscale_factor range:end,start,step resize_bilinear:scale
        shuffle_channel:group spectral_norm:dim,eps,power_iters split:dim
        temporal_shift:seg_num,shift_ratio tril:diagonal triu:diagonal unstack:axis,num""",
    "list text": """
        bilinear_tensor_product:size center_loss:num_classes conv2d:groups,num_filters
        conv2d_transpose:groups,num_filters conv3d:groups,num_filters
        conv3d_transpose:num_filters data_norm:slot_dim dynamic_gru:size dynamic_lstm:size
        embedding:padding_idx fc:num_flatten_dims,size fluid.embedding:padding_idx
        hsigmoid:num_classes label_smooth:epsilon nce:num_total_classes
        nets.scaled_dot_product_attention:num_heads
        nets.sequence_conv_pool:filter_size,num_filters nets.simple_img_conv_pool:num_filters
        noam_decay:d_model,learning_rate polynomial_decay:end_learning_rate,learning_rate
        randint:high,low randperm:n row_conv:future_context_size
        sequence_conv:filter_size,num_filters shard_index:nshards,shard_id trace:dim1,dim2""",
    "array list": """
        arange:end,start,step cosine_decay:epochs,step_each_epoch create_global_var:value
        dice_loss:epsilon exponential_decay:decay_steps fill_constant:value
        fill_constant_batch_size_like:value full:fill_value image_resize:resample
        image_resize_short:out_short_len inverse_time_decay:decay_steps
        linear_lr_warmup:end_lr,learning_rate,start_lr,warmup_steps matmul:alpha
        natural_exp_decay:decay_rate,decay_steps nce:num_neg_samples pad:pad_value
        pad_constant_like:pad_value polynomial_decay:decay_steps,power scale:bias,scale
        teacher_student_sigmoid_loss:soft_max_lower_bound,soft_max_up_bound""",
    "array text number": """
        crop:shape crop_tensor:offsets,shape data:shape expand:expand_times eye:batch_shape
        fill_constant:shape flip:dims fluid.data:shape full:shape gaussian_random:shape
        gaussian_random_batch_size_like:shape image_resize:out_shape interpolate:out_shape
        ones:shape randint:shape random_crop:shape reshape:shape resize_bilinear:out_shape
        resize_nearest:out_shape resize_trilinear:out_shape scatter_nd:shape squeeze:axes
        strided_slice:axes,ends,starts,strides transpose:perm uniform_random:shape
        uniform_random_batch_size_like:shape zeros:shape""",
    "array list text number": """
        create_parameter:attr,default_initializer""",
    "array": """
        logsumexp:dim reduce_all:dim reduce_any:dim reduce_max:dim reduce_mean:dim
        reduce_min:dim reduce_prod:dim reduce_sum:dim""",
    "list number": """
        batch_norm:data_layout conv2d_transpose:data_format
        group_norm:bias_attr,data_layout,param_attr image_resize:data_format lrn:data_format""",
    "array text": """
        adaptive_pool2d:pool_size adaptive_pool3d:pool_size reverse:axis roll:shifts
        split:num_or_sections unsqueeze:axes""",
    "text number": """
        create_global_var:shape create_parameter:shape embedding:size fluid.embedding:size
        nce:custom_dist""",
    "list": """
        exponential_decay:decay_rate,learning_rate inverse_time_decay:decay_rate,learning_rate
        natural_exp_decay:learning_rate""",
    "number": """
        edit_distance:ignored_tokens piecewise_decay:boundaries,values slice:axes""",
    "text": """
        conv2d_transpose:output_size conv3d_transpose:output_size roll:dims""",
    "list text number": """
        diag:diagonal""",
    "array number": """
        fc:param_attr""",
}


def _pairs(text):
    """(layer, argument) of a table's text."""
    for word in text.split():
        layer, _, names = word.partition(":")
        for name in names.split(","):
            yield layer, name


def _named(value):
    return "%r" % (value,) if isinstance(value, (str, int, float)) else "a %s" % (
        type(value).__name__)


def _one_of(words):
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _tensor(dtypes, several, array):
    """The check of an argument that is a variable, or several if a list of them will do."""
    numbers = dtypes and frozenset(int(convert_np_dtype_to_dtype_(name)) for name in dtypes)
    wanted = "a Variable" + (" or a list of them" if several else "")

    def check(layer, name, value):
        if isinstance(value, Variable):
            if numbers is not None and value._dtype not in numbers:
                raise TypeError("%s: %s is of %s, and must be of %s" % (
                    layer, name, convert_dtype(value.dtype), _one_of(dtypes)))
        elif several and isinstance(value, (list, tuple)):
            for one in value:
                check(layer, name, one)
        elif not (array and isinstance(value, numpy.ndarray)):
            raise TypeError("%s: %s is %s, and must be %s" % (layer, name, _named(value), wanted))
    return check


def _dtype(dtypes):
    def check(layer, name, value):
        try:
            known = convert_dtype(value)
        except (TypeError, ValueError, KeyError):
            raise TypeError("%s: %s is %s, and must be the name of a data type"
                            % (layer, name, _named(value)))
        if dtypes != ["any"] and known not in dtypes:
            raise TypeError("%s: %s is %s, and must be %s" % (layer, name, known, _one_of(dtypes)))
    return check


_KINDS = {"array": numpy.ndarray, "list": (list, tuple), "text": str, "number": (int, float)}


def _refused(kinds):
    types = tuple(t for kind in kinds
                  for t in (_KINDS[kind] if isinstance(_KINDS[kind], tuple) else (_KINDS[kind],)))
    allowed = [{"array": "an array", "list": "a list", "text": "a str", "number": "a number"}[kind]
               for kind in ("number", "text", "list", "array") if kind not in kinds]

    def check(layer, name, value):
        # False is an attribute that is not wanted, and an array of no axes a number.
        if isinstance(value, types) and not isinstance(value, bool) and not (
                isinstance(value, numpy.ndarray) and value.ndim == 0):
            wanted = ["a ParamAttr"] if name.endswith("_attr") else allowed
            raise TypeError("%s: %s is %s, and %s" % (
                layer, name, _named(value),
                "must be " + _one_of(wanted) if wanted else "cannot be that"))
    return check


def _read():
    """{layer: {argument: its checks}}"""
    rules, lists, arrays = {}, set(_pairs(_LISTS)), set(_pairs(_ARRAYS))
    for dtypes, text in _TENSORS.items():
        made = {}
        for pair in _pairs(text):
            key = (pair in lists, pair in arrays)
            if key not in made:
                made[key] = _tensor(None if dtypes == "any" else dtypes.split(), *key)
            rules.setdefault(pair[0], {}).setdefault(pair[1], []).append(made[key])
    for table, make in ((_DTYPES, _dtype), (_REFUSED, _refused)):
        for words, text in table.items():
            check = make(words.split())
            for layer, name in _pairs(text):
                rules.setdefault(layer, {}).setdefault(name, []).append(check)
    return rules


RULES = _read()


def _rules_of(layer, function):
    """[(place, argument, check, whether None will do)]"""
    plain = function  # below its decorators; inspect.unwrap() takes far longer
    while hasattr(plain, "__wrapped__"):
        plain = plain.__wrapped__
    names = plain.__code__.co_varnames[:plain.__code__.co_argcount]
    optional = dict(zip(reversed(names), reversed(plain.__defaults__ or ())))
    return [(at, name, check, name in optional and optional[name] is None)
            for at, name in enumerate(names) for check in RULES[layer].get(name, ())]


def _checked(layer, function):
    rules = None  # found at the first call: few layers of all are ever called

    @functools.wraps(function)
    def call(*args, **kwargs):
        nonlocal rules
        if rules is None:
            rules = _rules_of(layer, function)
        given = len(args)
        for at, name, check, optional in rules:
            value = args[at] if at < given else kwargs.get(name, call)
            if value is not call and not (optional and value is None):
                check(layer, name, value)
        return function(*args, **kwargs)
    return call


def guard(namespace, prefix=""):
    """Put the checks before the layers that a module gives out."""
    for name in namespace["__all__"]:
        if prefix + name in RULES:
            namespace[name] = _checked(prefix + name, namespace[name])
