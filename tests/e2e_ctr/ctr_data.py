"""What the tests of the CTR path share: the command, the demo, and small planted data."""
import os
import subprocess
import sys

import numpy as np

from built import PADDLE, ROOT

HERE = os.path.dirname(os.path.abspath(__file__))
DEMO = os.path.join(ROOT, "demo", "ctr")


def environment(**more):
    """PATH begins with this Python and the command, as in an activated environment."""
    path = os.pathsep.join([os.path.dirname(sys.executable), os.path.dirname(PADDLE),
                            os.environ["PATH"]])
    return dict(os.environ, PATH=path, **more)


def paddle_command(*arguments, text=None):
    done = subprocess.run([PADDLE] + [str(a) for a in arguments], input=text, capture_output=True,
                          text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def planted_lines(rows, seed, ids=40, slots=3):
    """Multi-slot lines "2 d1 d2  1 s1 ..  1 label" whose label a logistic model has drawn."""
    truth = np.random.RandomState(1)
    weights, dense_weights = truth.randn(slots, ids) * 1.5, truth.randn(2)
    rng = np.random.RandomState(seed)
    for _ in range(rows):
        dense, chosen = rng.rand(2), rng.randint(0, ids, slots)
        logit = dense @ dense_weights + sum(weights[i][c] for i, c in enumerate(chosen))
        label = int(rng.rand() < 1 / (1 + np.exp(-logit)))
        yield "2 %.4f %.4f %s 1 %d\n" % (*dense, " ".join("1 %d" % (c + i * ids) for i, c
                                                         in enumerate(chosen)), label)


SMALL_JOB = '''
import sys
import paddle.fluid as fluid
d = fluid.layers.data("d", [2])
slots = [fluid.layers.data("s" + str(i), [1], dtype="int64", lod_level=1) for i in range(3)]
label = fluid.layers.data("label", [1], dtype="int64")
rows = [fluid.layers.embedding(s, [120, 4], is_sparse=True, param_attr="table") for s in slots]
hidden = fluid.layers.fc(fluid.layers.concat(rows + [d], axis=1), 16, act="relu")
predict = fluid.layers.fc(hidden, 2, act="softmax")
loss = fluid.layers.mean(fluid.layers.cross_entropy(predict, label))
auc, batch_auc, _ = fluid.layers.auc(predict, label)
fluid.optimizer.Adam(0.02).minimize(loss)
exe = fluid.Executor(fluid.CPUPlace())
fluid.default_startup_program().random_seed = 1
exe.run(fluid.default_startup_program())
dataset = fluid.DatasetFactory().create_dataset("%(kind)s")
dataset.set_use_var([d] + slots + [label])
dataset.set_batch_size(50)
dataset.set_thread(2)
dataset.set_pipe_command(%(pipe)r)
dataset.set_filelist(%(files)r)
if "%(kind)s" == "InMemoryDataset":
    dataset.load_into_memory()
exe.train_from_dataset(dataset=dataset)
print("trained")
'''
