"""Layers over images."""
import numpy
import pytest

from paddle.trainer_config_helpers import *  # noqa: F401,F403
from paddle.trainer_config_helpers.graph import ConfigError, Graph, use_graph

from v1_harness import Machine, check, check_training, check_value


def windows(x, size, stride, padding, up=False, fill=0.0):
    """[n, c, out, out, size, size] of [n, c, h, w]."""
    n, c, h, w = x.shape

    def count(length):
        room = length + 2 * padding - size
        return (-(-room // stride) if up else room // stride) + 1
    rows, columns = count(h), count(w)
    wide = numpy.full([n, c, h + 2 * padding + size, w + 2 * padding + size], fill)
    wide[:, :, padding:padding + h, padding:padding + w] = x
    out = numpy.empty([n, c, rows, columns, size, size])
    for i in range(rows):
        for j in range(columns):
            out[:, :, i, j] = wide[:, :, i * stride:i * stride + size, j * stride:j * stride + size]
    return out


def relu(x):
    return numpy.maximum(x, 0)


def flat(x):
    return x.reshape(len(x), -1)


def test_convolution():
    def case(data):
        return img_conv_layer(data.dense("x", 2 * 6 * 5, height=6, width=5), filter_size=3,
                              num_filters=4, padding=1, stride=2, num_channels=2, name="c")

    def expected(v):
        parts = windows(v["x"].reshape(-1, 2, 6, 5), 3, 2, 1)
        made = numpy.einsum("ncijkl,fckl->nfij", parts, v["w"]) + v["bias"][None, :, None, None]
        return flat(relu(made))
    check(case, expected)


def test_convolution_of_square_images_and_its_parameters():
    with use_graph(Graph()):
        image = data_layer("x", 3 * 8 * 8)
        conv = img_conv_layer(image, filter_size=numpy.int64(3), num_filters=4, num_channels=3,
                              name="c")
        pool = img_pool_layer(conv, pool_size=3, stride=2)
    assert (conv.num_filters, conv.height, conv.width, conv.size) == (4, 6, 6, 4 * 36)
    assert (pool.num_filters, pool.height, pool.width, pool.size) == (4, 3, 3, 4 * 9)
    machine = Machine(lambda data: img_conv_layer(
        data.dense("x", 27), 3, 4, num_channels=3, name="c"), learned=False)
    weight, bias = machine.network.parameters.values()
    assert (weight.name, weight.dims, bias.name, bias.dims) == ("_c.w0", (), "_c.wbias", (4, 1))
    assert weight.initial_std == pytest.approx((2.0 / 27) ** 0.5)


@pytest.mark.parametrize("options", [
    dict(groups=2), dict(shared_biases=False), dict(filter_size_y=2, stride_y=1, padding_y=0),
    dict(dilation=2, filter_size=2), dict(trans=True, num_filters=2),
    dict(trans=True, groups=2, num_filters=4), dict(filter_size=(3, 2), padding=(1, 0)),
    dict(bias_attr=False, act=TanhActivation(), layer_type="cudnn_conv")])
def test_convolution_learns(options):
    given = dict(dict(filter_size=3, num_filters=4, stride=2, padding=1, act=LinearActivation(),
                      num_channels=4), **options)
    check(lambda data: img_conv_layer(data.dense("x", 4 * 25), **given))


def test_convolution_turned_round_is_the_gradient_of_one():
    def case(data):
        return img_conv_layer(data.dense("x", 2 * 9), filter_size=3, num_filters=3, stride=2,
                              num_channels=2, trans=True, act=LinearActivation(), bias_attr=False)

    def expected(v):
        x, w = v["x"].reshape(-1, 2, 3, 3), v["w"]
        out = numpy.zeros([len(x), 3, 7, 7])
        for i in range(3):
            for j in range(3):
                out[:, :, 2 * i:2 * i + 3, 2 * j:2 * j + 3] += numpy.einsum(
                    "nc,cfkl->nfkl", x[:, :, i, j], w)
        return flat(out)
    check_value(case, expected)


def test_convolution_of_volumes():
    def case(data):
        return img_conv3d_layer(data.dense("x", 2 * 3 * 4 * 5, depth=3, height=4, width=5),
                                filter_size=[3, 2, 1], num_filters=3, act=LinearActivation())

    def expected(v):
        x, w = v["x"].reshape(-1, 2, 3, 4, 5), v["w"]
        out = numpy.zeros([len(x), 3, 3, 3, 3])
        for i in range(3):
            for j in range(3):
                for k in range(3):
                    out[:, :, i, j, k] = numpy.einsum(
                        "ncabd,fcabd->nf", x[:, :, i:i + 1, j:j + 2, k:k + 3], w)
        return flat(out + v["bias"][None, :, None, None, None])
    check(case, expected)
    check(lambda data: img_conv3d_layer(data.dense("x", 2 * 27), filter_size=2, num_filters=2,
                                        stride=2, num_channels=2, trans=True,
                                        act=LinearActivation()), learning_rate=2e-4)


@pytest.mark.parametrize("up", [True, False])
def test_largest_of_windows(up):
    def case(data):
        return img_pool_layer(data.dense("x", 2 * 36), pool_size=3, stride=2, num_channels=2,
                              ceil_mode=up)

    def expected(v):
        parts = windows(v["x"].reshape(-1, 2, 6, 6), 3, 2, 0, up, fill=-numpy.inf)
        return flat(parts.max(axis=(4, 5)))
    check(case, expected, step=1e-3)


@pytest.mark.parametrize("pool_type,exclude,padding_counts", [
    (AvgPooling(), None, False), (AvgPooling(), False, True),
    (CudnnAvgInclPadPooling(), None, True), (CudnnAvgPooling(), None, False)])
def test_average_of_windows(pool_type, exclude, padding_counts):
    def case(data):
        return img_pool_layer(data.dense("x", 2 * 25), pool_size=3, stride=2, padding=1,
                              num_channels=2, pool_type=pool_type, exclude_mode=exclude)

    def expected(v):
        x = v["x"].reshape(-1, 2, 5, 5)
        total = windows(x, 3, 2, 1).sum(axis=(4, 5))
        count = 9 if padding_counts else windows(numpy.ones_like(x), 3, 2, 1).sum(axis=(4, 5))
        return flat(total / count)
    check(case, expected)


def test_pooling_of_volumes():
    def case(data):
        return img_pool3d_layer(data.dense("x", 64), pool_size=2, stride=2, num_channels=1,
                                pool_size_z=1, stride_z=1, pool_type=AvgPooling())

    def expected(v):
        return flat(v["x"].reshape(-1, 1, 4, 2, 2, 2, 2).mean(axis=(4, 6)))
    check(case, expected)
    check(lambda data: img_pool3d_layer(data.dense("x", 2 * 27), 2, num_channels=2), step=1e-3)


def test_pyramid_of_poolings():
    def case(data):
        return spp_layer(data.dense("x", 2 * 16), num_channels=2, pyramid_height=2)

    def expected(v):
        x = v["x"].reshape(-1, 2, 4, 4)
        quarters = x.reshape(-1, 2, 2, 2, 2, 2).max(axis=(3, 5))
        return numpy.concatenate([x.max(axis=(2, 3)), flat(quarters)], axis=1)
    check(case, expected, step=1e-3)
    check(lambda data: spp_layer(data.dense("x", 25), num_channels=1, pyramid_height=3,
                                 pool_type=AvgPooling()))


def test_what_is_wrong_is_said():
    with use_graph(Graph()):
        image = data_layer("x", 50)
        with pytest.raises(ConfigError, match="num_channels"):
            img_conv_layer(image, 3, 4)
        with pytest.raises(ConfigError, match="height and width"):
            img_conv_layer(image, 3, 4, num_channels=3)
        with pytest.raises(ConfigError, match="filter_size is 2.5"):
            img_conv_layer(image, 2.5, 4, num_channels=2)
        with pytest.raises(ConfigError, match="num_filters and groups are 4.5 and 1"):
            img_conv_layer(image, 3, 4.5, num_channels=2)
        with pytest.raises(ConfigError, match="groups"):
            img_conv_layer(image, 3, 3, num_channels=2, groups=2)
        with pytest.raises(ConfigError, match="does not fit"):
            img_conv_layer(image, 9, 4, num_channels=2)
        with pytest.raises(ConfigError, match="layer_type"):
            img_conv_layer(image, 3, 4, num_channels=2, layer_type="exconvt")
        with pytest.raises(ConfigError, match="pool_type"):
            img_pool_layer(image, 3, num_channels=2, pool_type=SumPooling())
        with pytest.raises(ConfigError, match="output_max_index"):
            img_pool_layer(image, 3, num_channels=2, pool_type=MaxPooling(output_max_index=True))
        with pytest.raises(ConfigError, match="ceil_mode=False"):
            img_pool_layer(image, 2, num_channels=2, stride=2, pool_type=MaxWithMaskPooling())
        with pytest.raises(ConfigError, match="it takes"):
            img_conv_layer(image, 3, 4, num_channels=2, colour="red")


# ---- normalisation ----

def test_batch_norm_while_training():
    def case(data):
        return batch_norm_layer(data.dense("x", 3 * 4, low=0, high=3), num_channels=3,
                                act=LinearActivation(), name="b")

    def expected(v):
        x = v["x"].reshape(-1, 3, 4)
        mean = x.mean(axis=(0, 2), keepdims=True)
        return flat((x - mean) / numpy.sqrt(x.var(axis=(0, 2), keepdims=True) + 1e-5))
    check(case, expected, tolerance=1e-4)
    machine = Machine(case, learned=False)
    kinds = {name: (c.dims, c.attr.is_static) for name, c in machine.network.parameters.items()}
    assert kinds == {"_b.w0": ((), False), "_b.w1": ((1, 3), True), "_b.w2": ((1, 3), True),
                     "_b.wbias": ((1, 3), False)}
    for name in ("_b.w1", "_b.w2"):
        machine.weight(name).set(numpy.zeros(3, "float32"), None)
    machine.run([machine.value])
    x = machine.data.values["x"].reshape(-1, 3, 4)
    numpy.testing.assert_allclose(numpy.array(machine.weight("_b.w1")),
                                  0.1 * x.mean(axis=(0, 2)), rtol=1e-4)
    numpy.testing.assert_allclose(numpy.array(machine.weight("_b.w2")),
                                  0.1 * x.var(axis=(0, 2)), rtol=1e-4)


@pytest.mark.parametrize("use,kept_in_test", [(None, True), (True, True), (False, False)])
def test_batch_norm_while_testing(use, kept_in_test):
    def case(data):
        return batch_norm_layer(data.dense("x", 3), act=LinearActivation(), name="b",
                                use_global_stats=use, moving_average_fraction=0.5)
    machine = Machine(case, learned=False)
    fixed = [numpy.array([1, 2, 3], "float32"), numpy.array([4, 1, 9], "float32")]
    for name, value in zip(("_b.w1", "_b.w2"), fixed):
        machine.weight(name).set(value, None)
    machine.network.main = machine.network.main.clone(for_test=True)
    got = machine.run([machine.value.name])[0]
    x = machine.data.values["x"]
    mean, variance = fixed if kept_in_test else (x.mean(axis=0), x.var(axis=0))
    numpy.testing.assert_allclose(got, (x - mean) / numpy.sqrt(variance + 1e-5), rtol=1e-3,
                                  atol=1e-4)
    for name, value in zip(("_b.w1", "_b.w2"), fixed):
        assert numpy.array_equal(numpy.array(machine.weight(name)), value)


def test_norm_over_channels_around():
    def case(data):
        return img_cmrnorm_layer(data.dense("x", 5 * 4), size=3, scale=0.3, power=0.5,
                                 num_channels=5)

    def expected(v):
        x = v["x"].reshape(-1, 5, 4)
        squares = numpy.pad(x ** 2, [(0, 0), (1, 1), (0, 0)])
        around = squares[:, :-2] + squares[:, 1:-1] + squares[:, 2:]
        return flat(x / (1 + 0.1 * around) ** 0.5)
    check(case, expected)


def test_norm_over_all_channels():
    def case(data):
        return cross_channel_norm_layer(data.dense("x", 3 * 4, height=2, width=2),
                                        param_attr=ParamAttr(initial_mean=2, initial_std=0.5))

    def expected(v):
        x = v["x"].reshape(-1, 3, 4)
        x = x / numpy.sqrt((x ** 2).sum(axis=1, keepdims=True) + 1e-6)
        return flat(x * v["w"].reshape(3, 1))
    check(case, expected)


def test_rows_at_sum_one_and_at_length_one():
    check(lambda data: sum_to_one_norm_layer(data.dense("x", 4, low=0.2)),
          lambda v: v["x"] / v["x"].sum(axis=1, keepdims=True))
    check(lambda data: row_l2_norm_layer(data.dense("x", 4)),
          lambda v: v["x"] / numpy.sqrt((v["x"] ** 2).sum(axis=1, keepdims=True)))


# ---- networks ----

def test_small_networks_of_images():
    check_training(lambda data: simple_img_conv_pool(
        data.dense("x", 64), filter_size=3, num_filters=3, pool_size=2, pool_stride=2,
        num_channel=1))
    check_training(lambda data: img_conv_bn_pool(
        data.dense("x", 64), filter_size=3, num_filters=3, pool_size=2, pool_stride=2,
        num_channel=1))
    check_training(lambda data: img_conv_group(
        data.dense("x", 64), num_channels=1, conv_num_filter=[2, 3], pool_size=2, pool_stride=2,
        conv_with_batchnorm=[True, False]))


def test_vgg():
    with use_graph(Graph()):
        made = small_vgg(data_layer("x", 3 * 32 * 32), 3, 10)
        assert made.size == 10
        made = vgg_16_network(data_layer("y", 3 * 64 * 64), 3, 7)
        assert made.size == 7
