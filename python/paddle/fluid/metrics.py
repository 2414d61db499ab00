"""Metrics over many batches, kept in Python: give them what a run fetched.

    metric = fluid.metrics.Auc("auc")
    for batch in reader():
        p, = exe.run(main, feed=feeder.feed(batch), fetch_list=[predict])
        metric.update(preds=p, labels=numpy.array([[row[-1]] for row in batch]))
    print(metric.eval())
"""
import copy

import numpy

__all__ = ["MetricBase", "CompositeMetric", "Precision", "Recall", "Accuracy", "ChunkEvaluator",
           "EditDistance", "DetectionMAP", "Auc"]


def _check_array(metric, **arrays):
    for name, value in arrays.items():
        if not isinstance(value, numpy.ndarray):
            raise ValueError("%s: %s is a %s, and must be a numpy array"
                             % (metric._name, name, type(value).__name__))


def _check_number(metric, **numbers):
    for name, value in numbers.items():
        if isinstance(value, bool) or not isinstance(value, (int, float, numpy.ndarray,
                                                             numpy.number)):
            raise ValueError("%s: %s is a %s, and must be a number or a numpy array"
                             % (metric._name, name, type(value).__name__))


class MetricBase:
    """What reset() and get_config() see are the attributes without a leading underscore."""

    def __init__(self, name):
        self._name = str(name) if name is not None else type(self).__name__

    def __str__(self):
        return self._name

    def _states(self):
        return {k: v for k, v in vars(self).items() if not k.startswith("_")}

    def reset(self):
        """Forget all batches: numbers become 0, arrays zeros, anything else None."""
        for name, value in self._states().items():
            if isinstance(value, int):
                value = 0
            elif isinstance(value, float):
                value = 0.0
            elif isinstance(value, (numpy.ndarray, numpy.generic)):
                value = numpy.zeros_like(value)
            else:
                value = None
            setattr(self, name, value)

    def get_config(self):
        return {"name": self._name, "states": copy.deepcopy(self._states())}

    def update(self, preds, labels):
        raise NotImplementedError("%s: write update() in a class of your own, or use another "
                                  "metric" % self._name)

    def eval(self):
        raise NotImplementedError("%s: write eval() in a class of your own, or use another metric"
                                  % self._name)


class CompositeMetric(MetricBase):
    """Several metrics of the same predictions and labels."""

    def __init__(self, name=None):
        super().__init__(name)
        self._metrics = []

    def add_metric(self, metric):
        if not isinstance(metric, MetricBase):
            raise ValueError("%s: a metric must be a MetricBase, not a %s"
                             % (self._name, type(metric).__name__))
        self._metrics.append(metric)

    def reset(self):
        for metric in self._metrics:
            metric.reset()

    def update(self, preds, labels):
        for metric in self._metrics:
            metric.update(preds, labels)

    def eval(self):
        return [metric.eval() for metric in self._metrics]


def _rounded(metric, preds, labels):
    """Predictions, rounded, and labels, one of each an example."""
    _check_array(metric, preds=preds, labels=labels)
    rows = labels.size
    if preds.ndim == 0 or labels.ndim == 0 or preds.size != len(preds) or (
            rows != len(labels) or preds.size < rows):
        raise ValueError("%s: predictions of shape %s for labels of shape %s"
                         % (metric._name, preds.shape, labels.shape))
    return numpy.rint(preds.ravel()[:rows]).astype("int32"), labels.ravel()


class Precision(MetricBase):
    """Of those that were predicted to be 1, how many are."""

    def __init__(self, name=None):
        super().__init__(name)
        self.tp = 0  # true positives
        self.fp = 0  # false positives

    def update(self, preds, labels):
        preds, labels = _rounded(self, preds, labels)
        self.tp += int(((preds == 1) & (labels == 1)).sum())
        self.fp += int(((preds == 1) & (labels != 1)).sum())

    def eval(self):
        return self.tp / (self.tp + self.fp) if self.tp + self.fp else 0.0


class Recall(MetricBase):
    """Of those that are 1, how many were predicted to be."""

    def __init__(self, name=None):
        super().__init__(name)
        self.tp = 0  # true positives
        self.fn = 0  # false negatives

    def update(self, preds, labels):
        preds, labels = _rounded(self, preds, labels)
        self.tp += int(((preds == 1) & (labels == 1)).sum())
        self.fn += int(((preds != 1) & (labels == 1)).sum())

    def eval(self):
        return self.tp / (self.tp + self.fn) if self.tp + self.fn else 0.0


