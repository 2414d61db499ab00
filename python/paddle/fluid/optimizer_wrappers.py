"""What stands around an optimizer: averages of parameters, lookahead, recomputation."""
import contextlib

from . import layers, unique_name
from .framework import Program, Variable, default_main_program, default_startup_program, \
    name_scope, program_guard
from .layer_helper import LayerHelper
from .optimizer import Optimizer

__all__ = ["ModelAverage", "ExponentialMovingAverage", "LookaheadOptimizer", "RecomputeOptimizer",
           "PipelineOptimizer"]


def _averaged(suffix):
    """[(parameter, a variable to set it aside in)] of those that take part in averages."""
    return [(param, param.block.create_var(
        name=unique_name.generate(suffix % param.name), dtype=param.dtype, persistable=False,
        stop_gradient=True))
        for param in default_main_program().global_block().all_parameters()
        if param.do_model_average is not False]


def _program_over(pairs, build):
    """A program that does build(block, parameter, aside) for each."""
    program = Program()
    with program_guard(program):
        block = program.global_block()
        for param, aside in pairs:
            build(block, block._clone_variable(param), block._clone_variable(aside))
    return program


def _restore(block, param, aside):
    layers.assign(input=aside, output=param)


class _Applied:
    """Parameters exchanged for their averages, and back."""

    @contextlib.contextmanager
    def apply(self, executor, need_restore=True):
        """with average.apply(exe): the parameters are their averages inside."""
        executor.run(self.apply_program)
        try:
            yield
        finally:
            if need_restore:
                self.restore(executor)

    def restore(self, executor):
        """Put the parameters back that apply() set aside."""
        executor.run(self.restore_program)


class ModelAverage(_Applied, Optimizer):
    """The mean of each parameter over a moving window of steps: at least min_average_window,
    at most max_average_window, and in between average_window_rate of all steps so far. Made
    after minimize(), it adds its sums to the program."""

    def __init__(self, average_window_rate, min_average_window=10000, max_average_window=10000,
                 regularization=None, name=None):
        super().__init__(0.0, regularization=regularization, name=name)
        self.average_window = average_window_rate
        self.min_average_window = min_average_window
        self.max_average_window = max_average_window
        self.params_grads = _averaged("%s.tmp")
        self.helper = LayerHelper(type(self).__name__)
        for param, aside in self.params_grads:
            with param.block.program._optimized_guard([param, aside]), name_scope("move_average"):
                self._append_average_accumulate_op(param)
        self.apply_program = _program_over(self.params_grads, self._average)
        self.restore_program = _program_over(self.params_grads, _restore)

    def _append_average_accumulate_op(self, param):
        names = ["sum_1", "sum_2", "sum_3", "num_accumulates", "old_num_accumulates",
                 "num_updates"]
        inputs, outputs = {"param": param}, {}
        for name in names:
            number = {"dtype": "int64", "shape": [1]} if name.startswith(("num", "old")) else {}
            state = self._add_accumulator(name, param, **number)
            inputs["in_" + name] = outputs["out_" + name] = state
        self.helper.append_op("average_accumulates", inputs, outputs,
                              {"average_window": self.average_window,
                               "min_average_window": self.min_average_window,
                               "max_average_window": self.max_average_window})

    def _average(self, block, param, aside):
        def state(name):
            return block._clone_variable(self._get_accumulator(name, param))
        layers.assign(input=param, output=aside)
        steps = layers.sums([state("num_accumulates"), state("old_num_accumulates")])
        total = layers.sums([state("sum_1"), state("sum_2"), state("sum_3")])
        steps = layers.cast(steps, "float32" if self._dtype is None else self._dtype)
        total = layers.cast(total, "float32" if self._dtype is None else self._dtype)
        block.append_op("elementwise_div", {"X": total, "Y": steps}, {"Out": param}, {"axis": -1})


