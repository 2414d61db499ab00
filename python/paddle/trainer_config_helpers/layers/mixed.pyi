# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.graph import (LayerOutput as LayerOutput)

def __getattr__(name: str) -> Any: ...

class Projection:
    """inputs: its layers. size: of what it makes; 0: that of the mixed layer. image: the sizes
    [channels, height, width] of what it makes, of convolutions.

    Args:
        kind (str): What it is called in errors.
        inputs (list of LayerOutput): The layers.
        size (int, optional): The width of the layer.
        build (callable): Adds the ops.
        image (tuple, optional): Channels, height and width. Default: None.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> projection = full_matrix_projection(data_layer("x", size=8), size=16)
        >>> isinstance(projection, Projection)
        True
    """
    def __init__(self, kind: str, inputs: Sequence[Any], size: Optional[int], build: Callable[..., Any], image: Optional[Sequence[Any]] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

def mixed_layer(size: Optional[int] = ..., input: Optional[Union[LayerOutput, Sequence[Any]]] = ..., name: Optional[str] = ..., act: Any = ..., bias_attr: Any = ..., layer_attr: Any = ...) -> LayerOutput:
    """The sum of projections and operators.

    Args:
        size (int, optional): The width of the layer. Default: 0.
        input (LayerOutput or list of LayerOutput): The layers it is computed from. Default: None.
        name (str, optional): The name of the layer; None: one that is made. Default: None.
        act (BaseActivation, optional): The activation; None: as the layer says. Default: None.
        bias_attr (ParameterAttribute or bool, optional): The same of its bias; False: there is
            none. Default: False.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> y = data_layer("y", size=8)
        >>> out = mixed_layer(size=16, input=[full_matrix_projection(x), full_matrix_projection(y)])
    """
    ...

def full_matrix_projection(input: Union[LayerOutput, Sequence[Any]], size: Optional[int] = ..., param_attr: Any = ...) -> LayerOutput:
    """The input by a matrix that is learned.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        size (int, optional): The width of the layer. Default: 0.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> full_matrix_projection(x, size=16).size
        16
    """
    ...

def table_projection(input: Union[LayerOutput, Sequence[Any]], size: Optional[int] = ..., param_attr: Any = ...) -> LayerOutput:
    """Rows of a table by id.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        size (int, optional): The width of the layer. Default: 0.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> table_projection(data_layer("ids", size=1000), size=16).size
        16
    """
    ...

def identity_projection(input: Union[LayerOutput, Sequence[Any]], offset: Optional[Union[int, Sequence[Any]]] = ..., size: Optional[int] = ...) -> LayerOutput:
    """The input itself, or `size` columns of it from `offset` on.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        offset (int or list of int, optional): Where it begins. Default: None.
        size (int, optional): The width of the layer. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> identity_projection(x).size
        8
    """
    ...

def dotmul_projection(input: Union[LayerOutput, Sequence[Any]], param_attr: Any = ...) -> LayerOutput:
    """Each column by a factor of its own, which is learned.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> dotmul_projection(x).size
        8
    """
    ...

def scaling_projection(input: Union[LayerOutput, Sequence[Any]], param_attr: Any = ...) -> LayerOutput:
    """All by one factor, which is learned.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> scaling_projection(x).size
        8
    """
    ...

def trans_full_matrix_projection(input: Union[LayerOutput, Sequence[Any]], size: Optional[int] = ..., param_attr: Any = ...) -> LayerOutput:
    """By the transpose of a matrix: one that another projection uses as it is, say.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        size (int, optional): The width of the layer. Default: 0.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> trans_full_matrix_projection(x, size=16).size
        16
    """
    ...

def slice_projection(input: Union[LayerOutput, Sequence[Any]], slices: Sequence[Any]) -> LayerOutput:
    """Some columns side by side: slices is a list of (first, behind the last).

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        slices (list of tuple): First column and the one behind the last.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> slice_projection(x, slices=[(0, 2), (4, 6)]).size
        4
    """
    ...

def dotmul_operator(a: Optional[LayerOutput] = ..., b: Optional[LayerOutput] = ..., scale: float = ..., **kwargs: Any) -> LayerOutput:
    """scale * a * b, element by element. (x and y are old names of a and b.).

    Args:
        a (LayerOutput): One input. Default: None.
        b (LayerOutput): The other. Default: None.
        scale (float): A factor. Default: 1.
        **kwargs (dict): Further settings, by name.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> dotmul_operator(x, data_layer("y", size=8)).size
        8
    """
    ...

def conv_projection(input: Union[LayerOutput, Sequence[Any]], filter_size: int, num_filters: int, num_channels: Optional[int] = ..., stride: int = ..., padding: int = ..., filter_size_y: Optional[int] = ..., stride_y: Optional[int] = ..., padding_y: Optional[int] = ..., groups: int = ..., param_attr: Any = ..., trans: bool = ...) -> LayerOutput:
    """A convolution as a projection: img_conv_layer without bias and activation.

    Args:
        input (LayerOutput or list of LayerOutput): The layers it is computed from.
        filter_size (int): The size of a filter, or its width.
        num_filters (int): How many filters, and so channels of the result.
        num_channels (int, optional): Channels of the input; None: as it says itself. Default: None.
        stride (int): The step, or that along the width. Default: 1.
        padding (int): Zeros around the image, or left and right. Default: 0.
        filter_size_y (int, optional): Its height; None: as the width. Default: None.
        stride_y (int, optional): The step along the height, or the depth; None: as along the width.
            Default: None.
        padding_y (int, optional): Zeros above and below, or before and behind; None: as left and
            right. Default: None.
        groups (int): Groups of channels that do not mix. Default: 1.
        param_attr (ParameterAttribute, optional): How its weights start and learn. Default: None.
        trans (bool): Whether it is a transposed convolution. Default: False.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> image = data_layer("image", size=3 * 16 * 16, height=16, width=16)
        >>> conv_projection(image, filter_size=3, num_filters=8, num_channels=3).size
        1568
    """
    ...

def conv_operator(img: LayerOutput, filter: LayerOutput, filter_size: int, num_filters: int, num_channels: Optional[int] = ..., stride: int = ..., padding: int = ..., filter_size_y: Optional[int] = ..., stride_y: Optional[int] = ..., padding_y: Optional[int] = ..., trans: bool = ...) -> LayerOutput:
    """A convolution with the filters that the layer `filter` gives, for each image its own.

    Args:
        img (LayerOutput): Images.
        filter (LayerOutput): The filters of each.
        filter_size (int): The size of a filter, or its width.
        num_filters (int): How many filters, and so channels of the result.
        num_channels (int, optional): Channels of the input; None: as it says itself. Default: None.
        stride (int): The step, or that along the width. Default: 1.
        padding (int): Zeros around the image, or left and right. Default: 0.
        filter_size_y (int, optional): Its height; None: as the width. Default: None.
        stride_y (int, optional): The step along the height, or the depth; None: as along the width.
            Default: None.
        padding_y (int, optional): Zeros above and below, or before and behind; None: as left and
            right. Default: None.
        trans (bool): Whether it is a transposed convolution. Default: False.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> image = data_layer("image", size=16 * 16, height=16, width=16)
        >>> filters = data_layer("filters", size=2 * 3 * 3)
        >>> out = mixed_layer(input=[conv_operator(image, filters, filter_size=3, num_filters=2, num_channels=1)])
        >>> out.size
        392
    """
    ...