class Accuracy(MetricBase):
    """The mean of the batches' accuracies (layers.accuracy), by their sizes."""

    def __init__(self, name=None):
        super().__init__(name)
        self.value = 0.0
        self.weight = 0.0

    def update(self, value, weight):
        _check_number(self, value=value, weight=weight)
        if numpy.any(numpy.asarray(weight) < 0):
            raise ValueError("%s: weight is %s, and must not be below 0" % (self._name, weight))
        self.value = self.value + value * weight
        self.weight = self.weight + weight

    def eval(self):
        if numpy.all(numpy.asarray(self.weight) == 0):
            raise ValueError("%s: there is nothing to average; has update() been called with the "
                             "output of layers.accuracy?" % self._name)
        return self.value / self.weight


class ChunkEvaluator(MetricBase):
    """(precision, recall, F1) of the chunks that layers.chunk_eval counts."""

    def __init__(self, name=None):
        super().__init__(name)
        self.num_infer_chunks = 0
        self.num_label_chunks = 0
        self.num_correct_chunks = 0

    def update(self, num_infer_chunks, num_label_chunks, num_correct_chunks):
        _check_number(self, num_infer_chunks=num_infer_chunks, num_label_chunks=num_label_chunks,
                      num_correct_chunks=num_correct_chunks)
        self.num_infer_chunks = self.num_infer_chunks + num_infer_chunks
        self.num_label_chunks = self.num_label_chunks + num_label_chunks
        self.num_correct_chunks = self.num_correct_chunks + num_correct_chunks

    def eval(self):
        correct = self.num_correct_chunks
        precision = correct / self.num_infer_chunks if self.num_infer_chunks else 0
        recall = correct / self.num_label_chunks if self.num_label_chunks else 0
        f1 = 2 * precision * recall / (precision + recall) if correct else 0
        return precision, recall, f1


class EditDistance(MetricBase):
    """(mean distance, share of sequences that are not right) of layers.edit_distance."""

    def __init__(self, name):
        super().__init__(name)
        self.total_distance = 0.0
        self.seq_num = 0
        self.instance_error = 0

    def update(self, distances, seq_num):
        _check_array(self, distances=distances)
        _check_number(self, seq_num=seq_num)
        self.total_distance = self.total_distance + float(numpy.sum(distances))
        self.seq_num = self.seq_num + seq_num
        self.instance_error = self.instance_error + (seq_num - int(numpy.sum(distances == 0)))

    def eval(self):
        if numpy.all(numpy.asarray(self.seq_num) == 0):
            raise ValueError("%s: there is nothing to average; has update() been called with the "
                             "outputs of layers.edit_distance?" % self._name)
        return self.total_distance / self.seq_num, self.instance_error / self.seq_num


class Auc(MetricBase):
    """The area under the ROC curve, counted in bins as the op auc does."""

    def __init__(self, name, curve="ROC", num_thresholds=4095):
        super().__init__(name)
        if curve != "ROC":
            raise ValueError("%s: curve is %r; the area is that under the ROC curve"
                             % (self._name, curve))
        self._curve = curve
        self._num_thresholds = num_thresholds
        self.reset()

    def reset(self):
        self._stat_pos = numpy.zeros(self._num_thresholds + 1, "int64")
        self._stat_neg = numpy.zeros(self._num_thresholds + 1, "int64")

    def update(self, preds, labels):
        """preds: [batch, 2], the chances of 0 and of 1; labels: [batch, 1]."""
        _check_array(self, preds=preds, labels=labels)
        labels = labels.ravel()
        if preds.ndim != 2 or preds.shape[1] != 2 or preds.shape[0] < labels.size:
            raise ValueError("%s: predictions of shape %s for %d labels; [batch, 2] is wanted"
                             % (self._name, preds.shape, labels.size))
        chances = preds[:labels.size, 1]
        bad = ~((chances >= 0) & (chances <= 1))
        if bad.any():
            raise ValueError("%s: the chance %s is not in [0, 1]" % (self._name, chances[bad][0]))
        bins = (chances * self._num_thresholds).astype("int64")
        for stat, which in ((self._stat_pos, labels != 0), (self._stat_neg, labels == 0)):
            stat += numpy.bincount(bins[which], minlength=self._num_thresholds + 1)

    @staticmethod
    def trapezoid_area(x1, x2, y1, y2):
        return abs(x1 - x2) * (y1 + y2) / 2.0

    def eval(self):
        pos, neg = self._stat_pos[::-1].cumsum(), self._stat_neg[::-1].cumsum()
        if not (pos[-1] and neg[-1]):
            return 0.0
        before = numpy.concatenate([[0], pos[:-1]])
        steps = numpy.diff(numpy.concatenate([[0], neg]))
        return float((steps * (before + pos) / 2.0).sum() / pos[-1] / neg[-1])


class DetectionMAP:
    """Detection is not among what Regatta trains: its ops are not there."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError("fluid.metrics.DetectionMAP: the op detection_map is not "
                                  "implemented")
