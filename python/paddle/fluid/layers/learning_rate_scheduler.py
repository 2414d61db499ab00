"""Learning rates that change as training goes on.

Each adds ops that compute the rate from a counter of steps, @LR_DECAY_COUNTER@, which all
schedules of a program share. The first step sees 0 (noam_decay: 1). In a distributed job
these ops run where the parameters are updated."""
import math

from .. import layers
from ..framework import Variable, default_main_program
from ..initializer import Constant
from ..layer_helper import LayerHelper

__all__ = ["exponential_decay", "natural_exp_decay", "inverse_time_decay", "polynomial_decay",
           "piecewise_decay", "noam_decay", "cosine_decay", "linear_lr_warmup",
           "autoincreased_step_counter"]


def autoincreased_step_counter(counter_name=None, begin=1, step=1):
    """An int64 that starts from begin - 1 and grows by `step` in each run of the program: with
    a step of 1, the first run sees `begin`."""
    helper = LayerHelper("global_step_counter")
    counter, is_new = helper.create_or_get_global_variable(
        name="@STEP_COUNTER@" if counter_name is None else counter_name, dtype="int64", shape=[1],
        persistable=True)
    if is_new:
        helper.set_variable_initializer(counter, Constant(value=begin - 1, force_cpu=True))
        helper.main_program.global_block()._prepend_op(
            "increment", {"X": [counter]}, {"Out": [counter]}, {"step": float(step)})
        counter.stop_gradient = True
    return counter


def _decay_step_counter(begin=0):
    counter = autoincreased_step_counter("@LR_DECAY_COUNTER@", begin=begin, step=1)
    return layers.cast(counter, "float32")


def _scheduled():
    return default_main_program()._lr_schedule_guard()


def _periods(decay_steps, staircase):
    """Steps so far by decay_steps, whole ones alone if staircase."""
    periods = _decay_step_counter() / decay_steps
    return layers.floor(periods) if staircase else periods


def exponential_decay(learning_rate, decay_steps, decay_rate, staircase=False):
    """learning_rate * decay_rate^(t / decay_steps)"""
    with _scheduled():
        return learning_rate * (decay_rate ** _periods(decay_steps, staircase))


def natural_exp_decay(learning_rate, decay_steps, decay_rate, staircase=False):
    """learning_rate * e^(-decay_rate * t / decay_steps)"""
    with _scheduled():
        return learning_rate * layers.exp(-1 * decay_rate * _periods(decay_steps, staircase))


def inverse_time_decay(learning_rate, decay_steps, decay_rate, staircase=False):
    """learning_rate / (1 + decay_rate * t / decay_steps)"""
    with _scheduled():
        return learning_rate / (1 + decay_rate * _periods(decay_steps, staircase))


def polynomial_decay(learning_rate, decay_steps, end_learning_rate=0.0001, power=1.0,
                     cycle=False):
    """From learning_rate to end_learning_rate in decay_steps, there to stay or, if cycle, to
    begin again with a longer period."""
    with _scheduled():
        step = _decay_step_counter()
        if cycle:
            cycles = layers.ceil(step / decay_steps)
            zero = layers.fill_constant(shape=[1], dtype="float32", value=0.0)
            one = layers.fill_constant(shape=[1], dtype="float32", value=1.0)
            with layers.Switch() as switch:
                with switch.case(step == zero):
                    layers.assign(input=one, output=cycles)
            decay_steps = decay_steps * cycles
        else:
            last = layers.fill_constant(shape=[1], dtype="float32", value=float(decay_steps))
            step = layers.elementwise_min(x=step, y=last)
        return (learning_rate - end_learning_rate) * ((1 - step / decay_steps) ** power) + \
            end_learning_rate


def piecewise_decay(boundaries, values):
    """values[i] until step boundaries[i], and the last value from the last boundary on."""
    if len(values) - len(boundaries) != 1:
        raise ValueError("len(values) - len(boundaries) should be 1")
    with _scheduled():
        step = _decay_step_counter()
        rate = layers.create_global_var(shape=[1], value=0.0, dtype="float32", persistable=True,
                                        name="learning_rate")
        with layers.Switch() as switch:
            for boundary, value in zip(boundaries, values):
                until = layers.fill_constant(shape=[1], dtype="float32", value=float(boundary),
                                             force_cpu=True)
                value = layers.fill_constant(shape=[1], dtype="float32", value=float(value))
                with switch.case(step < until):
                    layers.assign(value, rate)
            last = layers.fill_constant(shape=[1], dtype="float32", value=float(values[-1]))
            with switch.default():
                layers.assign(last, rate)
        return rate


def noam_decay(d_model, warmup_steps, learning_rate=1.0):
    """learning_rate * d_model^-0.5 * min(t^-0.5, t * warmup_steps^-1.5)"""
    with _scheduled():
        step = _decay_step_counter(1)
        falling = step ** -0.5
        rising = (warmup_steps ** -1.5) * step
        return learning_rate * (d_model ** -0.5) * layers.elementwise_min(falling, rising)


def cosine_decay(learning_rate, step_each_epoch, epochs):
    """learning_rate / 2 * (cos(pi * epoch / epochs) + 1), the same within an epoch"""
    with _scheduled():
        epoch = layers.floor(_decay_step_counter() / step_each_epoch)
        return learning_rate * 0.5 * (layers.cos(epoch * math.pi / epochs) + 1)


def linear_lr_warmup(learning_rate, warmup_steps, start_lr, end_lr):
    """From start_lr to end_lr in warmup_steps, and then learning_rate: a number or a
    schedule."""
    if not isinstance(learning_rate, (Variable, float, int)):
        raise TypeError("linear_lr_warmup: learning_rate is %s, and must be a number or a Variable"
                        % type(learning_rate))
    slope = float(end_lr) - float(start_lr)
    with _scheduled():
        rate = layers.create_global_var(shape=[1], value=0.0, dtype="float32", persistable=True,
                                        name="learning_rate_warmup")
        step = _decay_step_counter()
        with layers.Switch() as switch:
            with switch.case(step < warmup_steps):
                layers.assign(start_lr + slope * (step / float(warmup_steps)), rate)
            with switch.default():
                if not isinstance(learning_rate, Variable):
                    learning_rate = layers.fill_constant(shape=[1], dtype="float32",
                                                         value=float(learning_rate))
                layers.assign(learning_rate, rate)
        return rate
