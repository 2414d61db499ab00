"""settings(): how a v1 or v2 model learns. The rules are v1's (docs/v2.md has them in formulas);
update.py makes ops of them."""
from .graph import ConfigError, current_graph, layer_function

__all__ = ["Optimizer", "BaseSGDOptimizer", "MomentumOptimizer", "AdamaxOptimizer",
           "AdamOptimizer", "AdaGradOptimizer", "RMSPropOptimizer", "DecayedAdaGradOptimizer",
           "AdaDeltaOptimizer", "BaseRegularization", "L1Regularization", "L2Regularization",
           "settings", "ModelAverage", "GradientClippingThreshold"]

SCHEDULES = ("constant", "poly", "caffe_poly", "exp", "discexp", "linear", "manual", "pass_manual")


def _between(what, value, low, high):
    if not isinstance(value, (int, float)) or not low <= value <= high:
        raise ConfigError("%s is %r, and must be a number from %g to %g" % (what, value, low, high))
    return float(value)


class Optimizer:
    """A part of the settings."""


class BaseSGDOptimizer(Optimizer):
    """op: the op of its rule. attrs: that op's attributes. states: its inputs besides parameter,
    gradient and rate, and the number each starts with; a state called ...Pow is one number."""
    op, states = None, ()

    def attrs(self):
        return {}


class MomentumOptimizer(BaseSGDOptimizer):
    """v = momentum v - rate (g + decay p), p += v. With sparse=True all rows of a sparse_update
    parameter move at each step, else those with a gradient."""
    op = "v1_momentum"

    def __init__(self, momentum=None, sparse=False):
        self.momentum = _between("MomentumOptimizer: momentum", momentum or 0.0, 0, 1)
        self.sparse = bool(sparse)


class _AdamLike(BaseSGDOptimizer):
    def __init__(self, beta1, beta2):
        what = type(self).__name__
        self.beta1 = _between(what + ": beta1", beta1, 0, 1)
        self.beta2 = _between(what + ": beta2", beta2, 0, 1)


class AdamOptimizer(_AdamLike):
    op = "v1_adam"

    def __init__(self, beta1=0.9, beta2=0.999, epsilon=1e-8):
        _AdamLike.__init__(self, beta1, beta2)
        self.epsilon = _between("AdamOptimizer: epsilon", epsilon, 0, 1)

    @property
    def states(self):
        return (("Means", 0.0), ("Squares", 0.0), ("Beta1Pow", self.beta1),
                ("Beta2Pow", self.beta2))

    def attrs(self):
        return {"beta1": self.beta1, "beta2": self.beta2, "epsilon": self.epsilon}


class AdamaxOptimizer(_AdamLike):
    op = "v1_adamax"

    def __init__(self, beta1=0.9, beta2=0.999):
        _AdamLike.__init__(self, beta1, beta2)

    @property
    def states(self):
        return (("Means", 0.0), ("Squares", 0.0), ("Beta1Pow", self.beta1))

    def attrs(self):
        return {"beta1": self.beta1, "beta2": self.beta2}


class AdaGradOptimizer(BaseSGDOptimizer):
    op, states = "v1_adagrad", (("Squares", 0.0),)

    def attrs(self):
        return {"epsilon": 1e-6}


class _Forgetting(BaseSGDOptimizer):
    def __init__(self, rho=0.95, epsilon=1e-6):
        what = type(self).__name__
        self.rho = _between(what + ": rho", rho, 0, 1)
        self.epsilon = _between(what + ": epsilon", epsilon, 0, 1)

    def attrs(self):
        return {"rho": self.rho, "epsilon": self.epsilon}


class RMSPropOptimizer(_Forgetting):
    op, states = "v1_rmsprop", (("Squares", -1.0), ("Means", 0.0))  # -1: no gradient yet


class DecayedAdaGradOptimizer(_Forgetting):
    op, states = "v1_decayed_adagrad", (("Squares", -1.0),)


class AdaDeltaOptimizer(_Forgetting):
    op, states = "v1_adadelta", (("Squares", 0.0), ("Means", 0.0))


class BaseRegularization(Optimizer):
    l1 = l2 = 0.0


class L1Regularization(BaseRegularization):
    def __init__(self, rate):
        self.l1 = _between("L1Regularization: rate", rate, 0, float("inf"))


class L2Regularization(BaseRegularization):
    def __init__(self, rate):
        self.l2 = _between("L2Regularization: rate", rate, 0, float("inf"))


class ModelAverage(Optimizer):
    """Tests and saved models take the mean of each parameter over the last average_window (a part
    of all steps so far), at most max_average_window steps."""

    def __init__(self, average_window, max_average_window=None, do_average_in_cpu=False):
        self.average_window = _between("ModelAverage: average_window", average_window, 0, 1)
        self.max_average_window = max_average_window  # do_average_in_cpu: all is


