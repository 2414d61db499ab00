"""What every kind of fleet can do without knowing how it trains: roles, endpoints, files."""
import warnings

from paddle import _core

from .mode import Mode
from .role_maker import PaddleCloudRoleMaker, RoleMakerBase

__all__ = ["Fleet", "DistributedOptimizer", "Mode"]


def _for_subclass(self, name):
    raise NotImplementedError("%s() is for a kind of fleet to define, and %s does not"
                              % (name, type(self).__name__))


class Fleet(object):
    """The base of the transpiler's, the collective and the pslib fleet."""

    def __init__(self, mode):
        self._is_initialized = False
        self._mode = mode
        self._optimizer = None
        self._role_maker = None
        self._executor = None

    def _roles(self):
        if self._role_maker is None:
            raise RuntimeError("fleet is not initialised: call fleet.init(role_maker) first")
        return self._role_maker

    def is_first_worker(self):
        return self._roles().is_first_worker()

    def worker_index(self):
        return self._roles().worker_index()

    def worker_num(self):
        return self._roles().worker_num()

    def is_worker(self):
        return self._roles().is_worker()

    def worker_endpoints(self, to_string=False):
        endpoints = self._roles().get_trainer_endpoints()
        return ",".join(endpoints) if to_string else endpoints

    def server_num(self):
        return len(self._roles().get_pserver_endpoints())

    def server_index(self):
        return self._roles().server_index()

    def server_endpoints(self, to_string=False):
        endpoints = self._roles().get_pserver_endpoints()
        return ",".join(endpoints) if to_string else endpoints

    def is_server(self):
        return self._roles().is_server()

    def split_files(self, files):
        """This worker's block of `files`: all blocks have the same length, or one more for the
        first workers where it does not come out even."""
        if not isinstance(files, list):
            raise TypeError("files should be a list of file need to be read.")
        if int(_core.get_flag("ps_elastic")[1]):
            raise RuntimeError("fleet.split_files in an elastic job: a worker that goes would take its "
                               "files with it; give all workers all files, and lease them: "
                               "dataset.set_filelist(files, lease=True)")
        index, workers = self.worker_index(), self.worker_num()
        if len(files) < workers:
            warnings.warn("fleet.split_files: %d file%s for %d workers: worker %d and those after it "
                          "have nothing to read; split the data into at least %d files"
                          % (len(files), "" if len(files) == 1 else "s", workers, len(files),
                             workers))
        each, more = divmod(len(files), workers)
        begin = each * index + min(index, more)
        return files[begin:begin + each + (index < more)]

    def init(self, role_maker=None):
        """role_maker: None for what the environment says."""
        from paddle.fluid.core import CPUPlace
        from paddle.fluid.executor import Executor
        if role_maker is None:
            role_maker = PaddleCloudRoleMaker()
        if not isinstance(role_maker, RoleMakerBase):
            raise TypeError("role_maker must be an instance of RoleMakerBase")
        role_maker.generate_role()
        self._role_maker = role_maker
        self._executor = Executor(CPUPlace())
        self._is_initialized = True

    def all_reduce_worker(self, input, output):
        self._roles().all_reduce_worker(input, output)

    def barrier_worker(self):
        self._roles().barrier_worker()

    def init_worker(self):
        _for_subclass(self, "init_worker")

    def init_server(self, model_dir=None):
        _for_subclass(self, "init_server")

    def run_server(self):
        _for_subclass(self, "run_server")

    def stop_worker(self):
        _for_subclass(self, "stop_worker")

    def distributed_optimizer(self, optimizer, strategy=None):
        _for_subclass(self, "distributed_optimizer")

    def save_inference_model(self, executor, dirname, feeded_var_names, target_vars,
                             main_program=None, export_for_deployment=True):
        _for_subclass(self, "save_inference_model")

    def save_persistables(self, executor, dirname, main_program=None):
        _for_subclass(self, "save_persistables")


class DistributedOptimizer(object):
    """An optimizer that trains with a fleet; what it does is for each kind of fleet to define."""

    def __init__(self, optimizer, strategy=None):
        from paddle.fluid.optimizer import Optimizer
        if not isinstance(optimizer, Optimizer) and not self._wraps(optimizer):
            raise TypeError("optimizer must be an instance of Optimizer")
        self._optimizer = optimizer
        self._strategy = strategy

    @staticmethod
    def _wraps(optimizer):
        """Mixed precision and the like hold an optimizer and act as one."""
        return all(callable(getattr(optimizer, name, None))
                   for name in ("backward", "apply_gradients", "minimize"))

    def backward(self, loss, startup_program=None, parameter_list=None, no_grad_set=None,
                 callbacks=None):
        _for_subclass(self, "backward")

    def apply_gradients(self, params_grads):
        _for_subclass(self, "apply_gradients")

    def minimize(self, losses, scopes=None, startup_programs=None, parameter_list=None,
                 no_grad_set=None):
        _for_subclass(self, "minimize")


class ProgramOptimizer(DistributedOptimizer):
    """Backward and update are the optimizer's own; minimize() is for each kind of fleet."""

    def backward(self, loss, startup_program=None, parameter_list=None, no_grad_set=None,
                 callbacks=None):
        return self._optimizer.backward(loss, startup_program, parameter_list, no_grad_set,
                                        callbacks)

    def apply_gradients(self, params_grads):
        return self._optimizer.apply_gradients(params_grads)
