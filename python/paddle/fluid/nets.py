"""Small nets of layers that are often used together."""
from . import layers
from .layers.arguments import guard

__all__ = ["simple_img_conv_pool", "sequence_conv_pool", "glu", "scaled_dot_product_attention",
           "img_conv_group"]


def simple_img_conv_pool(input, num_filters, filter_size, pool_size, pool_stride, pool_padding=0,
                         pool_type="max", global_pooling=False, conv_stride=1, conv_padding=0,
                         conv_dilation=1, conv_groups=1, param_attr=None, bias_attr=None,
                         act=None, use_cudnn=True):
    """A convolution and a pooling."""
    conv = layers.conv2d(input=input, num_filters=num_filters, filter_size=filter_size,
                         stride=conv_stride, padding=conv_padding, dilation=conv_dilation,
                         groups=conv_groups, param_attr=param_attr, bias_attr=bias_attr, act=act,
                         use_cudnn=use_cudnn)
    return layers.pool2d(input=conv, pool_size=pool_size, pool_type=pool_type,
                         pool_stride=pool_stride, pool_padding=pool_padding,
                         global_pooling=global_pooling, use_cudnn=use_cudnn)


def img_conv_group(input, conv_num_filter, pool_size, conv_padding=1, conv_filter_size=3,
                   conv_act=None, param_attr=None, conv_with_batchnorm=False,
                   conv_batchnorm_drop_rate=0.0, pool_stride=1, pool_type="max", use_cudnn=True):
    """Convolutions, each with batch normalisation and dropout if asked for, then a pooling.
    What is no list is the same for all of them."""
    if not isinstance(conv_num_filter, (list, tuple)):
        raise TypeError("img_conv_group: conv_num_filter must be a list or tuple")
    n = len(conv_num_filter)

    def each(what, value):
        if not isinstance(value, (list, tuple)):
            return [value] * n
        if len(value) != n:
            raise ValueError("img_conv_group: %s has %d values for %d convolutions"
                             % (what, len(value), n))
        return list(value)
    padding = each("conv_padding", conv_padding)
    size = each("conv_filter_size", conv_filter_size)
    attr = each("param_attr", param_attr)
    normed = each("conv_with_batchnorm", conv_with_batchnorm)
    drop = each("conv_batchnorm_drop_rate", conv_batchnorm_drop_rate)
    out = input
    for i in range(n):
        out = layers.conv2d(input=out, num_filters=conv_num_filter[i], filter_size=size[i],
                            padding=padding[i], param_attr=attr[i],
                            act=None if normed[i] else conv_act, use_cudnn=use_cudnn)
        if normed[i]:
            out = layers.batch_norm(input=out, act=conv_act)
            if abs(drop[i]) > 1e-5:
                out = layers.dropout(x=out, dropout_prob=drop[i])
    return layers.pool2d(input=out, pool_size=pool_size, pool_type=pool_type,
                         pool_stride=pool_stride, use_cudnn=use_cudnn)


def sequence_conv_pool(input, num_filters, filter_size, param_attr=None, act="sigmoid",
                       pool_type="max", bias_attr=None):
    """A convolution along sequences, and one row for each of them."""
    conv = layers.sequence_conv(input=input, num_filters=num_filters, filter_size=filter_size,
                                param_attr=param_attr, bias_attr=bias_attr, act=act)
    return layers.sequence_pool(input=conv, pool_type=pool_type)


def glu(input, dim=-1):
    """Gated linear units: one half of the input times the sigmoid of the other."""
    a, b = layers.split(input, num_or_sections=2, dim=dim)
    return layers.elementwise_mul(x=a, y=layers.sigmoid(x=b))


def _split_heads(x, heads):
    """[batch, time, width] as [batch, heads, time, width / heads]"""
    if heads == 1:
        return x
    parts = layers.reshape(x=x, shape=list(x.shape[:-1]) + [heads, x.shape[-1] // heads])
    return layers.transpose(x=parts, perm=[0, 2, 1, 3])


def _join_heads(x):
    if len(x.shape) == 3:
        return x
    turned = layers.transpose(x, perm=[0, 2, 1, 3])
    return layers.reshape(x=turned, shape=list(turned.shape[:2]) + [turned.shape[2]
                                                                    * turned.shape[3]])


def scaled_dot_product_attention(queries, keys, values, num_heads=1, dropout_rate=0.0):
    """softmax(queries keys^T / sqrt(width)) values, in heads each with a projection."""
    if queries.dtype != keys.dtype or queries.dtype != values.dtype:
        raise TypeError("scaled_dot_product_attention: queries, keys and values must be of one "
                        "type")
    if not len(queries.shape) == len(keys.shape) == len(values.shape) == 3:
        raise ValueError("scaled_dot_product_attention: queries, keys and values must have three "
                         "dimensions")
    if queries.shape[-1] != keys.shape[-1]:
        raise ValueError("scaled_dot_product_attention: queries have the width %d, and keys %d"
                         % (queries.shape[-1], keys.shape[-1]))
    if keys.shape[-2] != values.shape[-2]:
        raise ValueError("scaled_dot_product_attention: there are %d keys, and %d values"
                         % (keys.shape[-2], values.shape[-2]))
    for what, var in (("keys", keys), ("values", values)):
        if var.shape[-1] % num_heads != 0:
            raise ValueError("scaled_dot_product_attention: the width %d of the %s does not part "
                             "into %d heads" % (var.shape[-1], what, num_heads))
    if num_heads > 1:
        queries, keys, values = [layers.fc(input=x, size=x.shape[-1], num_flatten_dims=2)
                                 for x in (queries, keys, values)]
    q, k, v = [_split_heads(x, num_heads) for x in (queries, keys, values)]
    width = keys.shape[-1] // num_heads
    scaled = layers.scale(x=q, scale=width**-0.5)
    product = layers.matmul(x=scaled, y=k, transpose_y=True)
    weights = layers.reshape(x=product, shape=[-1, product.shape[-1]], act="softmax")
    weights = layers.reshape(x=weights, shape=product.shape)
    if dropout_rate:
        weights = layers.dropout(weights, dropout_prob=dropout_rate, is_test=False)
    return _join_heads(layers.matmul(weights, v))


guard(globals(), "nets.")
