"""Optimizers: each adds, for every parameter, the op that updates it."""
from collections import defaultdict

from . import core, framework, layers, unique_name
from .backward import append_backward
from .clip import GradientClipBase, append_gradient_clip_ops, error_clip_callback
from .framework import Variable, default_main_program, default_startup_program, name_scope, \
    program_guard
from .initializer import Constant
from .layer_helper import LayerHelper
from .regularizer import append_regularization_ops

__all__ = ["SGD", "SGDOptimizer", "Adam", "AdamOptimizer", "Optimizer"]


class Optimizer:
    """The steps common to all: backward, clip, regularise, update."""
    _type = None  # of the op

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
            return layers.scale(rate, scale=float(factor))

    def set_lr(self, value):
        raise RuntimeError("set_lr() is of dygraph; set the tensor of %s in the scope"
                           % self._global_learning_rate())

    def current_step_lr(self):
        raise RuntimeError("current_step_lr() is of dygraph; fetch the learning rate variable")

    # ---- state ----

    def _create_accumulators(self, block, parameters):
        pass

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
            type=param.type if type is None else type, shape=shape, belong_to_optimizer=True,
            stop_gradient=True)
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
        if not isinstance(loss, Variable):
            raise TypeError("the loss is %s, and must be a Variable" % type(loss))
        self._dtype = loss.dtype
        callbacks = [error_clip_callback] + list(callbacks or ()) if (
            callbacks or self._has_error_clip(loss)) else None
        with program_guard(loss.block.program, startup_program or default_startup_program()):
            return append_backward(loss, parameter_list or self._parameter_list, no_grad_set,
                                   callbacks)

    @staticmethod
    def _has_error_clip(loss):
        return any(var.error_clip is not None
                   for block in loss.block.program.blocks for var in block._known.values())

    def apply_gradients(self, params_grads):
        params_grads = sorted(params_grads, key=lambda pair: pair[0].name)
        if self._grad_clip is not None:
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

    def _append_optimize_op(self, block, param_and_grad):
        raise NotImplementedError("class Optimizer is not used by itself; use one of its "
                                  "subclasses")

    def minimize(self, loss, startup_program=None, parameter_list=None, no_grad_set=None,
                 grad_clip=None):
        """(optimize ops, [(parameter, gradient)])"""
        if grad_clip is not None:
            if not isinstance(grad_clip, GradientClipBase):
                raise TypeError("'grad_clip' should be an instance of GradientClipBase's derived "
                                "class")
            self._grad_clip = grad_clip
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

    # ---- for subclasses ----

    def _update(self, block, pair, states=(), attrs=None, extra=None):
        """Append the op: Param, Grad, LearningRate, and `states`, (slot, accumulator) each,
        which are read and written."""
        param, grad = pair
        inputs = {"Param": [param], "Grad": [grad],
                  "LearningRate": [self._create_param_lr(pair)]}
        outputs = {"ParamOut": [param]}
        for slot, kind in states:
            var = self._get_accumulator(kind, param)
            inputs[slot] = [var]
            outputs[slot + "Out"] = [var]
        inputs.update(extra or {})
        return block.append_op(self._type, inputs, outputs, attrs)


class SGDOptimizer(Optimizer):
    _type = "sgd"

    def _append_optimize_op(self, block, param_and_grad):
        return self._update(block, param_and_grad)


SGD = SGDOptimizer
