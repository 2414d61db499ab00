"""Made-up clicks in slot lines: python generate.py ROWS SEED > part-0

Each of the 60 ids has a hidden vector. A click is drawn by the products of each two of the
example's vectors: no id has a weight of its own."""
import math
import random
import sys

SLOTS, IDS = 6, 10  # ids of a slot; slot i has those from i * IDS on


def rows(count, seed):
    draw = random.Random(seed)
    world = random.Random(7)  # the same for every file
    hidden = [[world.choice((-0.9, 0.9)), world.gauss(0, 0.3)] for _ in range(SLOTS * IDS)]
    for _ in range(count):
        ids = [slot * IDS + min(int(draw.expovariate(0.3)), IDS - 1) for slot in range(SLOTS)]
        dense = [round(draw.random(), 2) for _ in range(3)]
        logit = dense[0] - dense[1]
        for n, i in enumerate(ids):
            for j in ids[:n]:
                logit += sum(x * y for x, y in zip(hidden[i], hidden[j]))
        click = int(draw.random() < 1 / (1 + math.exp(-logit)))
        yield "click:%d %s %s" % (click, " ".join("d:%s" % x for x in dense),
                                  " ".join("%d:%d" % (n + 1, i) for n, i in enumerate(ids)))


if __name__ == "__main__":
    for line in rows(int(sys.argv[1]), int(sys.argv[2])):
        print(line)
