"""Evaluators: figures of merit, as sums over the examples of a pass. The program adds up a batch;
result() makes the figures of the totals, by the names that logs and metrics have. Those that print
have no figures (evaluator_printers.py)."""
import collections

import numpy as np

import paddle.fluid as fluid

from .evaluator_printers import (classification_error_printer_evaluator,
                                 gradient_printer_evaluator, maxframe_printer_evaluator,
                                 maxid_printer_evaluator, seqtext_printer_evaluator,
                                 value_printer_evaluator, wrong_rows)
from .graph import ConfigError, Evaluator, layer_function, layer_name

__all__ = ["evaluator_base", "classification_error_evaluator", "auc_evaluator",
           "pnpair_evaluator", "precision_recall_evaluator", "ctc_error_evaluator",
           "chunk_evaluator", "sum_evaluator", "column_sum_evaluator", "value_printer_evaluator",
           "gradient_printer_evaluator", "maxid_printer_evaluator", "maxframe_printer_evaluator",
           "seqtext_printer_evaluator", "classification_error_printer_evaluator"]


def _append(kind, inputs, outputs, attrs=None):
    """An op, and the variables of its outputs: [(slot, dtype)]."""
    helper = fluid.layer_helper.LayerHelper(kind)
    made = [helper.create_variable_for_type_inference(dtype) for _, dtype in outputs]
    helper.append_op(type=kind, inputs={slot: [value] for slot, value in inputs.items()},
                     outputs={slot: [var] for (slot, _), var in zip(outputs, made)},
                     attrs=attrs or {})
    return made


def _ones(like):
    """For each row of a column; fill_constant_batch_size_like has one for each sequence."""
    return fluid.layers.ones_like(like)


def _mean_evaluator(name, kind, inputs, weight, rows):
    """The mean over examples of rows(net, *values), a number for each, by weight."""
    inputs = list(inputs)

    def build(net, *values):
        counted = rows(net, *values[:len(inputs)])
        weights = values[len(inputs)] if weight is not None else _ones(counted)
        if weight is not None:
            counted = fluid.layers.elementwise_mul(counted, weights)
        return [fluid.layers.reduce_sum(counted), fluid.layers.reduce_sum(weights)]

    def result(sums):
        total, n = (float(np.sum(each)) for each in sums)
        return collections.OrderedDict([(name, total / n if n else 0.0)])

    return Evaluator(name, kind, inputs + ([] if weight is None else [weight]), build, result)


@layer_function
def classification_error_evaluator(input, label, name=None, weight=None, top_k=None,
                                   threshold=None):
    """The part of examples whose label is not among the top_k most probable. An input of size 1 is
    the probability of label 1, which is said above the threshold (0.5). With labels that are
    vectors of 0 and 1, the part of their numbers that are on the wrong side of it."""
    name = layer_name(name, "classification_error_evaluator")
    return _mean_evaluator(name, "classification_error", [input, label], weight,
                           lambda net, p, y: wrong_rows(p, y, top_k, threshold))


@layer_function
def sum_evaluator(input, name=None, weight=None):
    """The mean over examples of the sum of what they have."""
    name = layer_name(name, "sum_evaluator")
    return _mean_evaluator(name, "sum", [input], weight, lambda net, x: fluid.layers.reduce_sum(
        fluid.layers.cast(x, "float32"), dim=1, keep_dim=True))


@layer_function
def column_sum_evaluator(input, name=None, weight=None):
    """The mean over examples of their last column."""
    name = layer_name(name, "column_sum_evaluator")
    return _mean_evaluator(name, "last-column-sum", [input], weight,
                           lambda net, x: _last_column(fluid.layers.cast(x, "float32"), input))


def _last_column(value, layer):
    if layer.size == 1:
        return value
    return fluid.layers.slice(value, axes=[1], starts=[layer.size - 1], ends=[layer.size])


_BINS = 1 << 14  # of probabilities: the area is right to about 1 / _BINS


def _area(positive, negative):
    """Under the curve of true positives over false ones; inside a bin the two are even."""
    up = np.cumsum(positive[::-1].astype("float64"))
    across = np.cumsum(negative[::-1].astype("float64"))
    if not up.size or up[-1] <= 0 or across[-1] <= 0:
        return 0.0
    before = np.concatenate([[0.0], up[:-1]])
    steps = np.diff(np.concatenate([[0.0], across]))
    return float((steps * (up + before) / 2).sum() / (up[-1] * across[-1]))


