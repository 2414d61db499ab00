"""Does a review praise? Stacked LSTMs in both directions over its words: the last opinion after a
"but" counts, so what stands where does matter."""
import sys

import numpy as np
import paddle.fluid as fluid

from book import leave, train

WORDS, BUT, BATCH = 30, 0, 32  # 1 to 7 praise, 8 to 14 damn, the rest say nothing
rng = np.random.RandomState(6)


def review():
    praise = rng.randint(2)
    words = list(rng.randint(15, WORDS, rng.randint(0, 3)))
    if rng.randint(2):
        words += [rng.randint(8, 15) if praise else rng.randint(1, 8), BUT]
    words += list(rng.randint(15, WORDS, rng.randint(0, 2)))
    words += [rng.randint(1, 8) if praise else rng.randint(8, 15)]
    return words, praise


def reviews(count):
    some = [review() for _ in range(count)]
    flat = np.concatenate([words for words, _ in some]).astype("int64").reshape(-1, 1)
    return {"words": fluid.create_lod_tensor(flat, [[len(words) for words, _ in some]],
                                             fluid.CPUPlace()),
            "label": np.array([praise for _, praise in some], "int64").reshape(-1, 1)}


BATCHES = [reviews(BATCH) for _ in range(15)]
words = fluid.layers.data(name="words", shape=[1], dtype="int64", lod_level=1)
label = fluid.layers.data(name="label", shape=[1], dtype="int64")
layer = fluid.layers.embedding(input=words, size=[WORDS, 16], is_sparse=True)
inputs = [fluid.layers.fc(input=layer, size=64)]
inputs.append(fluid.layers.dynamic_lstm(input=inputs[0], size=64)[0])
for i in (1, 2):
    forward = fluid.layers.fc(input=inputs, size=64)
    hidden, _ = fluid.layers.dynamic_lstm(input=forward, size=64, is_reverse=i % 2 == 1)
    inputs = [forward, hidden]
best = [fluid.layers.sequence_pool(input=x, pool_type="max") for x in inputs]
verdict = fluid.layers.fc(input=best, size=2, act="softmax")
loss = fluid.layers.mean(fluid.layers.cross_entropy(input=verdict, label=label))
right = fluid.layers.accuracy(input=verdict, label=label)
test_program = fluid.default_main_program().clone(for_test=True)
fluid.optimizer.Adam(learning_rate=0.01).minimize(loss)

exe = fluid.Executor(fluid.CPUPlace())
exe.run(fluid.default_startup_program())
train(exe, lambda: BATCHES, loss, goal=0.05, passes=30)
value, = exe.run(test_program, feed=reviews(300), fetch_list=[right])
assert float(np.ravel(value)[0]) > 0.95, "of unseen reviews %.2f are right" % np.ravel(value)[0]
leave(sys.argv[1], exe, {"words": reviews(6)["words"]}, verdict, test_program)
