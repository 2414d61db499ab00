# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

def extend_with_decoupled_weight_decay(base_optimizer: type) -> type:
    """A class like base_optimizer, whose first arguments are weight_decay and apply_decay_param_fun, a
    function of a parameter's name; the others go by name:

    AdamW = fluid.contrib.extend_with_decoupled_weight_decay(fluid.optimizer.Adam)
        AdamW(learning_rate=0.1, weight_decay=0.01).minimize(loss)

    As in Fluid the decay is not multiplied by the learning rate.

    Args:
        base_optimizer (type): A class of fluid.optimizer.

    Returns:
        type: the class.

    Examples:
        >>> import paddle.fluid as fluid
        >>> AdamW = fluid.contrib.extend_with_decoupled_weight_decay(fluid.optimizer.Adam)
        >>> loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2]), 1))
        >>> _ = AdamW(learning_rate=0.001, weight_decay=0.01).minimize(loss)
    """
    ...
