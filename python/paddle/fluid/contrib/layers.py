"""fluid.contrib.layers: none of them is implemented yet."""
from ._refused import refused

__all__ = ["fused_elemwise_activation", "sequence_topk_avg_pooling", "var_conv_2d",
           "match_matrix_tensor", "tree_conv", "fused_embedding_seq_pool", "multiclass_nms2",
           "search_pyramid_hash", "shuffle_batch", "partial_concat", "partial_sum", "tdm_child",
           "rank_attention", "tdm_sampler", "BasicGRUUnit", "basic_gru", "BasicLSTMUnit",
           "basic_lstm", "ctr_metric_bundle"]

for _name in __all__:
    globals()[_name] = refused("layers." + _name, "build it of fluid.layers")
