# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.graph import (LayerOutput as LayerOutput)
from paddle.trainer_config_helpers.layers.basic import (addto_layer as _addto_layer, concat_layer as _concat_layer, dropout_layer as _dropout_layer, embedding_layer as _embedding_layer, fc_layer as _fc_layer)
from paddle.trainer_config_helpers.layers.classes import (eos_layer as _eos_layer, hsigmoid as hsigmoid, maxid_layer as _maxid_layer, nce_layer as _nce_layer, printer_layer as _printer_layer, sampling_id_layer as _sampling_id_layer)
from paddle.trainer_config_helpers.layers.cost import (classification_cost as classification_cost, cost_layer as _cost_layer, cross_entropy as _cross_entropy, cross_entropy as cross_entropy, cross_entropy_with_selfnorm as _cross_entropy_with_selfnorm, cross_entropy_with_selfnorm as cross_entropy_with_selfnorm, huber_classification_cost as huber_classification_cost, huber_regression_cost as huber_regression_cost, lambda_cost as lambda_cost, multi_binary_label_cross_entropy as _multi_binary_label_cross_entropy, multi_binary_label_cross_entropy as multi_binary_label_cross_entropy, rank_cost as rank_cost, smooth_l1_cost as smooth_l1_cost, square_error_cost as _square_error_cost, square_error_cost as square_error_cost, sum_cost as sum_cost)
from paddle.trainer_config_helpers.layers.generation import (BaseGeneratedInput as BaseGeneratedInput, BaseGeneratedInput as _BaseGeneratedInput, GeneratedInput as GeneratedInput, GeneratedInput as _GeneratedInput, beam_search as beam_search)
from paddle.trainer_config_helpers.layers.group import (StaticInput as StaticInput, StaticInput as _StaticInput, SubsequenceInput as SubsequenceInput, memory as memory, recurrent_group as recurrent_group)
from paddle.trainer_config_helpers.layers.image import (img_conv3d_layer as _img_conv3d_layer, img_conv_layer as _img_conv_layer, img_pool3d_layer as _img_pool3d_layer, img_pool_layer as _img_pool_layer, spp_layer as _spp_layer)
from paddle.trainer_config_helpers.layers.kinds import (LayerType as LayerType, layer_support as layer_support)
from paddle.trainer_config_helpers.layers.learned import (factorization_machine as factorization_machine, gated_unit_layer as _gated_unit_layer, prelu_layer as _prelu_layer, row_conv_layer as _row_conv_layer, scale_shift_layer as _scale_shift_layer, selective_fc_layer as _selective_fc_layer, tensor_layer as _tensor_layer)
from paddle.trainer_config_helpers.layers.math import (clip_layer as _clip_layer, conv_shift_layer as _conv_shift_layer, cos_sim as cos_sim, dot_prod_layer as _dot_prod_layer, interpolation_layer as _interpolation_layer, l2_distance_layer as _l2_distance_layer, linear_comb_layer as _linear_comb_layer, multiplex_layer as _multiplex_layer, out_prod_layer as _out_prod_layer, power_layer as _power_layer, scaling_layer as _scaling_layer, slope_intercept_layer as _slope_intercept_layer)
from paddle.trainer_config_helpers.layers.mixed import (Projection as Projection, conv_operator as conv_operator, conv_projection as conv_projection, dotmul_operator as dotmul_operator, dotmul_projection as dotmul_projection, full_matrix_projection as full_matrix_projection, identity_projection as identity_projection, mixed_layer as _mixed_layer, scaling_projection as scaling_projection, slice_projection as slice_projection, table_projection as table_projection, trans_full_matrix_projection as trans_full_matrix_projection)
from paddle.trainer_config_helpers.layers.norm import (batch_norm_layer as _batch_norm_layer, cross_channel_norm_layer as _cross_channel_norm_layer, img_cmrnorm_layer as _img_cmrnorm_layer, row_l2_norm_layer as _row_l2_norm_layer, sum_to_one_norm_layer as _sum_to_one_norm_layer)
from paddle.trainer_config_helpers.layers.rearrange import (bilinear_interp_layer as _bilinear_interp_layer, block_expand_layer as _block_expand_layer, crop_layer as _crop_layer, maxout_layer as _maxout_layer, pad_layer as _pad_layer, repeat_layer as _repeat_layer, resize_layer as _resize_layer, rotate_layer as _rotate_layer, scale_sub_region_layer as _scale_sub_region_layer, switch_order_layer as _switch_order_layer, trans_layer as _trans_layer, upsample_layer as _upsample_layer)
from paddle.trainer_config_helpers.layers.recurrent import (get_output_layer as _get_output_layer, gru_step_layer as _gru_step_layer, gru_step_naive_layer as _gru_step_naive_layer, grumemory as grumemory, lstm_step_layer as _lstm_step_layer, lstmemory as lstmemory, recurrent_layer as _recurrent_layer)
from paddle.trainer_config_helpers.layers.refused import (BeamInput as BeamInput, cross_entropy_over_beam as cross_entropy_over_beam, detection_output_layer as _detection_output_layer, multibox_loss_layer as _multibox_loss_layer, priorbox_layer as _priorbox_layer, roi_pool_layer as _roi_pool_layer)
from paddle.trainer_config_helpers.layers.sequence import (AggregateLevel as AggregateLevel, ExpandLevel as ExpandLevel, context_projection as context_projection, expand_layer as _expand_layer, first_seq as first_seq, kmax_seq_score_layer as _kmax_seq_score_layer, last_seq as last_seq, pooling_layer as _pooling_layer, seq_concat_layer as _seq_concat_layer, seq_reshape_layer as _seq_reshape_layer, seq_slice_layer as _seq_slice_layer, sub_nested_seq_layer as _sub_nested_seq_layer, sub_seq_layer as _sub_seq_layer)
from paddle.trainer_config_helpers.layers.structured import (crf_decoding_layer as _crf_decoding_layer, crf_layer as _crf_layer, ctc_layer as _ctc_layer, warp_ctc_layer as _warp_ctc_layer)

