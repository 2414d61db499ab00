"""Optimizers: each adds, for every parameter, the op that updates it."""
import warnings
from collections import defaultdict

from . import framework, layers, unique_name
from .backward import append_backward, why_none
from .clip import GradientClipBase, append_gradient_clip_ops, error_clip_callback
from .core import VarDesc
from .framework import Variable, default_main_program, default_startup_program, name_scope, \
    program_guard
from .initializer import Constant
from .layer_helper import LayerHelper
from .regularizer import append_regularization_ops

__all__ = [
    "SGD", "Momentum", "Adagrad", "Adam", "Adamax", "Dpsgd", "DecayedAdagrad", "Ftrl",
    "SGDOptimizer", "MomentumOptimizer", "AdagradOptimizer", "AdamOptimizer", "AdamaxOptimizer",
    "DpsgdOptimizer", "DecayedAdagradOptimizer", "RMSPropOptimizer", "FtrlOptimizer", "Adadelta",
    "AdadeltaOptimizer", "ModelAverage", "LarsMomentum", "LarsMomentumOptimizer",
    "DGCMomentumOptimizer", "LambOptimizer", "ExponentialMovingAverage", "PipelineOptimizer",
    "LookaheadOptimizer", "RecomputeOptimizer",
]


class Optimizer:
    """The steps common to all: backward, clip, regularise, update."""
    type = None      # of the op
    _states = ()     # (input slot, output slot, accumulator): read and written by the op
    _has_rate = True  # the op has an input LearningRate

    def __init__(self, learning_rate, parameter_list=None, regularization=None, grad_clip=None,
                 name=None):
        if not isinstance(learning_rate, (float, int, Variable)):
            raise TypeError("learning rate should be float or Variable, not %s"
                            % type(learning_rate))
        if grad_clip is not None and not isinstance(grad_clip, GradientClipBase):
            raise TypeError("'grad_clip' should be an instance of GradientClipBase's derived "
                            "class")
        self._parameter_list = parameter_list
        self._name = name
        self.regularization = regularization
        self._grad_clip = grad_clip
        self._learning_rate = learning_rate
        self._dtype = None
        self._learning_rate_map = {}
        if isinstance(learning_rate, Variable):
            self._learning_rate_map[default_main_program()] = learning_rate
        self._accumulators = defaultdict(dict)  # kind -> parameter's name -> variable
        self.helper = None
        self._opti_name_list = []

    # ---- learning rate ----

    def _create_global_learning_rate(self):
        program = default_main_program()
        if isinstance(self._learning_rate_map.get(program), Variable):
            return
        if isinstance(self._learning_rate, Variable):
            raise TypeError("the learning rate was made in another program than the one to be "
                            "optimized")
        self._learning_rate_map[program] = layers.create_global_var(
            name=unique_name.generate("learning_rate"), shape=[1],
            value=float(self._learning_rate), dtype="float32" if self._dtype is None
            else self._dtype, persistable=True)

    def _global_learning_rate(self, program=None):
        return self._learning_rate_map.get(program or default_main_program())

    def _create_param_lr(self, param_and_grad):
        """The learning rate of one parameter: the global one times its own factor."""
        factor = param_and_grad[0].optimize_attr["learning_rate"]
        if isinstance(factor, Variable):
            return factor
        rate = self._global_learning_rate()
        if factor == 1.0:
            return rate
        with default_main_program()._lr_schedule_guard(is_with_opt=True), \
                framework.name_scope("scale_with_param_lr"):
            block = default_main_program().current_block()
            scaled = block.create_var(name=unique_name.generate("tmp"), dtype=rate.dtype)
            block.append_op("scale", {"X": [rate]}, {"Out": [scaled]},
                            {"scale": float(factor), "bias": 0.0})
            return scaled

    def current_step_lr(self):
        raise RuntimeError("current_step_lr() is of dygraph; fetch the learning rate variable")

    # ---- state ----

    def _create_accumulators(self, block, parameters):
        for param in parameters:
            for _, _, kind in self._states:
                self._add_accumulator(kind, param)

    def _finish_update(self, block, parameters_and_grads):
        pass

    def _add_accumulator(self, name, param, dtype=None, fill_value=0.0, shape=None, type=None,
                         device=None):
        if self._name is not None:
            name = self._name + "_" + name
        if param.name in self._accumulators[name]:
            raise Exception("Accumulator {} already exists for parameter {}".format(
                name, param.name))
        shape = list(param.shape) if shape is None else shape
        var_name = unique_name.generate(param.name + "_" + name)
        self._opti_name_list.append(var_name)
        var = self.helper.create_global_variable(
            name=var_name, persistable=True, dtype=dtype or param.dtype,
            type=param.type if type is None else type, shape=shape, belong_to_optimizer=True)
        self.helper.set_variable_initializer(var, Constant(float(fill_value)))
        self._accumulators[name][param.name] = var
        return var

    def _get_accumulator(self, name, param):
        if self._name is not None:
            name = self._name + "_" + name
        try:
            return self._accumulators[name][param.name]
        except KeyError:
            raise Exception("Accumulator {} does not exist for parameter {}".format(
                name, param.name))

    def get_opti_var_name_list(self):
        return self._opti_name_list

    # ---- the steps ----

    def backward(self, loss, startup_program=None, parameter_list=None, no_grad_set=None,
                 callbacks=None):
        return self._backward(loss, startup_program, parameter_list, no_grad_set, callbacks)

    def _backward(self, loss, startup_program=None, parameter_list=None, no_grad_set=None,
                  callbacks=None, checkpoints=None):
        if not isinstance(loss, Variable):
            raise TypeError("the loss is %s, and must be a Variable" % type(loss))
        if any(dim not in (1, -1) for dim in loss.shape) or len(loss.shape) > 1:
            raise ValueError("the loss %s has the shape %s, and must be one number: take "
                             "fluid.layers.mean() of it" % (loss.name, list(loss.shape)))
        self._dtype = loss.dtype
        callbacks = [error_clip_callback] + list(callbacks or ()) if (
            callbacks or self._has_error_clip(loss)) else None
        with program_guard(loss.block.program, startup_program or default_startup_program()):
            params_grads = append_backward(loss, parameter_list or self._parameter_list,
                                           no_grad_set, callbacks, checkpoints)
        if not params_grads:
            warnings.warn("no parameter has a gradient, so nothing is trained: %s"
                          % why_none(loss), stacklevel=4)
        return params_grads

    @staticmethod
    def _has_error_clip(loss):
        return any(var.error_clip is not None
                   for block in loss.block.program.blocks for var in block._known.values())

    def apply_gradients(self, params_grads):
        params_grads = sorted(params_grads, key=lambda pair: pair[0].name)
        if self._grad_clip is not None:
            if any(getattr(p, "gradient_clip_attr", None) is not None for p, _ in params_grads):
                warnings.warn("set_gradient_clip() has no effect: the optimizer has its own "
                              "grad_clip", stacklevel=4)
            params_grads = self._grad_clip(params_grads)
        else:
            params_grads = append_gradient_clip_ops(params_grads)
        params_grads = append_regularization_ops(params_grads, self.regularization)
        return self._create_optimization_pass(params_grads)

    def apply_optimize(self, loss, startup_program, params_grads):
        with program_guard(loss.block.program, startup_program or default_startup_program()):
            return self.apply_gradients(params_grads)

    def _create_optimization_pass(self, parameters_and_grads):
        block = default_main_program().current_block()
        start = len(block.ops)
        self.helper = LayerHelper(type(self).__name__)
        params = [p for p, _ in parameters_and_grads if p.trainable]
        self._create_accumulators(block, params)
        self._create_global_learning_rate()
        for pair in parameters_and_grads:
            if pair[1] is None or not pair[0].trainable:
                continue
            with pair[0].block.program._optimized_guard(pair), name_scope("optimizer"):
                self._append_optimize_op(block, pair)
        self._finish_update(block, parameters_and_grads)
        return block.ops[start:]

    def _attrs(self, param):
        """The op's attributes."""
        return {}

    def _append_optimize_op(self, block, param_and_grad):
        """Append the op: Param, Grad, LearningRate, and the states."""
        if self.type is None:
            raise NotImplementedError("class Optimizer is not used by itself; use one of its "
                                      "subclasses")
        param, grad = param_and_grad
        inputs, outputs = {"Param": [param], "Grad": [grad]}, {"ParamOut": [param]}
        if self._has_rate:
            inputs["LearningRate"] = [self._create_param_lr(param_and_grad)]
        for slot, out, kind in self._states:
            inputs[slot] = [self._get_accumulator(kind, param)]
            if out is not None:
                outputs[out] = inputs[slot]
        inputs.update(self._more_inputs())
        return block.append_op(self.type, inputs, outputs, self._attrs(param))

    def _more_inputs(self):
        return {}

    def minimize(self, loss, startup_program=None, parameter_list=None, no_grad_set=None):
        """(optimize ops, [(parameter, gradient)])"""
        params_grads = self.backward(loss, startup_program, parameter_list, no_grad_set)
        ops = self.apply_optimize(loss, startup_program, params_grads)
        return ops, params_grads

    # ---- what only dygraph has ----

    def state_dict(self):
        raise RuntimeError("Optimizer.state_dict() is of dygraph; use fluid.save(program, path)")

    def set_dict(self, state_dict):
        raise RuntimeError("Optimizer.set_dict() is of dygraph; use fluid.load(program, path)")

    def clear_gradients(self):
        raise RuntimeError("Optimizer.clear_gradients() is of dygraph")


