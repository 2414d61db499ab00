"""Recurrent layers."""
from ..._names import refused, why
from ..layer_helper import LayerHelper

__all__ = ["dynamic_gru", "gru_unit", "dynamic_lstm", "lstm_unit", "beam_search",
           "beam_search_decode", "rnn"]

# fluid.layers.rnn is the layer, which is not implemented, and not this module.
rnn = refused("rnn", why(__name__), __name__ + ".rnn")


def dynamic_gru(input, size, param_attr=None, bias_attr=None, is_reverse=False,
                gate_activation="sigmoid", candidate_activation="tanh", h_0=None,
                origin_mode=False):
    """Gated recurrent units over sequences; input is [total, 3 * size]."""
    helper = LayerHelper("gru", input=input, param_attr=param_attr, bias_attr=bias_attr)
    dtype = helper.input_dtype()
    inputs = {"Input": input,
              "Weight": helper.create_parameter(helper.param_attr, [size, 3 * size], dtype),
              "Bias": helper.create_parameter(helper.bias_attr, [1, 3 * size], dtype,
                                              is_bias=True)}
    if h_0 is not None:
        inputs["H0"] = h_0
    hidden = helper.create_variable_for_type_inference(dtype)
    outputs = {"Hidden": hidden}
    for slot in ("BatchGate", "BatchResetHiddenPrev", "BatchHidden"):
        outputs[slot] = helper.create_variable_for_type_inference(dtype)
    helper.append_op("gru", inputs, outputs,
                     {"is_reverse": is_reverse, "gate_activation": gate_activation,
                      "activation": candidate_activation, "origin_mode": origin_mode})
    return hidden


_ACTIVATIONS = {"identity": 0, "sigmoid": 1, "tanh": 2, "relu": 3}


def gru_unit(input, hidden, size, param_attr=None, bias_attr=None, activation="tanh",
             gate_activation="sigmoid", origin_mode=False):
    """One step; size is three times that of the state. (state, r * state before, gates)"""
    for act in (activation, gate_activation):
        if act not in _ACTIVATIONS:
            raise ValueError("gru_unit: activation %r; it can be %s"
                             % (act, ", ".join(sorted(_ACTIVATIONS))))
    helper = LayerHelper("gru_unit", input=input, param_attr=param_attr, bias_attr=bias_attr)
    dtype = helper.input_dtype()
    size = size // 3
    inputs = {"Input": input, "HiddenPrev": hidden,
              "Weight": helper.create_parameter(helper.param_attr, [size, 3 * size], dtype)}
    gate, reset, out = [helper.create_variable_for_type_inference(dtype) for _ in range(3)]
    if helper.bias_attr:
        inputs["Bias"] = helper.create_parameter(helper.bias_attr, [1, 3 * size], dtype,
                                                 is_bias=True)
    helper.append_op("gru_unit", inputs,
                     {"Gate": gate, "ResetHiddenPrev": reset, "Hidden": out},
                     {"activation": _ACTIVATIONS[activation],
                      "gate_activation": _ACTIVATIONS[gate_activation],
                      "origin_mode": origin_mode})
    return out, reset, gate


def dynamic_lstm(input, size, h_0=None, c_0=None, param_attr=None, bias_attr=None,
                 use_peepholes=True, is_reverse=False, gate_activation="sigmoid",
                 cell_activation="tanh", candidate_activation="tanh", dtype="float32", name=None):
    """Long short-term memory over sequences; size is four times that of the state, as wide as
    the input. (states, cells)"""
    if bias_attr is False:
        raise ValueError("dynamic_lstm: bias_attr must not be False; it has a bias always")
    helper = LayerHelper("lstm", input=input, param_attr=param_attr, bias_attr=bias_attr,
                         name=name)
    size = size // 4
    width = (7 if use_peepholes else 4) * size
    inputs = {"Input": input,
              "Weight": helper.create_parameter(helper.param_attr, [size, 4 * size], dtype),
              "Bias": helper.create_parameter(helper.bias_attr, [1, width], dtype, is_bias=True)}
    if h_0 is not None:
        inputs["H0"] = h_0
    if c_0 is not None:
        inputs["C0"] = c_0
    hidden, cell, gate, act = [helper.create_variable_for_type_inference(dtype)
                               for _ in range(4)]
    helper.append_op("lstm", inputs,
                     {"Hidden": hidden, "Cell": cell, "BatchGate": gate, "BatchCellPreAct": act},
                     {"use_peepholes": use_peepholes, "is_reverse": is_reverse,
                      "gate_activation": gate_activation, "cell_activation": cell_activation,
                      "candidate_activation": candidate_activation})
    return hidden, cell


def lstm_unit(x_t, hidden_t_prev, cell_t_prev, forget_bias=0.0, param_attr=None, bias_attr=None,
              name=None):
    """One step of long short-term memory, with the projection of x and h. (state, cell)"""
    from .. import layers
    helper = LayerHelper("lstm_unit", name=name)
    for what, var, rank in (("x_t", x_t, 2), ("hidden_t_prev", hidden_t_prev, 2),
                            ("cell_t_prev", cell_t_prev, 2)):
        if len(var.shape) != rank:
            raise ValueError("lstm_unit: %s must have %d dimensions, and has the shape %s"
                             % (what, rank, list(var.shape)))
    size = cell_t_prev.shape[1]
    joined = layers.concat(input=[x_t, hidden_t_prev], axis=1)
    projected = layers.fc(input=joined, size=4 * size, param_attr=param_attr,
                          bias_attr=bias_attr)
    cell = helper.create_variable_for_type_inference(x_t.dtype)
    hidden = helper.create_variable_for_type_inference(x_t.dtype)
    helper.append_op("lstm_unit", {"X": projected, "C_prev": cell_t_prev},
                     {"C": cell, "H": hidden}, {"forget_bias": float(forget_bias)})
    return hidden, cell


# ---- beam search ----

def beam_search(pre_ids, pre_scores, ids, scores, beam_size, end_id, level=0, is_accumulated=True,
                name=None, return_parent_idx=False):
    """One step: of all ways to go on from the prefixes of a source the beam_size best. (their
    ids, their scores), and with return_parent_idx which prefix each goes on from."""
    helper = LayerHelper("beam_search", name=name)
    selected_scores = helper.create_variable_for_type_inference(pre_scores.dtype)
    selected_ids = helper.create_variable_for_type_inference("int64")
    parents = helper.create_variable_for_type_inference("int32")
    inputs = {"pre_ids": pre_ids, "pre_scores": pre_scores, "scores": scores}
    if ids is not None:
        inputs["ids"] = ids
    helper.append_op("beam_search", inputs,
                     {"selected_ids": selected_ids, "selected_scores": selected_scores,
                      "parent_idx": parents},
                     {"level": level, "beam_size": beam_size, "end_id": end_id,
                      "is_accumulated": is_accumulated})
    if return_parent_idx:
        return selected_ids, selected_scores, parents
    return selected_ids, selected_scores


def beam_search_decode(ids, scores, beam_size, end_id, name=None):
    """(the sentences, the scores of their words) of arrays with what each step has selected; by
    source, the best first."""
    helper = LayerHelper("beam_search_decode", name=name)
    found = helper.create_variable_for_type_inference(ids.dtype)
    found_scores = helper.create_variable_for_type_inference(scores.dtype)
    helper.append_op("beam_search_decode", {"Ids": ids, "Scores": scores},
                     {"SentenceIds": found, "SentenceScores": found_scores},
                     {"beam_size": beam_size, "end_id": end_id})
    return found, found_scores
