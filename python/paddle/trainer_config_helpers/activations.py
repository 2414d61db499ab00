"""Activations: what a layer does to its sum. apply(x) adds the ops."""
import paddle.fluid as fluid

__all__ = ["BaseActivation", "TanhActivation", "SigmoidActivation", "SoftmaxActivation",
           "SequenceSoftmaxActivation", "IdentityActivation", "LinearActivation", "ReluActivation",
           "BReluActivation", "SoftReluActivation", "STanhActivation", "AbsActivation",
           "SquareActivation", "ExpActivation", "LogActivation", "SqrtActivation",
           "ReciprocalActivation", "SoftSignActivation"]


class BaseActivation:
    name = ""
    support_hppl = False

    def __init__(self, name=None, support_hppl=None):
        if name is not None:
            self.name = name
        if support_hppl is not None:
            self.support_hppl = support_hppl

    def apply(self, x):
        raise NotImplementedError("the activation %r cannot be applied" % type(self).__name__)

    def __repr__(self):
        return self.name


def _activation(class_name, name, function, gates=False):
    """gates: recurrent layers know it by its Fluid name too."""
    def apply(self, x):
        return function(x)
    return type(class_name, (BaseActivation,),
                {"name": name, "support_hppl": gates, "apply": apply, "__init__": lambda self: None,
                 "__module__": __name__, "__doc__": "The activation %r." % (name or "linear")})


_layers = fluid.layers
TanhActivation = _activation("TanhActivation", "tanh", lambda x: _layers.tanh(x), gates=True)
SigmoidActivation = _activation("SigmoidActivation", "sigmoid", lambda x: _layers.sigmoid(x),
                                gates=True)
SoftmaxActivation = _activation("SoftmaxActivation", "softmax", lambda x: _layers.softmax(x))
SequenceSoftmaxActivation = _activation("SequenceSoftmaxActivation", "sequence_softmax",
                                        lambda x: _layers.sequence_softmax(x))
IdentityActivation = _activation("IdentityActivation", "", lambda x: x)
LinearActivation = IdentityActivation
ReluActivation = _activation("ReluActivation", "relu", lambda x: _layers.relu(x), gates=True)
BReluActivation = _activation("BReluActivation", "brelu",
                              lambda x: _layers.brelu(x, t_min=0.0, t_max=24.0))
SoftReluActivation = _activation("SoftReluActivation", "softrelu",
                                 lambda x: _layers.soft_relu(x, threshold=40.0))
STanhActivation = _activation("STanhActivation", "stanh",
                              lambda x: _layers.stanh(x, scale_a=2.0 / 3.0, scale_b=1.7159))
AbsActivation = _activation("AbsActivation", "abs", lambda x: _layers.abs(x))
SquareActivation = _activation("SquareActivation", "square", lambda x: _layers.square(x))
ExpActivation = _activation("ExpActivation", "exponential", lambda x: _layers.exp(x))
LogActivation = _activation("LogActivation", "log", lambda x: _layers.log(x))
SqrtActivation = _activation("SqrtActivation", "sqrt", lambda x: _layers.sqrt(x))
ReciprocalActivation = _activation("ReciprocalActivation", "reciprocal",
                                   lambda x: _layers.reciprocal(x))
SoftSignActivation = _activation("SoftSignActivation", "softsign", lambda x: _layers.softsign(x))
