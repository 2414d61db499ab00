"""CPU-seconds of three kinds of recommendation model, start included: many small embeddings under
attention (autoint), wide one-hot fields (ffm), sampled classes (nce). Runs unchanged on Paddle 1.8.5.

    python models.py --kind autoint|ffm|nce [--dense] [--steps N] [--profile]

Best is runs of the whole script in 1000 CPU-seconds, import and start values included."""
import argparse
import json
import math
import resource
import time

import numpy as np
import paddle.fluid as fluid

layers = fluid.layers
parser = argparse.ArgumentParser()
parser.add_argument("--kind", choices=["autoint", "ffm", "nce"], required=True)
parser.add_argument("--dense", action="store_true", help="embeddings with is_sparse=False")
parser.add_argument("--steps", type=int, default=0)
parser.add_argument("--profile", action="store_true", help="print what each op took")
options = parser.parse_args()
SPARSE = not options.dense
rng = np.random.RandomState(7)
FIELDS = 39


def spread(deviation):
    return fluid.initializer.TruncatedNormalInitializer(loc=0.0, scale=deviation)


def click_loss(score, label):
    loss = layers.log_loss(input=layers.sigmoid(score), label=layers.cast(label, "float32"))
    return layers.mean(loss)


def ids_of(rows, count):
    """Skewed, as ids of clicks are: a few come often."""
    return (rng.zipf(1.1, size=count) % rows).astype("int64")


def attention(x, heads, width):
    """Fields attend to one another; x: [batch, fields, dims]."""
    def project(act=None):
        return layers.fc(input=x, size=heads * width, num_flatten_dims=2, bias_attr=False, act=act)

    def split(y):
        return layers.transpose(layers.reshape(y, [-1, FIELDS, heads, width]), [0, 2, 1, 3])
    query, key, value = split(project()), split(project()), split(project())
    weights = layers.softmax(layers.matmul(query, key, transpose_y=True, alpha=width ** -0.5))
    out = layers.transpose(layers.matmul(weights, value), [0, 2, 1, 3])
    out = layers.reshape(out, [-1, FIELDS, heads * width])
    return layers.relu(layers.elementwise_add(out, project()))


def autoint(batch=256):
    """39 fields, each with a table of its own; three layers of self-attention over them."""
    rows, width, heads = 20000, 16, 2
    ids = [layers.data(name="C%d" % i, shape=[1], dtype="int64") for i in range(FIELDS)]
    label = layers.data(name="label", shape=[1], dtype="int64")
    fields = [layers.embedding(input=f, size=[rows, width], is_sparse=SPARSE,
                               param_attr=fluid.ParamAttr(initializer=spread(0.1 / width ** 0.5)))
              for f in ids]
    x = layers.reshape(layers.concat(fields, axis=1), [-1, FIELDS, width])
    for _ in range(3):
        x = attention(x, heads, width)
    score = layers.fc(layers.reshape(x, [-1, FIELDS * heads * width]), size=1)
    data = [{f.name: ids_of(rows, (batch, 1)) for f in ids} for _ in range(20)]
    for one in data:
        one["label"] = rng.randint(0, 2, (batch, 1))
    return click_loss(score, label), fluid.optimizer.Adam(1e-3, lazy_mode=SPARSE), data, 60


def ffm(batch=64):
    """Field-aware factorization machine: each feature has a vector for each field it may meet."""
    rows, width = 20000, 4
    ids = layers.data(name="feat_idx", shape=[FIELDS, 1], dtype="int64")
    value = layers.data(name="feat_value", shape=[FIELDS], dtype="float32")
    label = layers.data(name="label", shape=[1], dtype="int64")

    def table(size):
        at = fluid.ParamAttr(initializer=spread(0.1 / math.sqrt(size)),
                             regularizer=fluid.regularizer.L2DecayRegularizer(1e-4)
                             if options.dense else None)
        return layers.embedding(input=ids, size=[rows, size], is_sparse=SPARSE, param_attr=at)
    weights = layers.reshape(value, [-1, FIELDS, 1])
    first = layers.reduce_sum(table(1) * weights, dim=[1])
    met = layers.reshape(table(width * FIELDS) * weights, [-1, FIELDS, FIELDS, width])

    pairs = [layers.reduce_sum(met[:, i, j, :] * met[:, j, i, :], dim=1, keep_dim=True)
             for i in range(FIELDS) for j in range(i + 1, FIELDS)]
    bias = layers.create_parameter([1], "float32", default_initializer=spread(0.1))
    score = first + layers.sum(pairs) + bias
    data = [{"feat_idx": ids_of(rows, (batch, FIELDS, 1)),
             "feat_value": rng.rand(batch, FIELDS).astype("float32"),
             "label": rng.randint(0, 2, (batch, 1))} for _ in range(20)]
    return click_loss(score, label), fluid.optimizer.Adam(1e-3, lazy_mode=SPARSE), data, 15


def nce(batch=128):
    """Skip-gram: a word foretells a neighbour, against five classes drawn at random."""
    words, width = 80000, 128
    center = layers.data(name="center", shape=[1], dtype="int64")
    neighbour = layers.data(name="neighbour", shape=[1], dtype="int64")
    at = fluid.ParamAttr(name="words", initializer=fluid.initializer.Normal(0.0, 0.1))
    vector = layers.embedding(input=center, size=[words, width], is_sparse=SPARSE, param_attr=at)
    out = fluid.ParamAttr(name="classes", initializer=fluid.initializer.Normal(0.0, 0.1))
    loss = layers.nce(input=vector, label=neighbour, num_total_classes=words, num_neg_samples=5,
                      sampler="log_uniform", param_attr=out, bias_attr="bias", is_sparse=SPARSE)
    data = [{n: ids_of(words, (batch, 1)) for n in ("center", "neighbour")} for _ in range(50)]
    return layers.mean(loss), fluid.optimizer.SGD(0.1), data, 300 if options.dense else 1500


loss, optimizer, data, steps = globals()[options.kind]()
steps = options.steps or steps
made = time.process_time()
optimizer.minimize(loss)
exe = fluid.Executor(fluid.CPUPlace())
exe.run(fluid.default_startup_program())
started = time.process_time()


def loop():
    program = fluid.default_main_program()
    for i in range(steps):
        last = exe.run(program, feed=data[i % len(data)], fetch_list=[loss])
    return float(np.ravel(last[0])[0])


if options.profile:
    with fluid.profiler.profiler("CPU", sorted_key="total"):
        value = loop()
else:
    value = loop()
whole = time.process_time()
print(json.dumps({"name": options.kind + (" dense" if options.dense else ""), "best": 1000 / whole,
                  "whole_s": whole, "start_s": started - made, "loop_s": whole - started,
                  "loss": value,
                  "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0}))
