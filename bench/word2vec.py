"""Examples/s of the N-gram word2vec of the Fluid book: 4 words, a shared table of 2073 x 32,
hidden 256 sigmoid, softmax over 2073, SGD.

    python word2vec.py fluid|torch [batch] [reps]"""
import sys

import numpy as np
from measure import repeat, report

VOCABULARY, WIDTH, HIDDEN = 2073, 32, 256
which = sys.argv[1]
batch = int(sys.argv[2]) if len(sys.argv) > 2 else 32
reps = int(sys.argv[3]) if len(sys.argv) > 3 else 5
rng = np.random.RandomState(0)
words = (rng.zipf(1.2, 400000) % VOCABULARY).astype("int64")
GRAMS = np.stack([words[i:len(words) - 4 + i] for i in range(5)], 1)


def gram(i):
    return GRAMS[i * batch % (len(GRAMS) - batch):][:batch]


def fluid_step():
    import paddle.fluid as fluid
    layers = fluid.layers
    names = ["firstw", "secondw", "thirdw", "fourthw", "nextw"]
    inputs = [layers.data(name=n, shape=[1], dtype="int64") for n in names]
    embedded = [layers.embedding(input=w, size=[VOCABULARY, WIDTH], dtype="float32",
                                 param_attr="shared_w") for w in inputs[:4]]
    hidden = layers.fc(input=layers.concat(input=embedded, axis=1), size=HIDDEN, act="sigmoid")
    predicted = layers.fc(input=hidden, size=VOCABULARY, act="softmax")
    loss = layers.mean(layers.cross_entropy(input=predicted, label=inputs[4]))
    fluid.optimizer.SGD(1e-3).minimize(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    program = fluid.default_main_program()

    def step(i):
        q = gram(i)
        feed = {n: np.ascontiguousarray(q[:, k:k + 1]) for k, n in enumerate(names)}
        return exe.run(program, feed=feed, fetch_list=[loss])[0]
    return step


def torch_step():
    import torch
    import torch.nn as nn
    torch.set_num_threads(1)
    table, first, second = nn.Embedding(VOCABULARY, WIDTH), nn.Linear(4 * WIDTH, HIDDEN), \
        nn.Linear(HIDDEN, VOCABULARY)
    params = [*table.parameters(), *first.parameters(), *second.parameters()]
    optimizer = torch.optim.SGD(params, lr=1e-3)
    grams = torch.from_numpy(GRAMS)

    def step(i):
        q = grams[i * batch % (len(GRAMS) - batch):][:batch]
        optimizer.zero_grad()
        hidden = torch.sigmoid(first(table(q[:, :4]).flatten(1)))
        loss = nn.functional.cross_entropy(second(hidden), q[:, 4])
        loss.backward()
        optimizer.step()
        return loss.item()
    return step


steps = 500 if batch <= 64 else 100
rates, loss = repeat({"fluid": fluid_step, "torch": torch_step}[which](), steps, reps)
report("word2vec " + which, [r * batch for r in rates], loss=float(np.ravel(loss)[0]))
