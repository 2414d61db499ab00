"""Optimizers with weight decay that does not pass through the gradient."""
from .. import layers, optimizer
from ..framework import Variable, name_scope

__all__ = ["extend_with_decoupled_weight_decay"]
__path__ = []  # real Paddle has a package here; _names.py answers for what is in it


class DecoupledWeightDecay:
    """param -= weight_decay * param before each step of the optimizer."""

    def __init__(self, coeff=0.0, apply_decay_param_fun=None, **kwargs):
        if not isinstance(coeff, (float, Variable)):
            raise TypeError("coeff should be float or Variable.")
        self._coeff = coeff
        self._apply_decay_param_fun = apply_decay_param_fun
        super().__init__(**kwargs)

    def _scale_parameters(self, params_and_grads):
        """(parameter, gradient, weight_decay * parameter) of those that decay."""
        scaled = []
        if isinstance(self._coeff, float) and self._coeff == 0.0:
            return scaled
        for param, grad in params_and_grads:
            if grad is None or (self._apply_decay_param_fun is not None and
                                not self._apply_decay_param_fun(param.name)):
                continue
            with param.block.program._optimized_guard([param, grad]), name_scope("weight decay"):
                scaled.append((param, grad, param * self._coeff))
        return scaled

    def minimize(self, loss, startup_program=None, parameter_list=None, no_grad_set=None):
        pairs = self.backward(loss, startup_program=startup_program,
                              parameter_list=parameter_list, no_grad_set=no_grad_set)
        for param, grad, decay in self._scale_parameters(pairs):
            with param.block.program._optimized_guard([param, grad]), name_scope("weight decay"):
                layers.assign(input=layers.elementwise_sub(x=param, y=decay), output=param)
        return self.apply_optimize(loss, startup_program, pairs), pairs

    def __str__(self):
        return "Weight Decay, params: " + ",".join(
            [] if self._apply_decay_param_fun is None else [str(self._apply_decay_param_fun)])


def extend_with_decoupled_weight_decay(base_optimizer):
    """A class like base_optimizer, whose first arguments are weight_decay and
    apply_decay_param_fun, a function of a parameter's name; the others go by name:

        AdamW = fluid.contrib.extend_with_decoupled_weight_decay(fluid.optimizer.Adam)
        AdamW(learning_rate=0.1, weight_decay=0.01).minimize(loss)

    As in Fluid the decay is not multiplied by the learning rate."""
    if not issubclass(base_optimizer, optimizer.Optimizer):
        raise TypeError("The input(base_optimizer) should be a derived class of Optimizer.")

    class OptimizerWithDecoupledWeightDecay(DecoupledWeightDecay, base_optimizer):
        def __init__(self, weight_decay, apply_decay_param_fun=None, **kwargs):
            super().__init__(weight_decay, apply_decay_param_fun, **kwargs)

    return OptimizerWithDecoupledWeightDecay
