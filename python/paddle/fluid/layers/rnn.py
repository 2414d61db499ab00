"""Recurrent layers."""
from .. import unique_name
from ..core import VarDesc
from ..layer_helper import LayerHelper
from . import rnn_cells, rnn_decode
from .rnn_cells import *  # noqa: F401,F403
from .rnn_decode import *  # noqa: F401,F403

__all__ = ["dynamic_gru", "gru_unit", "dynamic_lstm", "dynamic_lstmp", "lstm", "lstm_unit",
           "beam_search", "beam_search_decode"] + rnn_cells.__all__ + rnn_decode.__all__


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


def dynamic_lstmp(input, size, proj_size, param_attr=None, bias_attr=None, use_peepholes=True,
                  is_reverse=False, gate_activation="sigmoid", cell_activation="tanh",
                  candidate_activation="tanh", proj_activation="tanh", dtype="float32", name=None,
                  h_0=None, c_0=None, cell_clip=None, proj_clip=None):
    """dynamic_lstm whose states are projected to proj_size. (projections, cells)"""
    if bias_attr is False:
        raise ValueError("dynamic_lstmp: bias_attr must not be False; it has a bias always")
    helper = LayerHelper("lstmp", input=input, param_attr=param_attr, bias_attr=bias_attr,
                         name=name)
    size = size // 4
    width = (7 if use_peepholes else 4) * size
    inputs = {"Input": input,
              "Weight": helper.create_parameter(helper.param_attr, [proj_size, 4 * size], dtype),
              "ProjWeight": helper.create_parameter(helper.param_attr, [size, proj_size], dtype),
              "Bias": helper.create_parameter(helper.bias_attr, [1, width], dtype, is_bias=True)}
    if h_0 is not None:
        inputs["H0"] = h_0
    if c_0 is not None:
        inputs["C0"] = c_0
    projection, cell, _, hidden, gate, act = [
        helper.create_variable_for_type_inference(dtype) for _ in range(6)]
    helper.append_op("lstmp", inputs,
                     {"Projection": projection, "Cell": cell, "BatchHidden": hidden,
                      "BatchGate": gate, "BatchCellPreAct": act},
                     {"use_peepholes": use_peepholes, "is_reverse": is_reverse,
                      "gate_activation": gate_activation, "cell_activation": cell_activation,
                      "candidate_activation": candidate_activation,
                      "proj_activation": proj_activation, "cell_clip": float(cell_clip or 0),
                      "proj_clip": float(proj_clip or 0)})
    return projection, cell


def lstm(input, init_h, init_c, max_len, hidden_size, num_layers, dropout_prob=0.0,
         is_bidirec=False, is_test=False, name=None, default_initializer=None, seed=-1):
    """Layers of long short-term memory over [steps, batch, width]. (outputs of all steps, last
    states, last cells)"""
    helper = LayerHelper("cudnn_lstm", name=name)
    dtype, width, directions = input.dtype, input.shape[-1], 2 if is_bidirec else 1
    count = sum(directions * 4 * hidden_size * (inside + hidden_size + 2)
                for inside in [width] + [directions * hidden_size] * (num_layers - 1))
    inputs = {"Input": input, "InitH": init_h, "InitC": init_c,
              "W": helper.create_parameter(helper.param_attr, [count], dtype,
                                           default_initializer=default_initializer)}
    out, last_h, last_c = [helper.create_variable_for_type_inference(dtype) for _ in range(3)]
    # Nothing is kept in it here; real Paddle's kernel wants it of a program that was saved.
    inputs["Cache"] = helper.create_variable(name=unique_name.generate("_generated_var"),
                                             persistable=True, type=VarDesc.VarType.RAW,
                                             stop_gradient=True)
    reserve = helper.create_variable(name=unique_name.generate(helper.name + ".reserve"),
                                     dtype=dtype, persistable=False, stop_gradient=True)
    helper.append_op("cudnn_lstm", inputs, {"Out": out, "last_h": last_h, "last_c": last_c,
                                            "Reserve": reserve},
                     {"max_len": max_len, "is_bidirec": is_bidirec, "input_size": width,
                      "hidden_size": hidden_size, "num_layers": num_layers, "is_test": is_test,
                      "dropout_prob": float(dropout_prob), "seed": seed})
    return out, last_h, last_c


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
