"""Optimizers of paddle.v2: v1's rules, with the words of settings() as keywords."""
from paddle.trainer_config_helpers import optimizers as _v1
from paddle.trainer_config_helpers.graph import ConfigError
from paddle.trainer_config_helpers.optimizers import L1Regularization, L2Regularization, \
    ModelAverage  # noqa: F401

__all__ = ["Optimizer", "Momentum", "Adam", "Adamax", "AdaGrad", "DecayedAdaGrad", "AdaDelta",
           "RMSProp", "ModelAverage", "L1Regularization", "L2Regularization"]


_WORDS = ("learning_rate", "learning_rate_decay_a", "learning_rate_decay_b",
          "learning_rate_schedule", "learning_rate_args", "regularization", "model_average",
          "gradient_clipping_threshold", "is_async", "batch_size")


class Optimizer:
    """Keywords: learning_rate, learning_rate_decay_a, learning_rate_decay_b,
    learning_rate_schedule, learning_rate_args, regularization, model_average,
    gradient_clipping_threshold, is_async, batch_size."""

    def __init__(self, method=None, **kwargs):
        self.settings = None
        try:
            self.settings = _v1.Settings(learning_method=method, **kwargs)
        except TypeError as error:
            raise ConfigError("%s: %s; it takes %s" % (
                type(self).__name__, str(error).split("()")[-1].strip(),
                ", ".join(_WORDS))) from None

    def enable_types(self):
        raise NotImplementedError("Optimizer.enable_types: the buffers of v2's core are variables "
                                  "of the program here")

    def create_updater(self, is_local, num_passes, use_sparse_updater, pserver_spec, use_etcd):
        raise NotImplementedError("Optimizer.create_updater: trainer.SGD makes what it needs")

    create_local_updater = create_remote_updater = enable_types


class Momentum(Optimizer):
    def __init__(self, momentum=None, sparse=False, **kwargs):
        Optimizer.__init__(self, _v1.MomentumOptimizer(momentum, sparse), **kwargs)


class Adam(Optimizer):
    def __init__(self, beta1=0.9, beta2=0.999, epsilon=1e-8, **kwargs):
        Optimizer.__init__(self, _v1.AdamOptimizer(beta1, beta2, epsilon), **kwargs)


class Adamax(Optimizer):
    def __init__(self, beta1=0.9, beta2=0.999, **kwargs):
        Optimizer.__init__(self, _v1.AdamaxOptimizer(beta1, beta2), **kwargs)


class AdaGrad(Optimizer):
    def __init__(self, **kwargs):
        Optimizer.__init__(self, _v1.AdaGradOptimizer(), **kwargs)


class DecayedAdaGrad(Optimizer):
    def __init__(self, rho=0.95, epsilon=1e-6, **kwargs):
        Optimizer.__init__(self, _v1.DecayedAdaGradOptimizer(rho, epsilon), **kwargs)


class AdaDelta(Optimizer):
    def __init__(self, rho=0.95, epsilon=1e-6, **kwargs):
        Optimizer.__init__(self, _v1.AdaDeltaOptimizer(rho, epsilon), **kwargs)


class RMSProp(Optimizer):
    def __init__(self, rho=0.95, epsilon=1e-6, **kwargs):
        Optimizer.__init__(self, _v1.RMSPropOptimizer(rho, epsilon), **kwargs)
