"""Tell praise from blame in film reviews (IMDB) with paddle.v2, by one of two networks.

    python train_v2.py [--net conv|lstm] [--num_passes 3] [--model FILE.tar.gz]

Without a network the reviews are generated ones (docs/datasets.md)."""
import argparse
import gzip

import paddle.v2 as paddle
from paddle.dataset.common import fetch_or_synthetic

CLASSES = 2


def conv(words, width):
    """Runs of three and of four words, each kind pooled over the review."""
    embedded = paddle.layer.embedding(input=words, size=width)
    runs = [paddle.networks.sequence_conv_pool(input=embedded, context_len=length,
                                               hidden_size=width) for length in (3, 4)]
    return paddle.layer.fc(input=runs, size=CLASSES, act=paddle.activation.Softmax())


def lstm(words, width, depth=3):
    """LSTMs on top of one another, every other one reads backwards; each sees what the one below
    it saw, too."""
    if depth % 2 == 0:
        raise ValueError("depth is %d, and must be odd: the last LSTM reads forwards" % depth)
    embedded = paddle.layer.embedding(input=words, size=width)
    linear, relu = paddle.activation.Linear(), paddle.activation.Relu()
    through = paddle.layer.fc(input=embedded, size=width, act=linear)
    memory = paddle.layer.lstmemory(input=through, act=relu)
    inputs = [through, memory]
    for i in range(1, depth):
        through = paddle.layer.fc(input=inputs, size=width, act=linear)
        memory = paddle.layer.lstmemory(input=through, reverse=i % 2 == 1, act=relu)
        inputs = [through, memory]
    pooled = [paddle.layer.pooling(input=each, pooling_type=paddle.pooling.Max())
              for each in inputs]
    return paddle.layer.fc(input=pooled, size=CLASSES, act=paddle.activation.Softmax())


def main():
    nets = {"conv": conv, "lstm": lstm}
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--net", choices=sorted(nets), default="conv")
    parser.add_argument("--num_passes", type=int, default=3)
    parser.add_argument("--batch_size", type=int, default=100)
    parser.add_argument("--width", type=int, default=128, help="a multiple of 4")
    parser.add_argument("--samples", type=int, default=0, help="of each pass; 0: all")
    parser.add_argument("--model", default="sentiment.tar.gz", metavar="FILE.tar.gz")
    args = parser.parse_args()
    paddle.init(use_gpu=False, trainer_count=1)
    imdb = paddle.dataset.imdb
    fetch_or_synthetic(imdb)
    word_dict = imdb.word_dict()

    words = paddle.layer.data(name="word",
                              type=paddle.data_type.integer_value_sequence(len(word_dict)))
    label = paddle.layer.data(name="label", type=paddle.data_type.integer_value(CLASSES))
    predicted = nets[args.net](words, args.width)
    cost = paddle.layer.classification_cost(input=predicted, label=label)

    parameters = paddle.parameters.create(cost)
    optimizer = paddle.optimizer.Adam(
        learning_rate=2e-3, regularization=paddle.optimizer.L2Regularization(rate=8e-4),
        model_average=paddle.optimizer.ModelAverage(average_window=0.5))
    trainer = paddle.trainer.SGD(cost=cost, parameters=parameters, update_equation=optimizer)

    def some(reader):
        """All of them are shuffled first: reviews of one kind stand together."""
        mixed = paddle.reader.shuffle(reader, buf_size=100000)
        return paddle.reader.firstn(mixed, args.samples) if args.samples else mixed

    train_reader, test_reader = some(imdb.train(word_dict)), some(imdb.test(word_dict))

    def event_handler(event):
        if isinstance(event, paddle.event.EndIteration) and event.batch_id % 10 == 0:
            print("Pass %d, Batch %d, Cost %f, %s" % (event.pass_id, event.batch_id, event.cost,
                                                      event.metrics), flush=True)
        if isinstance(event, paddle.event.EndPass):
            tested = trainer.test(reader=paddle.batch(test_reader, args.batch_size))
            print("Test with Pass %d, Cost %f, %s" % (event.pass_id, tested.cost, tested.metrics),
                  flush=True)

    trainer.train(reader=paddle.batch(train_reader, args.batch_size), event_handler=event_handler,
                  num_passes=args.num_passes, feeding={"word": 0, "label": 1})
    with gzip.open(args.model, "wb") as f:
        trainer.save_parameter_to_tar(f)

    with gzip.open(args.model, "rb") as f:
        parameters = paddle.parameters.Parameters.from_tar(f)
    samples = list(paddle.reader.firstn(test_reader, 8)())
    likely = paddle.infer(output_layer=predicted, parameters=parameters,
                          input=[(review,) for review, _ in samples])
    for (review, answer), row in zip(samples, likely):
        print("%3d words, %s; positive with probability %.2f" % (
            len(review), "negative" if answer else "positive", row[0]))


if __name__ == "__main__":
    main()
