# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

class LayerOutput:
    """What a layer function gives: the layer, to be the input of others.

    build(net, *values) makes the Fluid variable of the layer; `values` are those of its parents
    and `net` is the Network. It returns the value before the activation and dropout, which are
    added by the Network, or (with `finished`) the value as it is to be.

    Args:
        name (str, optional): The name of the layer; None: one that is made.
        layer_type (str, optional): Which way it is computed: the result is the same.
        parents (list of LayerOutput): Its inputs. Default: None.
        activation (BaseActivation, optional): Its activation. Default: None.
        size (int, optional): The width of the layer. Default: None.
        build (callable): Adds the ops. Default: None.
        layer_attr (ExtraLayerAttribute, optional): Its dropout and the like. Default: None.
        num_filters (int): How many filters, and so channels of the result. Default: None.
        height (int, optional): Of the image. Default: None.
        width (int, optional): Of the image. Default: None.
        depth (int, optional): Of the image. Default: None.
        img_norm_type (str, optional): Of a normalisation. Default: None.
        outputs (list of str, optional): Its outputs by name. Default: None.
        reverse (bool): Whether it goes from the end to the start. Default: None.
        finished (bool): What kind of layer it is. Default: False.
        data_type (InputType, optional): What a data layer holds. Default: None.
        is_cost (bool): What kind of layer it is. Default: False.
        coeff (float): What the whole cost is multiplied by. Default: 1.0.
        replaces (bool): What kind of layer it is. Default: False.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> x = data_layer("x", size=8)
        >>> isinstance(x, LayerOutput), x.name, x.size
        (True, 'x', 8)
    """
    def __init__(self, name: Optional[str], layer_type: Optional[str], parents: Optional[Sequence[Any]] = ..., activation: Any = ..., size: Optional[int] = ..., build: Optional[Callable[..., Any]] = ..., layer_attr: Any = ..., num_filters: Optional[int] = ..., height: Optional[int] = ..., width: Optional[int] = ..., depth: Optional[int] = ..., img_norm_type: Optional[str] = ..., outputs: Optional[Sequence[Any]] = ..., reverse: Optional[bool] = ..., finished: bool = ..., data_type: Any = ..., is_cost: bool = ..., coeff: float = ..., replaces: bool = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def set_input(self, layer: LayerOutput) -> Any:
        """Say what a memory holds at the next step.

        Args:
            layer (LayerOutput): Its input.

        Returns:
            LayerOutput: the layer, to be the input of others.
        """
        ...
