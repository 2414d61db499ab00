"""Arithmetic, reductions and activations."""
from layercase import check, data


def x(*shape, **kw):
    shape = list(shape) or [4, 5]
    kw.setdefault("grad", True)
    return data("x" + "_".join(str(n) for n in shape) + kw.get("dtype", ""), shape, **kw)


def reduces():
    from paddle.fluid import layers
    for layer in (layers.reduce_mean, layers.reduce_max, layers.reduce_min, layers.reduce_prod):
        layer(x())
        layer(x(), dim=-1, keep_dim=True, name="r")
        layer(x(), dim=[0, 1])
    layers.reduce_sum(x(), dim=[])
    layers.reduce_mean(x(), dim=0)


def reduce_flags():
    from paddle.fluid import layers
    for layer in (layers.reduce_all, layers.reduce_any):
        flags = x(4, 5, dtype="bool", grad=False)
        layer(flags)
        layer(flags, dim=1)
        layer(flags, dim=[0, -1], keep_dim=True, name="f")


def matmul():
    from paddle.fluid import layers
    layers.matmul(x(4, 5), x(5, 3))
    layers.matmul(x(4, 5), x(3, 5), transpose_y=True, alpha=0.5)
    layers.matmul(x(5, 4), x(5, 3), transpose_x=True, name="m")
    layers.matmul(x(6), x(6), transpose_x=True)


def mul():
    from paddle.fluid import layers
    w = layers.fill_constant([20, 3], "float32", 1)
    layers.mul(x(4, 5), w)
    layers.mul(x(4, 5), layers.fill_constant([5, 3], "float32", 1), x_num_col_dims=2, name="m")


def pow():
    from paddle.fluid import layers
    layers.pow(x())
    layers.pow(x(), factor=2.5, name="p")
    layers.pow(x(), factor=layers.fill_constant([1], "float32", 3))


def clip():
    from paddle.fluid import layers
    layers.clip(x(), -1.0, 2.0)
    layers.clip(x(), min=0, max=1, name="c")
    layers.clip_by_norm(x(), 1.0)
    layers.clip_by_norm(x(), max_norm=2.0, name="n")


def l2_normalize():
    from paddle.fluid import layers
    layers.l2_normalize(x(), axis=1)
    layers.l2_normalize(x(), axis=-1, epsilon=1e-6, name="n")
    layers.l2_normalize(x(4, 5, 6), 2)


def logical():
    from paddle.fluid import layers
    a, b = x(3, dtype="bool", grad=False), x(3, dtype="bool", grad=False)
    for layer in (layers.logical_and, layers.logical_or, layers.logical_xor):
        layer(a, b)
        layer(a, b, name="l")
        layer(a, b, out=a)
    layers.logical_not(a)
    layers.logical_not(a, out=b, name="n")


def activations():
    from paddle.fluid import layers
    for name in ("relu6 leaky_relu elu swish hard_sigmoid stanh brelu soft_relu selu hard_swish "
                 "gelu softshrink hard_shrink thresholded_relu sigmoid tanh mish").split():
        getattr(layers, name)(x())


def activation_options():
    from paddle.fluid import layers
    layers.relu6(x(), threshold=5.0, name="a")
    layers.leaky_relu(x(), alpha=0.1, name="b")
    layers.elu(x(), alpha=2.0, name="c")
    layers.swish(x(), beta=1.0, name="d")
    layers.hard_sigmoid(x(), slope=0.3, offset=0.4, name="e")
    layers.stanh(x(), scale_a=0.5, scale_b=2.0, name="f")
    layers.brelu(x(), t_min=1.0, t_max=4.0, name="g")
    layers.soft_relu(x(), threshold=10.0, name="h")
    layers.selu(x(), scale=1.5, alpha=2.0, name="i")
    layers.hard_swish(x(), threshold=5.0, scale=4.0, offset=2.0, name="j")
    layers.gelu(x(), approximate=True)
    layers.softshrink(x(), alpha=0.3)
    layers.hard_shrink(x(), threshold=0.3)
    layers.thresholded_relu(x(), threshold=0.3)
    layers.mish(x(), threshold=10, name="k")


def prelu():
    import paddle.fluid as fluid
    layers = fluid.layers
    layers.prelu(x(3, 4, 4), "all")
    layers.prelu(x(3, 4, 4), "channel", param_attr=fluid.ParamAttr(name="slope"))
    layers.prelu(x(3, 4, 4), mode="element", name="p")


def cumsum():
    from paddle.fluid import layers
    layers.cumsum(x())
    layers.cumsum(x(), axis=1, exclusive=True, reverse=True)
    layers.cumsum(x(), axis=-1, reverse=False)


def maxout():
    from paddle.fluid import layers
    layers.maxout(x(6, 4, 4), 2)
    layers.maxout(x(4, 4, 6), groups=3, name="m", axis=3)
    layers.maxout(x(4, 4, 6), groups=3, axis=-1)


def sum():
    from paddle.fluid import layers
    layers.sum(x())
    layers.sum([x(), x()])


