/* refused.c - the ops of Paddle 1.8.5 that are not here, and why. tests/python/test_ops_table.py
 * looks that each op of Paddle's is either implemented or stands here. */
#include "ir/refused.h"

#include <stdio.h>
#include <string.h>

#define ON_SERVERS                                                                               \
    ", which is not part of Paddle's open sources and not here; embedding(is_distributed=True) " \
    "keeps its table on parameter servers"

const rg_refused rg_refused_ops[] = {
    {"asks a service of pslib" ON_SERVERS,
     " pull_sparse pull_sparse_v2 push_sparse push_sparse_v2 push_dense "},
    {"asks a service of BoxPS" ON_SERVERS,
     " pull_box_sparse push_box_sparse pull_box_extended_sparse push_box_extended_sparse "},
    {"is of object detection, which is not here",
     " anchor_generator bipartite_match box_clip box_coder box_decoder_and_assign "
     "collect_fpn_proposals density_prior_box detection_map distribute_fpn_proposals "
     "generate_mask_labels generate_proposal_labels generate_proposals iou_similarity "
     "locality_aware_nms matrix_nms mine_hard_examples multiclass_nms multiclass_nms2 "
     "polygon_box_transform prior_box retinanet_detection_output retinanet_target_assign "
     "roi_perspective_transform rpn_target_assign target_assign yolo_box yolov3_loss "},
    {"is of models of images alone, which are not here",
     " affine_grid bicubic_interp deformable_conv deformable_conv_v1 deformable_psroi_pooling "
     "prroi_pool psroi_pool roi_align roi_pool spp unpool "},
    {"is of quantised models, and programs run in floating point",
     " quantize dequantize requantize dequantize_abs_max dequantize_log "
     "fake_channel_wise_dequantize_max_abs fake_channel_wise_quantize_abs_max "
     "fake_dequantize_max_abs fake_quantize_abs_max "
     "fake_quantize_dequantize_moving_average_abs_max fake_quantize_moving_average_abs_max "
     "fake_quantize_range_abs_max moving_average_abs_max_scale "},
    {"is of deep gradient compression, which is not here: gradients are sent as they are",
     " dgc dgc_clip_by_norm dgc_momentum "},
    {"is of federated learning, which is not here; listen_and_serv serves trainers",
     " fl_listen_and_serv "},
    {"is of dygraph, which is not here: programs are built with fluid.layers", " run_program "},
    {"is made by no layer of Paddle's; equal and reduce_all say the same", " equal_reduce "},
    {0},
};

const char *rg_op_refusal(const char *type)
{
    char wanted[128];
    int n = snprintf(wanted, sizeof wanted, " %s ", type);
    if (n < 0 || (size_t)n >= sizeof wanted)
        return NULL;
    for (const rg_refused *family = rg_refused_ops; family->types != NULL; family++)
        if (strstr(family->types, wanted) != NULL)
            return family->why;
    return NULL;
}
