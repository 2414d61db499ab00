"""Made-up visits in slot lines: python generate.py ROWS SEED > part-0

A visitor goes through the sixty items in steps of one, two or three, the same all through a visit,
and now and then jumps: where the next item is needs the last two, so something to remember."""
import random
import sys

ITEMS = 60


def rows(count, seed):
    draw = random.Random(seed)
    for _ in range(count):
        step, item = draw.randint(1, 3), draw.randrange(ITEMS)
        visit = [item]
        for _ in range(draw.randint(5, 10)):
            item = draw.randrange(ITEMS) if draw.random() < 0.05 else (item + step) % ITEMS
            visit.append(item)
        yield " ".join(["item:%d" % i for i in visit[:-1]] +
                       ["next_item:%d" % i for i in visit[1:]])


if __name__ == "__main__":
    for line in rows(int(sys.argv[1]), int(sys.argv[2])):
        print(line)
