"""Evaluators that print what layers hold, for each batch: to stdout, or to a file."""
import collections

import numpy as np

import paddle.fluid as fluid

from .graph import ConfigError, Evaluator, as_layers, layer_function, layer_name

__all__ = ["value_printer_evaluator", "gradient_printer_evaluator", "maxid_printer_evaluator",
           "maxframe_printer_evaluator", "seqtext_printer_evaluator",
           "classification_error_printer_evaluator", "wrong_rows"]


def _printer(name, kind, inputs, build):
    """An evaluator without figures."""
    def built(net, *values):
        build(net, *values)
        return []
    return Evaluator(name, kind, inputs, built, lambda sums: collections.OrderedDict())


def _show(layer, value, what, phase="forward"):
    return fluid.layers.Print(value, message="layer=%s %s" % (layer.name, what), summarize=-1,
                              print_tensor_name=False, print_tensor_type=False, print_phase=phase)


def wrong_rows(p, label, top_k=None, threshold=None):
    """For each row whether it is wrong, 1 or 0; see classification_error_evaluator."""
    if p.shape[1] != 1 and label.dtype == fluid.core.VarDesc.VarType.INT64:
        k = top_k or 1
        _, best = fluid.layers.topk(p, k=k)
        right = fluid.layers.cast(fluid.layers.equal(best, fluid.layers.expand(label, [1, k])),
                                  "float32")
        right = fluid.layers.reduce_sum(right, dim=1, keep_dim=True)
        return fluid.layers.scale(right, -1.0, bias=1.0)
    bound = fluid.layers.fill_constant([1], "float32", 0.5 if threshold is None else threshold)
    said = fluid.layers.cast(fluid.layers.greater_than(p, fluid.layers.elementwise_add(
        fluid.layers.zeros_like(p), bound)), "float32")
    differ = fluid.layers.abs(fluid.layers.elementwise_sub(
        said, fluid.layers.cast(label, "float32")))
    return fluid.layers.reduce_mean(differ, dim=1, keep_dim=True)


@layer_function
def value_printer_evaluator(input, name=None):
    """What layers hold."""
    inputs = as_layers(input)

    def build(net, *values):
        for layer, value in zip(inputs, values):
            _show(layer, value, "value")
    return _printer(layer_name(name, "value_printer_evaluator"), "value_printer", inputs, build)


def _print_between(net, layer, value):
    """Whoever reads the value reads it through a print, which shows the gradient that comes
    back."""
    block = value.block
    readers = [op for op in block.ops if value.name in op.input_arg_names]
    shown = _show(layer, value, "gradient", "backward")
    at = next((i for i, op in enumerate(block.ops) if value.name in op.output_arg_names), -1)
    last = block.ops[-1]
    attrs = {key: last.attr(key) for key in last.attr_names if not key.startswith("op_")}
    block._remove_op(len(block.ops) - 1)
    block._insert_op(at + 1, type="print", inputs={"In": [value]}, outputs={"Out": [shown]},
                     attrs=attrs)
    for op in readers:
        op._rename_input(value.name, shown.name)
    net.replace(layer, shown)


@layer_function
def gradient_printer_evaluator(input, name=None):
    """The gradients of layers' values."""
    inputs = as_layers(input)

    def build(net, *values):
        for layer, value in zip(inputs, values):
            _print_between(net, layer, value)
    return _printer(layer_name(name, "gradient_printer_evaluator"), "gradient_printer", inputs,
                    build)


@layer_function
def maxid_printer_evaluator(input, num_results=None, name=None):
    """The num_results (1) largest columns of each row."""
    inputs = as_layers(input)

    def build(net, *values):
        for layer, value in zip(inputs, values):
            most, ids = fluid.layers.topk(value, k=num_results or 1)
            _show(layer, ids, "max ids")
            _show(layer, most, "max values")
    return _printer(layer_name(name, "maxid_printer_evaluator"), "max_id_printer", inputs, build)


@layer_function
def maxframe_printer_evaluator(input, num_results=None, name=None):
    """The num_results (1) steps of each sequence with the largest numbers, of layers of size 1."""
    name = layer_name(name, "maxframe_printer_evaluator")
    inputs = as_layers(input)
    for layer in inputs:
        if layer.size != 1:
            raise ConfigError("evaluator %r: the layer %r has size %s, and must have 1"
                              % (name, layer.name, layer.size))

    def build(net, *values):
        for layer, value in zip(inputs, values):
            helper = fluid.layer_helper.LayerHelper("sequence_top_k")
            best = helper.create_variable_for_type_inference("float32")
            helper.append_op(type="sequence_top_k", inputs={"X": [value]},
                             outputs={"Out": [best]}, attrs={"k": num_results or 1})
            _show(layer, best, "max frames")
    return _printer(name, "max_frame_printer", inputs, build)


