"""Classify pictures with a small residual network: shortcuts, strides, batch normalisation."""
import sys

import numpy as np
import paddle.fluid as fluid

import picture_data
from book import leave, train

layers = fluid.layers


def conv_bn(x, filters, size, stride, padding, act="relu"):
    x = layers.conv2d(input=x, num_filters=filters, filter_size=size, stride=stride,
                      padding=padding, act=None, bias_attr=False)
    return layers.batch_norm(input=x, act=act)


def block(x, filters, stride):
    y = conv_bn(conv_bn(x, filters, 3, stride, 1), filters, 3, 1, 1, act=None)
    if x.shape[1] != filters:
        x = conv_bn(x, filters, 1, stride, 0, act=None)
    return layers.elementwise_add(x=y, y=x, act="relu")


images = layers.data(name="pixel", shape=[3, picture_data.SIDE, picture_data.SIDE])
label = layers.data(name="label", shape=[1], dtype="int64")
x = conv_bn(images, 8, 3, 1, 1)
for width, stride in ((8, 1), (16, 2), (16, 1)):
    x = block(x, width, stride)
x = layers.pool2d(input=x, pool_type="avg", global_pooling=True)
kind = layers.fc(input=x, size=picture_data.KINDS, act="softmax")
loss = layers.mean(layers.cross_entropy(input=kind, label=label))
right = layers.accuracy(input=kind, label=label)
test_program = fluid.default_main_program().clone(for_test=True)
fluid.default_startup_program().random_seed = 3
fluid.optimizer.Momentum(
    learning_rate=layers.piecewise_decay([60, 120], [0.05, 0.02, 0.01]), momentum=0.9,
    regularization=fluid.regularizer.L2Decay(1e-4)).minimize(loss)

exe = fluid.Executor(fluid.CPUPlace())
exe.run(fluid.default_startup_program())
some = picture_data.batches(15)
train(exe, lambda: some, loss, goal=0.08, passes=15)
fresh = dict(zip(("pixel", "label"), picture_data.batch(1, 200)))
value, = exe.run(test_program, feed=fresh, fetch_list=[right])
assert float(np.ravel(value)[0]) > 0.85, "of unseen pictures %.2f are right" % float(np.ravel(value)[0])
leave(sys.argv[1], exe, {"pixel": fresh["pixel"][:5]}, kind, test_program)
