"""Ready-made networks over sequences."""
import math

from .activations import SequenceSoftmaxActivation, TanhActivation
from .graph import ConfigError, layer_function, layer_name
from .layers import (concat_layer, context_projection, expand_layer, fc_layer, first_seq,
                     full_matrix_projection, get_output_layer, gru_step_layer,
                     gru_step_naive_layer, grumemory, identity_projection, last_seq,
                     linear_comb_layer, lstm_step_layer, lstmemory, memory, mixed_layer,
                     pooling_layer, recurrent_group, scaling_layer, slope_intercept_layer)
from .layers.recurrent import state_size
from .poolings import SumPooling

__all__ = ["sequence_conv_pool", "text_conv_pool", "simple_lstm", "lstmemory_unit",
           "lstmemory_group", "gru_unit", "gru_group", "simple_gru", "simple_gru2",
           "bidirectional_gru", "bidirectional_lstm", "simple_attention", "dot_product_attention",
           "multi_head_attention"]


def _mixed(size, parts, name, bias_attr=None, **options):
    return mixed_layer(size, parts, name=name, bias_attr=bias_attr, **options)


@layer_function
def sequence_conv_pool(input, context_len, hidden_size, name=None, context_start=None,
                       pool_type=None, context_proj_layer_name=None, context_proj_param_attr=False,
                       fc_layer_name=None, fc_param_attr=None, fc_bias_attr=None, fc_act=None,
                       pool_bias_attr=None, fc_attr=None, context_attr=None, pool_attr=None):
    """Words with those around them, a fully connected layer, and the largest over each sequence."""
    name = layer_name(name, "sequence_conv_pooling")
    context = _mixed(
        input.size * context_len,
        context_projection(input, context_len, context_start, context_proj_param_attr),
        context_proj_layer_name or name + "_conv_proj", layer_attr=context_attr)
    hidden = fc_layer(context, hidden_size, name=fc_layer_name or name + "_conv_fc", act=fc_act,
                      param_attr=fc_param_attr, bias_attr=fc_bias_attr, layer_attr=fc_attr)
    return pooling_layer(hidden, pool_type, name=name, bias_attr=pool_bias_attr,
                         layer_attr=pool_attr)


text_conv_pool = sequence_conv_pool


# ---- long short-term memory ----

@layer_function
def simple_lstm(input, size, name=None, reverse=False, mat_param_attr=None, bias_param_attr=None,
                inner_param_attr=None, act=None, gate_act=None, state_act=None,
                mixed_layer_attr=None, lstm_cell_attr=None):
    """lstmemory with the matrix before it."""
    name = layer_name(name, "lstm")
    projected = _mixed(4 * size, full_matrix_projection(input, param_attr=mat_param_attr),
                       "lstm_transform_%s" % name, layer_attr=mixed_layer_attr)
    return lstmemory(projected, name=name, reverse=reverse, act=act, gate_act=gate_act,
                     state_act=state_act, bias_attr=bias_param_attr, param_attr=inner_param_attr,
                     layer_attr=lstm_cell_attr)


def _one_of(name, what, now, before):
    if now is not None and before is not None:
        raise ConfigError("lstm %r: input_proj_%s and mixed_%s are one thing; give one of them"
                          % (name, what, what))
    return before if now is None else now


@layer_function
def lstmemory_unit(input, out_memory=None, name=None, size=None, param_attr=None, act=None,
                   gate_act=None, state_act=None, input_proj_bias_attr=None,
                   input_proj_layer_attr=None, lstm_bias_attr=None, lstm_layer_attr=None,
                   mixed_bias_attr=None, mixed_layer_attr=None, get_output_layer_attr=None):
    """One step of lstmemory, inside a recurrent group, with its memories. out_memory: the memory of
    the output, where the caller has made it. The last three are v0.10's: its names of the
    attributes of the input's projection, and those of the layer that is the cell."""
    name = layer_name(name, "lstm_unit")
    input_proj_bias_attr = _one_of(name, "bias_attr", input_proj_bias_attr, mixed_bias_attr)
    input_proj_layer_attr = _one_of(name, "layer_attr", input_proj_layer_attr, mixed_layer_attr)
    size = state_size(name, input, 4, size)
    output = memory(name, size) if out_memory is None else out_memory
    state = memory("%s_state" % name, size)
    joined = _mixed(4 * size, [identity_projection(input),
                               full_matrix_projection(output, param_attr=param_attr)],
                    "%s_input_recurrent" % name, input_proj_bias_attr,
                    layer_attr=input_proj_layer_attr)
    made = lstm_step_layer(joined, state, name=name, size=size, act=act, gate_act=gate_act,
                           state_act=state_act, bias_attr=lstm_bias_attr,
                           layer_attr=lstm_layer_attr)
    get_output_layer(made, "state", name="%s_state" % name, layer_attr=get_output_layer_attr)
    return made


