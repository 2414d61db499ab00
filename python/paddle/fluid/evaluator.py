"""Metrics that add up in variables of the program; fluid.metrics is the newer way."""
import numpy

from . import unique_name
from .framework import Program
from .initializer import Constant
from .layer_helper import LayerHelper

__all__ = ["Accuracy", "ChunkEvaluator", "EditDistance", "DetectionMAP"]


class Evaluator:
    """Its states are persistable variables, which each run of the program adds to: reset()
    sets them to zero, and eval() is made of them."""

    def __init__(self, name, **kwargs):
        self.states = []
        self.metrics = []
        self.helper = LayerHelper(name, **kwargs)

    def _create_state(self, suffix, dtype, shape):
        state = self.helper.create_variable(
            name="_".join([unique_name.generate(self.helper.name), suffix]), persistable=True,
            dtype=dtype, shape=shape)
        self.states.append(state)
        return state

    def _states_in(self, program):
        block = program.global_block()
        return block, [block.create_var(name=state.name, shape=state.shape, dtype=state.dtype,
                                        persistable=True) for state in self.states]

    def reset(self, executor, reset_program=None):
        program = reset_program or Program()
        block, states = self._states_in(program)
        for var in states:
            Constant(0.0)(var, block)
        executor.run(program)

    def _sums(self, executor, eval_program):
        """What has been added up in each state, as floats."""
        program = eval_program or Program()
        _, states = self._states_in(program)
        return [float(value.sum()) for value in executor.run(program, fetch_list=states)]

    def eval(self, executor, eval_program=None):
        raise NotImplementedError()


def _add(state, value):
    LayerHelper("sum").append_op("sum", {"X": [state, value]}, {"Out": [state]})


class Accuracy(Evaluator):
    """Accuracy of the k best, over all batches since reset(); of Fluid 0.11 and 0.12."""

    def __init__(self, input, label, k=1, **kwargs):
        from . import layers
        super().__init__("accuracy", **kwargs)
        self.total = self._create_state("total", "int64", [1])
        self.correct = self._create_state("correct", "int64", [1])
        block = self.helper.main_program.current_block()
        total, correct = (block.create_var(dtype=dtype) for dtype in ("int32", "int32"))
        accuracy = layers.accuracy(input=input, label=label, k=k, total=total, correct=correct)
        _add(self.total, layers.cast(total, dtype="int64"))
        _add(self.correct, layers.cast(correct, dtype="int64"))
        self.metrics.append(accuracy)

    def eval(self, executor, eval_program=None):
        total, correct = self._sums(executor, eval_program)
        if not total:
            raise ValueError("Accuracy: there is nothing to average; no batch has been run since "
                             "reset()")
        return numpy.array([correct / total], "float32")


class ChunkEvaluator(Evaluator):
    """(precision, recall, F1) of chunks, over all batches since reset()."""

    def __init__(self, input, label, chunk_scheme, num_chunk_types, excluded_chunk_types=None):
        from . import layers
        super().__init__("chunk_eval")
        names = ("num_infer_chunks", "num_label_chunks", "num_correct_chunks")
        states = [self._create_state(name, "int64", [1]) for name in names]
        self.num_infer_chunks, self.num_label_chunks, self.num_correct_chunks = states
        out = layers.chunk_eval(input=input, label=label, chunk_scheme=chunk_scheme,
                                num_chunk_types=num_chunk_types,
                                excluded_chunk_types=excluded_chunk_types)
        for state, value in zip(states, out[3:]):
            _add(state, value)
        self.metrics.extend(out[:3])

    def eval(self, executor, eval_program=None):
        infer, label, correct = self._sums(executor, eval_program)
        precision = correct / infer if infer else 0.0
        recall = correct / label if label else 0.0
        f1 = 2 * precision * recall / (precision + recall) if correct else 0.0
        return tuple(numpy.array([v], "float32") for v in (precision, recall, f1))


class EditDistance(Evaluator):
    """(mean distance, share of sequences that are not right), over all batches since reset()."""

    def __init__(self, input, label, ignored_tokens=None, **kwargs):
        from . import layers
        super().__init__("edit_distance", **kwargs)
        self.total_distance = self._create_state("total_distance", "float32", [1])
        self.seq_num = self._create_state("seq_num", "int64", [1])
        self.instance_error = self._create_state("instance_error", "int64", [1])
        distances, count = layers.edit_distance(input=input, label=label,
                                                ignored_tokens=ignored_tokens)
        zero = layers.fill_constant(shape=[1], value=0.0, dtype="float32")
        right = layers.reduce_sum(layers.cast(layers.equal(distances, zero), dtype="int64"))
        wrong = layers.elementwise_sub(x=count, y=right)
        total = layers.reduce_sum(distances)
        _add(self.total_distance, total)
        _add(self.seq_num, count)
        _add(self.instance_error, wrong)
        self.metrics.extend([total, wrong])

    def eval(self, executor, eval_program=None):
        distance, count, wrong = self._sums(executor, eval_program)
        if not count:
            raise ValueError("EditDistance: there is nothing to average; no batch has been run "
                             "since reset()")
        return (numpy.array([distance / count], "float32"),
                numpy.array([wrong / count], "float32"))


class DetectionMAP:
    """Detection is not among what Regatta trains: its ops are not there."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError("fluid.evaluator.DetectionMAP: the op detection_map is not "
                                  "implemented")
