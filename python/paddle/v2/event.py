"""What trainer.SGD tells an event_handler. gm is the Machine that trains."""
__all__ = ["EndIteration", "BeginIteration", "BeginPass", "EndPass", "TestResult",
           "EndForwardBackward"]


class WithMetric:
    """metrics: {name of the evaluator: number}"""

    def __init__(self, evaluator):
        self.evaluator = evaluator

    @property
    def metrics(self):
        return dict(self.evaluator.metrics())


class TestResult(WithMetric):
    """What trainer.test() gives: the cost of a sample on average, and metrics."""
    __test__ = False  # no test of pytest

    def __init__(self, evaluator, cost):
        WithMetric.__init__(self, evaluator)
        self.cost = cost


class BeginPass:
    def __init__(self, pass_id):
        self.pass_id = pass_id


class EndPass(WithMetric):
    """Metrics are those of the whole pass."""

    def __init__(self, pass_id, evaluator, gm=None):
        WithMetric.__init__(self, evaluator)
        self.pass_id, self.gm = pass_id, gm


class BeginIteration:
    def __init__(self, pass_id, batch_id):
        self.pass_id, self.batch_id = pass_id, batch_id


class EndForwardBackward:
    def __init__(self, pass_id, batch_id, gm):
        self.pass_id, self.batch_id, self.gm = pass_id, batch_id, gm


class EndIteration(WithMetric):
    """cost: of a sample of this batch, on average; metrics too are those of the batch."""

    def __init__(self, pass_id, batch_id, cost, evaluator, gm=None):
        WithMetric.__init__(self, evaluator)
        self.pass_id, self.batch_id, self.cost, self.gm = pass_id, batch_id, cost, gm