@layer_function
def lstmemory_group(input, size=None, name=None, out_memory=None, reverse=False, param_attr=None,
                    act=None, gate_act=None, state_act=None, input_proj_bias_attr=None,
                    input_proj_layer_attr=None, lstm_bias_attr=None, lstm_layer_attr=None,
                    mixed_bias_attr=None, mixed_layer_attr=None, get_output_layer_attr=None):
    """lstmemory as a recurrent group, whose layers can be seen and changed."""
    name = layer_name(name, "lstm_group")
    return recurrent_group(
        lambda step: lstmemory_unit(
            step, out_memory, name, size, param_attr, act, gate_act, state_act,
            input_proj_bias_attr, input_proj_layer_attr, lstm_bias_attr, lstm_layer_attr,
            mixed_bias_attr, mixed_layer_attr, get_output_layer_attr),
        input, reverse=reverse, name="%s_recurrent_group" % name)


# ---- gated recurrent units ----

@layer_function
def gru_unit(input, memory_boot=None, size=None, name=None, gru_bias_attr=None,
             gru_param_attr=None, act=None, gate_act=None, gru_layer_attr=None, naive=False):
    """One step of grumemory, inside a recurrent group, with its memory."""
    name = layer_name(name, "gru_unit")
    size = state_size(name, input, 3, size)
    before = memory(name, size, boot_layer=memory_boot)
    step = gru_step_naive_layer if naive else gru_step_layer
    return step(input, before, name=name, size=size, act=act, gate_act=gate_act,
                bias_attr=gru_bias_attr, param_attr=gru_param_attr, layer_attr=gru_layer_attr)


@layer_function
def gru_group(input, memory_boot=None, size=None, name=None, reverse=False, gru_bias_attr=None,
              gru_param_attr=None, act=None, gate_act=None, gru_layer_attr=None, naive=False):
    """grumemory as a recurrent group."""
    name = layer_name(name, "gru_group")
    return recurrent_group(
        lambda step: gru_unit(step, memory_boot, size, name, gru_bias_attr, gru_param_attr, act,
                              gate_act, gru_layer_attr, naive),
        input, reverse=reverse, name="%s_recurrent_group" % name)


@layer_function
def simple_gru(input, size, name=None, reverse=False, mixed_param_attr=None,
               mixed_bias_param_attr=None, mixed_layer_attr=None, gru_bias_attr=None,
               gru_param_attr=None, act=None, gate_act=None, gru_layer_attr=None, naive=False):
    """gru_group with the matrix before it."""
    name = layer_name(name, "simple_gru")
    projected = _mixed(3 * size, full_matrix_projection(input, param_attr=mixed_param_attr),
                       "%s_transform" % name, mixed_bias_param_attr, layer_attr=mixed_layer_attr)
    return gru_group(projected, size=size, name=name, reverse=reverse, act=act, gate_act=gate_act,
                     gru_bias_attr=gru_bias_attr, gru_param_attr=gru_param_attr,
                     gru_layer_attr=gru_layer_attr, naive=naive)


