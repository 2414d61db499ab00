"""Remote: a Machine whose parameters are on `paddle pserver`s.

Dense parameters are shared out over the first ports of all hosts, parameters with sparse_update
over the ports for them, by rows. Trainer 0 sends the servers their programs and the values that
its parameters start with; the others wait for that, and pull. Servers add up the gradients of all
trainers (sync), or take each as it comes (is_async)."""
import numpy as np

import paddle.fluid as fluid
from paddle import _core
from paddle.fluid import communicator

__all__ = ["Remote"]


class Remote:
    """hosts: of the servers. Each listens on ports_num ports from `port` on, and on
    ports_num_for_sparse behind them."""

    def __init__(self, hosts, port, ports_num, ports_num_for_sparse, trainer_id, trainers):
        if not hosts:
            raise ValueError("there are no parameter servers: name their hosts with pservers=, "
                             "such as pservers='10.0.0.1,10.0.0.2'")
        for host in hosts:
            if ":" in host:
                raise ValueError("pservers has %r: it names hosts alone, and their port is port=%d"
                                 % (host, port))
        if not 0 <= trainer_id < trainers:
            raise ValueError("trainer_id is %d, and there are %d trainers (num_gradient_servers), "
                             "numbered from 0" % (trainer_id, trainers))
        self.dense = _endpoints(hosts, port, ports_num)
        self.sparse = _endpoints(hosts, port + ports_num, ports_num_for_sparse)
        self.trainer_id, self.trainers = trainer_id, trainers
        self.started = False

    @classmethod
    def from_flags(cls, told):
        """Of what paddle.init() was told."""
        hosts = [host.strip() for host in told["pservers"].split(",") if host.strip()]
        return cls(hosts, told["port"], told["ports_num"], told["ports_num_for_sparse"],
                   told["trainer_id"], told["num_gradient_servers"])

    def samples_per_step(self, settings, batch):
        """How many samples a step of the servers counts for."""
        return (settings.batch_size or batch) * (1 if settings.is_async else self.trainers)

    def start(self, machine, batch):
        """Join the job; its steps have batches of so many samples here."""
        if self.started:
            return
        if _core.job_who() is not None:
            raise RuntimeError("this process trains a model on parameter servers already, and takes "
                               "part in one job: train the other one in a process of its own")
        self.started = True
        main, startup = machine.network.main, machine.network.startup
        _count_steps(main, self.samples_per_step(machine.settings, batch))
        transpiler = fluid.DistributeTranspiler()
        transpiler._transpile(self.trainer_id, main, ",".join(self.dense), self.trainers,
                              not machine.settings.is_async, startup,
                              sparse_endpoints=self.sparse, sum_gradients=True)
        self._layout, self._is_async = main._parameters_on_pservers, machine.settings.is_async
        if self.trainer_id == 0:
            transpiler.send_programs()
            self._push(machine)
        else:
            communicator.join(self.dense + self.sparse, self.trainer_id, self.trainers)
        _core.job_ends_with_process()  # scripts of v2 have no call for it
        communicator.barrier("values")  # nobody pulls before trainer 0's values are there
        machine.exe.run(startup, scope=machine.scope)

    def _push(self, machine):
        """Dense parameters start as they are here. So do tables, but these only go over the wire
        where somebody has set them: else servers draw the same rows when they are touched."""
        for name in machine.parameter_names:
            if name in self._layout.parts and (name not in self._layout.tables
                                               or name in machine.changed):
                communicator.push(machine.local(name), self._layout.everywhere(name))

    def finish_pass(self):
        """In async gradients may still be on their way. Trainers do not wait for each other: one
        may have fewer batches."""
        if self.started and self._is_async:
            communicator.flush()

    def refresh_dense(self, machine):
        """All that is not looked up by rows, as the servers have it."""
        for name in machine.parameter_names if self.started else ():
            if name not in self._layout.tables:
                self.refresh(machine, name)

    def refresh(self, machine, name):
        """A parameter as the servers have it, in the scope here."""
        if not self.started or name not in self._layout.parts:
            return
        if not self._is_async and name not in self._layout.tables:
            return  # what came with the last step is it
        communicator.flush()
        machine.scope._find_or_make_var(name).get_tensor().set(
            np.ascontiguousarray(communicator.pull(self._layout.parts[name])), machine.exe.place)


def _endpoints(hosts, first, count):
    return ["%s:%d" % (host, first + i) for host in hosts for i in range(count)]


def _count_steps(program, samples):
    for op in program.global_block().ops:
        if op.type == "v1_learning_rate":
            op._set_attr("per_step", samples)