@layer_function
def classification_error_printer_evaluator(input, label, threshold=0.5, name=None):
    """For each example whether it is wrong."""
    def build(net, p, ids):
        _show(input, wrong_rows(p, ids, threshold=threshold), "classification error")
    return _printer(layer_name(name, "classification_error_printer_evaluator"),
                    "classification_error_printer", [input, label], build)


class _SequenceText:
    """Lines of a file: a sample's id, a tab, its words. A nested sequence has a line for each
    sub-sequence, the id on the first one. What beam_search has generated has the score, too; where
    it gives several sentences for a sample, they stand under its id, each with its number and
    score, and an empty line ends them."""

    def __init__(self, path, dict_file, delimited, results):
        self.path, self.file, self.count = path, None, 0
        self.results = results  # sentences for a sample; 0: of no beam_search
        self.between = " " if delimited is None or delimited else ""
        self.words = None
        if dict_file is not None:
            with open(dict_file, encoding="utf-8") as lines:
                self.words = [line.rstrip("\n").split("\t")[0] for line in lines]

    def write(self, ids, scores, samples):
        if self.file is None:
            self.file = open(self.path, "w", encoding="utf-8")
        numbers, at = np.array(ids).reshape(-1).tolist(), 0
        lengths = ids.recursive_sequence_lengths() or [[1] * len(numbers)]
        parts = []  # of the lowest level
        for n in lengths[-1]:
            parts.append(numbers[at:at + n])
            at += n
        counts, at = lengths[0] if len(lengths) > 1 else [1] * len(parts), 0
        for i, n in enumerate(counts):
            sample = self.count if samples is None else int(np.array(samples).reshape(-1)[i])
            self.count += 1
            self._write_sample(sample, parts[at:at + n],
                               None if scores is None else np.array(scores)[i])
            at += n
        self.file.flush()

    def _write_sample(self, sample, parts, scores):
        if self.results > 1:
            self.file.write("%s\n" % sample)
            numbers, k = parts[0], 0
            while numbers:
                n = numbers[0]
                self.file.write("%d\t%g\t%s\n" % (k, scores[k], self._text(numbers[1:1 + n])))
                numbers, k = numbers[n + 2:], k + 1
            self.file.write("\n")
            return
        score = "" if scores is None else "%g " % scores[0]
        for k, numbers in enumerate(parts):
            self.file.write("%s\t%s%s\n" % (sample if k == 0 else "", score, self._text(numbers)))

    def _text(self, numbers):
        return self.between.join(self._word(n) for n in numbers)

    def _word(self, n):
        if self.words is None:
            return str(n)
        if not 0 <= n < len(self.words):
            raise ConfigError("%s: id %d is not in the dictionary, which has %d words"
                              % (self.path, n, len(self.words)))
        return self.words[n]


@layer_function
def seqtext_printer_evaluator(input, result_file, id_input=None, dict_file=None, delimited=None,
                              name=None):
    """Sequences of ids as text, a line each, in result_file: a sample's id (of id_input, or
    its number), a tab, and its words (of dict_file, a line each, or the ids)."""
    name = layer_name(name, "seqtext_printer_evaluator")
    if not isinstance(result_file, str):
        raise ConfigError("evaluator %r: result_file is %r, and must be a path"
                          % (name, result_file))
    inputs = as_layers(input) + ([] if id_input is None else as_layers(id_input, "id_input"))
    if len(inputs) != 1 + (id_input is not None):
        raise ConfigError("evaluator %r: it prints one layer; make one for each" % name)
    generated = "prob" in inputs[0].outputs

    def build(net, ids, *samples):
        scores = [net.kept(inputs[0], "prob")] if generated else []
        writer = _SequenceText(result_file, dict_file, delimited,
                               scores[0].shape[1] if generated else 0)

        def write(found, *more):
            more = list(more)
            writer.write(found, more.pop(0) if generated else None, more[0] if more else None)
        fluid.layers.py_func(write, [ids] + scores + list(samples), None)
    return _printer(name, "seq_text_printer", inputs, build)