@layer_function
def simple_gru2(input, size, name=None, reverse=False, mixed_param_attr=None, mixed_bias_attr=None,
                gru_param_attr=None, gru_bias_attr=None, act=None, gate_act=None,
                mixed_layer_attr=None, gru_cell_attr=None):
    """grumemory with the matrix before it: simple_gru, and quicker."""
    name = layer_name(name, "simple_gru2")
    projected = _mixed(3 * size, full_matrix_projection(input, param_attr=mixed_param_attr),
                       "%s_transform" % name, mixed_bias_attr, layer_attr=mixed_layer_attr)
    return grumemory(projected, name=name, reverse=reverse, act=act, gate_act=gate_act,
                     bias_attr=gru_bias_attr, param_attr=gru_param_attr, layer_attr=gru_cell_attr)


# ---- both ways ----

def _both_ways(name, forward, backward, return_seq, last_seq_attr, first_seq_attr, concat_attr,
               concat_act):
    """Whole, or what each way has seen at its end."""
    if not return_seq:
        forward = last_seq(forward, name="%s_fw_last" % name, layer_attr=last_seq_attr)
        backward = first_seq(backward, name="%s_bw_last" % name, layer_attr=first_seq_attr)
    return concat_layer([forward, backward], name=name, act=concat_act, layer_attr=concat_attr)


@layer_function
def bidirectional_gru(input, size, name=None, return_seq=False, fwd_mixed_param_attr=None,
                      fwd_mixed_bias_attr=None, fwd_gru_param_attr=None, fwd_gru_bias_attr=None,
                      fwd_act=None, fwd_gate_act=None, fwd_mixed_layer_attr=None,
                      fwd_gru_cell_attr=None, bwd_mixed_param_attr=None, bwd_mixed_bias_attr=None,
                      bwd_gru_param_attr=None, bwd_gru_bias_attr=None, bwd_act=None,
                      bwd_gate_act=None, bwd_mixed_layer_attr=None, bwd_gru_cell_attr=None,
                      last_seq_attr=None, first_seq_attr=None, concat_attr=None, concat_act=None):
    name = layer_name(name, "bidirectional_gru")
    forward = simple_gru2(input, size, "%s_fw" % name, False, fwd_mixed_param_attr,
                          fwd_mixed_bias_attr, fwd_gru_param_attr, fwd_gru_bias_attr, fwd_act,
                          fwd_gate_act, fwd_mixed_layer_attr, fwd_gru_cell_attr)
    backward = simple_gru2(input, size, "%s_bw" % name, True, bwd_mixed_param_attr,
                           bwd_mixed_bias_attr, bwd_gru_param_attr, bwd_gru_bias_attr, bwd_act,
                           bwd_gate_act, bwd_mixed_layer_attr, bwd_gru_cell_attr)
    return _both_ways(name, forward, backward, return_seq, last_seq_attr, first_seq_attr,
                      concat_attr, concat_act)


@layer_function
def bidirectional_lstm(input, size, name=None, return_seq=False, fwd_mat_param_attr=None,
                       fwd_bias_param_attr=None, fwd_inner_param_attr=None, fwd_act=None,
                       fwd_gate_act=None, fwd_state_act=None, fwd_mixed_layer_attr=None,
                       fwd_lstm_cell_attr=None, bwd_mat_param_attr=None, bwd_bias_param_attr=None,
                       bwd_inner_param_attr=None, bwd_act=None, bwd_gate_act=None,
                       bwd_state_act=None, bwd_mixed_layer_attr=None, bwd_lstm_cell_attr=None,
                       last_seq_attr=None, first_seq_attr=None, concat_attr=None, concat_act=None):
    name = layer_name(name, "bidirectional_lstm")
    forward = simple_lstm(input, size, "%s_fw" % name, False, fwd_mat_param_attr,
                          fwd_bias_param_attr, fwd_inner_param_attr, fwd_act, fwd_gate_act,
                          fwd_state_act, fwd_mixed_layer_attr, fwd_lstm_cell_attr)
    backward = simple_lstm(input, size, "%s_bw" % name, True, bwd_mat_param_attr,
                           bwd_bias_param_attr, bwd_inner_param_attr, bwd_act, bwd_gate_act,
                           bwd_state_act, bwd_mixed_layer_attr, bwd_lstm_cell_attr)
    return _both_ways(name, forward, backward, return_seq, last_seq_attr, first_seq_attr,
                      concat_attr, concat_act)


