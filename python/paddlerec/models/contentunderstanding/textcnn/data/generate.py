"""Made-up texts in slot lines: python generate.py ROWS SEED > part-0

A text of any words has one pair of two special words in it. The order of the two, and which they
are, give the class; a bag of the same words would not tell."""
import random
import sys

WORDS, PAIRS = 200, 2  # words 0 to 3 are special


def rows(count, seed):
    draw = random.Random(seed)
    for _ in range(count):
        label = draw.randrange(2 * PAIRS)
        first = label // 2 * 2
        pair = [first, first + 1] if label % 2 else [first + 1, first]
        text = [draw.randrange(2 * PAIRS, WORDS) for _ in range(draw.randint(4, 8))]
        at = draw.randint(0, len(text))
        text[at:at] = pair
        yield " ".join(["label:%d" % label] + ["word:%d" % word for word in text])


if __name__ == "__main__":
    for line in rows(int(sys.argv[1]), int(sys.argv[2])):
        print(line)
