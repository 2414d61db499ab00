"""Made-up clicks in slot lines: python generate.py ROWS SEED > part-0

The label is drawn by a logistic model over all fields, ids follow a power law; so there is
something to learn, and a bound to it."""
import sys

import numpy as np

IDS = 1000000


def rows(count, seed):
    draw = np.random.RandomState(seed)
    taste = np.random.RandomState(7)  # of the world: the same for every file
    dense_weight = taste.normal(0, 0.8, 13)
    scale = taste.uniform(0.2, 1.2, 26)
    for _ in range(count):
        dense = np.round(draw.beta(0.6, 3.0, 13), 4)
        rank = np.minimum(draw.zipf(1.4, 26), 5000)
        ids = [(int(r) * 7919 + i * 104729) % IDS for i, r in enumerate(rank)]
        # An id's weight is a function of the id alone.
        pull = [scale[i] * np.sin(ids[i] * 12.9898 + i) for i in range(26)]
        logit = -1.2 + dense.dot(dense_weight) + 0.45 * sum(pull)
        click = int(draw.uniform() < 1 / (1 + np.exp(-logit)))
        yield "click:%d %s %s" % (
            click, " ".join("dense_var:%s" % d for d in dense),
            " ".join("%d:%d" % (i + 1, x) for i, x in enumerate(ids)))


if __name__ == "__main__":
    for line in rows(int(sys.argv[1]), int(sys.argv[2])):
        print(line)