# ---- attention ----

def _attended(scores, values, softmax_param_attr, name, which=""):
    """The sum of `values`, with the softmax of the scores, one for each step, as weights."""
    weight = fc_layer(scores, 1, act=SequenceSoftmaxActivation(), bias_attr=False,
                      param_attr=softmax_param_attr, name="%s_softmax%s" % (name, which))
    scaled = scaling_layer(values, weight, name="%s_scaling%s" % (name, which))
    return pooling_layer(scaled, SumPooling(), name="%s_pooling%s" % (name, which))


@layer_function
def simple_attention(encoded_sequence, encoded_proj, decoder_state, transform_param_attr=None,
                     softmax_param_attr=None, weight_act=None, name=None):
    """What a decoder looks at: the sum of encoded_sequence, weighted by how each step of its
    projection goes with the state."""
    name = layer_name(name, "simple_attention")
    size = encoded_proj.size
    if size != decoder_state.size:
        raise ConfigError("simple_attention %r: encoded_proj %r has size %s, and decoder_state %r "
                          "%s"
                          % (name, encoded_proj.name, size, decoder_state.name, decoder_state.size))
    state = _mixed(size, full_matrix_projection(decoder_state, param_attr=transform_param_attr),
                   "%s_transform" % name)
    expanded = expand_layer(state, encoded_sequence, name="%s_expand" % name)
    both = _mixed(size, [identity_projection(expanded), identity_projection(encoded_proj)],
                  "%s_combine" % name, act=TanhActivation() if weight_act is None else weight_act)
    return _attended(both, encoded_sequence, softmax_param_attr, name)


@layer_function
def dot_product_attention(encoded_sequence, attended_sequence, transformed_state,
                          softmax_param_attr=None, name=None):
    """The sum of attended_sequence, weighted by the product of each step of encoded_sequence with
    the state."""
    name = layer_name(name, "dot_product_attention")
    if transformed_state.size != encoded_sequence.size:
        raise ConfigError("dot_product_attention %r: transformed_state %r has size %s, and "
                          "encoded_sequence %r %s" % (name, transformed_state.name,
                                                      transformed_state.size, encoded_sequence.name,
                                                      encoded_sequence.size))
    expanded = expand_layer(transformed_state, encoded_sequence, name="%s_expand" % name)
    scores = linear_comb_layer(expanded, encoded_sequence, name="%s_dot-product" % name)
    return _attended(scores, attended_sequence, softmax_param_attr, name)


@layer_function
def multi_head_attention(query, key, value, key_proj_size, value_proj_size, head_num,
                         attention_type, softmax_param_attr=None, name=None):
    """head_num attentions side by side, each with projections of its own."""
    name = layer_name(name, "multi_head_attention")
    if attention_type not in ("dot-product attention", "additive attention"):
        raise ConfigError("multi_head_attention %r: attention_type is %r, and may be 'dot-product "
                          "attention' or 'additive attention'" % (name, attention_type))

    def projected(layer, size, what):
        return _mixed(size * head_num, full_matrix_projection(layer), "%s_%s_proj" % (name, what))

    def part(layer, i, size):
        return _mixed(size, identity_projection(layer, offset=size * i, size=size), None)

    queries = expand_layer(projected(query, key_proj_size, "query"), key)
    keys, values = projected(key, key_proj_size, "key"), projected(value, value_proj_size, "value")
    heads = []
    for i in range(head_num):
        q, k = part(queries, i, key_proj_size), part(keys, i, key_proj_size)
        if attention_type == "dot-product attention":
            scores = slope_intercept_layer(
                linear_comb_layer(q, k, name="%s_dot-product_%d" % (name, i)),
                slope=math.sqrt(1.0 / key_proj_size), name="%s_dot-product_scaling_%d" % (name, i))
        else:
            scores = _mixed(key_proj_size, [identity_projection(q), identity_projection(k)],
                            "%s_combine_%d" % (name, i), act=TanhActivation())
        heads.append(_attended(scores, part(values, i, value_proj_size), softmax_param_attr, name,
                               "_%d" % i))
    return concat_layer(heads)
