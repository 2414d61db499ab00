"""Made-up clicks in slot lines: python generate.py ROWS SEED > part-0

Two things decide a click: weights of ids, which a linear part can learn, and whether the ids of
the first two slots are of the same kind (their parity), which needs layers."""
import math
import random
import sys

SLOTS, IDS = 6, 20  # ids of a slot; slot i has those from i * IDS on


def rows(count, seed):
    draw = random.Random(seed)
    world = random.Random(7)  # the same for every file
    weight = [world.gauss(0, 0.6) for _ in range(SLOTS * IDS)]
    for _ in range(count):
        ids = [slot * IDS + min(int(draw.expovariate(0.2)), IDS - 1) for slot in range(SLOTS)]
        dense = [round(draw.random(), 2) for _ in range(3)]
        logit = sum(weight[i] for i in ids) + 2 * dense[0] - 2 * dense[1] + \
            (2.5 if ids[0] % 2 == ids[1] % 2 else -2.5)
        click = int(draw.random() < 1 / (1 + math.exp(-logit)))
        yield "click:%d %s %s" % (click, " ".join("d:%s" % x for x in dense),
                                  " ".join("%d:%d" % (n + 1, i) for n, i in enumerate(ids)))


if __name__ == "__main__":
    for line in rows(int(sys.argv[1]), int(sys.argv[2])):
        print(line)
