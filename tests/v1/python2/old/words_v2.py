"""A v2 script as it was written in Python 2: a model of words, small."""
import gzip
import math
import os
import sys
import cPickle as pickle

import paddle.v2 as paddle

embsize = 8
hiddensize = 16
N = 3
with_gpu = os.getenv('WITH_GPU', '0') != '0'


def wordemb(inlayer):
    return paddle.layer.embedding(
        input=inlayer, size=embsize,
        param_attr=paddle.attr.Param(name="_proj", initial_std=0.001, learning_rate=1, l2_rate=0,
                                     sparse_update=True))


def reader(name):
    def read():
        with open(name) as f:
            for line in f:
                yield tuple(map(int, line.strip().split(',')))
    return read


def main():
    paddle.init(use_gpu=with_gpu, trainer_count=1)
    words = ['w%d' % i for i in range(20)]
    with open('word_dict.pickle', 'w') as f:
        pickle.dump(dict(zip(words, xrange(len(words)))), f)
    word_dict = pickle.load(open('word_dict.pickle', 'r'))
    dict_size = len(word_dict)
    with open('train.txt', 'w') as f:
        for i in range(200):
            print >>f, '%d,%d,%d' % (i % 20, (i + 1) % 20, (i + 2) % 20)
    firstword = paddle.layer.data(name="firstw", type=paddle.data_type.integer_value(dict_size))
    secondword = paddle.layer.data(name="secondw", type=paddle.data_type.integer_value(dict_size))
    nextword = paddle.layer.data(name="thirdw", type=paddle.data_type.integer_value(dict_size))
    contextemb = paddle.layer.concat(input=map(wordemb, [firstword, secondword]))
    hidden1 = paddle.layer.fc(input=contextemb, size=hiddensize, act=paddle.activation.Sigmoid(),
                              bias_attr=paddle.attr.Param(learning_rate=2),
                              param_attr=paddle.attr.Param(initial_std=1. / math.sqrt(embsize * 8),
                                                           learning_rate=1))
    predictword = paddle.layer.fc(input=hidden1, size=dict_size, act=paddle.activation.Softmax(),
                                  bias_attr=paddle.attr.Param(learning_rate=2))

    def event_handler(event):
        if isinstance(event, paddle.event.EndIteration):
            if event.batch_id % 5 == 0:
                print "Pass %d, Batch %d, Cost %f, %s" % (
                    event.pass_id, event.batch_id, event.cost, event.metrics)
        if isinstance(event, paddle.event.EndPass):
            result = trainer.test(paddle.batch(reader('train.txt'), 32))
            print "Pass %d, Testing metrics %s" % (event.pass_id, result.metrics)
            with gzip.open("model_%d.tar.gz" % event.pass_id, 'w') as f:
                parameters.to_tar(f)

    cost = paddle.layer.classification_cost(input=predictword, label=nextword)
    parameters = paddle.parameters.create(cost)
    adagrad = paddle.optimizer.AdaGrad(learning_rate=3e-2,
                                       regularization=paddle.optimizer.L2Regularization(8e-4))
    trainer = paddle.trainer.SGD(cost, parameters, adagrad)
    trainer.train(paddle.batch(reader('train.txt'), 32), num_passes=2, event_handler=event_handler)
    loaded = paddle.parameters.Parameters.from_tar(gzip.open('model_1.tar.gz', 'r'))
    print sorted(loaded.keys())[0], len(loaded.keys()), 7 / 2


if __name__ == '__main__':
    main()
