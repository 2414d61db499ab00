"""Ready-made networks over sequences."""
from .activations import LinearActivation
from .graph import layer_function, layer_name
from .layers import (context_projection, fc_layer, full_matrix_projection, lstmemory, mixed_layer,
                     pooling_layer)

__all__ = ["sequence_conv_pool", "text_conv_pool", "simple_lstm"]


@layer_function
def sequence_conv_pool(input, context_len, hidden_size, name=None, context_start=None,
                       pool_type=None, context_proj_layer_name=None, context_proj_param_attr=False,
                       fc_layer_name=None, fc_param_attr=None, fc_bias_attr=None, fc_act=None,
                       pool_bias_attr=None, fc_attr=None, context_attr=None, pool_attr=None):
    """Words with those around them, a fully connected layer, and the largest over each sequence."""
    name = layer_name(name, "sequence_conv_pooling")
    context = mixed_layer(
        input.size * context_len,
        context_projection(input, context_len, context_start, context_proj_param_attr),
        name=context_proj_layer_name or name + "_conv_proj", act=LinearActivation(),
        layer_attr=context_attr)
    hidden = fc_layer(context, hidden_size, name=fc_layer_name or name + "_conv_fc", act=fc_act,
                      param_attr=fc_param_attr, bias_attr=fc_bias_attr, layer_attr=fc_attr)
    return pooling_layer(hidden, pool_type, name=name, bias_attr=pool_bias_attr,
                         layer_attr=pool_attr)


text_conv_pool = sequence_conv_pool


@layer_function
def simple_lstm(input, size, name=None, reverse=False, mat_param_attr=None, bias_param_attr=None,
                inner_param_attr=None, act=None, gate_act=None, state_act=None,
                mixed_layer_attr=None, lstm_cell_attr=None):
    """lstmemory with the matrix before it."""
    name = layer_name(name, "lstm")
    projected = mixed_layer(4 * size, full_matrix_projection(input, param_attr=mat_param_attr),
                            name="lstm_transform_%s" % name, act=LinearActivation(),
                            layer_attr=mixed_layer_attr)
    return lstmemory(projected, name=name, reverse=reverse, act=act, gate_act=gate_act,
                     state_act=state_act, bias_attr=bias_param_attr, param_attr=inner_param_attr,
                     layer_attr=lstm_cell_attr)
