"""ParamAttr: how a layer's parameter is named, initialised, regularised and trained."""
from .initializer import Constant, Initializer, Xavier
from .regularizer import WeightDecayRegularizer

__all__ = ["ParamAttr", "WeightNormParamAttr"]


class ParamAttr:
    """gradient_clip is of Fluid before 1.7: as set_gradient_clip() on this parameter."""

    def __init__(self, name=None, initializer=None, learning_rate=1.0, regularizer=None,
                 trainable=True, do_model_average=True, gradient_clip=None):
        if name == "":
            raise ValueError("name in ParamAttr can not be empty str")
        if name is not None and not isinstance(name, str):
            raise TypeError("ParamAttr: name is %s, and must be a str" % type(name))
        if initializer is not None and not isinstance(initializer, Initializer):
            raise TypeError("ParamAttr: initializer is %s, and must be an Initializer"
                            % type(initializer))
        if regularizer is not None and not isinstance(regularizer, WeightDecayRegularizer):
            raise TypeError("ParamAttr: regularizer is %s, and must be L1Decay or L2Decay"
                            % type(regularizer))
        self._check_clip(gradient_clip, do_model_average)
        self.name = name
        self.initializer = initializer
        self.learning_rate = learning_rate
        self.regularizer = regularizer
        self.trainable = trainable
        self.do_model_average = do_model_average
        self.gradient_clip = gradient_clip

    @staticmethod
    def _check_clip(gradient_clip, do_model_average):
        from .clip import GradientClipBase  # which needs the layers, and they this module
        if isinstance(do_model_average, GradientClipBase):  # it stood before it then
            raise TypeError("ParamAttr: do_model_average is %s; give the clip by its name: "
                            "gradient_clip=" % type(do_model_average))
        if gradient_clip is not None and not isinstance(gradient_clip, GradientClipBase):
            raise TypeError("ParamAttr: gradient_clip is %s, and must be a fluid.clip.GradientClip..."
                            % type(gradient_clip))

    def _set_default_initializer(self, initializer):
        if self.initializer is None and initializer is not None:
            self.initializer = initializer

    def _set_default_param_initializer(self):
        self._set_default_initializer(Xavier())

    def _set_default_bias_initializer(self):
        self._set_default_initializer(Constant(0.0))

    @staticmethod
    def _to_attr(arg):
        """A ParamAttr of whatever a layer was given; False means: no parameter."""
        if arg is None:
            return ParamAttr()
        if isinstance(arg, (list, tuple)):
            return [ParamAttr._to_attr(a) for a in arg]
        if isinstance(arg, ParamAttr):
            return arg
        if isinstance(arg, str):
            return ParamAttr(name=arg)
        if isinstance(arg, Initializer):
            return ParamAttr(initializer=arg)
        if isinstance(arg, WeightDecayRegularizer):
            return ParamAttr(regularizer=arg)
        if isinstance(arg, bool):
            return ParamAttr() if arg else False
        raise TypeError("{0} cast to ParamAttr".format(type(arg)))

    def _to_kwargs(self, with_initializer=False):
        kwargs = {
            "name": self.name,
            "optimize_attr": {"learning_rate": self.learning_rate},
            "regularizer": self.regularizer,
            "trainable": self.trainable,
            "do_model_average": self.do_model_average,
        }
        if self.gradient_clip is not None:
            kwargs["gradient_clip_attr"] = self.gradient_clip
        if with_initializer:
            kwargs["initializer"] = self.initializer
        return kwargs


class WeightNormParamAttr(ParamAttr):
    """Weight normalisation: w = g v / |v|."""
    params_with_weight_norm = []

    def __init__(self, dim=None, name=None, initializer=None, learning_rate=1.0, regularizer=None,
                 trainable=True, do_model_average=False, gradient_clip=None):
        super().__init__(name, initializer, learning_rate, regularizer, trainable,
                         do_model_average, gradient_clip)
        self.dim = dim
