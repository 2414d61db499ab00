"""Made-up clicks and purchases in slot lines: python generate.py ROWS SEED > part-0

Each of the 60 ids has a weight for the click and another for the purchase, which only those who
clicked can make."""
import math
import random
import sys

SLOTS, IDS = 6, 10  # ids of a slot; slot i has those from i * IDS on


def rows(count, seed):
    draw = random.Random(seed)
    world = random.Random(7)  # the same for every file
    weights = [(world.gauss(0, 0.9), world.gauss(0, 0.9)) for _ in range(SLOTS * IDS)]
    for _ in range(count):
        ids = [slot * IDS + min(int(draw.expovariate(0.3)), IDS - 1) for slot in range(SLOTS)]
        click, buy = (int(draw.random() < 1 / (1 + math.exp(-sum(weights[i][task] for i in ids))))
                      for task in range(2))
        yield "click:%d buy:%d %s" % (click, click and buy,
                                      " ".join("%d:%d" % (n + 1, i) for n, i in enumerate(ids)))


if __name__ == "__main__":
    for line in rows(int(sys.argv[1]), int(sys.argv[2])):
        print(line)
