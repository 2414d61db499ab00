"""Every layer function of v0.11 is there, and is tried by a test of this folder or refused."""
import ast
import os

import pytest

import paddle.trainer_config_helpers as helpers
from paddle.trainer_config_helpers.graph import ConfigError, Graph, use_graph
from paddle.trainer_config_helpers.layers.refused import REFUSED

NAMES = """
    full_matrix_projection AggregateLevel ExpandLevel identity_projection dotmul_projection
    dotmul_operator repeat_layer seq_reshape_layer table_projection mixed_layer data_layer
    embedding_layer fc_layer grumemory pooling_layer lstmemory last_seq first_seq cos_sim
    l2_distance_layer hsigmoid conv_projection square_error_cost regression_cost
    classification_cost LayerOutput img_conv_layer img_pool_layer batch_norm_layer
    img_cmrnorm_layer addto_layer concat_layer seq_concat_layer lstm_step_layer recurrent_group
    memory StaticInput expand_layer scaling_layer scaling_projection power_layer
    interpolation_layer bilinear_interp_layer trans_layer rotate_layer sum_to_one_norm_layer
    row_l2_norm_layer get_output_layer LayerType context_projection beam_search maxid_layer
    GeneratedInput SubsequenceInput gru_step_layer gru_step_naive_layer recurrent_layer
    BaseGeneratedInput conv_operator conv_shift_layer tensor_layer selective_fc_layer
    sampling_id_layer slope_intercept_layer trans_full_matrix_projection linear_comb_layer
    convex_comb_layer ctc_layer warp_ctc_layer crf_layer crf_decoding_layer nce_layer
    cross_entropy_with_selfnorm cross_entropy BeamInput cross_entropy_over_beam
    multi_binary_label_cross_entropy sum_cost rank_cost lambda_cost huber_regression_cost
    huber_classification_cost block_expand_layer maxout_layer dot_prod_layer out_prod_layer
    printer_layer print_layer priorbox_layer cross_channel_norm_layer multibox_loss_layer
    detection_output_layer roi_pool_layer spp_layer pad_layer eos_layer smooth_l1_cost
    layer_support multiplex_layer row_conv_layer dropout_layer prelu_layer switch_order_layer
    gated_unit_layer crop_layer sub_nested_seq_layer clip_layer slice_projection seq_slice_layer
    kmax_seq_score_layer img_pool3d_layer scale_shift_layer img_conv3d_layer resize_layer
    sub_seq_layer scale_sub_region_layer upsample_layer factorization_machine""".split()


def test_every_name_is_there():
    assert [name for name in NAMES if not hasattr(helpers, name)] == []


def test_every_name_is_tried_or_refused():
    tried, here = set(), os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for folder, _, files in os.walk(here):
        for name in files:
            if name.endswith(".py") and name != os.path.basename(__file__):
                with open(os.path.join(folder, name), "rb") as f:
                    tried |= _used(f.read())
    assert [name for name in NAMES
            if name not in tried and name not in REFUSED] == []


def _used(source):
    try:
        tree = ast.parse(source)
    except SyntaxError:  # scripts in Python 2 that tests have beside them
        return set()
    return ({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} |
            {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)})


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_is_not_there_says_so(name):
    with use_graph(Graph()), pytest.raises(ConfigError, match=name + " is refused: .* not supported; "):
        getattr(helpers, name)(input=None, anything=1)