class SGDOptimizer(Optimizer):
    """param -= rate * grad"""
    type = "sgd"


class MomentumOptimizer(Optimizer):
    """velocity = momentum * velocity + grad; param -= rate * velocity"""
    type = "momentum"
    _velocity_acc_str = "velocity"
    _states = (("Velocity", "VelocityOut", "velocity"),)

    def __init__(self, learning_rate, momentum, parameter_list=None, use_nesterov=False,
                 regularization=None, grad_clip=None, name=None):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)
        _given(momentum=momentum)
        self._momentum = momentum
        self._use_nesterov = bool(use_nesterov)

    def _attrs(self, param):
        return {"mu": self._momentum, "use_nesterov": self._use_nesterov}


class LarsMomentumOptimizer(Optimizer):
    """Momentum with a rate for each parameter, by the norms of it and its gradient."""
    type = "lars_momentum"
    _velocity_acc_str = "velocity"
    _states = (("Velocity", "VelocityOut", "velocity"),)

    def __init__(self, learning_rate, momentum, lars_coeff=0.001, lars_weight_decay=0.0005,
                 parameter_list=None, regularization=None, grad_clip=None, name=None):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)
        _given(momentum=momentum)
        self._momentum = momentum
        self._lars_coeff = float(lars_coeff)
        self._lars_weight_decay = float(lars_weight_decay)

    def _attrs(self, param):
        return {"mu": self._momentum, "lars_coeff": self._lars_coeff,
                "lars_weight_decay": self._lars_weight_decay}