def elementwise_equal():
    from paddle.fluid import layers
    layers.elementwise_equal(x(3), x(3))
    layers.elementwise_equal(x(3, dtype="int64", grad=False), x(3, dtype="int64"), name="e")


def fixed(*shape):
    import paddle.fluid as fluid
    var = fluid.data("f" + "_".join(str(n) for n in shape), list(shape))
    var.stop_gradient = False
    return var


def log1p():
    from paddle.fluid import layers
    layers.log1p(x())
    layers.log1p(x(), name="l")
    layers.log1p(fixed(3, 4), out=fixed(3, 4))


def logsumexp():
    from paddle.fluid import layers
    layers.logsumexp(x())
    layers.logsumexp(x(), dim=1, keepdim=True, name="l")
    layers.logsumexp(x(), dim=[0, -1])


def clamp():
    from paddle.fluid import layers
    layers.clamp(x(), min=0.5)
    layers.clamp(x(), min=-1.0, max=2.0, name="c")
    layers.clamp(fixed(3, 4), min=-1.0, max=2.0, output=fixed(3, 4))


def products():
    from paddle.fluid import layers
    layers.addmm(fixed(3, 4), fixed(3, 5), fixed(5, 4))
    layers.addmm(fixed(3, 4), fixed(3, 5), fixed(5, 4), alpha=0.5, beta=2.0, name="a")
    layers.bmm(fixed(2, 3, 4), fixed(2, 4, 5))
    layers.bmm(fixed(2, 3, 4), fixed(2, 4, 5), name="b")
    layers.dot(fixed(3, 4), fixed(3, 4))
    layers.dot(fixed(3, 4), fixed(3, 4), name="d")
    layers.fsp_matrix(x(3, 4, 4), x(5, 4, 4))
    layers.similarity_focus(x(3, 4, 4), 1, [0, 2])
    layers.similarity_focus(x(3, 4, 4), axis=2, indexes=[1], name="focus")


def addcmul():
    from paddle.fluid import layers
    layers.addcmul(fixed(3, 4), fixed(3, 4), fixed(3, 4))
    layers.addcmul(fixed(3, 4), fixed(3, 4), fixed(3, 4), value=2.5, name="a")
    layers.addcmul(fixed(3, 4), fixed(3, 4), fixed(3, 4), out=fixed(3, 4))


def distances():
    from paddle.fluid import layers
    layers.dist(fixed(3, 4), fixed(3, 4))
    layers.dist(fixed(3, 4), fixed(3, 4), p=0)
    layers.allclose(fixed(3, 4), fixed(3, 4))
    layers.allclose(fixed(3, 4), fixed(3, 4), rtol=0.1, atol=0.2, equal_nan=True, name="c")


def bilinear_tensor_product():
    from paddle.fluid import layers
    layers.bilinear_tensor_product(x(4), x(5), 6)
    layers.bilinear_tensor_product(x(4), x(5), 6, act="relu", name="b", param_attr="w",
                                   bias_attr=False)


def interpolate():
    from paddle.fluid import layers
    layers.interpolate(x(3, 4, 4), out_shape=[8, 8])


CASES = [reduces, reduce_flags, matmul, mul, pow, clip, l2_normalize, logical, activations,
         activation_options, prelu, cumsum, maxout, sum, elementwise_equal, log1p,
         logsumexp, clamp, products, addcmul, distances, bilinear_tensor_product, interpolate]
test = check(__file__, CASES)


def test_swish_reads_beta():
    # Real Paddle gives it to the op under another name, and so takes 1.
    import paddle.fluid as fluid
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        fluid.layers.swish(x(), beta=2.0)
    assert main.global_block().ops[-1].attr("beta") == 2.0


def test_refusals():
    import paddle.fluid as fluid
    import pytest
    layers = fluid.layers
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        with pytest.raises(ValueError):
            layers.maxout(x(6, 4, 4), 2, axis=2)
        with pytest.raises(ValueError):
            layers.prelu(x(), "some")
        with pytest.raises(AssertionError, match="cannot convert to integer"):
            x(3, dtype="int64") * 1.5
        with pytest.raises(TypeError):
            x() + None
        with pytest.raises(TypeError):
            3 // x()
        with pytest.raises(AssertionError):
            layers.clamp(x())
        with pytest.raises(ValueError):
            layers.clamp(x(), 2, 1)


def test_clamp_without_a_lower_bound_has_none():
    # Real Paddle takes the smallest positive number for the lower bound.
    import paddle.fluid as fluid
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        fluid.layers.clamp(x(), max=3.0)
    assert main.global_block().ops[-1].attr("min") == float("-inf")


def test_sign_takes_an_array():
    import numpy as np

    import paddle.fluid as fluid
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        out = fluid.layers.sign(np.array([3, 0, -2], "float32"))
        got, = fluid.Executor(fluid.CPUPlace()).run(fluid.default_main_program(),
                                                    fetch_list=[out])
    np.testing.assert_array_equal(got, [1, 0, -1])
