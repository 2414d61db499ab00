"""Guess the next word from the four before it; text from a chain in which each word has three
followers, with the odds 8 : 1 : 1, so that no guess can have a loss under 0.64."""
import sys

import numpy as np
import paddle.fluid as fluid

from book import leave, train

WORDS, WIDTH, BATCH = 60, 16, 50
rng = np.random.RandomState(3)
FOLLOWERS = np.array([rng.permutation(WORDS)[:3] for _ in range(WORDS)])
text = [0]
for _ in range(5003):
    text.append(FOLLOWERS[text[-1], rng.choice(3, p=[0.8, 0.1, 0.1])])
text = np.array(text, "int64")
GRAMS = np.stack([text[i:len(text) - 4 + i] for i in range(5)], axis=1)
NAMES = ["first", "second", "third", "fourth", "next"]


def grams(rows):
    return {name: rows[:, i:i + 1] for i, name in enumerate(NAMES)}


def batches():
    for at in range(0, len(GRAMS), BATCH):
        yield grams(GRAMS[at:at + BATCH])


words = [fluid.layers.data(name=name, shape=[1], dtype="int64") for name in NAMES]
vectors = [fluid.layers.embedding(input=word, size=[WORDS, WIDTH], is_sparse=True,
                                  param_attr="vectors") for word in words[:4]]
hidden = fluid.layers.fc(input=fluid.layers.concat(vectors, axis=1), size=64, act="sigmoid")
guess = fluid.layers.fc(input=hidden, size=WORDS, act="softmax")
loss = fluid.layers.mean(fluid.layers.cross_entropy(input=guess, label=words[4]))
test_program = fluid.default_main_program().clone(for_test=True)
fluid.optimizer.SGD(learning_rate=0.8).minimize(loss)

exe = fluid.Executor(fluid.CPUPlace())
exe.run(fluid.default_startup_program())
train(exe, batches, loss, goal=0.9, passes=60)
feed = grams(GRAMS[:6])
del feed["next"]
leave(sys.argv[1], exe, feed, guess, test_program)