class AdagradOptimizer(Optimizer):
    """moment += grad^2; param -= rate * grad / (sqrt(moment) + epsilon)"""
    type = "adagrad"
    _moment_acc_str = "moment"
    _states = (("Moment", "MomentOut", "moment"),)

    def __init__(self, learning_rate, epsilon=1.0e-6, parameter_list=None, regularization=None,
                 grad_clip=None, name=None, initial_accumulator_value=0.0):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)
        _given(epsilon=epsilon)
        self._epsilon = epsilon
        self.initial_accumulator_value = initial_accumulator_value

    def _create_accumulators(self, block, parameters):
        for param in parameters:
            self._add_accumulator(self._moment_acc_str, param,
                                  fill_value=self.initial_accumulator_value)

    def _attrs(self, param):
        return {"epsilon": self._epsilon}


class DecayedAdagradOptimizer(Optimizer):
    """moment = decay * moment + (1 - decay) * grad^2, and steps as Adagrad's"""
    type = "decayed_adagrad"
    _moment_acc_str = "moment"
    _states = (("Moment", "MomentOut", "moment"),)

    def __init__(self, learning_rate, decay=0.95, epsilon=1.0e-6, parameter_list=None,
                 regularization=None, grad_clip=None, name=None):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)
        _given(decay=decay, epsilon=epsilon)
        self._decay = decay
        self._epsilon = epsilon

    def _attrs(self, param):
        return {"decay": self._decay, "epsilon": self._epsilon}


class AdamOptimizer(Optimizer):
    """Steps by running means of the gradient and of its square. With lazy_mode a sparse
    gradient moves only the rows it names."""
    type = "adam"
    _moment1_acc_str = "moment1"
    _moment2_acc_str = "moment2"
    _beta1_pow_acc_str = "beta1_pow_acc"
    _beta2_pow_acc_str = "beta2_pow_acc"
    _states = (("Moment1", "Moment1Out", "moment1"), ("Moment2", "Moment2Out", "moment2"),
               ("Beta1Pow", "Beta1PowOut", "beta1_pow_acc"),
               ("Beta2Pow", "Beta2PowOut", "beta2_pow_acc"))

    def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8,
                 parameter_list=None, regularization=None, grad_clip=None, name=None,
                 lazy_mode=False):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)
        _given(beta1=beta1, beta2=beta2, epsilon=epsilon)
        self._beta1 = beta1
        self._beta2 = beta2
        self._epsilon = epsilon
        self._lazy_mode = lazy_mode

    def _create_accumulators(self, block, parameters):
        for param in parameters:
            self._add_accumulator(self._moment1_acc_str, param)
            self._add_accumulator(self._moment2_acc_str, param)
            # A beta that is a Variable has no value yet: its power starts from the default.
            for kind, beta, default in ((self._beta1_pow_acc_str, self._beta1, 0.9),
                                        (self._beta2_pow_acc_str, self._beta2, 0.999)):
                self._add_accumulator(kind, param, shape=[1], type=VarDesc.VarType.LOD_TENSOR,
                                      fill_value=default if isinstance(beta, Variable) else beta)

    def _more_inputs(self):
        return {slot: [beta] for slot, beta in (("Beta1Tensor", self._beta1),
                                                ("Beta2Tensor", self._beta2))
                if isinstance(beta, Variable)}

    def _attrs(self, param):
        attrs = {"epsilon": self._epsilon, "lazy_mode": self._lazy_mode,
                 "min_row_size_to_use_multithread": 1000}
        for name, beta in (("beta1", self._beta1), ("beta2", self._beta2)):
            if not isinstance(beta, Variable):
                attrs[name] = beta
        return attrs