@layer_function
def auc_evaluator(input, label, name=None, weight=None):
    """The area under the curve of the last column, the probability of a label that is not 0."""
    name = layer_name(name, "auc_evaluator")

    def build(net, p, ids, *weights):
        column = fluid.layers.clip(_last_column(p, input), 0.0, 1.0)
        bins = fluid.layers.cast(fluid.layers.scale(column, float(_BINS)), "int64")
        one = fluid.layers.cast(fluid.layers.not_equal(ids, fluid.layers.zeros_like(ids)), "float32")
        factors = weights[0] if weights else _ones(one)
        positive = fluid.layers.elementwise_mul(one, factors)
        counts = []
        for each in (positive, fluid.layers.elementwise_sub(factors, positive)):
            empty = fluid.layers.fill_constant([_BINS + 1, 1], "float32", 0.0)
            counts.append(fluid.layers.scatter(empty, fluid.layers.reshape(bins, [-1]), each,
                                               overwrite=False))
        return counts

    def result(sums):
        positive, negative = (np.asarray(each).reshape(-1) for each in sums)
        return collections.OrderedDict([(name, _area(positive, negative))])

    return Evaluator(name, "last-column-auc",
                     [input, label] + ([] if weight is None else [weight]), build, result)


def _count_pairs(rows):
    """Of rows with score, label, query and weight: pairs that are in order, and that are not."""
    kinds = (("score", "float32"), ("label", "float32"), ("query", "int64"), ("weight", "float32"))
    program = fluid.Program()
    with fluid.program_guard(program, fluid.Program()), fluid.unique_name.guard():
        score, label, query, weight = (fluid.layers.data(name, [1], dtype=kind)
                                       for name, kind in kinds)
        pairs = _append("positive_negative_pair",
                        {"Score": score, "Label": label, "QueryID": query, "Weight": weight},
                        [(slot, "float32") for slot in ("PositivePair", "NegativePair",
                                                        "NeutralPair")], {"column": 0})
    columns = {name: rows[:, i:i + 1].astype(kind) for i, (name, kind) in enumerate(kinds)}
    found = fluid.Executor(fluid.CPUPlace()).run(program, columns, pairs, scope=fluid.Scope())
    positive, negative, neutral = (float(each[0]) for each in found)
    # The op counts pairs of equal scores as negative, too; v1 does not.
    return positive, negative - neutral


@layer_function
def pnpair_evaluator(input, label, info, name=None, weight=None):
    """How many pairs of examples of one query (info) the last column has in the labels' order, over
    how many it has not. Queries are of the whole pass: all its rows are kept until then."""
    name = layer_name(name, "pnpair_evaluator")

    def build(net, score, labels, query, *weights):
        if score.lod_level:
            raise ConfigError("evaluator %r: its input %r is a sequence, and must be a row for "
                              "each example" % (name, input.name))
        score = _last_column(score, input)
        columns = [score, labels, query, weights[0] if weights else _ones(score)]
        return [fluid.layers.concat([fluid.layers.cast(each, "float64") for each in columns],
                                    axis=1)]

    def result(sums):
        positive, negative = _count_pairs(np.asarray(sums[0]))
        return collections.OrderedDict([(name, positive / (negative if negative > 0 else 1.0))])

    return Evaluator(name, "pnpair", [input, label, info] + ([] if weight is None else [weight]),
                     build, result, joins=True)


def _share(part, rest):
    return part / (part + rest) if part > 0 or rest > 0 else 1.0


def _f1(precision, recall):
    return 2 * precision * recall / (precision + recall) if precision > 0 or recall > 0 else 0.0


@layer_function
def precision_recall_evaluator(input, label, positive_label=None, weight=None, name=None):
    """Precision, recall and F1 of positive_label; without it of all labels: the mean over them
    (macro) and that of all examples together (micro)."""
    name = layer_name(name, "precision_recall_evaluator")
    if positive_label is not None and positive_label != -1 \
            and not 0 <= positive_label < input.size:
        raise ConfigError("evaluator %r: positive_label is %r, and %r has %d classes"
                          % (name, positive_label, input.name, input.size))

    def build(net, p, ids, *weights):
        most, best = fluid.layers.topk(p, k=1)
        inputs = {"MaxProbs": most, "Indices": best, "Labels": ids}
        if weights:
            inputs["Weights"] = weights[0]
        return _append("precision_recall", inputs,
                       [("BatchMetrics", "float64"), ("AccumMetrics", "float64"),
                        ("AccumStatesInfo", "float32")], {"class_number": input.size})[2:]

    def figures(prefix, precision, recall):
        return [("%s.%sprecision" % (name, prefix), precision),
                ("%s.%srecall" % (name, prefix), recall),
                ("%s.%sF1-score" % (name, prefix), _f1(precision, recall))]

    def result(sums):
        classes = [[float(n) for n in row] for row in np.asarray(sums[0]).reshape(-1, 4)]
        if positive_label is not None and positive_label != -1:
            right, false, _, missed = classes[positive_label]
            return collections.OrderedDict(figures("", _share(right, false), _share(right, missed)))
        right, false, _, missed = (sum(column) for column in zip(*classes))
        return collections.OrderedDict(
            figures("macro-average-", sum(_share(c[0], c[1]) for c in classes) / len(classes),
                    sum(_share(c[0], c[3]) for c in classes) / len(classes))
            + figures("micro-average-", _share(right, false), _share(right, missed)))

    return Evaluator(name, "precision_recall",
                     [input, label] + ([] if weight is None else [weight]), build, result)


