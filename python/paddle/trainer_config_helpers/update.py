"""The settings of a model as ops of its program: the learning rate, and one update for each
parameter, each with its own rates, clipping and regularisation."""
import paddle.fluid as fluid
from paddle.fluid import unique_name

from .graph import ConfigError
from .optimizers import MomentumOptimizer

__all__ = ["append_updates", "BATCH_VAR", "PASS_VAR"]

BATCH_VAR = "@SAMPLES@"  # fed with the number of samples of a batch, where a schedule counts them
PASS_VAR = "@PASS@"


def append_updates(network, settings, params_grads, on_servers=False):
    """To the program and startup program that are being built. What the learning rate's schedule
    has to be fed comes back, as names; on servers nothing can be fed."""
    needs = [] if on_servers else _feed_needs(settings)
    if on_servers and settings.learning_rate_schedule == "pass_manual":
        raise NotImplementedError("learning_rate_schedule='pass_manual': servers do not know the "
                                  "pass; use 'manual', which counts samples")
    rate = _learning_rate(settings, needs)
    for param, grad in params_grads:
        if grad is not None and param.trainable:
            _append_update(network.parameters[param.name], settings, param, grad, rate)
    return needs


def _feed_needs(settings):
    if settings.is_constant:
        return []
    return [PASS_VAR] if settings.learning_rate_schedule == "pass_manual" else [BATCH_VAR]


def _learning_rate(settings, needs):
    if settings.is_constant:
        return fluid.layers.create_global_var([1], settings.learning_rate, "float32",
                                              persistable=True, name="learning_rate")
    program = fluid.default_main_program()
    with program._lr_schedule_guard():
        block = program.global_block()
        samples = fluid.layers.create_global_var([1], 0, "int64", persistable=True,
                                                 name="@LR_DECAY_COUNTER@")
        fed = {name: fluid.layers.data(name, [1], append_batch_size=False, dtype="int64")
               for name in needs}
        if BATCH_VAR in fed:
            block.append_op("sum", {"X": [samples, fed[BATCH_VAR]]}, {"Out": [samples]})
        else:  # steps, which a server turns into samples
            block.append_op("increment", {"X": [samples]}, {"Out": [samples]}, {"step": 1.0})
        rate = block.create_var(name="learning_rate", dtype="float32", shape=[1])
        inputs = {"Samples": [samples]}
        if PASS_VAR in fed:
            inputs["Pass"] = [fed[PASS_VAR]]
        block.append_op("v1_learning_rate", inputs, {"Out": [rate]}, {
            "schedule": settings.learning_rate_schedule, "rate": settings.learning_rate,
            "a": settings.learning_rate_decay_a, "b": settings.learning_rate_decay_b,
            "limits": settings.limits, "factors": settings.factors})
    return rate


def _own(value, otherwise):
    return otherwise if value is None else value


def _attrs_of(config, settings):
    """The attributes of a parameter's update that are not of the rule alone."""
    attr, method = config.attr, settings.learning_method
    l1, l2 = _own(attr.l1_rate, settings.l1), _own(attr.l2_rate, settings.l2)
    is_adam = method.op in ("v1_adam", "v1_adamax")
    momentum = _own(attr.momentum, getattr(method, "momentum", 0.0))
    if momentum and is_adam:
        raise ConfigError("the parameter %r has momentum=%g, and %s has none: it keeps a mean of "
                          "its own" % (config.name, momentum, type(method).__name__))
    if attr.update_hooks:
        raise NotImplementedError("the parameter %r has update_hooks: pruning while a model learns "
                                  "is not supported; leave update_hooks out" % config.name)
    # v1 has the decay in the gradient, unless it must wait for rows or follows L1.
    after = is_adam or l1 > 0 or attr.sparse_update
    attrs = {"factor": _own(attr.learning_rate, 1.0), "mu": momentum, "l1": l1,
             "clip": attr.gradient_clipping_threshold or settings.clip,
             "decay": 0.0 if after else l2, "shrink": l2 if after else 0.0}
    return {name: value for name, value in attrs.items()
            if value != (1.0 if name == "factor" else 0.0)}


def _append_update(config, settings, param, grad, rate):
    method, attrs = settings.learning_method, _attrs_of(config, settings)
    program = fluid.default_main_program()
    block = program.global_block()
    if method.op == "v1_momentum" and set(attrs) <= {"factor"}:
        _append_sgd(program, block, param, grad, rate, attrs.get("factor", 1.0))
        return
    inputs = {"Param": [param], "Grad": [grad], "LearningRate": [rate]}
    outputs = {"ParamOut": [param]}
    states = list(method.states) + ([("Velocity", 0.0)] if "mu" in attrs else [])
    for slot, start in states:
        inputs[slot] = outputs[slot + "Out"] = [_state(param, slot, start)]
    is_sparse = isinstance(method, MomentumOptimizer) and method.sparse and "mu" in attrs
    with program._optimized_guard([param, grad]):
        block.append_op("v1_sparse_momentum" if is_sparse else method.op, inputs, outputs,
                        dict(method.attrs(), **attrs))


def _append_sgd(program, block, param, grad, rate, factor):
    """Gradient descent as it is, which the executor fuses."""
    if factor != 1.0:
        with program._lr_schedule_guard(is_with_opt=True):
            rate = fluid.layers.scale(rate, scale=float(factor))
    with program._optimized_guard([param, grad]):
        block.append_op("sgd", {"Param": [param], "Grad": [grad], "LearningRate": [rate]},
                        {"ParamOut": [param]})


def _state(param, slot, start):
    shape = [1] if slot.endswith("Pow") else list(param.shape)
    name = unique_name.generate("%s_%s" % (param.name, slot.lower()))
    main = fluid.default_main_program().global_block()
    var = main.create_var(name=name, shape=shape, dtype="float32", persistable=True,
                          belong_to_optimizer=True)
    helper = fluid.layer_helper.LayerHelper("v1_update")
    helper.set_variable_initializer(var, fluid.initializer.Constant(float(start)))
    return var