class AdamaxOptimizer(Optimizer):
    """Adam with the largest gradient in place of the second moment."""
    type = "adamax"
    _moment_acc_str = "moment"
    _inf_norm_acc_str = "inf_norm"
    _beta1_pow_acc_str = "beta1_pow_acc"
    _states = (("Moment", "MomentOut", "moment"), ("InfNorm", "InfNormOut", "inf_norm"),
               ("Beta1Pow", None, "beta1_pow_acc"))

    def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8,
                 parameter_list=None, regularization=None, grad_clip=None, name=None):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)
        _given(beta1=beta1, beta2=beta2, epsilon=epsilon)
        self._beta1 = beta1
        self._beta2 = beta2
        self._epsilon = epsilon

    def _create_accumulators(self, block, parameters):
        for param in parameters:
            self._add_accumulator(self._moment_acc_str, param)
            self._add_accumulator(self._inf_norm_acc_str, param)
            self._add_accumulator(self._beta1_pow_acc_str, param, shape=[1],
                                  fill_value=self._beta1)

    def _attrs(self, param):
        return {"beta1": self._beta1, "beta2": self._beta2, "epsilon": self._epsilon}

    def _finish_update(self, block, parameters_and_grads):
        """Advance the powers of beta1, which the op only reads."""
        for param, grad in parameters_and_grads:
            if grad is None or not param.trainable:
                continue
            with param.block.program._optimized_guard([param, grad]), name_scope("adamax"):
                power = self._get_accumulator(self._beta1_pow_acc_str, param)
                block.append_op("scale", {"X": power}, {"Out": power}, {"scale": self._beta1})


class DpsgdOptimizer(Optimizer):
    """Gradient descent with the gradient clipped to a norm and noise added, for differential
    privacy. Set all three: the defaults are Fluid's, and protect nothing."""
    type = "dpsgd"

    def __init__(self, learning_rate=0.001, clip=0.9, batch_size=0.999, sigma=1e-8,
                 parameter_list=None):
        super().__init__(learning_rate, parameter_list)
        _given(clip=clip, batch_size=batch_size, sigma=sigma)
        self._clip = clip
        self._batch_size = batch_size
        self._sigma = sigma

    def _attrs(self, param):
        return {"clip": self._clip, "batch_size": self._batch_size, "sigma": self._sigma}


class AdadeltaOptimizer(Optimizer):
    """Steps as large as past steps were for such gradients. The learning rate is not used."""
    type = "adadelta"
    _has_rate = False
    _avg_squared_grad_acc_str = "_avg_squared_grad"
    _avg_squared_update_acc_str = "_avg_squared_update"
    _states = (("AvgSquaredGrad", "AvgSquaredGradOut", "_avg_squared_grad"),
               ("AvgSquaredUpdate", "AvgSquaredUpdateOut", "_avg_squared_update"))

    def __init__(self, learning_rate, epsilon=1.0e-6, rho=0.95, parameter_list=None,
                 regularization=None, grad_clip=None, name=None):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)
        _given(epsilon=epsilon, rho=rho)
        self._epsilon = epsilon
        self._rho = rho

    def _attrs(self, param):
        return {"epsilon": self._epsilon, "rho": self._rho}


