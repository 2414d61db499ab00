# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from . import (decoder as decoder, extend_optimizer as extend_optimizer, inferencer as inferencer, layers as layers, mixed_precision as mixed_precision, reader as reader, trainer as trainer, utils as utils)
from paddle.fluid.contrib.decoder.beam_search_decoder import (BeamSearchDecoder as BeamSearchDecoder, InitState as InitState, StateCell as StateCell, TrainingDecoder as TrainingDecoder)
from paddle.fluid.contrib.extend_optimizer import (extend_with_decoupled_weight_decay as extend_with_decoupled_weight_decay)
from paddle.fluid.contrib.layers.metric_op import (ctr_metric_bundle as ctr_metric_bundle)
from paddle.fluid.contrib.layers.nn import (fused_elemwise_activation as fused_elemwise_activation, fused_embedding_seq_pool as fused_embedding_seq_pool, match_matrix_tensor as match_matrix_tensor, partial_concat as partial_concat, partial_sum as partial_sum, rank_attention as rank_attention, search_pyramid_hash as search_pyramid_hash, sequence_topk_avg_pooling as sequence_topk_avg_pooling, shuffle_batch as shuffle_batch, sparse_embedding as sparse_embedding, tdm_child as tdm_child, tdm_sampler as tdm_sampler, tree_conv as tree_conv, var_conv_2d as var_conv_2d)
from paddle.fluid.contrib.layers.rnn_impl import (basic_gru as basic_gru, basic_lstm as basic_lstm)
from paddle.fluid.contrib.mixed_precision.decorator import (decorate as decorate)
from paddle.fluid.contrib.mixed_precision.fp16_lists import (AutoMixedPrecisionLists as AutoMixedPrecisionLists)
from paddle.fluid.contrib.reader import (distributed_batch_reader as distributed_batch_reader)
from paddle.fluid.contrib.utils.hdfs_utils import (HDFSClient as HDFSClient, multi_download as multi_download, multi_upload as multi_upload)
from paddle.fluid.layers.rnn_cells import (BasicGRUUnit as BasicGRUUnit, BasicLSTMUnit as BasicLSTMUnit)

def __getattr__(name: str) -> Any: ...
