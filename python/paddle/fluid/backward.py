"""append_backward and gradients: autodiff, done by the core."""
from .. import _core
from .framework import Variable
from .variable import dtype_is_floating

__all__ = ["append_backward", "gradients"]


def _names(variables, what):
    out = []
    for var in variables or ():
        if not isinstance(var, (Variable, str)):
            raise TypeError("%s holds %s, and must hold Variables or names" % (what, type(var)))
        out.append(var if isinstance(var, str) else var.name)
    return out


def _reads_parameters(program, ops, op):
    """Whether the op, the last of these, depends on a parameter that may be trained."""
    behind = set(op.input_arg_names)
    for before in reversed(ops[:-1]):
        if not behind.isdisjoint(before.output_arg_names):
            behind.update(before.input_arg_names)
    return any(p.trainable and p.name in behind for p in program.all_parameters())


def _stops(var, op):
    """Why no gradient of the variable passes the op that writes it, or None."""
    if not _core.op_schema(op.type)["gradient"]:
        return "no gradient passes op %s" % op.type
    if var.stop_gradient:
        return "no gradient passes %s, whose stop_gradient is set" % var.name
    if not dtype_is_floating(var.dtype):
        return "no gradient passes %s, which is not of floating point" % var.name
    return None


def why_none(loss):
    """Why no parameter has a gradient of the loss, in words."""
    block, passed = loss.block, {loss.name}
    ops, program = block.ops, block.program
    for at in reversed(range(len(ops))):
        op = ops[at]
        written = [name for name in op.output_arg_names if name in passed]
        if not written:
            continue
        stop = _stops(block._var_recursive(written[0]), op)
        if stop is None:
            passed.update(op.input_arg_names)
        elif _reads_parameters(program, ops[:at + 1], op):
            return stop
    for param in program.all_parameters():
        if param.name in passed:
            return ("%s is not to be trained, by its trainable, parameter_list or no_grad_set"
                    % param.name)
    return "%s depends on no parameter" % loss.name


def _after_op(block, callbacks):
    if not callbacks:
        return None
    for callback in callbacks:
        if not callable(callback):
            raise TypeError("callbacks must be functions")

    def call(op):
        for callback in callbacks:
            callback(block=block, context={"__current_op_desc__": op})
    return call


def append_backward(loss, parameter_list=None, no_grad_set=None, callbacks=None,
                    checkpoints=None):
    """Append the gradients of the loss; [(parameter, gradient)] of those it depends on."""
    if not isinstance(loss, Variable):
        raise TypeError("append_backward: loss is %s, and must be a Variable" % type(loss))
    points = _names(checkpoints, "checkpoints")
    block = loss.block
    program = block.program
    program._appending_grad_times += 1
    if parameter_list is not None:
        parameters = [program.global_block().var(name)
                      for name in _names(parameter_list, "parameter_list")]
    else:
        parameters = [p for p in program.all_parameters() if p.trainable]
    no_grad = _names(no_grad_set, "no_grad_set")
    no_grad += [p.name for p in program.all_parameters() if not p.trainable]
    pairs = program._append_backward_in(block.idx, loss.name, [p.name for p in parameters],
                                        no_grad, _after_op(block, callbacks), points,
                                        program._appending_grad_times)
    grads = []
    for param, (_, grad) in zip(parameters, pairs):
        if grad is not None:
            grads.append((param, block.var(grad)))
    return grads


def _as_list(x):
    if x is None:
        return []
    return list(x) if isinstance(x, (list, tuple)) else [x]


def gradients(targets, inputs, target_gradients=None, no_grad_set=None):
    """The gradients of the targets, weighted by target_gradients, by each input."""
    targets, inputs = _as_list(targets), _as_list(inputs)
    weights = _as_list(target_gradients)
    for name, given in (("targets", targets), ("inputs", inputs), ("target_gradients", weights)):
        for var in given:
            if not isinstance(var, Variable) and not (var is None and given is weights):
                raise TypeError("gradients: %s must be of Variables, not %s" % (name, type(var)))
    if weights and len(weights) != len(targets):
        raise ValueError("gradients: %d target_gradients for %d targets"
                         % (len(weights), len(targets)))
    block = targets[0].block
    for target, weight in zip(targets, weights):
        if weight is not None and tuple(weight.shape) != tuple(target.shape):
            raise ValueError("gradients: the weight of %s has the shape %s, and must have %s"
                             % (target.name, list(weight.shape), list(target.shape)))
    block.program._appending_grad_times += 1
    names = block.program._gradients_in(
        block.idx, [t.name for t in targets],
        ["" if w is None else w.name for w in weights], [x.name for x in inputs],
        _names(no_grad_set, "no_grad_set"), block.program._appending_grad_times)
    return [None if name is None else block.var(name) for name in names]


calc_gradient = gradients


