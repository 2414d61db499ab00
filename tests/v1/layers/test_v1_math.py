"""Arithmetic between layers."""
import numpy
import pytest

from paddle.trainer_config_helpers import *  # noqa: F401,F403
from paddle.trainer_config_helpers.graph import ConfigError, Graph, use_graph

from v1_harness import Machine, check, check_value


def cosine(x, y):
    return (x * y).sum(-1) / numpy.sqrt((x ** 2).sum(-1) * (y ** 2).sum(-1))


def test_cosine():
    check(lambda data: cos_sim(data.dense("x", 4), data.dense("y", 4), scale=5),
          lambda v: 5 * cosine(v["x"], v["y"])[:, None])


def test_cosine_with_several_vectors():
    check(lambda data: cos_sim(data.dense("x", 4), data.dense("y", 12), size=3),
          lambda v: cosine(v["x"][:, None], v["y"].reshape(-1, 3, 4)))


def test_distance_and_products():
    check(lambda data: l2_distance_layer(data.dense("x", 4), data.dense("y", 4)),
          lambda v: numpy.sqrt(((v["x"] - v["y"]) ** 2).sum(axis=1, keepdims=True)))
    check(lambda data: dot_prod_layer(data.dense("x", 4), data.dense("y", 4)),
          lambda v: (v["x"] * v["y"]).sum(axis=1, keepdims=True))
    check(lambda data: out_prod_layer(data.dense("x", 2), data.dense("y", 3)),
          lambda v: numpy.einsum("ni,nj->nij", v["x"], v["y"]).reshape(-1, 6))


def test_weighted_sum_of_vectors():
    check(lambda data: linear_comb_layer(data.dense("w", 3), data.dense("x", 6)),
          lambda v: numpy.einsum("ni,nij->nj", v["w"], v["x"].reshape(-1, 3, 2)))
    check_value(lambda data: convex_comb_layer(data.dense("w", 3), data.dense("x", 6), size=2),
                lambda v: numpy.einsum("ni,nij->nj", v["w"], v["x"].reshape(-1, 3, 2)))


def test_circular_convolution():
    def expected(v):
        return sum(numpy.roll(v["a"], 1 - j, axis=1) * v["b"][:, j:j + 1] for j in range(3))
    check(lambda data: conv_shift_layer(data.dense("a", 5), data.dense("b", 3)), expected)


def test_a_row_and_its_number():
    check(lambda data: scaling_layer(data.dense("x", 4), weight=data.dense("w", 1)),
          lambda v: v["x"] * v["w"])
    check(lambda data: power_layer(data.dense("x", 4, low=0.5, high=1.5),
                                   weight=data.dense("w", 1)), lambda v: v["x"] ** v["w"])
    check(lambda data: interpolation_layer([data.dense("x", 4), data.dense("y", 4)],
                                           weight=data.dense("w", 1)),
          lambda v: v["w"] * v["x"] + (1 - v["w"]) * v["y"])


def test_numbers():
    check(lambda data: slope_intercept_layer(data.dense("x", 4), slope=2.0, intercept=0.5),
          lambda v: 2 * v["x"] + 0.5)
    check(lambda data: clip_layer(data.dense("x", 4), min=-0.5, max=0.5),
          lambda v: v["x"].clip(-0.5, 0.5))


def test_row_by_row_from_one_of_several():
    def expected(v):
        return numpy.where(v["i"] == 0, v["x"], v["y"])
    check(lambda data: multiplex_layer([data.ids("i", 2), data.dense("x", 3),
                                        data.dense("y", 3)]), expected)


def test_sizes_that_do_not_fit():
    with use_graph(Graph()):
        a, b = data_layer("a", 4), data_layer("b", 3)
        for wrong in (lambda: cos_sim(a, b), lambda: l2_distance_layer(a, b),
                      lambda: scaling_layer(a, weight=b), lambda: linear_comb_layer(b, a),
                      lambda: conv_shift_layer(b, a), lambda: interpolation_layer([a, b], weight=b),
                      lambda: multiplex_layer([a, b])):
            with pytest.raises(ConfigError, match="'(a|b)'|size|layers"):
                wrong()


@pytest.mark.parametrize("layer", [
    lambda x, y: cos_sim(x, y), lambda x, y: dot_prod_layer(x, y), lambda x, y: clip_layer(x, 0, 1),
    lambda x, y: img_conv_layer(x, 1, 1, num_channels=1), lambda x, y: concat_layer([x, y]),
    lambda x, y: batch_norm_layer(x), lambda x, y: mixed_layer(input=dotmul_projection(x))])
def test_sparse_data_where_none_is_taken(layer):
    with pytest.raises(ConfigError, match="'x' is sparse data.*fc_layer"):
        Machine(lambda data: layer(data.sparse("x", 4), data.dense("y", 4)), learned=False)


# ---- projections and operators ----

