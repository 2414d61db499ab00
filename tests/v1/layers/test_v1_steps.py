"""Layers that work row by row do so on each step of a sequence, and leave the sequences as they
are: of one level and of two."""
import numpy
import pytest

from paddle.trainer_config_helpers import *  # noqa: F401,F403

from v1_harness import Machine, check


def column(x):
    return fc_layer(x, 1)


def image(x):
    """2 channels of 2 x 2."""
    return img_conv_layer(x, 1, 2, num_channels=1, act=LinearActivation())


def pooled_with_places(x):
    pooled_with_places.last = img_pool_layer(x, 2, num_channels=1, pool_type=MaxWithMaskPooling())
    return pooled_with_places.last


LAYERS = {
    "convolution": lambda x: image(x),
    "the way back of a convolution": lambda x: img_conv_layer(x, 2, 2, num_channels=1, trans=True),
    "pooling": lambda x: img_pool_layer(x, 2, num_channels=1),
    "pooling with places": lambda x: img_pool_layer(x, 2, num_channels=1,
                                                    pool_type=MaxWithMaskPooling()),
    "the way back of pooling": lambda x: upsample_layer(
        [img_pool_layer(x, 2, num_channels=1), img_pool_layer(
            x, 2, num_channels=1, pool_type=MaxWithMaskPooling())], scale=2),
    "a part of an image": lambda x: scale_sub_region_layer(
        image(x), fc_layer(x, 6, act=SigmoidActivation()), 2.0),
    "pyramid": lambda x: spp_layer(x, num_channels=1, pyramid_height=2),
    "batch norm": lambda x: batch_norm_layer(x, num_channels=1),
    "norm over channels": lambda x: img_cmrnorm_layer(image(x), 1),
    "norm over all channels": lambda x: cross_channel_norm_layer(image(x)),
    "maxout": lambda x: maxout_layer(image(x), 2),
    "pad": lambda x: pad_layer(image(x), pad_h=[1, 1]),
    "crop": lambda x: crop_layer(image(x), offset=[0, 0], shape=[1, 1, 1, 1]),
    "bilinear": lambda x: bilinear_interp_layer(image(x), 3, 3),
    "rotate": lambda x: rotate_layer(x, 2, 2),
    "switch order": lambda x: switch_order_layer(image(x), reshape_axis=1),
    "back to where it was": lambda x: upsample_layer(
        [pooled_with_places(x), pooled_with_places.last], scale=2),
    "a part by a factor": lambda x: scale_sub_region_layer(image(x), fc_layer(x, 6), 2.0),
    "prelu": lambda x: prelu_layer(x, partial_sum=2),
    "repeat": lambda x: repeat_layer(x, 2, as_row_vector=False),
    "cos_sim": lambda x: cos_sim(x, x),
    "cos_sim with several": lambda x: cos_sim(fc_layer(x, 2), x, size=2),
    "distance": lambda x: l2_distance_layer(x, fc_layer(x, 4)),
    "dot product": lambda x: dot_prod_layer(x, x),
    "outer product": lambda x: out_prod_layer(x, x),
    "scaling": lambda x: scaling_layer(x, column(x)),
    "power": lambda x: power_layer(x, column(x)),
    "interpolation": lambda x: interpolation_layer([x, fc_layer(x, 4)], column(x)),
    "weighted sum": lambda x: linear_comb_layer(fc_layer(x, 2), x),
    "circular convolution": lambda x: conv_shift_layer(x, fc_layer(x, 3)),
    "multiplex": lambda x: multiplex_layer([maxid_layer(fc_layer(x, 2)), x, x]),
    "clip": lambda x: clip_layer(x, 0.2, 0.8),
    "sum to one": lambda x: sum_to_one_norm_layer(x),
    "length one": lambda x: row_l2_norm_layer(x),
    "formula": lambda x: 2 * x + column(x),
    "tensor": lambda x: tensor_layer(x, x, 2),
    "selective fc": lambda x: selective_fc_layer(x, 3),
    "scale and shift": lambda x: scale_shift_layer(x),
    "gated unit": lambda x: gated_unit_layer(x, 2),
    "factorization machine": lambda x: factorization_machine(x, 2),
    "slices": lambda x: mixed_layer(input=slice_projection(x, [(0, 1), (2, 3)])),
    "transposed matrix": lambda x: mixed_layer(2, input=trans_full_matrix_projection(x)),
    "scaling projection": lambda x: mixed_layer(input=scaling_projection(x)),
    "convolution as a projection": lambda x: mixed_layer(
        input=conv_projection(x, 1, 1, num_channels=1), bias_attr=True),
    "filters of its own": lambda x: mixed_layer(
        input=conv_operator(x, column(x), 1, 1, num_channels=1)),
    "concat": lambda x: concat_layer([x, conv_projection(x, 1, 1, num_channels=1)]),
}


@pytest.mark.parametrize("name", sorted(LAYERS))
def test_sequences_stay(name):
    for lengths, levels in (((2, 3), 1), (((1, 1), (2, 3)), 2)):
        machine = Machine(lambda data: LAYERS[name](
            data.dense("x", 4, low=0.1, high=1.0, lengths=lengths)), learned=False)
        assert machine.value.lod_level == levels
        with machine._inside():
            got, = machine.exe.run(machine.network.main, feed=machine.data.feeds,
                                   fetch_list=[machine.value], return_numpy=False)
        wanted = [list(lengths)] if levels == 1 else [list(each) for each in lengths]
        assert got.recursive_sequence_lengths() == wanted


def test_gradients_go_through_sequences_of_images():
    check(lambda data: pooling_layer(img_pool_layer(
        img_conv_layer(data.dense("x", 16, lengths=(2, 3)), 3, 2, num_channels=1, padding=1,
                       act=TanhActivation()), 2, stride=2, pool_type=AvgPooling()), AvgPooling()))


def test_errors_are_counted_by_steps():
    def case(data):
        return classification_cost(fc_layer(data.dense("x", 4, lengths=(2, 3)), 3,
                                            act=SoftmaxActivation(), name="out"),
                                   data.ids("y", 3, lengths=(2, 3)))
    machine = Machine(case, learned=False)
    (evaluator, sums), = machine.network.evaluators
    chances = numpy.exp(machine.data.values["x"] @ numpy.array(machine.weight("_out.w0")))
    wrong = chances.argmax(axis=1) != machine.data.values["y"][:, 0]
    found, = evaluator.result(machine.run(sums)).values()
    assert found == pytest.approx(wrong.mean()) and 0 < found < 1
