# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Program as Program, Variable as Variable)
from paddle.fluid.optimizer_wrappers import (ExponentialMovingAverage as ExponentialMovingAverage, LookaheadOptimizer as LookaheadOptimizer, ModelAverage as ModelAverage, PipelineOptimizer as PipelineOptimizer, RecomputeOptimizer as RecomputeOptimizer)

def __getattr__(name: str) -> Any: ...

class SGDOptimizer(Optimizer):
    """param -= rate * grad.

    Args:
        learning_rate (float or Variable): How large a step is, or a schedule of layers.
        parameter_list (list of Variable or str, optional): What is learned; None: all trainable
            parameters. Default: None.
        regularization (WeightDecayRegularizer, optional): For parameters that have none of their
            own. Default: None.
        grad_clip (GradientClipBase, optional): How gradients are clipped; None: not at all.
            Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 2])
        >>> loss = fluid.layers.mean(fluid.layers.fc(x, 1))
        >>> _ = fluid.optimizer.SGD(learning_rate=0.1).minimize(loss)
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
        >>> out, = exe.run(feed={"x": numpy.ones((4, 2), "float32")}, fetch_list=[loss])
    """
    type: Any
    def __init__(self, learning_rate: Union[float, Variable], parameter_list: Optional[Union[Sequence[Any], str]] = ..., regularization: Any = ..., grad_clip: Any = ..., name: Optional[str] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class MomentumOptimizer(Optimizer):
    """velocity = momentum * velocity + grad; param -= rate * velocity.

    Args:
        learning_rate (float or Variable): How large a step is, or a schedule of layers.
        momentum (float): The part of the last step that goes on.
        parameter_list (list of Variable or str, optional): What is learned; None: all trainable
            parameters. Default: None.
        use_nesterov (bool): Whether the gradient is taken where the velocity leads. Default: False.
        regularization (WeightDecayRegularizer, optional): For parameters that have none of their
            own. Default: None.
        grad_clip (GradientClipBase, optional): How gradients are clipped; None: not at all.
            Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2]), 1))
        >>> _ = fluid.optimizer.Momentum(learning_rate=0.1, momentum=0.9).minimize(loss)
    """
    type: Any
    def __init__(self, learning_rate: Union[float, Variable], momentum: float, parameter_list: Optional[Union[Sequence[Any], str]] = ..., use_nesterov: bool = ..., regularization: Any = ..., grad_clip: Any = ..., name: Optional[str] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class AdagradOptimizer(Optimizer):
    """moment += grad^2; param -= rate * grad / (sqrt(moment) + epsilon).

    Args:
        learning_rate (float or Variable): How large a step is, or a schedule of layers.
        epsilon (float): A small number that keeps divisors above 0. Default: 1e-06.
        parameter_list (list of Variable or str, optional): What is learned; None: all trainable
            parameters. Default: None.
        regularization (WeightDecayRegularizer, optional): For parameters that have none of their
            own. Default: None.
        grad_clip (GradientClipBase, optional): How gradients are clipped; None: not at all.
            Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.
        initial_accumulator_value (float): Where the sum of squares starts. Default: 0.0.

    Examples:
        >>> import paddle.fluid as fluid
        >>> loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2]), 1))
        >>> _ = fluid.optimizer.Adagrad(learning_rate=0.1).minimize(loss)
    """
    type: Any
    def __init__(self, learning_rate: Union[float, Variable], epsilon: float = ..., parameter_list: Optional[Union[Sequence[Any], str]] = ..., regularization: Any = ..., grad_clip: Any = ..., name: Optional[str] = ..., initial_accumulator_value: float = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class AdamOptimizer(Optimizer):
    """Steps by running means of the gradient and of its square. With lazy_mode a sparse gradient moves
    only the rows it names.

    Args:
        learning_rate (float or Variable): How large a step is, or a schedule of layers. Default:
            0.001.
        beta1 (float): How slowly the running mean of gradients forgets. Default: 0.9.
        beta2 (float): How slowly the running mean of squared gradients forgets. Default: 0.999.
        epsilon (float): A small number that keeps divisors above 0. Default: 1e-08.
        parameter_list (list of Variable or str, optional): What is learned; None: all trainable
            parameters. Default: None.
        regularization (WeightDecayRegularizer, optional): For parameters that have none of their
            own. Default: None.
        grad_clip (GradientClipBase, optional): How gradients are clipped; None: not at all.
            Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.
        lazy_mode (bool): Whether rows without a gradient stay as they are, their moments too.
            Default: False.

    Examples:
        >>> import paddle.fluid as fluid
        >>> loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2]), 1))
        >>> _ = fluid.optimizer.Adam(learning_rate=0.001, lazy_mode=True).minimize(loss)
    """
    type: Any
    def __init__(self, learning_rate: Union[float, Variable] = ..., beta1: float = ..., beta2: float = ..., epsilon: float = ..., parameter_list: Optional[Union[Sequence[Any], str]] = ..., regularization: Any = ..., grad_clip: Any = ..., name: Optional[str] = ..., lazy_mode: bool = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class AdamaxOptimizer(Optimizer):
    """Adam with the largest gradient in place of the second moment.

    Args:
        learning_rate (float or Variable): How large a step is, or a schedule of layers. Default:
            0.001.
        beta1 (float): How slowly the running mean of gradients forgets. Default: 0.9.
        beta2 (float): How slowly the running mean of squared gradients forgets. Default: 0.999.
        epsilon (float): A small number that keeps divisors above 0. Default: 1e-08.
        parameter_list (list of Variable or str, optional): What is learned; None: all trainable
            parameters. Default: None.
        regularization (WeightDecayRegularizer, optional): For parameters that have none of their
            own. Default: None.
        grad_clip (GradientClipBase, optional): How gradients are clipped; None: not at all.
            Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2]), 1))
        >>> _ = fluid.optimizer.Adamax(learning_rate=0.001).minimize(loss)
    """
    type: Any
    def __init__(self, learning_rate: Union[float, Variable] = ..., beta1: float = ..., beta2: float = ..., epsilon: float = ..., parameter_list: Optional[Union[Sequence[Any], str]] = ..., regularization: Any = ..., grad_clip: Any = ..., name: Optional[str] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class DpsgdOptimizer(Optimizer):
    """Gradient descent with the gradient clipped to a norm and noise added, for differential privacy.
    Set all three: the defaults are Fluid's, and protect nothing.

    Args:
        learning_rate (float or Variable): How large a step is, or a schedule of layers. Default:
            0.001.
        clip (float): The longest gradient. Default: 0.9.
        batch_size (float): Samples in a batch. Default: 0.999.
        sigma (float): How strong the noise is. Default: 1e-08.
        parameter_list (list of Variable or str, optional): What is learned; None: all trainable
            parameters. Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2]), 1))
        >>> _ = fluid.optimizer.Dpsgd(learning_rate=0.01, clip=10.0, batch_size=16.0,
        ...                           sigma=1.0).minimize(loss)
    """
    type: Any
    def __init__(self, learning_rate: Union[float, Variable] = ..., clip: float = ..., batch_size: float = ..., sigma: float = ..., parameter_list: Optional[Union[Sequence[Any], str]] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class DecayedAdagradOptimizer(Optimizer):
    """moment = decay * moment + (1 - decay) * grad^2, and steps as Adagrad's.

    Args:
        learning_rate (float or Variable): How large a step is, or a schedule of layers.
        decay (float): How slowly it forgets. Default: 0.95.
        epsilon (float): A small number that keeps divisors above 0. Default: 1e-06.
        parameter_list (list of Variable or str, optional): What is learned; None: all trainable
            parameters. Default: None.
        regularization (WeightDecayRegularizer, optional): For parameters that have none of their
            own. Default: None.
        grad_clip (GradientClipBase, optional): How gradients are clipped; None: not at all.
            Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2]), 1))
        >>> _ = fluid.optimizer.DecayedAdagrad(learning_rate=0.1).minimize(loss)
    """
    type: Any
    def __init__(self, learning_rate: Union[float, Variable], decay: float = ..., epsilon: float = ..., parameter_list: Optional[Union[Sequence[Any], str]] = ..., regularization: Any = ..., grad_clip: Any = ..., name: Optional[str] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class FtrlOptimizer(Optimizer):
    """Follow the regularised leader: parameters stay zero unless the gradients insist.

    l2 is honoured; Paddle 1.8.5 gives the op l1 for both strengths.

    Args:
        learning_rate (float or Variable): How large a step is, or a schedule of layers.
        l1 (float): Draws to zero by a constant. Default: 0.0.
        l2 (float): Draws to zero in proportion. Default: 0.0.
        lr_power (float): Of the sum of squares, -0.5 in the paper. Default: -0.5.
        parameter_list (list of Variable or str, optional): What is learned; None: all trainable
            parameters. Default: None.
        regularization (WeightDecayRegularizer, optional): For parameters that have none of their
            own. Default: None.
        grad_clip (GradientClipBase, optional): How gradients are clipped; None: not at all.
            Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2]), 1))
        >>> _ = fluid.optimizer.Ftrl(learning_rate=0.1, l1=0.01).minimize(loss)
    """
    type: Any
    def __init__(self, learning_rate: Union[float, Variable], l1: float = ..., l2: float = ..., lr_power: float = ..., parameter_list: Optional[Union[Sequence[Any], str]] = ..., regularization: Any = ..., grad_clip: Any = ..., name: Optional[str] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class RMSPropOptimizer(Optimizer):
    """Steps scaled by a running mean of the squared gradient, or, centered, of its variance.

    Args:
        learning_rate (float or Variable): How large a step is, or a schedule of layers.
        rho (float): How slowly the running mean of squared gradients forgets. Default: 0.95.
        epsilon (float): A small number that keeps divisors above 0. Default: 1e-06.
        momentum (float): The part of the last step that goes on. Default: 0.0.
        centered (bool): Whether the mean gradient is taken off. Default: False.
        parameter_list (list of Variable or str, optional): What is learned; None: all trainable
            parameters. Default: None.
        regularization (WeightDecayRegularizer, optional): For parameters that have none of their
            own. Default: None.
        grad_clip (GradientClipBase, optional): How gradients are clipped; None: not at all.
            Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2]), 1))
        >>> _ = fluid.optimizer.RMSPropOptimizer(learning_rate=0.1).minimize(loss)
    """
    type: Any
    def __init__(self, learning_rate: Union[float, Variable], rho: float = ..., epsilon: float = ..., momentum: float = ..., centered: bool = ..., parameter_list: Optional[Union[Sequence[Any], str]] = ..., regularization: Any = ..., grad_clip: Any = ..., name: Optional[str] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class AdadeltaOptimizer(Optimizer):
    """Steps as large as past steps were for such gradients. The learning rate is not used.

    Args:
        learning_rate (float or Variable): How large a step is, or a schedule of layers.
        epsilon (float): A small number that keeps divisors above 0. Default: 1e-06.
        rho (float): How slowly the running mean of squared gradients forgets. Default: 0.95.
        parameter_list (list of Variable or str, optional): What is learned; None: all trainable
            parameters. Default: None.
        regularization (WeightDecayRegularizer, optional): For parameters that have none of their
            own. Default: None.
        grad_clip (GradientClipBase, optional): How gradients are clipped; None: not at all.
            Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2]), 1))
        >>> _ = fluid.optimizer.Adadelta(learning_rate=1.0).minimize(loss)
    """
    type: Any
    def __init__(self, learning_rate: Union[float, Variable], epsilon: float = ..., rho: float = ..., parameter_list: Optional[Union[Sequence[Any], str]] = ..., regularization: Any = ..., grad_clip: Any = ..., name: Optional[str] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class LarsMomentumOptimizer(Optimizer):
    """Momentum with a rate for each parameter, by the norms of it and its gradient.

    Args:
        learning_rate (float or Variable): How large a step is, or a schedule of layers.
        momentum (float): The part of the last step that goes on.
        lars_coeff (float): How far a step may go, as part of the parameter's length. Default:
            0.001.
        lars_weight_decay (float): Draws to zero in proportion. Default: 0.0005.
        parameter_list (list of Variable or str, optional): What is learned; None: all trainable
            parameters. Default: None.
        regularization (WeightDecayRegularizer, optional): For parameters that have none of their
            own. Default: None.
        grad_clip (GradientClipBase, optional): How gradients are clipped; None: not at all.
            Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2]), 1))
        >>> _ = fluid.optimizer.LarsMomentum(learning_rate=0.1, momentum=0.9).minimize(loss)
    """
    type: Any
    def __init__(self, learning_rate: Union[float, Variable], momentum: float, lars_coeff: float = ..., lars_weight_decay: float = ..., parameter_list: Optional[Union[Sequence[Any], str]] = ..., regularization: Any = ..., grad_clip: Any = ..., name: Optional[str] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class DGCMomentumOptimizer(Optimizer):
    """Refused: deep gradient compression is an exchange between GPUs."""
    def __init__(self, learning_rate: Union[float, Variable], momentum: float, rampup_begin_step: Any, rampup_step: int = ..., sparsity: Sequence[Any] = ..., parameter_list: Optional[Union[Sequence[Any], str]] = ..., use_nesterov: bool = ..., num_trainers: Any = ..., regularization: Any = ..., grad_clip: Any = ..., name: Optional[str] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class LambOptimizer(AdamOptimizer):
    """Adam's moments with steps scaled to each parameter's norm, and with weight decay but for the
    parameters that exclude_from_weight_decay_fn names.

    Args:
        learning_rate (float or Variable): How large a step is, or a schedule of layers. Default:
            0.001.
        lamb_weight_decay (float): Draws to zero in proportion. Default: 0.01.
        beta1 (float): How slowly the running mean of gradients forgets. Default: 0.9.
        beta2 (float): How slowly the running mean of squared gradients forgets. Default: 0.999.
        epsilon (float): A small number that keeps divisors above 0. Default: 1e-06.
        parameter_list (list of Variable or str, optional): What is learned; None: all trainable
            parameters. Default: None.
        regularization (WeightDecayRegularizer, optional): For parameters that have none of their
            own. Default: None.
        grad_clip (GradientClipBase, optional): How gradients are clipped; None: not at all.
            Default: None.
        exclude_from_weight_decay_fn (callable, optional): Parameters for which it is true do not
            decay. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2]), 1))
        >>> _ = fluid.optimizer.LambOptimizer(learning_rate=0.001).minimize(loss)
    """
    type: Any
    def __init__(self, learning_rate: Union[float, Variable] = ..., lamb_weight_decay: float = ..., beta1: float = ..., beta2: float = ..., epsilon: float = ..., parameter_list: Optional[Union[Sequence[Any], str]] = ..., regularization: Any = ..., grad_clip: Any = ..., exclude_from_weight_decay_fn: Optional[Callable[..., Any]] = ..., name: Optional[str] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class Optimizer:
    """The steps common to all: backward, clip, regularise, update.

    Args:
        learning_rate (float or Variable): How large a step is, or a schedule of layers.
        parameter_list (list of Variable or str, optional): What is learned; None: all trainable
            parameters. Default: None.
        regularization (WeightDecayRegularizer, optional): For parameters that have none of their
            own. Default: None.
        grad_clip (GradientClipBase, optional): How gradients are clipped; None: not at all.
            Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.
    """
    type: Any
    def __init__(self, learning_rate: Union[float, Variable], parameter_list: Optional[Union[Sequence[Any], str]] = ..., regularization: Any = ..., grad_clip: Any = ..., name: Optional[str] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def current_step_lr(self) -> Any:
        """The learning rate now."""
        ...

    def get_opti_var_name_list(self) -> Any:
        """The names of the variables that the optimizer keeps."""
        ...

    def backward(self, loss: Variable, startup_program: Optional[Program] = ..., parameter_list: Optional[Union[Sequence[Any], str]] = ..., no_grad_set: Optional[Union[Sequence[Any], str]] = ..., callbacks: Optional[Sequence[Any]] = ...) -> Any:
        """Append the gradients to the program.

        Args:
            loss (Variable): What is to become small, one number.
            startup_program (Program, optional): The program that makes the start values; None: the
                default one. Default: None.
            parameter_list (list of Variable or str, optional): What is learned; None: all trainable
                parameters. Default: None.
            no_grad_set (set of Variable or str, optional): Variables that get no gradient. Default:
                None.
            callbacks (list, optional): Called when a gradient op is added. Default: None.
        """
        ...

    def apply_gradients(self, params_grads: Sequence[Any]) -> Any:
        """Append the updates to the program.

        Args:
            params_grads (list of tuple): Parameters with their gradients.
        """
        ...

    def apply_optimize(self, loss: Variable, startup_program: Optional[Program], params_grads: Sequence[Any]) -> Any:
        """Append the updates to the program.

        Args:
            loss (Variable): What is to become small, one number.
            startup_program (Program, optional): The program that makes the start values; None: the
                default one.
            params_grads (list of tuple): Parameters with their gradients.
        """
        ...

    def minimize(self, loss: Variable, startup_program: Optional[Program] = ..., parameter_list: Optional[Union[Sequence[Any], str]] = ..., no_grad_set: Optional[Union[Sequence[Any], str]] = ...) -> Any:
        """(optimize ops, [(parameter, gradient)]).

        Args:
            loss (Variable): What is to become small, one number.
            startup_program (Program, optional): The program that makes the start values; None: the
                default one. Default: None.
            parameter_list (list of Variable or str, optional): What is learned; None: all trainable
                parameters. Default: None.
            no_grad_set (set of Variable or str, optional): Variables that get no gradient. Default:
                None.
        """
        ...

    def state_dict(self) -> Any:
        """Refused: there is no dygraph; fluid.save writes optimizer state."""
        ...

    def set_dict(self, state_dict: Any) -> Any:
        """Refused: there is no dygraph; fluid.load reads optimizer state."""
        ...

    def clear_gradients(self) -> Any:
        """Refused: there is no dygraph."""
        ...

SGD = SGDOptimizer

Momentum = MomentumOptimizer

Adagrad = AdagradOptimizer

Adam = AdamOptimizer

Adamax = AdamaxOptimizer

Dpsgd = DpsgdOptimizer

DecayedAdagrad = DecayedAdagradOptimizer

Ftrl = FtrlOptimizer

Adadelta = AdadeltaOptimizer

LarsMomentum = LarsMomentumOptimizer
