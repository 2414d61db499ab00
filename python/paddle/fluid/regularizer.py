"""Weight decay: what is added to a gradient before the optimizer sees it."""

__all__ = ["L1Decay", "L2Decay", "L1DecayRegularizer", "L2DecayRegularizer"]


class WeightDecayRegularizer:
    def __call__(self, param, grad, block):
        raise NotImplementedError()


class L2DecayRegularizer(WeightDecayRegularizer):
    """coeff * param"""

    def __init__(self, regularization_coeff=0.0):
        self._regularization_coeff = regularization_coeff

    def __call__(self, param, grad, block):
        decay = block.create_var(dtype=param.dtype, shape=param.shape, lod_level=param.lod_level)
        block.append_op("scale", {"X": param}, {"Out": decay},
                        {"scale": float(self._regularization_coeff)})
        return decay

    def __str__(self):
        return "L2Decay, regularization_coeff=%f" % self._regularization_coeff


class L1DecayRegularizer(WeightDecayRegularizer):
    """coeff * sign(param)"""

    def __init__(self, regularization_coeff=0.0):
        self._regularization_coeff = regularization_coeff

    def __call__(self, param, grad, block):
        decay = block.create_var(dtype=param.dtype, shape=param.shape, lod_level=param.lod_level)
        block.append_op("sign", {"X": param}, {"Out": decay})
        block.append_op("scale", {"X": decay}, {"Out": decay},
                        {"scale": float(self._regularization_coeff)})
        return decay

    def __str__(self):
        return "L1Decay, regularization_coeff=%f" % self._regularization_coeff


def append_regularization_ops(parameters_and_grads, regularization=None):
    """(param, grad + decay) of each pair; a parameter's own regularizer comes first."""
    from . import framework
    out = []
    with framework.name_scope("regularization"):
        for param, grad in parameters_and_grads:
            regularizer = getattr(param, "regularizer", None) or regularization
            if regularizer is not None and not callable(regularizer):
                raise TypeError("regularization is %r, and must be a regularizer: "
                                "fluid.regularizer.L2Decay(%r)" % (regularizer, regularizer))
            if grad is None or regularizer is None:
                out.append((param, grad))
                continue
            with param.block.program._optimized_guard([param, grad]):
                out.append((param, _decayed(regularizer, param, grad)))
    return out


def _decayed(regularizer, param, grad):
    from .core import VarDesc
    block = grad.block
    decay = regularizer(param, grad, block)
    new_grad = grad
    if grad.type == VarDesc.VarType.SELECTED_ROWS:
        # The decay is dense, and so is the sum.
        new_grad = block.create_var(name=grad.name + "@NEWGRAD@", dtype=param.dtype,
                                    shape=param.shape, lod_level=param.lod_level)
    block.append_op("sum", {"X": [grad, decay]}, {"Out": new_grad})
    return new_grad


L1Decay = L1DecayRegularizer
L2Decay = L2DecayRegularizer
