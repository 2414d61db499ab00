# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)
from paddle.fluid.param_attr import (ParamAttr as ParamAttr)

def __getattr__(name: str) -> Any: ...

def batch_norm(input: Variable, act: Optional[str] = ..., is_test: bool = ..., momentum: Union[float, Variable] = ..., epsilon: Union[float, Variable] = ..., param_attr: Any = ..., bias_attr: Any = ..., data_layout: str = ..., in_place: bool = ..., name: Optional[str] = ..., moving_mean_name: Optional[str] = ..., moving_variance_name: Optional[str] = ..., do_model_average_for_mean_and_var: bool = ..., use_global_stats: bool = ...) -> Variable:
    """act((input - mean) / deviation * scale + bias).

    Args:
        input (Variable): What it is computed from. Of float16, float32 or float64.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            None.
        is_test (bool): Take the running mean and variance. Default: False.
        momentum (float): How much of the running ones is kept. Default: 0.9.
        epsilon (float): Keeps a variance of 0 from dividing. Default: 1e-05.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        bias_attr (ParamAttr, str, Initializer or False, optional): The same of the bias; False:
            there is none. Default: None.
        data_layout (str): NCHW or NHWC. Default: 'NCHW'.
        in_place (bool): Whether the result takes the place of the input. Default: False.
        name (str, optional): The beginning of the names of what is made. Default: None.
        moving_mean_name (str, optional): The name of the running mean. Default: None.
        moving_variance_name (str, optional): The name of the running variance. Default: None.
        do_model_average_for_mean_and_var (bool): Whether ModelAverage averages them. Default: True.
        use_global_stats (bool): As is_test, while training. Default: False.

    Returns:
        Variable: the shape of input.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.batch_norm(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def inplace_abn(input: Variable, act: Optional[str] = ..., is_test: bool = ..., momentum: Union[float, Variable] = ..., epsilon: Union[float, Variable] = ..., param_attr: Any = ..., bias_attr: Any = ..., data_layout: str = ..., name: Optional[str] = ..., moving_mean_name: Optional[str] = ..., moving_variance_name: Optional[str] = ..., do_model_average_for_mean_and_var: bool = ..., use_global_stats: bool = ..., act_alpha: Union[float, Variable] = ...) -> Variable:
    """Batch normalisation and an activation, written over `input`.

    Args:
        input (Variable): What it is computed from. Of float32 or float64.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            None.
        is_test (bool): Take the running mean and variance. Default: False.
        momentum (float): How much of the running ones is kept. Default: 0.9.
        epsilon (float): Keeps a variance of 0 from dividing. Default: 1e-05.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        bias_attr (ParamAttr, str, Initializer or False, optional): The same of the bias; False:
            there is none. Default: None.
        data_layout (str): NCHW or NHWC. Default: 'NCHW'.
        name (str, optional): The beginning of the names of what is made. Default: None.
        moving_mean_name (str, optional): The name of the running mean. Default: None.
        moving_variance_name (str, optional): The name of the running variance. Default: None.
        do_model_average_for_mean_and_var (bool): Whether ModelAverage averages them. Default: True.
        use_global_stats (bool): As is_test, while training. Default: False.
        act_alpha (float): The parameter of the activation. Default: 1.0.

    Returns:
        Variable: the shape of input.

    Examples:
        >>> import paddle.fluid as fluid
        >>> image = fluid.data("image", [None, 4, 16, 16])
        >>> out = fluid.layers.inplace_abn(image, act="leaky_relu")
        >>> out.shape
        (-1, 4, 16, 16)
    """
    ...

def instance_norm(input: Variable, epsilon: Union[float, Variable] = ..., param_attr: Any = ..., bias_attr: Any = ..., name: Optional[str] = ...) -> Variable:
    """Each channel of each image brought to mean 0 and variance 1, scaled and moved.

    Args:
        input (Variable): What it is computed from. Of float32 or float64.
        epsilon (float): Keeps a variance of 0 from dividing. Default: 1e-05.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        bias_attr (ParamAttr, str, Initializer or False, optional): The same of the bias; False:
            there is none. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of input.

    Examples:
        >>> import paddle.fluid as fluid
        >>> image = fluid.data("image", [None, 4, 16, 16])
        >>> out = fluid.layers.instance_norm(image)
        >>> out.shape
        (-1, 4, 16, 16)
    """
    ...

def layer_norm(input: Variable, scale: Variable = ..., shift: bool = ..., begin_norm_axis: Union[int, Variable] = ..., epsilon: Union[float, Variable] = ..., param_attr: Any = ..., bias_attr: Any = ..., act: Optional[str] = ..., name: Optional[str] = ...) -> Variable:
    """Normalised over the dimensions from begin_norm_axis on.

    Args:
        input (Variable): What it is computed from. Of float32 or float64.
        scale (Variable): A factor for each element of a row. Default: True.
        shift (bool): Whether a bias is learned. Default: True.
        begin_norm_axis (int): The first dimension of a row. Default: 1.
        epsilon (float): Keeps a variance of 0 from dividing. Default: 1e-05.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        bias_attr (ParamAttr, str, Initializer or False, optional): The same of the bias; False:
            there is none. Default: None.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of input.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.layer_norm(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def group_norm(input: Variable, groups: Union[int, Variable], epsilon: Union[float, Variable] = ..., param_attr: Any = ..., bias_attr: Any = ..., act: Optional[str] = ..., data_layout: str = ..., name: Optional[str] = ...) -> Variable:
    """Normalised over groups of channels; scale and bias only where an attribute is given.

    Args:
        input (Variable): What it is computed from. Of float32 or float64.
        groups (int): How many groups of channels.
        epsilon (float): Keeps a variance of 0 from dividing. Default: 1e-05.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        bias_attr (ParamAttr, str, Initializer or False, optional): The same of the bias; False:
            there is none. Default: None.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            None.
        data_layout (str): NCHW or NHWC. Default: 'NCHW'.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of input.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.group_norm(x, groups=2)
        >>> out.shape
        (-1, 8)
    """
    ...

def data_norm(input: Variable, act: Optional[str] = ..., epsilon: Union[float, Variable] = ..., param_attr: Any = ..., data_layout: str = ..., in_place: bool = ..., name: Optional[str] = ..., moving_mean_name: Optional[str] = ..., moving_variance_name: Optional[str] = ..., do_model_average_for_mean_and_var: bool = ..., slot_dim: Union[int, Variable] = ..., sync_stats: bool = ..., summary_decay_rate: Union[float, Variable] = ..., enable_scale_and_shift: bool = ...) -> Variable:
    """Columns normalised by statistics of all data so far. param_attr: a dict of the numbers that they
    start from. The moving_* names and do_model_average_for_mean_and_var have no meaning in Fluid
    either: this op keeps sums, not means.

    Args:
        input (Variable): What it is computed from.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            None.
        epsilon (float): Added to the squares for each row. Default: 1e-05.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        data_layout (str): Where the channels stand. Default: 'NCHW'.
        in_place (bool): Whether the result takes the place of the input. Default: False.
        name (str, optional): The beginning of the names of what is made. Default: None.
        moving_mean_name (str, optional): The name of the running mean. Default: None.
        moving_variance_name (str, optional): The name of the running variance. Default: None.
        do_model_average_for_mean_and_var (bool): Whether ModelAverage averages them. Default: True.
        slot_dim (int): Columns of a feature that may not be shown. Default: -1.
        sync_stats (bool): Whether processes share what they count. Default: False.
        summary_decay_rate (float): For whoever adds them up. Default: 0.9999999.
        enable_scale_and_shift (bool): Use scale_w and bias. Default: False.

    Returns:
        Variable: the shape of input.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.data_norm(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def spectral_norm(weight: Variable, dim: Union[int, Variable] = ..., power_iters: Union[int, Variable] = ..., eps: Union[float, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """A weight divided by its largest singular value, as power iterations find it.

    Args:
        weight (Variable): Any shape. Of float32 or float64.
        dim (int): The dimension that makes the rows of the matrix. Default: 0.
        power_iters (int): Rounds towards the singular vectors. Default: 1.
        eps (float): Added to lengths that are divided by. Default: 1e-12.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of Weight.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [4, 8])
        >>> out = fluid.layers.spectral_norm(x)
        >>> out.shape
        (4, 8)
    """
    ...

def lrn(input: Variable, n: Union[int, Variable] = ..., k: Union[float, Variable] = ..., alpha: Union[float, Variable] = ..., beta: Union[float, Variable] = ..., name: Optional[str] = ..., data_format: str = ...) -> Variable:
    """Local response normalisation, across n neighbouring channels.

    Args:
        input (Variable): [batch, channels, height, width]. Of float32.
        n (int): Channels that are summed over, an odd number. Default: 5.
        k (float): What is added to the sum. Default: 1.0.
        alpha (float): The factor of the sum. Default: 0.0001.
        beta (float): The power. Default: 0.75.
        name (str, optional): The beginning of the names of what is made. Default: None.
        data_format (str): NCHW or NHWC. Default: 'NCHW'.

    Returns:
        Variable: the shape of input.

    Examples:
        >>> import paddle.fluid as fluid
        >>> image = fluid.data("image", [None, 4, 16, 16])
        >>> out = fluid.layers.lrn(image)
        >>> out.shape
        (-1, 4, 16, 16)
    """
    ...

def dropout(x: Variable, dropout_prob: Union[float, Variable], is_test: bool = ..., seed: Optional[Union[int, Variable]] = ..., name: Optional[str] = ..., dropout_implementation: str = ...) -> Variable:
    """Elements set to zero by chance.

    Args:
        x (Variable): Any shape. Of float16, float32 or float64.
        dropout_prob (float): The probability p that one is dropped.
        is_test (bool): Drop nothing. Default: False.
        seed (int): 0: the program's or the process's. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.
        dropout_implementation (str): Or upscale_in_train. Default: 'downgrade_in_infer'.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.layers.dropout(x, dropout_prob=0.5)
        >>> out.shape
        (-1, 8)
    """
    ...

def affine_channel(x: Variable, scale: Optional[Variable] = ..., bias: Optional[Variable] = ..., data_layout: str = ..., name: Optional[str] = ..., act: Optional[str] = ...) -> Variable:
    """act(scale * x + bias), with a scale and a bias for each channel.

    Args:
        x (Variable): 2 or 4 dimensions. Of float32 or float64.
        scale (Variable): A factor for a channel. Default: None.
        bias (Variable): A shift for a channel. Default: None.
        data_layout (str): NCHW; else the channels are last. Default: 'NCHW'.
        name (str, optional): The beginning of the names of what is made. Default: None.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            None.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> image = fluid.data("image", [None, 4, 16, 16])
        >>> out = fluid.layers.affine_channel(image, scale=fluid.data("scale", [4]),
        ...                                   bias=fluid.data("bias", [4]))
        >>> out.shape
        (-1, 4, 16, 16)
    """
    ...
