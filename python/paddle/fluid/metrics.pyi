# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

class MetricBase:
    """What reset() and get_config() see are the attributes without a leading underscore.

    Args:
        name (str, optional): What it is called.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> metric = fluid.metrics.CompositeMetric()
        >>> metric.add_metric(fluid.metrics.Precision())
        >>> metric.add_metric(fluid.metrics.Recall())
        >>> metric.update(preds=numpy.array([[0.9], [0.8], [0.1]]), labels=numpy.array([[1], [0], [1]]))
        >>> [float(v) for v in metric.eval()]
        [0.5, 0.5]
    """
    def __init__(self, name: Optional[str]) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def reset(self) -> Any:
        """Forget all batches: numbers become 0, arrays zeros, anything else None."""
        ...

    def get_config(self) -> Any:
        """Its settings, by name."""
        ...

    def update(self, preds: Any, labels: Any) -> Any:
        """Count one batch more.

        Args:
            preds (array): What was predicted.
            labels (array): What is true.
        """
        ...

    def eval(self) -> Any:
        """The value over all batches since reset()."""
        ...

class CompositeMetric(MetricBase):
    """Several metrics of the same predictions and labels.

    Args:
        name (str, optional): What it is called. Default: None.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> metric = fluid.metrics.CompositeMetric()
        >>> metric.add_metric(fluid.metrics.Precision())
        >>> metric.add_metric(fluid.metrics.Recall())
        >>> metric.update(preds=numpy.array([[0.9], [0.8], [0.1]]), labels=numpy.array([[1], [0], [1]]))
        >>> [float(v) for v in metric.eval()]
        [0.5, 0.5]
    """
    def __init__(self, name: Optional[str] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def add_metric(self, metric: Any) -> Any:
        """Count this one too.

        Args:
            metric (MetricBase): One more.
        """
        ...

    def reset(self) -> Any:
        """Forget all batches: numbers become 0, arrays zeros, anything else None."""
        ...

    def update(self, preds: Any, labels: Any) -> Any:
        """Count one batch more.

        Args:
            preds (array): What was predicted.
            labels (array): What is true.
        """
        ...

    def eval(self) -> Any:
        """The value over all batches since reset()."""
        ...

class Precision(MetricBase):
    """Of those that were predicted to be 1, how many are.

    Args:
        name (str, optional): What it is called. Default: None.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> metric = fluid.metrics.Precision()
        >>> metric.update(preds=numpy.array([[0.9], [0.8], [0.1]]), labels=numpy.array([[1], [0], [1]]))
        >>> float(metric.eval())
        0.5
    """
    def __init__(self, name: Optional[str] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def update(self, preds: Any, labels: Any) -> Any:
        """Count one batch more.

        Args:
            preds (array): What was predicted.
            labels (array): What is true.
        """
        ...

    def eval(self) -> Any:
        """The value over all batches since reset()."""
        ...

class Recall(MetricBase):
    """Of those that are 1, how many were predicted to be.

    Args:
        name (str, optional): What it is called. Default: None.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> metric = fluid.metrics.Recall()
        >>> metric.update(preds=numpy.array([[0.9], [0.8], [0.1]]), labels=numpy.array([[1], [0], [1]]))
        >>> float(metric.eval())
        0.5
    """
    def __init__(self, name: Optional[str] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def update(self, preds: Any, labels: Any) -> Any:
        """Count one batch more.

        Args:
            preds (array): What was predicted.
            labels (array): What is true.
        """
        ...

    def eval(self) -> Any:
        """The value over all batches since reset()."""
        ...

class Accuracy(MetricBase):
    """The mean of the batches' accuracies (layers.accuracy), by their sizes.

    Args:
        name (str, optional): What it is called. Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> metric = fluid.metrics.Accuracy()
        >>> metric.update(value=0.5, weight=10)
        >>> metric.update(value=1.0, weight=10)
        >>> float(metric.eval())
        0.75
    """
    def __init__(self, name: Optional[str] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def update(self, value: float, weight: float) -> Any:
        """Count one batch more.

        Args:
            value (float): Of this batch.
            weight (float): How many samples it had.
        """
        ...

    def eval(self) -> Any:
        """The value over all batches since reset()."""
        ...

class ChunkEvaluator(MetricBase):
    """(precision, recall, F1) of the chunks that layers.chunk_eval counts.

    Args:
        name (str, optional): What it is called. Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> metric = fluid.metrics.ChunkEvaluator()
        >>> metric.update(num_infer_chunks=10, num_label_chunks=8, num_correct_chunks=4)
        >>> [round(float(v), 3) for v in metric.eval()]
        [0.4, 0.5, 0.444]
    """
    def __init__(self, name: Optional[str] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def update(self, num_infer_chunks: Any, num_label_chunks: Any, num_correct_chunks: Any) -> Any:
        """Count one batch more.

        Args:
            num_infer_chunks (int or array): As layers.chunk_eval gives them.
            num_label_chunks (int or array): As layers.chunk_eval gives them.
            num_correct_chunks (int or array): As layers.chunk_eval gives them.
        """
        ...

    def eval(self) -> Any:
        """The value over all batches since reset()."""
        ...

class EditDistance(MetricBase):
    """(mean distance, share of sequences that are not right) of layers.edit_distance.

    Args:
        name (str, optional): What it is called.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> metric = fluid.metrics.EditDistance("distance")
        >>> metric.update(numpy.array([[1.0], [0.0]]), seq_num=numpy.array([2]))
        >>> [float(v) for v in metric.eval()]
        [0.5, 0.5]
    """
    def __init__(self, name: Optional[str]) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def update(self, distances: Any, seq_num: Any) -> Any:
        """Count one batch more.

        Args:
            distances (array): As layers.edit_distance gives them.
            seq_num (array): How many sequences there were.
        """
        ...

    def eval(self) -> Any:
        """The value over all batches since reset()."""
        ...

class DetectionMAP:
    """Detection is not among what Regatta trains: its ops are not there."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class Auc(MetricBase):
    """The area under the ROC curve, counted in bins as the op auc does.

    Args:
        name (str, optional): What it is called.
        curve (str): "ROC" or "PR". Default: 'ROC'.
        num_thresholds (int): How many bins the scores are counted in. Default: 4095.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> metric = fluid.metrics.Auc("auc")
        >>> metric.update(preds=numpy.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]]),
        ...               labels=numpy.array([[0], [1], [1]]))
        >>> float(metric.eval())
        1.0
    """
    def __init__(self, name: Optional[str], curve: str = ..., num_thresholds: int = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def reset(self) -> Any:
        """Forget all batches: numbers become 0, arrays zeros, anything else None."""
        ...

    def update(self, preds: Any, labels: Any) -> Any:
        """preds: [batch, 2], the chances of 0 and of 1; labels: [batch, 1].

        Args:
            preds (array): What was predicted.
            labels (array): What is true.
        """
        ...

    @staticmethod
    def trapezoid_area(x1: float, x2: float, y1: float, y2: float) -> Any:
        """The area below a line.

        Args:
            x1 (float): From where to where.
            x2 (float): From where to where.
            y1 (float): How high there.
            y2 (float): How high there.
        """
        ...

    def eval(self) -> Any:
        """The value over all batches since reset()."""
        ...
