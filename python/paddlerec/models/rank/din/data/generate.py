"""Made-up purchases in slot lines: python generate.py ROWS SEED > part-0

A user has bought things of several kinds. The offered item is taken where one of its kind is among
them, and seldom where none is: what counts is the part of the history that fits the item."""
import random
import sys

ITEMS, KINDS = 50, 10  # item i is of kind i % KINDS


def rows(count, seed):
    draw = random.Random(seed)
    for _ in range(count):
        kinds = draw.sample(range(KINDS), 3)
        history = [draw.randrange(ITEMS // KINDS) * KINDS + draw.choice(kinds)
                   for _ in range(draw.randint(3, 8))]
        kind = draw.choice(history) % KINDS if draw.random() < 0.5 else draw.randrange(KINDS)
        item = draw.randrange(ITEMS // KINDS) * KINDS + kind
        known = kind in {i % KINDS for i in history}
        taken = int(draw.random() < (0.9 if known else 0.1))
        words = ["label:%d" % taken, "item:%d" % item, "item_cat:%d" % kind]
        for i in history:
            words += ["had:%d" % i, "had_cat:%d" % (i % KINDS)]
        yield " ".join(words)


if __name__ == "__main__":
    for line in rows(int(sys.argv[1]), int(sys.argv[2])):
        print(line)
