"""A trainer of paddle.v2: words and numbers of an example to three classes.

Alone it trains on all samples of each batch, with --remote on its share of them. What it has
learned is written to --out as JSON."""
import argparse
import json

import numpy as np

import paddle.v2 as paddle

WORDS, BATCH = 30, 12


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--remote", action="store_true")
    parser.add_argument("--sparse", action="store_true")
    parser.add_argument("--image", action="store_true", help="the numbers are an image")
    parser.add_argument("--is_async", action="store_true")
    parser.add_argument("--sequences", action="store_true", help="words as recurrent groups read them")
    parser.add_argument("--noise", action="store_true", help="labels that cannot all be learned")
    parser.add_argument("--optimizer", default="Momentum")
    parser.add_argument("--settings", type=json.loads, default={"learning_rate": 0.02})
    parser.add_argument("--words", type=int, default=WORDS, help="rows of the table")
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--change", action="store_true", help="other values to start with")
    parser.add_argument("--fail_at", type=int, default=-1, help="the batch that cannot be read")
    parser.add_argument("--out")
    return parser.parse_args()


def model(args):
    kind = "integer_value_sequence" if args.sequences else "integer_value"
    word = paddle.layer.data(name="word", type=getattr(paddle.data_type, kind)(args.words))
    numbers = paddle.layer.data(name="numbers", type=paddle.data_type.dense_vector(4))
    label = paddle.layer.data(name="label", type=paddle.data_type.integer_value(3))
    table = paddle.layer.embedding(input=word, size=8, param_attr=paddle.attr.Param(
        name="table", sparse_update=args.sparse))
    if args.sequences:
        table = paddle.layer.last_seq(input=paddle.networks.gru_group(
            input=paddle.layer.fc(input=table, size=24, name="gates"), name="read"))
    if args.image:
        numbers = paddle.layer.img_conv(input=numbers, filter_size=2, num_filters=3, padding=1,
                                        num_channels=1, name="filter")
    hidden = paddle.layer.fc(input=[table, numbers], size=16, act=paddle.activation.Tanh(),
                             name="hidden")
    out = paddle.layer.fc(input=hidden, size=3, act=paddle.activation.Softmax(), name="out")
    return paddle.layer.classification_cost(input=out, label=label)


def batches(args, first=0, every=1):
    """The samples first, first + every, ... of each batch."""
    def reader():
        chance = np.random.RandomState(3)
        for step in range(args.steps):
            if step == args.fail_at:
                raise OSError("the shard is damaged")
            words, numbers = chance.randint(0, WORDS, BATCH), chance.rand(BATCH, 4)
            labels = chance.randint(0, 3, BATCH) if args.noise else words % 3
            batch = [(int(w), n, int(y)) for w, n, y in zip(words, numbers, labels)]
            if args.sequences:
                batch = [([w, *range(w % 3)], n, y) for w, n, y in batch]
            yield batch[first::every]
    return reader


def main():
    args = options()
    paddle.init()
    from paddle.v2.flags import flags
    me, trainers = flags()["trainer_id"], flags()["num_gradient_servers"]
    cost = model(args)
    parameters = paddle.parameters.create(cost)
    if args.change and (me == 0 or not args.remote):
        for name in ("table", "_out.w0"):
            parameters[name] = 0.5 + 2 * parameters[name]
    optimizer = getattr(paddle.optimizer, args.optimizer)(is_async=args.is_async, **args.settings)
    trainer = paddle.trainer.SGD(cost, parameters, optimizer, is_local=not args.remote)
    costs = []

    def handler(event):
        if isinstance(event, paddle.event.EndIteration):
            costs.append(event.cost)
    mine = batches(args, me, trainers) if args.remote else batches(args)
    trainer.train(mine, num_passes=args.passes, event_handler=handler)
    found = {"costs": costs}
    if args.remote:
        from paddle import _core
        found["traffic"] = _core.job_traffic()
        if args.is_async:  # the test is of what all have learned
            from paddle.fluid import communicator
            communicator.barrier("trained")
    found["test"] = trainer.test(batches(args)).cost
    if args.words <= WORDS:
        found["values"] = {name: parameters[name].ravel().tolist() for name in parameters}
    if args.out:
        with open(args.out, "w") as file:
            json.dump(found, file)
    print("done", found["test"])


if __name__ == "__main__":
    main()