def __getattr__(name: str) -> Any: ...

def data(name: Optional[str], type: str, height: Optional[int] = ..., width: Optional[int] = ..., depth: Optional[int] = ..., layer_attr: Any = ...) -> LayerOutput:
    """An input of the model: type is one of paddle.data_type.

    Args:
        name (str, optional): The name of the layer; None: one that is made.
        type (str): The kind by its name.
        height (int, optional): Of the image. Default: None.
        width (int, optional): Of the image. Default: None.
        depth (int, optional): Of the image. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> import paddle.v2 as paddle
        >>> out = paddle.layer.data(name="x", type=paddle.data_type.dense_vector(13))
        >>> out.size
        13
    """
    ...

def get_layer(name: Optional[str]) -> LayerOutput:
    """The layer of that name, or None.

    Args:
        name (str, optional): The name of the layer; None: one that is made.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> import paddle.v2 as paddle
        >>> x = paddle.layer.data(name="x", type=paddle.data_type.dense_vector(13))
        >>> paddle.layer.get_layer("x") is x
        True
    """
    ...

def parse_network(output_layers: Sequence[Any], extra_layers: Optional[Sequence[Any]] = ...) -> LayerOutput:
    """The model of some layers, as Topology has it.

    Args:
        output_layers (list of LayerOutput): The outputs.
        extra_layers (list of LayerOutput, optional): Further layers, or evaluators. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> import paddle.v2 as paddle
        >>> x = paddle.layer.data(name="x", type=paddle.data_type.dense_vector(13))
        >>> network = paddle.layer.parse_network(paddle.layer.fc(x, size=1))
    """
    ...

BaseGeneratedInputV2 = _BaseGeneratedInput

GeneratedInputV2 = _GeneratedInput

StaticInputV2 = _StaticInput

addto = _addto_layer

batch_norm = _batch_norm_layer

bilinear_interp = _bilinear_interp_layer

block_expand = _block_expand_layer

clip = _clip_layer

concat = _concat_layer

conv_shift = _conv_shift_layer

convex_comb = _linear_comb_layer

cost = _cost_layer

crf = _crf_layer

crf_decoding = _crf_decoding_layer

crop = _crop_layer

cross_channel_norm = _cross_channel_norm_layer

cross_entropy_cost = _cross_entropy

cross_entropy_with_selfnorm_cost = _cross_entropy_with_selfnorm

ctc = _ctc_layer

detection_output = _detection_output_layer

dot_prod = _dot_prod_layer

dropout = _dropout_layer

embedding = _embedding_layer

eos = _eos_layer

expand = _expand_layer

fc = _fc_layer

gated_unit = _gated_unit_layer

get_output = _get_output_layer

gru_step = _gru_step_layer

gru_step_naive = _gru_step_naive_layer

img_cmrnorm = _img_cmrnorm_layer

img_conv = _img_conv_layer

img_conv3d = _img_conv3d_layer

img_pool = _img_pool_layer

img_pool3d = _img_pool3d_layer

interpolation = _interpolation_layer

kmax_seq_score = _kmax_seq_score_layer

l2_distance = _l2_distance_layer

linear_comb = _linear_comb_layer

lstm_step = _lstm_step_layer

max_id = _maxid_layer

maxid = _maxid_layer

maxout = _maxout_layer

mixed = _mixed_layer

mse_cost = _square_error_cost

multi_binary_label_cross_entropy_cost = _multi_binary_label_cross_entropy

multibox_loss = _multibox_loss_layer

multiplex = _multiplex_layer

nce = _nce_layer

out_prod = _out_prod_layer

pad = _pad_layer

pooling = _pooling_layer

power = _power_layer

prelu = _prelu_layer

print = _printer_layer

printer = _printer_layer

priorbox = _priorbox_layer

recurrent = _recurrent_layer

regression_cost = _square_error_cost

repeat = _repeat_layer

resize = _resize_layer

roi_pool = _roi_pool_layer

rotate = _rotate_layer

row_conv = _row_conv_layer

row_l2_norm = _row_l2_norm_layer

sampling_id = _sampling_id_layer

scale_shift = _scale_shift_layer

scale_sub_region = _scale_sub_region_layer

scaling = _scaling_layer

selective_fc = _selective_fc_layer

seq_concat = _seq_concat_layer

seq_reshape = _seq_reshape_layer

seq_slice = _seq_slice_layer

slope_intercept = _slope_intercept_layer

spp = _spp_layer

sub_nested_seq = _sub_nested_seq_layer

sub_seq = _sub_seq_layer

sum_to_one_norm = _sum_to_one_norm_layer

switch_order = _switch_order_layer

tensor = _tensor_layer

trans = _trans_layer

upsample = _upsample_layer

warp_ctc = _warp_ctc_layer
