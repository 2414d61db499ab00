from layercase import check, data


def x(*shape):
    import paddle.fluid as fluid
    return fluid.data("x" + "_".join(str(n) for n in shape), list(shape))


def uniform():
    from paddle.fluid import layers
    u = layers.Uniform([0.0, 1.0], [2.0, 4.0])
    u.entropy()
    u.log_prob(x(2))


def uniform_of_variables():
    from paddle.fluid import layers
    u = layers.Uniform(data("low", [2]), data("high", [2]))
    u.entropy()
    u.log_prob(data("v", [2]))


def normal():
    from paddle.fluid import layers
    n = layers.Normal([0.0, 1.0], [2.0, 4.0])
    n.sample([3, 4])
    n.entropy()
    n.log_prob(x(2))
    n.kl_divergence(layers.Normal([0.0, 2.0], [1.0, 1.0]))


def normal_of_numbers():
    from paddle.fluid import layers
    layers.Normal(0.0, 2.0).sample([3], seed=5)


def normal_of_arrays():
    import numpy as np
    from paddle.fluid import layers
    layers.Normal(np.array([[1.0, 2.0], [3.0, 4.0]], "float32"), 2.0).entropy()


def normal_of_variables():
    from paddle.fluid import layers
    layers.Normal(data("loc", [2]), data("scale", [2])).entropy()


def categorical():
    from paddle.fluid import layers
    layers.Categorical(x(3)).entropy()
    layers.Categorical(x(3)).kl_divergence(layers.Categorical(x(3)))


def multivariate():
    from paddle.fluid import layers
    layers.MultivariateNormalDiag(x(2), x(2, 2)).entropy()
    layers.MultivariateNormalDiag(x(2), x(2, 2)).kl_divergence(
        layers.MultivariateNormalDiag(x(2), x(2, 2)))


CASES = [uniform, uniform_of_variables, normal, normal_of_numbers, normal_of_arrays,
         normal_of_variables, categorical, multivariate]
test = check(__file__, CASES)


def run(build, **feed):
    import paddle.fluid as fluid
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()), fluid.unique_name.guard():
        outs = build(fluid.layers)
    return fluid.Executor(fluid.CPUPlace()).run(main, feed=feed, fetch_list=outs)


def test_samples_of_an_even_distribution_lie_between_the_bounds():
    # Real Paddle draws from [-1, 1) here, and so goes below the lower bound.
    one, two = run(lambda layers: [layers.Uniform(2.0, 6.0).sample([2000]),
                                   layers.Uniform([0.0, 10.0], [1.0, 20.0]).sample([1000, 2])])
    assert one.shape == (2000,) and two.shape == (1000, 2, 2)
    assert 2 <= one.min() < 2.1 and 5.9 < one.max() < 6
    assert 0 <= two[..., 0].min() < two[..., 0].max() < 1
    assert 10 <= two[..., 1].min() < two[..., 1].max() < 20


def test_samples_of_a_batch_keep_to_their_parameters():
    # Real Paddle only renames the dimensions of [batch, sample], and so mixes them up.
    import numpy as np
    low = np.array([[0, 100], [200, 300], [400, 500]], "float32")

    def build(layers):
        low, high = data("low", [2]), data("high", [2])
        return [layers.Uniform(low, high).sample([4, 5]), layers.Normal(low, high).sample([6])]
    even, normal = run(build, low=low, high=low + 1)
    assert even.shape == (4, 5, 3, 2) and normal.shape == (6, 3, 2)
    assert ((even >= low) & (even < low + 1)).all()


def test_samples_of_a_normal_distribution():
    import numpy as np
    got, = run(lambda layers: [layers.Normal([1.0, -5.0], [2.0, 0.5]).sample([4000])])
    np.testing.assert_allclose(got.mean(0), [1, -5], atol=0.2)
    np.testing.assert_allclose(got.std(0), [2, 0.5], rtol=0.1)


def test_numbers():
    import numpy as np
    logits = np.array([0.5, -1.0, 2.0], "float32")
    chance = np.exp(logits) / np.exp(logits).sum()

    def build(layers):
        n, m = layers.Normal(1.0, 2.0), layers.Normal(0.0, 1.0)
        diagonal = layers.MultivariateNormalDiag(x(2), x(2, 2))
        return [n.log_prob(x(1)), n.entropy(), n.kl_divergence(m),
                layers.Uniform(1.0, 5.0).log_prob(x(1)), layers.Categorical(x(3)).entropy(),
                diagonal.entropy(), diagonal.kl_divergence(diagonal)]
    got = run(build, x1=np.array([2.0], "float32"), x2=np.ones(2, "float32"),
              x2_2=np.diag([2.0, 3.0]).astype("float32"), x3=logits)
    wanted = [-(2 - 1) ** 2 / 8 - np.log(2 * np.sqrt(2 * np.pi)),
              0.5 + 0.5 * np.log(2 * np.pi) + np.log(2), 0.5 * (4 + 1 - 1 - np.log(4)),
              -np.log(4), -(chance * np.log(chance)).sum(),
              0.5 * (np.log(6) + 2 * (1 + np.log(2 * np.pi))), 0]
    for a, b in zip(got, wanted):
        np.testing.assert_allclose(a.ravel(), [b], rtol=1e-5, atol=1e-6)


def test_refusals():
    import paddle.fluid as fluid
    import pytest
    layers = fluid.layers
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        for error, function in (
                (ValueError, lambda: layers.Normal(x(2), [1.0, 2.0])),
                (TypeError, lambda: layers.Uniform(0, 2)),
                (TypeError, lambda: layers.Categorical([0.5, 0.5])),
                (TypeError, lambda: layers.MultivariateNormalDiag([0.0], [[1.0]])),
                (TypeError, lambda: layers.Normal(0.0, 1.0).kl_divergence(
                    layers.Uniform(0.0, 1.0))),
                (NotImplementedError, lambda: layers.Categorical(x(3)).sample([2]))):
            with pytest.raises(error):
                function()