class ExponentialMovingAverage(_Applied):
    """A running mean of each parameter: average = decay * average + (1 - decay) * parameter at
    every update(), which goes into the training program after minimize().

    With thres_steps, a counter of steps, the decay is min(decay, (1 + t) / (10 + t)). apply()
    divides by 1 - decay^t for the start from zero; the averages themselves stay as they are, so
    that training may go on after it (Paddle 1.8.5 leaves them divided)."""

    def __init__(self, decay=0.999, thres_steps=None, name=None):
        self._decay = decay
        self._thres_steps = thres_steps
        self._name = name if name is not None else ""
        self._decay_var = self._get_ema_decay()
        self._step_counter_name = "@EMA_STEP_COUNTER@"
        self._params_tmps = _averaged(self._name + "%s.ema_tmp")
        self._ema_vars = {}
        for param, aside in self._params_tmps:
            with param.block.program._optimized_guard([param, aside]), \
                    name_scope("moving_average"):
                self._ema_vars[param.name] = self._create_ema_vars(param)
        self.apply_program = self._apply_program()
        self.restore_program = _program_over(self._params_tmps, _restore)

    def _get_ema_decay(self):
        with default_main_program()._lr_schedule_guard():
            decay = layers.create_global_var(shape=[1], value=self._decay, dtype="float32",
                                             persistable=True, name="scheduled_ema_decay_rate")
            if self._thres_steps is not None:
                import numpy
                begin = (self._thres_steps + 1.0) / (self._thres_steps + 10.0)
                with layers.Switch() as switch:
                    with switch.case(begin < self._decay):
                        layers.assign(begin, decay)
                    with switch.default():
                        layers.assign(numpy.array([self._decay], dtype="float32"), decay)
        return decay

    def _create_ema_vars(self, param):
        return layers.create_global_var(name=unique_name.generate(self._name + param.name + "_ema"),
                                        shape=param.shape, value=0.0, dtype=param.dtype,
                                        persistable=True)

    def _apply_program(self):
        program = Program()
        with program_guard(program):
            block = program.global_block()
            steps = layers.create_global_var(name=self._step_counter_name, shape=[1], value=0,
                                             dtype="int64", persistable=True)
            steps = layers.cast(steps, "float32")
            decay = block._clone_variable(self._decay_var)
            power = layers.elementwise_pow(decay, steps)
            for param, aside in self._params_tmps:
                average = block._clone_variable(self._ema_vars[param.name])
                param, aside = block._clone_variable(param), block._clone_variable(aside)
                layers.assign(input=param, output=aside)
                with layers.Switch() as switch:
                    with switch.case(steps > 0):
                        layers.assign(output=param, input=average / (1.0 - power))
                    with switch.default():
                        layers.assign(input=average, output=param)
        return program

    def update(self):
        """Add the averages' step to the training program."""
        layers.autoincreased_step_counter(counter_name=self._step_counter_name)
        for param, aside in self._params_tmps:
            with param.block.program._optimized_guard([param, aside]), \
                    name_scope("moving_average"):
                average = self._ema_vars[param.name]
                now = average * self._decay_var + param * (1 - self._decay_var)
                layers.assign(input=now, output=average)