class RMSPropOptimizer(Optimizer):
    """Steps scaled by a running mean of the squared gradient, or, centered, of its variance."""
    type = "rmsprop"
    _momentum_acc_str = "momentum"
    _mean_square_acc_str = "mean_square"
    _mean_grad_acc_str = "mean_grad"
    _states = (("Moment", "MomentOut", "momentum"),
               ("MeanSquare", "MeanSquareOut", "mean_square"),
               ("MeanGrad", "MeanGradOut", "mean_grad"))

    def __init__(self, learning_rate, rho=0.95, epsilon=1.0e-6, momentum=0.0, centered=False,
                 parameter_list=None, regularization=None, grad_clip=None, name=None):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)
        _given(rho=rho, epsilon=epsilon, momentum=momentum)
        self._rho = rho
        self._epsilon = epsilon
        self._momentum = momentum
        self._centered = centered

    def _attrs(self, param):
        return {"epsilon": self._epsilon, "decay": self._rho, "momentum": self._momentum,
                "centered": self._centered}


class FtrlOptimizer(Optimizer):
    """Follow the regularised leader: parameters stay zero unless the gradients insist.

    l2 is honoured; Paddle 1.8.5 gives the op l1 for both strengths."""
    type = "ftrl"
    _squared_acc_str = "squared"
    _linear_acc_str = "linear"
    _states = (("SquaredAccumulator", "SquaredAccumOut", "squared"),
               ("LinearAccumulator", "LinearAccumOut", "linear"))

    def __init__(self, learning_rate, l1=0.0, l2=0.0, lr_power=-0.5, parameter_list=None,
                 regularization=None, grad_clip=None, name=None):
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)
        _given(l1=l1, l2=l2, lr_power=lr_power)
        self._l1 = l1
        self._l2 = l2
        self._lr_power = lr_power

    def _attrs(self, param):
        return {"l1": self._l1, "l2": self._l2, "lr_power": self._lr_power}


class LambOptimizer(AdamOptimizer):
    """Adam's moments with steps scaled to each parameter's norm, and with weight decay but for
    the parameters that exclude_from_weight_decay_fn names."""
    type = "lamb"
    _states = (("Moment1", "Moment1Out", "moment1"), ("Moment2", "Moment2Out", "moment2"),
               ("Beta1Pow", None, "beta1_pow_acc"), ("Beta2Pow", None, "beta2_pow_acc"))

    def __init__(self, learning_rate=0.001, lamb_weight_decay=0.01, beta1=0.9, beta2=0.999,
                 epsilon=1e-6, parameter_list=None, regularization=None, grad_clip=None,
                 exclude_from_weight_decay_fn=None, name=None):
        _given(lamb_weight_decay=lamb_weight_decay)
        for beta in (beta1, beta2):
            if isinstance(beta, Variable):
                raise TypeError("LambOptimizer: beta1 and beta2 are numbers, and %s is a Variable"
                                % beta.name)
        super().__init__(learning_rate, beta1, beta2, epsilon, parameter_list, regularization,
                         grad_clip, name)
        self._weight_decay = lamb_weight_decay
        self._exclude_from_weight_decay_fn = exclude_from_weight_decay_fn

    def _attrs(self, param):
        excluded = self._exclude_from_weight_decay_fn is not None and \
            self._exclude_from_weight_decay_fn(param)
        return {"beta1": self._beta1, "beta2": self._beta2, "epsilon": self._epsilon,
                "weight_decay": 0.0 if excluded else self._weight_decay}


class DGCMomentumOptimizer(Optimizer):
    """Refused: deep gradient compression is an exchange between GPUs."""

    def __init__(self, learning_rate, momentum, rampup_begin_step, rampup_step=1,
                 sparsity=[0.999], parameter_list=None, use_nesterov=False, num_trainers=None,
                 regularization=None, grad_clip=None, name=None):
        raise NotImplementedError(
            "DGCMomentumOptimizer is not implemented: it compresses what GPUs exchange, and there "
            "are none here; use MomentumOptimizer, whose numbers do not depend on the exchange")


def _given(**numbers):
    for name, value in numbers.items():
        if value is None:
            raise ValueError("%s is not set." % name)


SGD = SGDOptimizer
Momentum = MomentumOptimizer
Adagrad = AdagradOptimizer
Adam = AdamOptimizer
Adamax = AdamaxOptimizer
Dpsgd = DpsgdOptimizer
DecayedAdagrad = DecayedAdagradOptimizer
Adadelta = AdadeltaOptimizer
RMSProp = RMSPropOptimizer
Ftrl = FtrlOptimizer
LarsMomentum = LarsMomentumOptimizer
Lamb = LambOptimizer

from .optimizer_wrappers import (  # noqa: E402 (they need Optimizer)
    ExponentialMovingAverage, LookaheadOptimizer, ModelAverage, PipelineOptimizer,
    RecomputeOptimizer)
