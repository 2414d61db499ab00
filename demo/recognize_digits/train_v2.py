"""Tell the digits of MNIST apart with paddle.v2, by one of three networks.

    python train_v2.py [--net softmax|mlp|conv] [--num_passes 5] [--model FILE.tar]

Without a network the pictures are generated ones (docs/datasets.md)."""
import argparse

import paddle.v2 as paddle
from paddle.dataset.common import fetch_or_synthetic

CLASSES, PIXELS = 10, 784


def softmax(picture):
    """No hidden layer at all."""
    return paddle.layer.fc(input=picture, size=CLASSES, act=paddle.activation.Softmax())


def mlp(picture):
    """Two hidden layers."""
    first = paddle.layer.fc(input=picture, size=128, act=paddle.activation.Relu())
    second = paddle.layer.fc(input=first, size=64, act=paddle.activation.Relu())
    return softmax(second)


def conv(picture):
    """Two layers of filters, each halved by pooling, in the manner of LeNet-5."""
    first = paddle.networks.simple_img_conv_pool(
        input=picture, filter_size=5, num_filters=20, num_channel=1, pool_size=2, pool_stride=2,
        act=paddle.activation.Relu())
    second = paddle.networks.simple_img_conv_pool(
        input=first, filter_size=5, num_filters=50, num_channel=20, pool_size=2, pool_stride=2,
        act=paddle.activation.Relu())
    return softmax(second)


def main():
    nets = {"softmax": softmax, "mlp": mlp, "conv": conv}
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--net", choices=sorted(nets), default="mlp")
    parser.add_argument("--num_passes", type=int, default=5)
    parser.add_argument("--batch_size", type=int, default=128)
    parser.add_argument("--samples", type=int, default=0, help="of each pass; 0: all")
    parser.add_argument("--trainer_count", type=int, default=1, help="threads")
    parser.add_argument("--model", default="recognize_digits.tar", metavar="FILE.tar")
    args = parser.parse_args()
    paddle.init(use_gpu=False, trainer_count=args.trainer_count)
    mnist = paddle.dataset.mnist
    fetch_or_synthetic(mnist)

    def some(reader):
        return paddle.reader.firstn(reader, args.samples) if args.samples else reader

    picture = paddle.layer.data(name="pixel", type=paddle.data_type.dense_vector(PIXELS))
    label = paddle.layer.data(name="label", type=paddle.data_type.integer_value(CLASSES))
    predicted = nets[args.net](picture)
    cost = paddle.layer.classification_cost(input=predicted, label=label)

    parameters = paddle.parameters.create(cost)
    optimizer = paddle.optimizer.Momentum(
        learning_rate=0.1 / args.batch_size, momentum=0.9,
        regularization=paddle.optimizer.L2Regularization(rate=0.0005 * args.batch_size))
    trainer = paddle.trainer.SGD(cost=cost, parameters=parameters, update_equation=optimizer)

    def event_handler(event):
        if isinstance(event, paddle.event.EndIteration) and event.batch_id % 100 == 0:
            print("Pass %d, Batch %d, Cost %f, %s" % (event.pass_id, event.batch_id, event.cost,
                                                      event.metrics))
        if isinstance(event, paddle.event.EndPass):
            tested = trainer.test(reader=paddle.batch(some(mnist.test()), args.batch_size))
            print("Test with Pass %d, Cost %f, %s" % (event.pass_id, tested.cost, tested.metrics))

    shuffled = paddle.reader.shuffle(some(mnist.train()), buf_size=8192)
    trainer.train(reader=paddle.batch(shuffled, args.batch_size), num_passes=args.num_passes,
                  event_handler=event_handler)
    with open(args.model, "wb") as f:
        trainer.save_parameter_to_tar(f)

    with open(args.model, "rb") as f:
        parameters = paddle.parameters.Parameters.from_tar(f)
    samples = list(paddle.reader.firstn(mnist.test(), 10)())
    likely = paddle.infer(output_layer=predicted, parameters=parameters,
                          input=[(pixels,) for pixels, _ in samples])
    print("digits    %s" % " ".join(str(digit) for _, digit in samples))
    print("predicted %s" % " ".join(str(row.argmax()) for row in likely))


if __name__ == "__main__":
    main()