def test_projections():
    check(lambda data: mixed_layer(input=dotmul_projection(data.dense("x", 4))),
          lambda v: v["x"] * v["w"])
    check(lambda data: mixed_layer(input=scaling_projection(data.dense("x", 4))),
          lambda v: v["x"] * v["w"])
    check(lambda data: mixed_layer(3, input=trans_full_matrix_projection(data.dense("x", 4))),
          lambda v: v["x"] @ v["w"].T)
    check(lambda data: mixed_layer(input=slice_projection(data.dense("x", 6), [(0, 2), (5, 6)])),
          lambda v: v["x"][:, [0, 1, 5]])
    check(lambda data: mixed_layer(3, input=[full_matrix_projection(data.dense("x", 4)),
                                             table_projection(data.ids("i", 5))],
                                   bias_attr=True, act=TanhActivation(), name="m"),
          lambda v: numpy.tanh(v["x"] @ v["_m.w0"] + v["_m.w1"][v["i"][:, 0]] + v["bias"]))
    check(lambda data: mixed_layer(input=identity_projection(data.dense("x", 4), offset=1)),
          lambda v: v["x"][:, 1:])


def test_product_as_an_operator():
    check(lambda data: mixed_layer(input=dotmul_operator(data.dense("x", 4), data.dense("y", 4),
                                                         scale=2)),
          lambda v: 2 * v["x"] * v["y"])


def filtered(x, w, stride, padding):
    """[n, c, h, w] by filters [n, f, c, k, k]."""
    x = numpy.pad(x, [(0, 0), (0, 0), (padding, padding), (padding, padding)])
    size = w.shape[-1]
    count = (x.shape[2] - size) // stride + 1
    out = numpy.zeros([len(x), w.shape[1], count, count])
    for i in range(count):
        for j in range(count):
            part = x[:, :, i * stride:i * stride + size, j * stride:j * stride + size]
            out[:, :, i, j] = numpy.einsum("nckl,nfckl->nf", part, w)
    return out


def test_convolution_as_a_projection():
    def expected(v):
        x = v["x"].reshape(-1, 2, 4, 4)
        out = filtered(x, numpy.broadcast_to(v["w"], [len(x), 3, 2, 3, 3]), 1, 1)
        return (out + v["bias"][:, None, None]).reshape(len(x), -1)
    check(lambda data: mixed_layer(input=conv_projection(
        data.dense("x", 32), filter_size=3, num_filters=3, num_channels=2, padding=1),
        bias_attr=ParamAttr(initial_std=0.5)), expected)
    check(lambda data: mixed_layer(input=conv_projection(
        data.dense("x", 32), filter_size=3, num_filters=2, num_channels=2, stride=2, trans=True)))


def test_each_image_with_its_own_filters():
    def expected(v):
        x = v["x"].reshape(-1, 2, 4, 4)
        return filtered(x, v["f"].reshape(-1, 3, 2, 2, 2), 2, 1).reshape(len(x), -1)
    check(lambda data: mixed_layer(input=conv_operator(
        img=data.dense("x", 32), filter=data.dense("f", 24), filter_size=2, num_filters=3,
        num_channels=2, stride=2, padding=1)), expected)


def test_each_image_with_its_own_filters_turned_round():
    def expected(v):
        x, w = v["x"].reshape(-1, 2, 3, 3), v["f"].reshape(-1, 2, 2, 3, 3)
        out = numpy.zeros([len(x), 2, 7, 7])
        for i in range(3):
            for j in range(3):
                out[:, :, 2 * i:2 * i + 3, 2 * j:2 * j + 3] += numpy.einsum(
                    "nc,ncfkl->nfkl", x[:, :, i, j], w)
        return out[:, :, 1:-1, 1:-1].reshape(len(x), -1)
    check(lambda data: mixed_layer(input=conv_operator(
        img=data.dense("x", 18), filter=data.dense("f", 36), filter_size=3, num_filters=2,
        num_channels=2, stride=2, padding=1, trans=True)), expected, learning_rate=1e-3)


def test_projections_side_by_side():
    def case(data):
        return concat_layer([table_projection(data.ids("i", 5), 2), data.dense("x", 3),
                             full_matrix_projection(data.dense("y", 2), 4)], name="c")

    def expected(v):
        return numpy.concatenate([v["_c.w0"][v["i"][:, 0]], v["x"], v["y"] @ v["_c.w2"]], axis=1)
    check(case, expected)


def test_convolutions_side_by_side():
    def case(data):
        image = data.dense("x", 16)
        return concat_layer([conv_projection(image, 1, 2, num_channels=1),
                             conv_projection(image, 3, 1, num_channels=1, padding=1)],
                            bias_attr=ParamAttr(initial_std=1.0))
    machine = check_value(case, lambda v: numpy.concatenate(
        [filtered(v["x"].reshape(-1, 1, 4, 4),
                  numpy.broadcast_to(w, (5,) + w.shape), 1, w.shape[-1] // 2)
         for w in (v["w"], v["w1"])], axis=1).reshape(5, 3, 16).__add__(
            v["bias"][:, None]).reshape(5, -1))
    assert (machine.layer.num_filters, machine.layer.height) == (3, 4)
    check(case)
