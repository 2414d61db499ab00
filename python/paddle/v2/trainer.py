"""SGD: trains a model, here or with the parameter servers that init() names.

    trainer = paddle.trainer.SGD(cost, parameters, paddle.optimizer.Adam(learning_rate=1e-3))
    trainer.train(paddle.batch(reader, 32), num_passes=10, event_handler=show)"""
from paddle.trainer.clipping import clipping_kinds
from paddle.trainer.machine import Machine

from . import event as v2_event
from .flags import flags
from .optimizer import Optimizer
from .parameters import Parameters
from .topology import Topology

__all__ = ["SGD"]


def default_event_handler(event):
    """Says nothing."""


class SGD:
    def __init__(self, cost, parameters, update_equation, extra_layers=None, is_local=True,
                 pserver_spec=None, use_etcd=True):
        if not isinstance(parameters, Parameters):
            raise TypeError("SGD: parameters is %r, and must come from paddle.parameters.create() "
                            "or Parameters.from_tar()" % (parameters,))
        if not isinstance(update_equation, Optimizer):
            raise TypeError("SGD: update_equation is %r, and must be one of paddle.optimizer"
                            % (update_equation,))
        if pserver_spec is not None:
            raise NotImplementedError(
                "SGD: pserver_spec=%r: there are no servers of etcd here. Start `paddle pserver` "
                "and name its hosts: paddle.init(pservers=..., port=...), with pserver_spec=None"
                % (pserver_spec,))
        told = flags()
        self._topology = Topology(cost, extra_layers)
        self._parameters = parameters
        remote = None
        if not is_local:
            from paddle.trainer.remote import Remote
            remote = Remote.from_flags(told)
        self._machine = Machine(self._topology.network, update_equation.settings, remote,
                                told["seed"], told["trainer_count"],
                                log_clipping=clipping_kinds(told))
        parameters.append_gradient_machine(self._machine)

    def get_topology_proto(self):
        """The program of the model; it has SerializeToString()."""
        return self._topology.proto()

    def train(self, reader, num_passes=1, event_handler=None, feeding=None):
        """reader: a function that gives the batches of a pass, as paddle.batch() makes one.
        feeding: {name of a data layer: place in a sample}; None: as the layers were declared."""
        handler = default_event_handler if event_handler is None else event_handler
        if not callable(reader):
            raise TypeError("SGD.train: reader is %r, and must be a function that gives batches, "
                            "such as paddle.batch(reader, 32)" % (reader,))
        machine = self._machine
        machine.use_feeding(feeding)
        for pass_id in range(num_passes):
            handler(v2_event.BeginPass(pass_id))
            machine.start_pass(pass_id)
            totals = machine.totals()
            for batch_id, batch in enumerate(_batches(reader)):
                handler(v2_event.BeginIteration(pass_id, batch_id))
                done = machine.train_batch(batch)
                totals.add(done)
                handler(v2_event.EndForwardBackward(pass_id, batch_id, machine))
                own = machine.totals()
                own.add(done)
                handler(v2_event.EndIteration(pass_id, batch_id, own.mean_cost(), own, machine))
            machine.finish_pass()
            handler(v2_event.EndPass(pass_id, totals, machine))

    def test(self, reader, feeding=None):
        """The cost of a sample on average, and the metrics, of all batches of the reader."""
        machine = self._machine
        before = machine.use_feeding(feeding)
        try:
            with machine.averaged():
                totals = machine.totals()
                for batch in _batches(reader):
                    totals.add(machine.test_batch(batch))
        finally:
            machine.feeder = before
        if not totals.samples:
            raise ValueError("SGD.test: the reader gave no sample")
        return v2_event.TestResult(totals, totals.mean_cost())

    def save_parameter_to_tar(self, f):
        """The parameters, or their averages where the optimizer has a model_average."""
        with self._machine.averaged():
            self._parameters.to_tar(f)


def _batches(reader):
    for batch in reader():
        yield batch if isinstance(batch, (list, tuple)) else list(batch)
