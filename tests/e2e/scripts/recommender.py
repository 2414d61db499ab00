"""How well will a person like a film? Two towers, of people and of films, meet in a cosine."""
import sys

import numpy as np
import paddle.fluid as fluid

from book import leave, train

PEOPLE, FILMS, JOBS, KINDS, TITLE_WORDS, BATCH = 60, 40, 7, 5, 50, 40
rng = np.random.RandomState(4)
JOB = rng.randint(0, JOBS, PEOPLE)
TASTE = rng.randn(JOBS, 4)
KIND = [rng.permutation(KINDS)[:rng.randint(1, 4)] for _ in range(FILMS)]
CHARACTER = rng.randn(KINDS, 4)
TITLE = [rng.randint(0, TITLE_WORDS, rng.randint(1, 6)) for _ in range(FILMS)]


def liking(person, film):
    a, b = TASTE[JOB[person]], CHARACTER[KIND[film]].mean(axis=0)
    return 3 + 2 * a.dot(b) / np.sqrt(a.dot(a) * b.dot(b))


def sequences(lists):
    flat = np.concatenate(lists).astype("int64").reshape(-1, 1)
    return fluid.create_lod_tensor(flat, [[len(one) for one in lists]], fluid.CPUPlace())


def column(values, dtype="int64"):
    return np.array(values, dtype).reshape(-1, 1)


def ratings(pairs):
    return {"person": column([p for p, _ in pairs]), "job": column([JOB[p] for p, _ in pairs]),
            "film": column([f for _, f in pairs]), "kinds": sequences([KIND[f] for _, f in pairs]),
            "title": sequences([TITLE[f] for _, f in pairs]),
            "score": column([liking(p, f) for p, f in pairs], "float32")}


PAIRS = [(rng.randint(PEOPLE), rng.randint(FILMS)) for _ in range(800)]
BATCHES = [ratings(PAIRS[at:at + BATCH]) for at in range(0, len(PAIRS), BATCH)]

layers = fluid.layers


def table(name, height, width=16, lod_level=0):
    ids = layers.data(name=name, shape=[1], dtype="int64", lod_level=lod_level)
    return layers.embedding(input=ids, size=[height, width], is_sparse=True,
                            param_attr=name + "_table")


person = layers.fc(input=[layers.fc(table("person", PEOPLE), 16), layers.fc(table("job", JOBS), 16)],
                   size=32, act="tanh")
kinds = layers.sequence_pool(input=table("kinds", KINDS, lod_level=1), pool_type="sum")
title = fluid.nets.sequence_conv_pool(input=table("title", TITLE_WORDS, lod_level=1),
                                      num_filters=16, filter_size=3, act="tanh", pool_type="sum")
film = layers.fc(input=[layers.fc(table("film", FILMS), 16), kinds, title], size=32, act="tanh")
guess = layers.scale(x=layers.cos_sim(X=person, Y=film), scale=5.0)
score = layers.data(name="score", shape=[1], dtype="float32")
loss = layers.mean(layers.square_error_cost(input=guess, label=score))
test_program = fluid.default_main_program().clone(for_test=True)
fluid.optimizer.SGD(learning_rate=0.2).minimize(loss)

exe = fluid.Executor(fluid.CPUPlace())
exe.run(fluid.default_startup_program())
train(exe, lambda: BATCHES, loss, goal=0.2, passes=100)
feed = ratings(PAIRS[:9])
del feed["score"]
leave(sys.argv[1], exe, feed, guess, test_program)
