"""What a program does on the side: show tensors, call Python."""
from ... import _core
from ..framework import Variable
from ..layer_helper import LayerHelper

__all__ = ["Print", "py_func"]


def Print(input, first_n=-1, message=None, summarize=20, print_tensor_name=True,
          print_tensor_type=True, print_tensor_shape=True, print_tensor_lod=True,
          print_phase="both"):
    """The input itself, shown on stdout when the program comes to it; print_phase: 'forward',
    'backward' (its gradient) or 'both'."""
    helper = LayerHelper("print_" + input.name)
    out = helper.create_variable_for_type_inference(dtype=input.dtype)
    helper.append_op("print", {"In": input}, {"Out": out},
                     {"first_n": first_n, "summarize": summarize, "message": message or "",
                      "print_tensor_name": print_tensor_name,
                      "print_tensor_type": print_tensor_type,
                      "print_tensor_shape": print_tensor_shape,
                      "print_tensor_lod": print_tensor_lod,
                      "print_phase": print_phase.upper()})
    return out


# ---- py_func ----

_functions = []  # by the number that the op knows them by; (function, whether it takes arguments)


def _takes_arguments(function):
    import inspect  # slow to import, and few programs come here
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # built-in functions do not say
        return True
    return any(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.VAR_POSITIONAL)
               for p in parameters)


def _register(function):
    _functions.append((function, _takes_arguments(function)))
    return len(_functions) - 1


def _call(number, inputs, n_outputs):
    """What the function returns, as a list with one entry for each output."""
    if not 0 <= number < len(_functions):
        raise RuntimeError("the program calls Python function %d, and this process has %d: "
                           "py_func() must be called again where a program is loaded"
                           % (number, len(_functions)))
    function, takes_arguments = _functions[number]
    result = function(*inputs) if takes_arguments else function()
    if n_outputs == 0:
        return []
    results = list(result) if isinstance(result, (list, tuple)) else [result]
    if len(results) != n_outputs:
        raise ValueError("the function of py_func() returned %d values, and its op has %d outputs"
                         % (len(results), n_outputs))
    return results


def _tell(error):
    """An exception in words, with the line of the user's that raised it."""
    import traceback
    frames = traceback.extract_tb(error.__traceback__)[1:]  # the first is _call's
    where = ", at %s:%d" % (frames[-1].filename, frames[-1].lineno) if frames else ""
    return "%s: %s%s" % (type(error).__name__, error, where)


_core.set_python_caller(_call, _tell)


def _variables(given, what):
    if given is None:
        return []
    given = list(given) if isinstance(given, (list, tuple)) else [given]
    for var in given:
        if not isinstance(var, Variable):
            raise TypeError("py_func: %s is %r, and must be of Variables" % (what, var))
    return given


def py_func(func, x, out, backward_func=None, skip_vars_in_backward_input=None):
    """Call a Python function of LoDTensors in each step: it returns arrays or LoDTensors for
    `out`, whose shapes must be given. backward_func is called with x, out and the gradients of
    out, but for what skip_vars_in_backward_input names, and returns the gradients of x."""
    inputs, outputs = _variables(x, "x"), _variables(out, "out")
    if not callable(func):
        raise TypeError("py_func: func is %r, and must be a Python function" % (func,))
    if backward_func is not None and not callable(backward_func):
        raise TypeError("py_func: backward_func is %r, and must be a Python function"
                        % (backward_func,))
    for var in outputs:
        if len(var.shape) == 0:
            raise ValueError("py_func: the shape of %s must be given" % var.name)
    helper = LayerHelper("py_func")
    attrs = {"forward_callable_id": _register(func), "backward_callable_id": -1,
             "backward_skip_vars": []}
    if backward_func is not None:
        skipped = _variables(skip_vars_in_backward_input, "skip_vars_in_backward_input")
        known = set(var.name for var in inputs + outputs)
        for var in skipped:
            if var.name not in known:
                raise ValueError("py_func: %s is to be skipped, and is neither in x nor in out"
                                 % var.name)
        attrs["backward_callable_id"] = _register(backward_func)
        attrs["backward_skip_vars"] = [var.name for var in skipped]
    helper.append_op("py_func", {"X": inputs}, {"Out": outputs}, attrs)
    return out
