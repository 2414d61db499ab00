"""Does a review praise? Convolutions of two widths over its words; a "not" turns the next word's
meaning, so single words do not tell."""
import sys

import numpy as np
import paddle.fluid as fluid

from book import leave, train

WORDS, NOT, BATCH = 40, 0, 32  # 1 to 9 praise, 10 to 19 damn, the rest say nothing
rng = np.random.RandomState(5)


def review():
    praise = rng.randint(2)
    words = []
    for _ in range(rng.randint(3, 8)):
        words += list(rng.randint(20, WORDS, rng.randint(0, 3)))
        turned = rng.randint(2)
        said = rng.randint(1, 10) if praise != turned else rng.randint(10, 20)
        words += [NOT, said] if turned else [said]
    return words, praise


def reviews(count):
    some = [review() for _ in range(count)]
    flat = np.concatenate([words for words, _ in some]).astype("int64").reshape(-1, 1)
    return {"words": fluid.create_lod_tensor(flat, [[len(words) for words, _ in some]],
                                             fluid.CPUPlace()),
            "label": np.array([praise for _, praise in some], "int64").reshape(-1, 1)}


BATCHES = [reviews(BATCH) for _ in range(20)]
words = fluid.layers.data(name="words", shape=[1], dtype="int64", lod_level=1)
label = fluid.layers.data(name="label", shape=[1], dtype="int64")
vectors = fluid.layers.embedding(input=words, size=[WORDS, 16], is_sparse=True)
three = fluid.nets.sequence_conv_pool(input=vectors, num_filters=16, filter_size=3, act="tanh",
                                      pool_type="sqrt")
four = fluid.nets.sequence_conv_pool(input=vectors, num_filters=16, filter_size=4, act="tanh",
                                     pool_type="sqrt")
verdict = fluid.layers.fc(input=[three, four], size=2, act="softmax")
loss = fluid.layers.mean(fluid.layers.cross_entropy(input=verdict, label=label))
right = fluid.layers.accuracy(input=verdict, label=label)
test_program = fluid.default_main_program().clone(for_test=True)
fluid.optimizer.Adagrad(learning_rate=0.05).minimize(loss)

exe = fluid.Executor(fluid.CPUPlace())
exe.run(fluid.default_startup_program())
train(exe, lambda: BATCHES, loss, goal=0.1, passes=60)
fresh = reviews(300)
value, = exe.run(test_program, feed=fresh, fetch_list=[right])
assert float(np.ravel(value)[0]) > 0.9, "of unseen reviews %.2f are right" % float(np.ravel(value)[0])
leave(sys.argv[1], exe, {"words": reviews(6)["words"]}, verdict, test_program)
