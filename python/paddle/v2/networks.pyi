# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.networks_image import (img_conv_bn_pool as img_conv_bn_pool, img_conv_group as img_conv_group, simple_img_conv_pool as simple_img_conv_pool, small_vgg as small_vgg, vgg_16_network as vgg_16_network)
from paddle.trainer_config_helpers.networks_sequence import (bidirectional_gru as bidirectional_gru, bidirectional_lstm as bidirectional_lstm, dot_product_attention as dot_product_attention, gru_group as gru_group, gru_unit as gru_unit, lstmemory_group as lstmemory_group, lstmemory_unit as lstmemory_unit, multi_head_attention as multi_head_attention, sequence_conv_pool as _sequence_conv_pool, sequence_conv_pool as sequence_conv_pool, simple_attention as simple_attention, simple_gru as simple_gru, simple_gru2 as simple_gru2, simple_lstm as simple_lstm)

def __getattr__(name: str) -> Any: ...

text_conv_pool = _sequence_conv_pool