@layer_function
def ctc_error_evaluator(input, label, name=None):
    """How far the best path of each sequence is from its label, in changes over the longer length;
    the blank is the last class."""
    name = layer_name(name, "ctc_error_evaluator")

    def build(net, p, ids):
        _, best = fluid.layers.topk(p, k=1)
        return _append("ctc_error", {"Path": best, "Label": ids}, [("Sums", "float32")],
                       {"blank": input.size - 1})

    def result(sums):
        totals = [float(n) for n in np.asarray(sums[0]).reshape(-1)]
        kinds = ("error", "deletion_error", "insertion_error", "substitution_error",
                 "sequence_error")
        n = totals[5]
        return collections.OrderedDict(("%s.%s" % (name, kind), total / n if n else 0.0)
                                       for kind, total in zip(kinds, totals))

    return Evaluator(name, "ctc_edit_distance", [input, label], build, result)


@layer_function
def chunk_evaluator(input, label, chunk_scheme, num_chunk_types, name=None,
                    excluded_chunk_types=None):
    """Precision, recall and F1 of the chunks that `input`, a sequence of tags, has:
    crf_decoding_layer gives one. chunk_scheme: 'IOB', 'IOE', 'IOBES' or 'plain'."""
    name = layer_name(name, "chunk_evaluator")
    if chunk_scheme not in ("IOB", "IOE", "IOBES", "plain"):
        raise ConfigError("evaluator %r: chunk_scheme is %r, and may be IOB, IOE, IOBES or plain"
                          % (name, chunk_scheme))

    def build(net, found, ids):
        found = net.ids_of(input, found)
        return list(fluid.layers.chunk_eval(found, ids, chunk_scheme, num_chunk_types,
                                            excluded_chunk_types)[3:])

    def result(sums):
        found, wanted, right = (float(np.sum(each)) for each in sums)
        precision = right / found if found else 0.0
        recall = right / wanted if wanted else 0.0
        return collections.OrderedDict([
            ("%s.precision" % name, precision), ("%s.recall" % name, recall),
            ("%s.F1-score" % name, _f1(precision, recall))])

    return Evaluator(name, "chunk", [input, label], build, result)


_KINDS = {
    "classification_error": (classification_error_evaluator,
                             {"classification_threshold": "threshold", "top_k": "top_k",
                              "label": "label", "weight": "weight"}),
    "last-column-auc": (auc_evaluator, {"label": "label", "weight": "weight"}),
    "precision_recall": (precision_recall_evaluator,
                         {"label": "label", "weight": "weight",
                          "positive_label": "positive_label"}),
    "ctc_edit_distance": (ctc_error_evaluator, {"label": "label"}),
    "chunk": (chunk_evaluator, {"label": "label", "chunk_scheme": "chunk_scheme",
                                "num_chunk_types": "num_chunk_types",
                                "excluded_chunk_types": "excluded_chunk_types"}),
    "sum": (sum_evaluator, {"weight": "weight"}),
    "last-column-sum": (column_sum_evaluator, {"weight": "weight"}),
    "value_printer": (value_printer_evaluator, {}),
    "gradient_printer": (gradient_printer_evaluator, {}),
    "max_id_printer": (maxid_printer_evaluator, {"num_results": "num_results"}),
    "max_frame_printer": (maxframe_printer_evaluator, {"num_results": "num_results"}),
    "seq_text_printer": (seqtext_printer_evaluator,
                         {"result_file": "result_file", "dict_file": "dict_file",
                          "delimited": "delimited"}),
    "classification_error_printer": (classification_error_printer_evaluator,
                                     {"label": "label", "classification_threshold": "threshold"}),
}


@layer_function
def evaluator_base(input, type, label=None, weight=None, name=None, chunk_scheme=None,
                   num_chunk_types=None, classification_threshold=None, positive_label=None,
                   dict_file=None, result_file=None, num_results=None, delimited=None, top_k=None,
                   excluded_chunk_types=None):
    """The evaluator of a type by its name in v1's configs. pnpair has an input more: use
    pnpair_evaluator."""
    given = {key: value for key, value in locals().items()
             if key not in ("input", "type", "name") and value is not None}
    if type not in _KINDS:
        raise ConfigError("evaluator_base: type is %r, and may be %s" % (type, ", ".join(_KINDS)))
    function, takes = _KINDS[type]
    unknown = sorted(set(given) - set(takes))
    if unknown:
        raise ConfigError("evaluator_base: %s is not for evaluators of type %r"
                          % (unknown[0], type))
    return function(input=input, name=name,
                    **{takes[key]: value for key, value in given.items()})
