"""Programs for collective training: every rank has the whole program, and ops in it add up
gradients, or models, over all ranks."""
from ..core import OpRole, VarDesc
from ..framework import Parameter, default_main_program, default_startup_program
from .details import wait_server_ready

__all__ = ["GradAllReduce", "LocalSGD"]

_ROLE, _ROLE_VARS = "op_role", "op_role_var"


class Collective(object):
    """What both kinds share: the startup program starts the rings, and every rank begins with
    the parameters of rank 0."""

    def __init__(self, nrings):
        self.nrings = nrings
        self.endpoints = self.current_endpoint = self.rank = self.nranks = None
        self.startup_program = self.main_program = None
        self.op_role_key = _ROLE

    def transpile(self, startup_program, main_program, rank, endpoints, current_endpoint,
                  wait_port):
        """endpoints: of all ranks, a list or a text with commas; at least two."""
        if isinstance(endpoints, str):
            endpoints = endpoints.split(",")
        self.startup_program = default_startup_program() if startup_program is None \
            else startup_program
        self.main_program = default_main_program() if main_program is None else main_program
        self.nranks = len(endpoints)
        if self.nranks == 1 and not isinstance(self, SingleProcessMultiThread):
            raise ValueError("invalid trainer number in distributed: 1")
        if not 0 <= rank < self.nranks:
            raise ValueError("rank %d of %d" % (rank, self.nranks))
        if current_endpoint not in endpoints:
            raise ValueError("current endpoint %s is not in %s" % (current_endpoint,
                                                                   ",".join(endpoints)))
        if endpoints.index(current_endpoint) != rank:
            raise ValueError("rank %d has the endpoint %s, and current endpoint is %s"
                             % (rank, endpoints[rank], current_endpoint))
        self.rank, self.endpoints, self.current_endpoint = rank, endpoints, current_endpoint
        self.wait_port = wait_port
        self.startup_program._origin_program = self.startup_program.clone()
        self._transpile_startup_program()
        self.main_program._origin_program = self.main_program.clone()
        self._transpile_main_program()

    def _transpile_main_program(self):
        raise NotImplementedError("call the inherited method of subclasses")

    def _transpile_startup_program(self):
        for ring in range(self.nrings):
            self._init_communicator(self.startup_program, self.current_endpoint, self.endpoints,
                                    self.rank, ring, self.wait_port)
        self._broadcast_params()

    def _init_communicator(self, program, current_endpoint, endpoints, rank, ring_id, wait_port,
                           has_multitrainer=False):
        """The ranks find each other when the ops run; there is no port to wait for before."""
        block = program.global_block()
        ring = block.create_var(name="comm_id_%d" % ring_id, persistable=True,
                                type=VarDesc.VarType.RAW)
        block.append_op(type="c_gen_nccl_id", inputs={}, outputs={"Out": ring},
                        attrs={"rank": rank, "endpoint": current_endpoint,
                               "other_endpoints": [e for e in endpoints if e != current_endpoint],
                               _ROLE: OpRole.Forward})
        block.append_op(type="c_comm_init", inputs={"X": ring}, outputs={},
                        attrs={"nranks": len(endpoints), "rank": rank, "ring_id": ring_id,
                               _ROLE: OpRole.Forward})

    def _rings(self):
        """Ring numbers, in turn."""
        turn = 0
        while True:
            yield turn
            turn = (turn + 1) % self.nrings

    def _broadcast_params(self):
        block = self.startup_program.global_block()
        last = None
        for param, ring in zip([p for p in block.iter_parameters() if not p.is_distributed],
                               self._rings()):
            last = param
            block.append_op(type="c_broadcast", inputs={"X": param}, outputs={"Out": param},
                            attrs={"ring_id": ring, "root": 0, _ROLE: OpRole.Forward})
        for ring in range(self.nrings if last is not None else 0):
            block.append_op(type="c_sync_comm_stream", inputs={"X": last}, outputs={"Out": last},
                            attrs={"ring_id": ring, _ROLE: OpRole.Forward})

    @staticmethod
    def _role(op):
        return op.attr(_ROLE) if op.has_attr(_ROLE) else OpRole.Forward

    def _is_loss_grad_op(self, op):
        return self._role(op) & OpRole.Backward and self._role(op) & OpRole.Loss

    def _is_backward_op(self, op):
        return bool(self._role(op) & OpRole.Backward)

    def _is_optimizer_op(self, op):
        return bool(self._role(op) & OpRole.Optimize)

    def _is_update_op(self, op):
        return all(slot in op.input_names for slot in ("Param", "Grad", "LearningRate"))


