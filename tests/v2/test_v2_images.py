"""A model of images through paddle.v2: it learns, is kept in a tar file, and infers."""
import io

import numpy

PATTERNS = numpy.random.RandomState(0).randn(4, 64)


def examples(n=64):
    random = numpy.random.RandomState(1)
    for _ in range(n):
        label = random.randint(4)
        yield (PATTERNS[label] + random.randn(64)).astype("float32"), int(label)


def test_digits_are_told_apart_and_the_model_is_kept(fresh):
    paddle = fresh
    paddle.init(use_gpu=False, trainer_count=1)
    image = paddle.layer.data(name="pixel", type=paddle.data_type.dense_vector(64))
    label = paddle.layer.data(name="label", type=paddle.data_type.integer_value(4))
    pooled = paddle.networks.simple_img_conv_pool(
        input=image, filter_size=3, num_filters=6, num_channel=1, pool_size=2, pool_stride=2,
        act=paddle.activation.Relu(), name="first")
    normal = paddle.layer.batch_norm(input=pooled, name="normal")
    chances = paddle.layer.fc(input=normal, size=4, act=paddle.activation.Softmax())
    cost = paddle.layer.classification_cost(input=chances, label=label)
    parameters = paddle.parameters.create(cost)
    assert parameters.get_shape("_first_conv.w0") == (1, 54)
    assert parameters.get_shape("_first_conv.wbias") == (6, 1)
    trainer = paddle.trainer.SGD(cost=cost, parameters=parameters,
                                 update_equation=paddle.optimizer.Momentum(
                                     learning_rate=0.1 / 16, momentum=0.9))
    trainer.train(paddle.batch(lambda: examples(), 16), num_passes=12)
    tested = trainer.test(paddle.batch(lambda: examples(), 16))
    assert list(tested.metrics.values())[0] < 0.1
    assert parameters["_normal.w1"].any() and parameters["_normal.w2"].all()
    file = io.BytesIO()
    parameters.to_tar(file)
    file.seek(0)
    kept = paddle.parameters.Parameters.from_tar(file)
    assert kept.get_shape("_first_conv.w0") == (1, 54)
    told = paddle.infer(output_layer=chances, parameters=kept,
                        input=[(pixels,) for pixels, _ in examples()])
    right = told.argmax(axis=1) == [label for _, label in examples()]
    assert right.mean() > 0.9
