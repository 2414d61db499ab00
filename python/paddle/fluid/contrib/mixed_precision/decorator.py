"""An optimizer that trains a program with mixed precision."""
import functools

from ... import core, layers, unique_name
from ...framework import default_startup_program, program_guard
from ...layers.control_flow import Switch
from .fp16_lists import AutoMixedPrecisionLists
from .fp16_utils import rewrite_program, update_loss_scaling

__all__ = ["decorate"]

_UNASKED = (2 ** 15, True)  # init_loss_scaling and use_dynamic_loss_scaling, as they come


class OptimizerWithMixedPrecision:
    """Rewrites the program before its backward part is made. Where float16 is computed with, the
    loss is scaled; bfloat16 has the range of float32 and needs none, so on machines without a GPU
    the loss is scaled only where something else than the defaults is asked for."""

    def __init__(self, optimizer, amp_lists, init_loss_scaling, use_dynamic_loss_scaling,
                 incr_every_n_steps, decr_every_n_nan_or_inf, incr_ratio, decr_ratio):
        self._optimizer = optimizer
        self._amp_lists = amp_lists
        asked = (init_loss_scaling, bool(use_dynamic_loss_scaling)) != _UNASKED
        self._scales = asked or core.get_cuda_device_count() > 0
        self._init_loss_scaling = init_loss_scaling if self._scales else 1.0
        self._dynamic = bool(use_dynamic_loss_scaling) and self._scales
        self._incr_every_n_steps, self._incr_ratio = incr_every_n_steps, incr_ratio
        self._decr_every_n_nan_or_inf, self._decr_ratio = decr_every_n_nan_or_inf, decr_ratio
        self._loss_scaling = self._scaled_loss = None

    def get_loss_scaling(self):
        """The variable that holds the scale, once minimize() or backward() has made it."""
        return self._loss_scaling

    def get_scaled_loss(self):
        return self._scaled_loss

    def _counter(self, name, value, dtype):
        return layers.create_global_var(name=unique_name.generate(name), shape=[1], value=value,
                                        dtype=dtype, persistable=True)

    def _make_counters(self):
        self._loss_scaling = self._counter("loss_scaling", float(self._init_loss_scaling),
                                           "float32")
        if self._dynamic:
            self._good_steps = self._counter("num_good_steps", 0, "int32")
            self._bad_steps = self._counter("num_bad_steps", 0, "int32")

    def backward(self, loss, startup_program=None, parameter_list=None, no_grad_set=None,
                 callbacks=None):
        """[(parameter, gradient)], of the scaled loss where it is scaled."""
        with program_guard(loss.block.program, startup_program or default_startup_program()):
            rewrite_program(loss.block.program, self._amp_lists)
            self._make_counters()
            self._scaled_loss = loss * self._loss_scaling if self._scales else loss
        return self._optimizer.backward(self._scaled_loss, startup_program, parameter_list,
                                        no_grad_set, callbacks)

    def apply_gradients(self, scaled_params_grads):
        """Scaled back, and with infinite ones none at all where the scale is dynamic."""
        if not self._scales:
            return self._optimizer.apply_gradients(scaled_params_grads)
        params_grads = []
        for param, grad in scaled_params_grads:
            with param.block.program._optimized_guard([param, grad]):
                params_grads.append((param, grad / self._loss_scaling))
        if self._dynamic:
            self._follow([grad for _, grad in params_grads])
        return self._optimizer.apply_gradients(params_grads)

    def _follow(self, grads):
        every, bad = [layers.fill_constant([1], "int32", n)
                      for n in (self._incr_every_n_steps, self._decr_every_n_nan_or_inf)]
        sparse = core.VarDesc.VarType.SELECTED_ROWS
        dense = [layers.reduce_sum(grad) for grad in grads if grad.type != sparse]
        parts = [layers.reduce_sum(layers.concat(dense))] if dense else []
        parts = [layers.isfinite(part) for part in parts + [g for g in grads if g.type == sparse]]
        finite = functools.reduce(layers.logical_and, parts)
        update_loss_scaling(finite, self._loss_scaling, self._good_steps, self._bad_steps, every,
                            bad, self._incr_ratio, self._decr_ratio)
        with Switch() as switch:
            with switch.case(finite):
                pass
            with switch.default():
                for grad in grads:
                    layers.assign(layers.zeros_like(grad), grad)

    def apply_optimize(self, loss, startup_program, params_grads):
        with program_guard(loss.block.program, startup_program or default_startup_program()):
            return self.apply_gradients(params_grads)

    def minimize(self, loss, startup_program=None, parameter_list=None, no_grad_set=None):
        """(optimize ops, [(parameter, scaled gradient)])"""
        params_grads = self.backward(loss, startup_program, parameter_list, no_grad_set)
        return self.apply_optimize(loss, startup_program, params_grads), params_grads

    def __getattr__(self, name):  # the learning rate, accumulators, ...: what Fleet asks for
        if name == "_optimizer":  # of a copy that is being made
            raise AttributeError(name)
        return getattr(self._optimizer, name)


def decorate(optimizer, amp_lists=None, init_loss_scaling=2 ** 15, incr_every_n_steps=1000,
             decr_every_n_nan_or_inf=2, incr_ratio=2.0, decr_ratio=0.8,
             use_dynamic_loss_scaling=True):
    """The optimizer, with its program computed in float16 on a GPU and in bfloat16 on a CPU where
    `amp_lists` say so. Parameters and their gradients are float32."""
    return OptimizerWithMixedPrecision(
        optimizer, AutoMixedPrecisionLists() if amp_lists is None else amp_lists,
        init_loss_scaling, use_dynamic_loss_scaling, incr_every_n_steps, decr_every_n_nan_or_inf,
        incr_ratio, decr_ratio)
