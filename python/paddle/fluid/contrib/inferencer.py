"""fluid.Inferencer of Fluid 0.13 to 1.4: what a Trainer saved, run forward."""
from .. import framework, io, unique_name
from ..core import CPUPlace, Scope
from ..executor import Executor, scope_guard
from ..parallel_executor import ParallelExecutor
from .trainer import _place

__all__ = ["Inferencer"]


class Inferencer:
    """Builds the program that infer_func describes, with the parameters of param_path."""

    def __init__(self, infer_func, param_path, place=None, parallel=False):
        self.param_path, self.place, self.parallel = param_path, _place(place), parallel
        self.scope = Scope()
        self.inference_program, startup = framework.Program(), framework.Program()
        with framework.program_guard(self.inference_program, startup), unique_name.guard():
            self.predict_var = infer_func()
        self.inference_program = self.inference_program.clone(for_test=True)
        with scope_guard(self.scope):
            self.exe = Executor(self.place)
            io.load_params(self.exe, param_path, self.inference_program)
            if parallel:
                self.exe = ParallelExecutor(use_cuda=not isinstance(self.place, CPUPlace),
                                            main_program=self.inference_program)

    def infer(self, inputs, return_numpy=True):
        """What infer_func returned, for these inputs: {name: array or LoDTensor}."""
        if not isinstance(inputs, dict):
            raise TypeError("inputs is %r, and must be {name of a variable: its value}"
                            % (type(inputs).__name__,))
        wanted = list(self.predict_var) if isinstance(self.predict_var, (list, tuple)) \
            else [self.predict_var]
        names = [var.name for var in wanted]
        with scope_guard(self.scope):
            if self.parallel:
                return self.exe.run(feed=inputs, fetch_list=names, return_numpy=return_numpy)
            return self.exe.run(self.inference_program, feed=inputs, fetch_list=names,
                                return_numpy=return_numpy)
