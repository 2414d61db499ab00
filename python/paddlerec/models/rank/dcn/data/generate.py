"""Made-up clicks in slot lines: python generate.py ROWS SEED > part-0

Dense values count in a direction that an id decides: the product of the two is what is to be
learnt, and neither says anything alone."""
import math
import random
import sys

SLOTS, IDS = 6, 20  # ids of a slot; slot i has those from i * IDS on


def rows(count, seed):
    draw = random.Random(seed)
    world = random.Random(7)  # the same for every file
    direction = [world.choice((-1, 1)) for _ in range(SLOTS * IDS)]
    for _ in range(count):
        ids = [slot * IDS + min(int(draw.expovariate(0.2)), IDS - 1) for slot in range(SLOTS)]
        dense = [round(draw.uniform(-1, 1), 2) for _ in range(3)]
        logit = 4 * sum(direction[ids[n]] * dense[n] for n in range(3))
        click = int(draw.random() < 1 / (1 + math.exp(-logit)))
        yield "click:%d %s %s" % (click, " ".join("d:%s" % x for x in dense),
                                  " ".join("%d:%d" % (n + 1, i) for n, i in enumerate(ids)))


if __name__ == "__main__":
    for line in rows(int(sys.argv[1]), int(sys.argv[2])):
        print(line)
