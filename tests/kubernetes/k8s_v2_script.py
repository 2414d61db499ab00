"""A small v2 job, told by PADDLE_INIT_* alone who it is: which of 5 classes a word of 50 is in.
Trainer 0 leaves the parameters in the file it is given."""
import os
import random
import sys

import paddle.v2 as paddle

WORDS, CLASSES, PASSES = 50, 5, 4


def samples(trainer):
    """200 of this trainer's own."""
    rng = random.Random(100 + trainer)
    for _ in range(200):
        word = rng.randrange(WORDS)
        yield word, word % CLASSES


def main(path):
    paddle.init()
    trainer = int(os.environ["PADDLE_INIT_TRAINER_ID"])
    assert trainer == int(os.environ["OMPI_COMM_WORLD_RANK"])
    word = paddle.layer.data(name="word", type=paddle.data_type.integer_value(WORDS))
    label = paddle.layer.data(name="label", type=paddle.data_type.integer_value(CLASSES))
    table = paddle.layer.embedding(input=word, size=8,
                                   param_attr=paddle.attr.Param(name="table", sparse_update=True))
    guess = paddle.layer.fc(input=table, size=CLASSES, act=paddle.activation.Softmax())
    cost = paddle.layer.classification_cost(input=guess, label=label)
    parameters = paddle.parameters.create(cost)
    sgd = paddle.trainer.SGD(cost, parameters, paddle.optimizer.AdaGrad(learning_rate=0.2),
                             is_local=False)
    costs = []

    def tell(event):
        if isinstance(event, paddle.event.EndIteration):
            costs.append(event.cost)
        if isinstance(event, paddle.event.EndPass):
            print("pass %d cost %.4f" % (event.pass_id, sum(costs[-20:]) / 20))
            sys.stdout.flush()
    sgd.train(paddle.batch(lambda: samples(trainer), 10), num_passes=PASSES, event_handler=tell,
              feeding={"word": 0, "label": 1})
    if trainer == 0:
        with open(path, "wb") as file:
            sgd.save_parameter_to_tar(file)
        right = paddle.infer(output_layer=guess, parameters=parameters,
                             input=[(w,) for w in range(WORDS)], feeding={"word": 0})
        hits = sum(int(row.argmax()) == w % CLASSES for w, row in enumerate(right))
        print("right: %d of %d" % (hits, WORDS))


main(sys.argv[1])
