"""A mean by weights, kept in Python."""
import numpy

__all__ = ["WeightedAverage"]


def _is_number(value):
    return isinstance(value, (int, float, numpy.ndarray, numpy.number)) and not isinstance(value,
                                                                                         bool)


class WeightedAverage:
    """
        average = fluid.average.WeightedAverage()
        average.add(value=2.0, weight=1)
        average.add(value=4.0, weight=2)
        average.eval()  # 3.33
    """

    def __init__(self):
        self.reset()

    def reset(self):
        self.numerator = None
        self.denominator = None

    def add(self, value, weight):
        for name, number in (("value", value), ("weight", weight)):
            if not _is_number(number):
                raise ValueError("WeightedAverage: %s is a %s, and must be a number or a numpy "
                                 "array" % (name, type(number).__name__))
        if self.numerator is None:
            self.numerator, self.denominator = 0.0, 0.0
        self.numerator = self.numerator + value * weight
        self.denominator = self.denominator + weight

    def eval(self):
        if self.numerator is None or numpy.all(numpy.asarray(self.denominator) == 0):
            raise ValueError("WeightedAverage: there is nothing to average")
        return self.numerator / self.denominator
