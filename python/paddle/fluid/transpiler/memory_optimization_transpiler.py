"""Two functions of old scripts that have nothing to do: a plan shares the memory of
temporaries that are never alive together by itself."""
import warnings

__all__ = ["memory_optimize", "release_memory"]


def memory_optimize(input_program, skip_opt_set=None, print_log=False, level=0, skip_grads=True):
    """Does nothing: the executor shares memory between temporaries anyway."""
    warnings.warn("fluid.memory_optimize() does nothing: the executor shares the memory of "
                  "temporaries by itself", stacklevel=2)


def release_memory(input_program, skip_opt_set=None):
    """Does nothing: memory is shared, and released with the executor."""
    warnings.warn("fluid.release_memory() does nothing: the executor shares the memory of "
                  "temporaries by itself", stacklevel=2)
