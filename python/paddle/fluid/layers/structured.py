"""Layers whose outputs are whole sequences of labels: conditional random fields, chunks, CTC."""
from ..layer_helper import LayerHelper

__all__ = ["linear_chain_crf", "crf_decoding", "chunk_eval", "ctc_greedy_decoder"]


def linear_chain_crf(input, label, param_attr=None, length=None):
    """The cost of each sequence of labels under a conditional random field over the scores `input`,
    sequences, or with `length` [n, time, tags]. Its parameter is [tags + 2, tags]: scores of the
    first tag, of the last one, and of each after each."""
    helper = LayerHelper("linear_chain_crf", input=input, param_attr=param_attr)
    size = input.shape[2] if length is not None else input.shape[1]
    dtype = helper.input_dtype()
    inputs = {"Emission": [input], "Label": [label],
              "Transition": helper.create_parameter(helper.param_attr, [size + 2, size], dtype)}
    if length is not None:
        inputs["Length"] = [length]
    alpha, emissions, transitions, cost = [helper.create_variable_for_type_inference(dtype)
                                           for _ in range(4)]
    helper.append_op("linear_chain_crf", inputs,
                     {"Alpha": [alpha], "EmissionExps": [emissions],
                      "TransitionExps": [transitions], "LogLikelihood": cost})
    return cost


def crf_decoding(input, param_attr, label=None, length=None):
    """The most probable tags, by the parameter that linear_chain_crf has trained; with a label,
    whether each is right."""
    helper = LayerHelper("crf_decoding", input=input, param_attr=param_attr)
    inputs = {"Emission": [input], "Transition": helper.get_parameter(helper.param_attr.name)}
    if label is not None:
        inputs["Label"] = [label]
    if length is not None:
        inputs["Length"] = [length]
    path = helper.create_variable_for_type_inference("int64")
    helper.append_op("crf_decoding", inputs, {"ViterbiPath": [path]})
    return path


def chunk_eval(input, label, chunk_scheme, num_chunk_types, excluded_chunk_types=None,
               seq_length=None):
    """(precision, recall, F1, chunks in input, chunks in label, chunks in both)"""
    helper = LayerHelper("chunk_eval")
    values = [helper.create_variable_for_type_inference("float32") for _ in range(3)]
    counts = [helper.create_variable_for_type_inference("int64") for _ in range(3)]
    inputs = {"Inference": [input], "Label": [label]}
    if seq_length is not None:
        inputs["SeqLength"] = [seq_length]
    helper.append_op("chunk_eval", inputs,
                     {"Precision": [values[0]], "Recall": [values[1]], "F1-Score": [values[2]],
                      "NumInferChunks": [counts[0]], "NumLabelChunks": [counts[1]],
                      "NumCorrectChunks": [counts[2]]},
                     {"num_chunk_types": num_chunk_types, "chunk_scheme": chunk_scheme,
                      "excluded_chunk_types": excluded_chunk_types or []})
    return tuple(values + counts)


def ctc_greedy_decoder(input, blank, input_length=None, padding_value=0, name=None):
    """What the best symbol of each step says, with repeats made one and blanks left out; with
    input_length also how long that is."""
    from .classify import topk
    from .shape import squeeze
    helper = LayerHelper("ctc_greedy_decoder", name=name)
    _, best = topk(input, k=1)
    out = helper.create_variable_for_type_inference("int64")
    attrs = {"merge_repeated": True, "blank": blank}
    if input_length is None:
        helper.append_op("ctc_align", {"Input": [best]}, {"Output": [out]}, attrs)
        return out
    length = helper.create_variable_for_type_inference("int64")
    helper.append_op("ctc_align",
                     {"Input": [squeeze(best, [2])], "InputLength": [input_length]},
                     {"Output": [out], "OutputLength": [length]},
                     dict(attrs, padding_value=padding_value))
    return out, length