class LookaheadOptimizer:
    """The inner optimizer moves the parameters, and every k steps they go back part of the way:
    slow += alpha * (fast - slow), fast = slow."""

    def __init__(self, inner_optimizer, alpha=0.5, k=5):
        if inner_optimizer is None:
            raise ValueError("LookaheadOptimizer: there is no inner optimizer")
        if not 0.0 <= alpha <= 1.0:
            raise ValueError("LookaheadOptimizer: alpha is %r, and must be from 0 to 1" % (alpha,))
        if not isinstance(k, int) or k <= 0:
            raise ValueError("LookaheadOptimizer: k is %r, and must be a whole number above 0"
                             % (k,))
        self.inner_optimizer = inner_optimizer
        self.alpha = alpha
        self.k = k
        self.type = "lookahead"

    def minimize(self, loss, startup_program=None):
        done = self.inner_optimizer.minimize(loss, startup_program=startup_program)
        startup = startup_program or default_startup_program()
        with program_guard(loss.block.program, startup):
            self._look_ahead(loss.block, startup.global_block())
        return done

    def _look_ahead(self, block, startup):
        pairs = []
        for fast in block.program.global_block().all_parameters():
            slow = [b.create_var(name=fast.name + "@SLOW", shape=fast.shape, dtype=fast.dtype,
                                 persistable=True) for b in (block, startup)]
            startup.append_op("assign", {"X": startup.var(fast.name)}, {"Out": slow[1]})
            pairs.append((fast, slow[0]))
        k = layers.create_global_var(name="lookahead_k", shape=[1], value=int(self.k),
                                     dtype="int32", persistable=True)
        alpha = layers.create_global_var(name="lookahead_alpha", shape=[1],
                                         value=float(self.alpha), dtype="float32",
                                         persistable=True)
        step = layers.create_global_var(name="lookahead_step", shape=[1], value=0, dtype="int32",
                                        persistable=True)
        layers.increment(x=step, value=1.0, in_place=True)
        zero = layers.fill_constant(shape=[1], dtype="float32", value=0.0)
        one = layers.fill_constant(shape=[1], dtype="float32", value=1.0)
        since = layers.elementwise_mod(step, k)
        with layers.Switch() as switch:
            with switch.case(since == zero):
                for fast, slow in pairs:
                    moved = layers.elementwise_add(
                        layers.elementwise_mul(fast, alpha),
                        layers.elementwise_mul(slow, layers.elementwise_sub(one, alpha)))
                    layers.assign(input=moved, output=slow)
                    layers.assign(input=moved, output=fast)
            with switch.default():
                pass


class RecomputeOptimizer(Optimizer):
    """The inner optimizer, with less memory: what is made between checkpoints is not kept for the
    backward pass, but computed again there. The numbers are the same, dropout's included.

        optimizer = fluid.optimizer.RecomputeOptimizer(fluid.optimizer.Adam(1e-3))
        optimizer._set_checkpoints([hidden_1, hidden_2])
        optimizer.minimize(loss)
    """

    def __init__(self, optimizer):
        self._optimizer = optimizer
        self._checkpoints = None
        self._learning_rate = optimizer._learning_rate
        self._learning_rate_map = optimizer._learning_rate_map

    def _set_checkpoints(self, checkpoints):
        self._checkpoints = checkpoints

    def load(self, stat_dict):
        raise NotImplementedError("RecomputeOptimizer.load() is not implemented; use fluid.load()")

    def backward(self, loss, startup_program=None, parameter_list=None, no_grad_set=None,
                 callbacks=None):
        if not self._checkpoints:
            raise ValueError("RecomputeOptimizer: call _set_checkpoints() first")
        for point in self._checkpoints:
            if not isinstance(point, (Variable, str)):
                raise TypeError("RecomputeOptimizer: a checkpoint is %s, and must be a Variable or "
                                "its name" % type(point))
        return self._optimizer._backward(loss, startup_program, parameter_list, no_grad_set,
                                         callbacks, self._checkpoints)

    def apply_gradients(self, params_grads):
        return self._optimizer.apply_gradients(params_grads)

    def apply_optimize(self, loss, startup_program, params_grads):
        return self._optimizer.apply_optimize(loss, startup_program, params_grads)


class PipelineOptimizer:
    """Refused: a program is not cut into sections that run on devices of their own."""

    def __init__(self, optimizer, cut_list=None, place_list=None, concurrency_list=None,
                 queue_size=30, sync_steps=1, start_cpu_core_id=0):
        raise NotImplementedError(
            "PipelineOptimizer is not implemented: there is one kind of device here, so a program "
            "is not cut into sections; use the inner optimizer, and CPU_NUM or several trainers "
            "to use more cores")
