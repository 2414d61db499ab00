from layercase import check, data


def images(*shape):
    shape = list(shape) or [3, 16, 16]
    return data("x" + "_".join(str(n) for n in shape), shape, grad=True)


def conv2d():
    from paddle.fluid import layers
    layers.conv2d(images(), num_filters=4, filter_size=3)


def conv2d_options():
    import paddle.fluid as fluid
    x = images()
    fluid.layers.conv2d(x, 4, [3, 5], stride=2, padding=1, dilation=[1, 2], act="relu",
                        param_attr=fluid.ParamAttr(name="w"), bias_attr=False, name="top")
    fluid.layers.conv2d(x, 6, 3, stride=[2, 1], groups=3, use_cudnn=False)


def conv2d_padding():
    from paddle.fluid import layers
    x = images()
    layers.conv2d(x, 4, 3, padding="SAME")
    layers.conv2d(x, 4, 3, padding="valid")
    layers.conv2d(x, 4, 3, padding=[1, 2])
    layers.conv2d(x, 4, 3, padding=(1, 2, 3, 4))
    layers.conv2d(x, 4, 3, padding=[[0, 0], [0, 0], [1, 2], [2, 2]])
    layers.conv2d(x, 4, 3, padding=[[0, 0], [0, 0], [2, 2], [1, 1]])
    layers.conv2d(x, 4, 3, padding=[1, 1, 2, 2])


def conv2d_channels_last():
    from paddle.fluid import layers
    x = images(16, 16, 3)
    layers.conv2d(x, 4, 3, data_format="NHWC", act="tanh")
    layers.conv2d(x, 4, 3, data_format="NHWC", padding=[[0, 0], [1, 2], [2, 2], [0, 0]])


def conv2d_depthwise():
    from paddle.fluid import layers
    x = images()
    layers.conv2d(x, 6, 3, groups=3, use_cudnn=True)
    layers.conv2d(x, 3, 3, groups=3, use_cudnn=False)


def conv2d_any_size():
    from paddle.fluid import layers
    layers.conv2d(images(-1, 3, -1, -1), 4, 3, stride=2, padding="SAME")


def conv2d_transpose():
    from paddle.fluid import layers
    x = images()
    layers.conv2d_transpose(x, 4, filter_size=3)
    layers.conv2d_transpose(x, 4, filter_size=[3, 5], stride=2, padding=1, dilation=1, act="relu",
                            bias_attr=False, name="up")
    layers.conv2d_transpose(x, 6, filter_size=3, groups=3, stride=[2, 1])
    layers.conv2d_transpose(x, 3, filter_size=3, groups=3)
    layers.conv2d_transpose(x, 3, filter_size=3, groups=3, use_cudnn=False)


def conv2d_transpose_size():
    from paddle.fluid import layers
    x = images()
    layers.conv2d_transpose(x, 4, output_size=34, stride=2)
    layers.conv2d_transpose(x, 4, output_size=[34, 36], stride=2)
    layers.conv2d_transpose(x, 4, output_size=[34, 33], filter_size=3, stride=2)
    layers.conv2d_transpose(x, 4, filter_size=3, padding="SAME", stride=2)
    layers.conv2d_transpose(x, 4, filter_size=3, padding=[1, 2, 0, 1], stride=2)
    layers.conv2d_transpose(x, 4, filter_size=3, padding=[1, 1, 0, 0], stride=2)
    layers.conv2d_transpose(x, 4, output_size=32, stride=2, padding=[1, 1, 0, 1])
    layers.conv2d_transpose(x, 4, output_size=32, stride=2, padding="SAME")
    layers.conv2d_transpose(images(16, 16, 3), 4, filter_size=3, data_format="NHWC")


def conv3d():
    from paddle.fluid import layers
    x = images(3, 8, 8, 8)
    layers.conv3d(x, 4, 3)
    layers.conv3d(x, 6, [3, 2, 1], stride=2, padding=[1, 0, 1], groups=3, act="relu",
                  bias_attr=False)
    layers.conv3d(x, 4, 3, padding="SAME")
    layers.conv3d(x, 4, 3, padding=[1, 2, 0, 0, 1, 1])
    layers.conv3d(x, 4, 3, padding=[2, 2, 0, 0, 1, 1])
    layers.conv3d(images(8, 8, 8, 3), 4, 3, data_format="NDHWC")


def conv3d_transpose():
    from paddle.fluid import layers
    x = images(3, 4, 4, 4)
    layers.conv3d_transpose(x, 4, filter_size=3)
    layers.conv3d_transpose(x, 4, filter_size=[3, 2, 3], stride=2, padding=1, act="relu",
                            bias_attr=False)
    layers.conv3d_transpose(x, 4, output_size=9, stride=2)


