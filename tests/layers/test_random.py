from layercase import check, data


def sizes(*shape, **kw):
    import paddle.fluid as fluid
    dtype = kw.get("dtype", "int32")
    return fluid.data("s%d%s" % (shape[0], dtype), list(shape), dtype=dtype)


def uniform_random():
    from paddle.fluid import layers
    layers.uniform_random([3, 4])
    layers.uniform_random([3, 4], min=0.0, max=2.0, seed=3)


def uniform_random_sizes():
    from paddle.fluid import layers
    layers.uniform_random([3, sizes(1)])
    layers.uniform_random(sizes(2))
    layers.uniform_random((sizes(1, dtype="int64"), 3))


def gaussian_random():
    from paddle.fluid import layers
    layers.gaussian_random([3, 4])
    layers.gaussian_random([3, 4], 1.0, 2.0, 5, "float64")
    layers.gaussian_random([3, sizes(1)])
    layers.gaussian_random(sizes(2))


def batch_size_like():
    from paddle.fluid import layers
    x = data("x", [4])
    layers.uniform_random_batch_size_like(x, [2, 5])
    layers.uniform_random_batch_size_like(x, [2, 5], "float64", 1, 1, 0.0, 2.0, 7)
    layers.gaussian_random_batch_size_like(x, [2, 5])
    layers.gaussian_random_batch_size_like(x, [2, 5], 1, 1, 0.5, 2.0, 7)


def randint():
    from paddle.fluid import layers
    layers.randint(5)
    layers.randint(1, 5, [3, 4])
    layers.randint(-2, 5, [3, 4], dtype="int32", seed=3, name="r")
    layers.randint(1, 5, [3, sizes(1)])
    layers.randint(1, 5, sizes(2), stop_gradient=True)


def randperm():
    from paddle.fluid import layers
    layers.randperm(5)
    layers.randperm(5, dtype="int32", seed=4)
    layers.randperm(5, stop_gradient=False, device="cpu")


CASES = [uniform_random, uniform_random_sizes, gaussian_random, batch_size_like, randint,
         randperm]
# Real Paddle forgets while building what dimensions it knows.
test = check(__file__, CASES, ignore_vars=("uniform_random_0.tmp_1", "uniform_random_2.tmp_1",
                                           "randint_2.tmp_1"))


def run(build):
    import paddle.fluid as fluid
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()), fluid.unique_name.guard():
        outs = build(fluid.layers)
    exe = fluid.Executor(fluid.CPUPlace())
    return [exe.run(main, fetch_list=outs) for _ in range(2)]


def test_numbers_are_drawn_anew_in_each_step():
    import numpy as np
    first, second = run(lambda layers: [
        layers.randn([4, 5]), layers.uniform_random([4, 5], dtype="float64"),
        layers.gaussian_random([3, layers.fill_constant([1], "int32", 2)]),
        layers.randint(0, 1000, [50]), layers.randperm(50)])
    assert [a.shape for a in first] == [(4, 5), (4, 5), (3, 2), (50,), (50,)]
    assert first[1].dtype == np.float64
    for a, b in zip(first, second):
        assert (a != b).any()


def test_whole_numbers_are_in_range():
    first, _ = run(lambda layers: [layers.randint(-3, 4, [1000]), layers.randint(2, shape=[100]),
                                   layers.randperm(100, dtype="int32"),
                                   layers.randperm(1)])
    assert sorted(set(first[0].tolist())) == list(range(-3, 4))
    assert sorted(set(first[1].tolist())) == [0, 1]
    assert sorted(first[2].tolist()) == list(range(100)) != first[2].tolist()
    assert first[3].tolist() == [0]


def test_a_seed_gives_the_same_numbers():
    first, second = run(lambda layers: [layers.randint(0, 1000, [50], seed=3),
                                        layers.randperm(50, seed=4)])
    for a, b in zip(first, second):
        assert (a == b).all()


def test_refusals():
    import pytest
    for error, build in (
            (ValueError, lambda layers: layers.randint(5, 5)),
            (TypeError, lambda layers: layers.randint(0, 5, dtype="float32")),
            (ValueError, lambda layers: layers.randint(5, device="gpu")),
            (ValueError, lambda layers: layers.randperm(0)),
            (TypeError, lambda layers: layers.randperm(5, dtype="float32")),
            (TypeError, lambda layers: layers.uniform_random(3)),
            (ValueError, lambda layers: layers.randn([3], dtype="int64"))):
        with pytest.raises(error):
            run(build)
