"""Fit a line to the Boston housing data with paddle.v2.

    python train_v2.py [--num_passes 30] [--model FILE.tar]

Without a network the data are generated ones (docs/datasets.md)."""
import argparse

import paddle.v2 as paddle
from paddle.dataset.common import fetch_or_synthetic


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--num_passes", type=int, default=30)
    parser.add_argument("--model", default="fit_a_line.tar", metavar="FILE.tar")
    args = parser.parse_args()
    paddle.init(use_gpu=False, trainer_count=1)
    housing = paddle.dataset.uci_housing
    fetch_or_synthetic(housing)

    x = paddle.layer.data(name="x", type=paddle.data_type.dense_vector(13))
    predicted = paddle.layer.fc(input=x, size=1, act=paddle.activation.Linear())
    y = paddle.layer.data(name="y", type=paddle.data_type.dense_vector(1))
    cost = paddle.layer.mse_cost(input=predicted, label=y)

    parameters = paddle.parameters.create(cost)
    optimizer = paddle.optimizer.Momentum(momentum=0, learning_rate=1e-3)
    trainer = paddle.trainer.SGD(cost=cost, parameters=parameters, update_equation=optimizer)

    def event_handler(event):
        if isinstance(event, paddle.event.EndIteration) and event.batch_id % 100 == 0:
            print("Pass %d, Batch %d, Cost %f" % (event.pass_id, event.batch_id, event.cost))
        if isinstance(event, paddle.event.EndPass):
            tested = trainer.test(reader=paddle.batch(housing.test(), batch_size=10),
                                  feeding={"x": 0, "y": 1})
            print("Test %d, Cost %f" % (event.pass_id, tested.cost))

    shuffled = paddle.reader.shuffle(housing.train(), buf_size=500)
    trainer.train(reader=paddle.batch(shuffled, batch_size=10), feeding={"x": 0, "y": 1},
                  event_handler=event_handler, num_passes=args.num_passes)
    with open(args.model, "wb") as f:
        trainer.save_parameter_to_tar(f)

    with open(args.model, "rb") as f:
        parameters = paddle.parameters.Parameters.from_tar(f)
    samples = list(paddle.reader.firstn(housing.test(), 5)())
    prices = paddle.infer(output_layer=predicted, parameters=parameters,
                          input=[(features,) for features, _ in samples])
    for (_, price), guess in zip(samples, prices):
        print("price %6.2f, predicted %6.2f" % (price[0], guess[0]))


if __name__ == "__main__":
    main()
