"""Poolings, over the steps of a sequence or the window of an image."""

__all__ = ["BasePoolingType", "MaxPooling", "AvgPooling", "MaxWithMaskPooling", "CudnnMaxPooling",
           "CudnnAvgPooling", "CudnnAvgInclPadPooling", "SumPooling", "SquareRootNPooling"]


class BasePoolingType:
    name = None     # of v1
    sequence = None  # Fluid's sequence_pool
    image = None    # Fluid's pool2d

    def __init__(self, name=None):
        if name is not None:
            self.name = name


class MaxPooling(BasePoolingType):
    name, sequence, image = "max", "max", "max"

    def __init__(self, output_max_index=None):
        self.output_max_index = output_max_index


class MaxWithMaskPooling(BasePoolingType):
    name, image = "max-pool-with-mask", "max"


class CudnnMaxPooling(BasePoolingType):
    """On a CPU it is the same pooling."""
    name, image = "cudnn-max-pool", "max"


class CudnnAvgPooling(BasePoolingType):
    name, image = "cudnn-avg-pool", "avg"


class CudnnAvgInclPadPooling(BasePoolingType):
    name, image = "cudnn-avg-incl-pad-pool", "avg"


class AvgPooling(BasePoolingType):
    STRATEGY_AVG, STRATEGY_SUM, STRATEGY_SQROOTN = "average", "sum", "squarerootn"
    name, image = "average", "avg"
    _SEQUENCE = {"average": "average", "sum": "sum", "squarerootn": "sqrt"}

    def __init__(self, strategy=STRATEGY_AVG):
        if strategy not in self._SEQUENCE:
            raise ValueError("AvgPooling: strategy is %r, and may be %s"
                             % (strategy, ", ".join(sorted(self._SEQUENCE))))
        self.strategy = strategy
        self.sequence = self._SEQUENCE[strategy]


class SumPooling(AvgPooling):
    def __init__(self):
        AvgPooling.__init__(self, AvgPooling.STRATEGY_SUM)


class SquareRootNPooling(AvgPooling):
    def __init__(self):
        AvgPooling.__init__(self, AvgPooling.STRATEGY_SQROOTN)