class GradAllReduce(Collective):
    """Every step trains on the batches of all ranks: gradients are their mean over ranks."""

    def __init__(self, nrings=2):
        super(GradAllReduce, self).__init__(nrings)

    def _transpile_main_program(self):
        self._insert_scale_loss_grad_ops()
        self._insert_allreduce_ops()

    def _insert_scale_loss_grad_ops(self):
        """The loss counts 1/ranks, so that the sums are means."""
        block = self.main_program.global_block()
        for index, op in reversed(list(enumerate(block.ops))):
            if self._is_loss_grad_op(op):
                loss = block.vars[op.output_arg_names[0]]
                block._insert_op(index + 1, type="scale", inputs={"X": loss},
                                 outputs={"Out": loss},
                                 attrs={"scale": 1.0 / self.nranks, _ROLE: OpRole.Backward})

    def _insert_allreduce_ops(self):
        block = self.main_program.global_block()
        written, params = {}, {}  # the last op of backward that writes a variable
        for index, op in enumerate(block.ops):
            if not self._is_backward_op(op):
                continue
            written.update((name, index) for name in op.output_arg_names)
            names = (op.attr(_ROLE_VARS) if op.has_attr(_ROLE_VARS) else None) or []
            if len(names) % 2:
                raise ValueError("op %s: op_role_var has an odd number of names: %s"
                                 % (op.type, names))
            params.update(zip(names[1::2], names[::2]))
        # A gradient that several ops contribute to is whole where they are summed.
        made = sorted((written[grad], grad) for grad, param in params.items()
                      if grad in written
                      and not getattr(block.vars[param], "is_distributed", False))
        if not made:
            return
        first = made[0][1]
        inserts = [(index, grad, ring) for (index, grad), ring in zip(made, self._rings())]
        at = [i for i, op in enumerate(block.ops) if self._is_optimizer_op(op)]
        end = at[0] if at else len(block.ops)
        if at and any(index >= end for index, _, _ in inserts):
            raise ValueError("an optimizer op comes before a gradient is made")
        for ring in reversed(range(self.nrings)):
            block._insert_op(end, type="c_sync_comm_stream", inputs={"X": block.vars[first]},
                             outputs={"Out": block.vars[first]},
                             attrs={"ring_id": ring, _ROLE: OpRole.Backward})
        for index, grad, ring in reversed(inserts):
            var = block.vars[grad]
            block._insert_op(index + 1, type="c_sync_calc_stream", inputs={"X": var},
                             outputs={"Out": var}, attrs={_ROLE: OpRole.Backward})
            block._insert_op(index + 2, type="c_allreduce_sum", inputs={"X": var},
                             outputs={"Out": var},
                             attrs={"ring_id": ring, _ROLE: OpRole.Backward})


class LocalSGD(Collective):
    """Every rank takes a step of its own; then the models become their mean."""

    def __init__(self, nrings=2):
        super(LocalSGD, self).__init__(nrings)
        self.snapshot_key = "@SNAPSHOT"

    def snapshot_name(self, param_name):
        return param_name + self.snapshot_key

    def _snapshot(self, block, param):
        return block.create_var(name=self.snapshot_name(param.name), shape=param.shape,
                                dtype=param.dtype, persistable=True, stop_gradient=True)

    def _transpile_startup_program(self):
        super(LocalSGD, self)._transpile_startup_program()
        block = self.startup_program.global_block()
        for param in [p for p in block.iter_parameters() if not p.is_distributed]:
            block.append_op(type="assign", inputs={"X": param},
                            outputs={"Out": self._snapshot(block, param)},
                            attrs={_ROLE: OpRole.Forward})

    def _transpile_main_program(self):
        block = self.main_program.global_block()
        updates = [(index, block.vars[op.input("Param")[0]]) for index, op in enumerate(block.ops)
                   if self._is_update_op(op)]
        updates = [(i, p) for i, p in updates if not getattr(p, "is_distributed", False)]
        if not updates:
            return
        rings = [ring for _, ring in zip(updates, self._rings())]
        role = {_ROLE: OpRole.Optimize}
        for (index, param), ring in reversed(list(zip(updates, rings))):
            snapshot = self._snapshot(block, param)
            block._insert_op(index + 1, type="elementwise_sub",
                             inputs={"X": [snapshot], "Y": [param]}, outputs={"Out": [param]},
                             attrs=role)
            block._insert_op(index + 2, type="c_sync_calc_stream", inputs={"X": param},
                             outputs={"Out": param}, attrs=role)
            block._insert_op(index + 3, type="c_allreduce_sum", inputs={"X": [param]},
                             outputs={"Out": [param]}, attrs=dict(role, ring_id=ring))
        first = updates[0][1]
        for ring in range(self.nrings):
            block.append_op(type="c_sync_comm_stream", inputs={"X": first}, outputs={"Out": first},
                            attrs=dict(role, ring_id=ring))
        for _, param in updates:
            snapshot = block.vars[self.snapshot_name(param.name)]
            block.append_op(type="scale", inputs={"X": [param]}, outputs={"Out": [param]},
                            attrs=dict(role, scale=1.0 / self.nranks))
            block.append_op(type="elementwise_sub", inputs={"X": [snapshot], "Y": [param]},
                            outputs={"Out": [param]}, attrs=role)
            block.append_op(type="assign", inputs={"X": [param]}, outputs={"Out": [snapshot]},
                            attrs=role)


class SingleProcessMultiThread(GradAllReduce):
    """One process: a group of one. Several devices of a process are with_data_parallel's."""

    def __init__(self):
        super(SingleProcessMultiThread, self).__init__(1)

    def _transpile_startup_program(self):
        self.startup_program.global_block().append_op(type="c_comm_init_all",
                                                      attrs={"ring_id": 0})
