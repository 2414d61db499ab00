"""Examples per CPU-second of the N-gram word2vec of bench/word2vec.py, in paddle.v2: the reader, the
batches and the feeding are part of it, as they are of every v2 job.

    python word2vec.py [--batch 32] [--reps 3] [--port P --trainer_id I --trainers N]

With --port it is one trainer of a job on the server there; a pass is then PASSES / N batches."""
import argparse
import sys
import time

import numpy as np

sys.path.insert(0, __file__.rsplit("/", 2)[0])  # measure.py
from measure import report  # noqa: E402

import paddle.v2 as paddle  # noqa: E402

VOCABULARY, WIDTH, HIDDEN, STEPS = 2073, 32, 256, 500
NAMES = ["firstw", "secondw", "thirdw", "fourthw", "nextw"]


def network(sparse):
    kind = paddle.data_type.integer_value(VOCABULARY)
    words = [paddle.layer.data(name=name, type=kind) for name in NAMES]
    table = paddle.attr.Param(name="_proj", initial_std=0.1, sparse_update=sparse)
    embedded = [paddle.layer.embedding(input=word, size=WIDTH, param_attr=table)
                for word in words[:4]]
    hidden = paddle.layer.fc(input=paddle.layer.concat(input=embedded), size=HIDDEN,
                             act=paddle.activation.Sigmoid())
    predicted = paddle.layer.fc(input=hidden, size=VOCABULARY, act=paddle.activation.Softmax())
    return paddle.layer.cross_entropy_cost(input=predicted, label=words[4])


def reader_of(count, first=0):
    """`count` runs of five words, as tuples of ints, from the same text as bench/word2vec.py."""
    words = (np.random.RandomState(0).zipf(1.2, 400000) % VOCABULARY).tolist()

    def reader():
        for i in range(first, first + count):
            yield tuple(words[i:i + 5])
    return reader


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    for name, default in (("batch", 32), ("reps", 3), ("port", 0), ("trainer_id", 0),
                          ("trainers", 1)):
        parser.add_argument("--" + name, type=int, default=default)
    args = parser.parse_args()
    remote = bool(args.port)
    more = dict(port=args.port, ports_num=1, ports_num_for_sparse=1, pservers="127.0.0.1",
                num_gradient_servers=args.trainers, trainer_id=args.trainer_id) if remote else {}
    paddle.init(use_gpu=False, trainer_count=1, **more)
    cost = network(sparse=remote)
    optimizer = paddle.optimizer.Momentum(momentum=0, learning_rate=1e-3 / args.batch)
    trainer = paddle.trainer.SGD(cost=cost, parameters=paddle.parameters.create(cost),
                                 update_equation=optimizer, is_local=not remote)
    count = STEPS * args.batch
    marks, last = [], []

    def event_handler(event):
        if isinstance(event, paddle.event.BeginPass):
            marks.append((time.process_time(), time.time()))
        elif isinstance(event, paddle.event.EndIteration):
            last[:] = [event.cost]
        elif isinstance(event, paddle.event.EndPass):
            marks[-1] += (time.process_time(), time.time())

    reader = paddle.batch(reader_of(count, args.trainer_id * count), args.batch)
    trainer.train(reader, num_passes=args.reps + 1, event_handler=event_handler,
                  feeding={name: i for i, name in enumerate(NAMES)})
    marks = marks[1:]  # the first pass warms up
    rates = sorted(count / (cpu1 - cpu0) for cpu0, _, cpu1, _ in marks)
    report("word2vec v2", rates, cost=float(last[0]), examples=count * len(marks),
           cpu=sum(m[2] - m[0] for m in marks), began=marks[0][1], ended=marks[-1][3],
           wall=marks[-1][3] - marks[0][1])


if __name__ == "__main__":
    main()