class GradientClippingThreshold(Optimizer):
    def __init__(self, threshold):
        self.threshold = _between("GradientClippingThreshold: threshold", threshold, 0,
                                  float("inf"))


def _one_of(what, value, kind):
    if value is not None and not isinstance(value, kind):
        raise ConfigError("settings: %s is %r, and must be %s"
                          % (what, value, " or ".join(k.__name__ for k in (
                              kind if isinstance(kind, tuple) else (kind,)))))
    return value


def _segments(schedule, text):
    """'1000:1.0,2000:0.5' as two lists."""
    limits, factors = [], []
    for part in [each for each in str(text).split(",") if each.strip()]:
        try:
            limit, factor = part.split(":")
            limits.append(int(float(limit)))
            factors.append(float(factor))
        except ValueError:
            raise ConfigError("settings: learning_rate_args has %r, and %s wants segments such as "
                              "'1000:1.0,2000:0.5'" % (part, schedule)) from None
    if not limits or limits != sorted(limits):
        raise ConfigError("settings: learning_rate_args is %r, and %s wants segments in order, "
                          "such as '1000:1.0,2000:0.5'" % (text, schedule))
    return limits, factors


class Settings:
    """What settings() was told, checked."""

    def __init__(self, batch_size=None, learning_rate=1e-3, learning_rate_decay_a=0.,
                 learning_rate_decay_b=0., learning_rate_schedule="poly", learning_rate_args="",
                 learning_method=None, regularization=None, is_async=False, model_average=None,
                 gradient_clipping_threshold=None):
        if batch_size is not None and (not isinstance(batch_size, int) or batch_size < 1):
            raise ConfigError("settings: batch_size is %r, and must be a whole number of samples"
                              % (batch_size,))
        if isinstance(learning_method, type):
            learning_method = learning_method()
        self.batch_size = batch_size  # of one node
        self.learning_rate = float(learning_rate)
        self.learning_rate_decay_a = float(learning_rate_decay_a)
        self.learning_rate_decay_b = float(learning_rate_decay_b)
        self.learning_rate_schedule = learning_rate_schedule
        self.learning_rate_args = learning_rate_args
        self.learning_method = _one_of("learning_method", learning_method, BaseSGDOptimizer) \
            or MomentumOptimizer()
        self.is_async = bool(is_async)
        self.model_average = _one_of("model_average", model_average, ModelAverage)
        self._read_regularization(regularization)
        self._read_clipping(gradient_clipping_threshold)
        self._check_schedule()

    @property
    def algorithm(self):
        return "async_sgd" if self.is_async else "sgd"

    def _read_regularization(self, given):
        self.l1 = self.l2 = 0.0
        for each in given if isinstance(given, (list, tuple)) else [given]:
            if _one_of("regularization", each, BaseRegularization) is not None:
                self.l1, self.l2 = self.l1 + each.l1, self.l2 + each.l2

    def _read_clipping(self, given):
        given = getattr(given, "threshold", given)
        _one_of("gradient_clipping_threshold", given, (int, float))
        self.clip = 0.0 if given is None else _between(
            "settings: gradient_clipping_threshold", given, 0, float("inf"))

    def _check_schedule(self):
        name, b = self.learning_rate_schedule, self.learning_rate_decay_b
        if name not in SCHEDULES:
            raise ConfigError("settings: learning_rate_schedule is %r; there are %s"
                              % (name, ", ".join(SCHEDULES)))
        self.limits, self.factors = [], []
        if name in ("manual", "pass_manual"):
            self.limits, self.factors = _segments(name, self.learning_rate_args)
        elif self.learning_rate_args:
            raise ConfigError("settings: learning_rate_args=%r is of the schedules manual and "
                              "pass_manual, and learning_rate_schedule is %r"
                              % (self.learning_rate_args, name))
        if name in ("exp", "discexp") and b <= 0:
            raise ConfigError("settings: the schedule %s wants learning_rate_decay_b above 0: the "
                              "samples after which the rate is multiplied by "
                              "learning_rate_decay_a" % name)
        if name == "caffe_poly" and self.learning_rate_decay_a <= 0:
            raise ConfigError("settings: the schedule caffe_poly wants learning_rate_decay_a above "
                              "0: the samples after which the rate is 0")

    @property
    def is_constant(self):
        """The rate never changes."""
        return self.learning_rate_schedule == "constant" or (
            self.learning_rate_schedule == "poly"
            and (self.learning_rate_decay_a == 0 or self.learning_rate_decay_b == 0))


@layer_function
def settings(batch_size, learning_rate=1e-3, learning_rate_decay_a=0., learning_rate_decay_b=0.,
             learning_rate_schedule="poly", learning_rate_args="", learning_method=None,
             regularization=None, is_async=False, model_average=None,
             gradient_clipping_threshold=None):
    """How the model of this config learns. batch_size is that of one node."""
    made = Settings(**{name: value for name, value in locals().items()})
    current_graph().settings = made
    return made
