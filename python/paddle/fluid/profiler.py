"""The time that each op takes: a table, and a trace for chrome://tracing or Perfetto."""
import contextlib

from .. import _core
from . import core

__all__ = ["cuda_profiler", "reset_profiler", "profiler", "start_profiler", "stop_profiler"]

_running = False


def cuda_profiler(output_file, output_mode=None, config=None):
    raise RuntimeError("fluid.profiler.cuda_profiler: %s; use fluid.profiler.profiler('GPU'), or "
                       "NVIDIA's ncu and nsys around the script"
                       % ("nvprof's files are not written" if core.is_compiled_with_cuda()
                          else "there is no GPU that can be used"))


def reset_profiler():
    """Forget the times so far."""
    _core.profile_reset()


def _check(state, tracer_option):
    # Every state means the ops that run: there is one device.
    if state not in ("CPU", "GPU", "All"):
        raise ValueError("The state must be 'CPU' or 'GPU' or 'All'.")
    if tracer_option in ("OpDetail", "AllOpDetail"):
        raise NotImplementedError("fluid.profiler: tracer_option=%r: times are kept for whole ops, "
                                  "use 'Default'" % tracer_option)
    if tracer_option != "Default":
        raise ValueError("tracer option must be 'Default', 'OpDetail', 'AllOpDetail'.")


def _check_key(sorted_key):
    if sorted_key not in (None, "default", "calls", "total", "max", "min", "ave"):
        raise ValueError("The sorted_key must be None or in 'calls', 'total', 'max', 'min' and "
                         "'ave'")


def start_profiler(state, tracer_option="Default"):
    """Time ops from now on, until stop_profiler()."""
    global _running
    _check(state, tracer_option)
    _running = True
    _core.profile_start()


def stop_profiler(sorted_key=None, profile_path="/tmp/profile"):
    """Stop, print the table (sorted by calls, total, max, min or ave; None: in the order of first
    use) and write the trace to profile_path (None: no trace)."""
    global _running
    if not _running:
        return
    _check_key(sorted_key)
    _running = False
    _core.profile_stop()
    try:
        print(_core.profile_table(sorted_key), flush=True)
        if profile_path:
            _core.profile_trace(profile_path)
    finally:
        _core.profile_reset()


@contextlib.contextmanager
def profiler(state, sorted_key=None, profile_path="/tmp/profile", tracer_option="Default"):
    """Time the ops that run inside the with block; see stop_profiler()."""
    _check_key(sorted_key)
    start_profiler(state, tracer_option)
    try:
        yield
    finally:
        stop_profiler(sorted_key, profile_path)