def pool2d():
    from paddle.fluid import layers
    x = images()
    layers.pool2d(x, 2)
    layers.pool2d(x, [2, 3], "avg", pool_stride=2, pool_padding=1, ceil_mode=True,
                  exclusive=False, name="p")
    layers.pool2d(x, pool_type="avg", global_pooling=True)
    layers.pool2d(x, 2, pool_padding="SAME")
    layers.pool2d(x, 2, pool_padding="VALID")
    layers.pool2d(x, 2, pool_padding=[1, 0, 1, 0])
    layers.pool2d(x, 2, pool_padding=[1, 1, 0, 0])
    layers.pool2d(x, 2, pool_padding=[[0, 0], [0, 0], [1, 0], [1, 1]])
    layers.pool2d(images(16, 16, 3), 2, pool_stride=2, data_format="NHWC")


def pool3d():
    from paddle.fluid import layers
    x = images(3, 8, 8, 8)
    layers.pool3d(x, 2)
    layers.pool3d(x, [2, 3, 1], "avg", pool_stride=2, pool_padding=[1, 0, 0])
    layers.pool3d(x, 2, "avg", pool_padding="SAME", ceil_mode=True)
    layers.pool3d(x, global_pooling=True)


def adaptive_pool2d():
    from paddle.fluid import layers
    x = images()
    layers.adaptive_pool2d(x, [3, 4])
    layers.adaptive_pool2d(x, 3, "avg")
    layers.adaptive_pool2d(x, [3, 3], "max", require_index=True)


def adaptive_pool3d():
    from paddle.fluid import layers
    x = images(3, 8, 8, 8)
    layers.adaptive_pool3d(x, [3, 4, 2])
    layers.adaptive_pool3d(x, 3, "avg")
    layers.adaptive_pool3d(x, 3, "max", require_index=True)


def image_resize():
    from paddle.fluid import layers
    x = images()
    layers.image_resize(x, out_shape=[8, 9])
    layers.image_resize(x, scale=2.5, resample="NEAREST", align_corners=False)
    layers.image_resize(x, out_shape=(8, 9), align_corners=False, align_mode=0, name="small")
    layers.image_resize(images(3, 8, 8, 8), out_shape=[4, 5, 6], resample="TRILINEAR",
                        data_format="NCDHW")
    layers.image_resize(images(16, 16, 3), out_shape=[8, 9], data_format="NHWC")


def image_resize_by_tensors():
    import paddle.fluid as fluid
    x = images()
    size = fluid.data("size", [2], "int32")
    one = fluid.data("one", [1], "int32")
    scale = fluid.data("scale", [1], "float32")
    fluid.layers.image_resize(x, out_shape=size)
    fluid.layers.image_resize(x, out_shape=[8, one])
    fluid.layers.image_resize(x, scale=scale)
    fluid.layers.image_resize(x, out_shape=[8, 9], actual_shape=size)


def resize():
    from paddle.fluid import layers
    x = images()
    layers.resize_bilinear(x, out_shape=[8, 9])
    layers.resize_bilinear(x, scale=0.5, align_corners=False, align_mode=0)
    layers.resize_nearest(x, out_shape=[8, 9], align_corners=False)
    layers.resize_trilinear(images(3, 8, 8, 8), out_shape=[4, 5, 6])


def image_resize_short():
    import paddle.fluid as fluid
    x = fluid.data("x", [2, 3, 8, 16])
    fluid.layers.image_resize_short(x, 4)


def rearranged():
    from paddle.fluid import layers
    x = images(8, 16, 16)
    layers.pixel_shuffle(x, 2)
    layers.space_to_depth(x, 2)
    layers.shuffle_channel(x, group=4)
    layers.shuffle_channel(x, 2, name="mixed")
    layers.space_to_depth(x, 2, name="deep")
    layers.temporal_shift(x, seg_num=2, shift_ratio=0.2)
    layers.temporal_shift(x, 2, name="late")


def grid_sampler():
    from paddle.fluid import layers
    layers.grid_sampler(images(3, 4, 5), data("g", [4, 5, 2]))
    layers.grid_sampler(images(3, 4, 5), data("h", [4, 5, 2]), name="here")


CASES = [conv2d, conv2d_options, conv2d_padding, conv2d_channels_last, conv2d_depthwise,
         conv2d_any_size, conv2d_transpose, conv2d_transpose_size, conv3d, conv3d_transpose, pool2d,
         pool3d, adaptive_pool2d, adaptive_pool3d, image_resize, image_resize_by_tensors, resize,
         image_resize_short, rearranged, grid_sampler]
# Paddle says float32 of the masks, and computes int32.
test = check(__file__, CASES, ignore_vars=["max_pool%dd_with_index_%d.tmp_1" % (d, i)
                                           for d in (2, 3) for i in (0, 1)])
