# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.graph import (LayerOutput as LayerOutput)

def __getattr__(name: str) -> Any: ...

class LayerType:
    """LayerOutput.layer_type of each kind.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> LayerType.is_layer_type("fc")
        True
    """
    DATA: Any
    MIXED_LAYER: Any
    LSTMEMORY: Any
    GRUMEMORY: Any
    SEQUENCE_LAST_INSTANCE: Any
    SEQUENCE_FIRST_INSTANCE: Any
    SEQUENCE_RESHAPE: Any
    POOLING_MAX: Any
    POOLING_AVG: Any
    FC_LAYER: Any
    COST: Any
    COSINE_SIM_VEC: Any
    COSINE_SIM: Any
    L2_DISTANCE: Any
    HSIGMOID: Any
    CONV_LAYER: Any
    CONVTRANS_LAYER: Any
    EXCONV_LAYER: Any
    EXCONVTRANS_LAYER: Any
    CUDNNCONV_LAYER: Any
    CUDNNCONVTRANS_LAYER: Any
    POOL_LAYER: Any
    POOL3D_LAYER: Any
    BATCH_NORM_LAYER: Any
    NORM_LAYER: Any
    SUM_TO_ONE_NORM_LAYER: Any
    ROW_L2_NORM_LAYER: Any
    ADDTO_LAYER: Any
    CONCAT_LAYER: Any
    CONCAT_PROJ_LAYER: Any
    SEQUENCE_CONCAT_LAYER: Any
    LSTM_STEP_LAYER: Any
    GRU_STEP_LAYER: Any
    GET_OUTPUT_LAYER: Any
    EXPAND_LAYER: Any
    INTERPOLATION_LAYER: Any
    BILINEAR_INTERP_LAYER: Any
    POWER_LAYER: Any
    SCALING_LAYER: Any
    TRANS_LAYER: Any
    ROTATE_LAYER: Any
    DOT_PROD_LAYER: Any
    OUT_PROD_LAYER: Any
    FEATURE_MAP_EXPAND_LAYER: Any
    MEMORY: Any
    MAXID_LAYER: Any
    EOSID_LAYER: Any
    RECURRENT_LAYER: Any
    CONV_SHIFT_LAYER: Any
    TENSOR_LAYER: Any
    SEL_FC_LAYER: Any
    SAMPLING_ID_LAYER: Any
    SLOPE_INTERCEPT_LAYER: Any
    LINEAR_COMBINATION_LAYER: Any
    BLOCK_EXPAND: Any
    MAXOUT: Any
    SPP_LAYER: Any
    PAD_LAYER: Any
    MULTIPLEX_LAYER: Any
    ROW_CONV_LAYER: Any
    PRINT_LAYER: Any
    CTC_LAYER: Any
    WARP_CTC_LAYER: Any
    CRF_LAYER: Any
    CRF_DECODING_LAYER: Any
    NCE_LAYER: Any
    CONV3D_LAYER: Any
    DECONV3D_LAYER: Any
    RANK_COST: Any
    LAMBDA_COST: Any
    HUBER_REGRESSION: Any
    HUBER_CLASSIFICATION: Any
    CROSS_ENTROPY: Any
    CROSS_ENTROPY_WITH_SELFNORM: Any
    CROSS_ENTROPY_OVER_BEAM: Any
    SOFT_BIN_CLASS_CROSS_ENTROPY: Any
    MULTI_BIN_LABEL_CROSS_ENTROPY: Any
    SUM_COST: Any
    SMOOTH_L1: Any
    PRELU: Any
    SWITCH_ORDER_LAYER: Any
    CROP_LAYER: Any
    SUB_NESTED_SEQ: Any
    CLIP_LAYER: Any
    SEQ_SLICE: Any
    KMAX_SEQ_SCORE: Any
    SCALE_SHIFT_LAYER: Any
    RESIZE: Any
    SUB_SEQ_LAYER: Any
    SCALE_SUB_REGION_LAYER: Any
    UPSAMPLE_LAYER: Any
    FACTORIZATION_MACHINE: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    @staticmethod
    def is_layer_type(type_name: str) -> Any:
        """Whether there is such a kind.

        Args:
            type_name (str): A kind of layer.

        Returns:
            LayerOutput: the layer, to be the input of others.
        """
        ...

def layer_support(*attrs: Any) -> LayerOutput:
    """A decorator for functions of a script's own that make a layer: its layer_attr may hold only
    these (DROPOUT, ERROR_CLIPPING; without any, DEVICE alone).

    Args:
        *attrs (str): Fields of ExtraLayerAttribute.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> @layer_support("drop_rate")
        ... def twice(input, name=None, layer_attr=None):
        ...     return slope_intercept_layer(input, slope=2.0, name=name, layer_attr=layer_attr)
        ...
        >>> twice(data_layer("x", size=8)).size
        8
    """
    ...
