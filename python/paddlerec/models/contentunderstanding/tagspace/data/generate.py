"""Made-up texts with tags in slot lines: python generate.py ROWS SEED > part-0

Each of eight tags has twenty words of its own; a text with it has mostly those. Beside the right
tag stands a wrong one."""
import random
import sys

TAGS, EACH = 8, 20  # and forty words that belong to none
WORDS = 200


def rows(count, seed):
    draw = random.Random(seed)
    for _ in range(count):
        tag, other = draw.sample(range(TAGS), 2)
        text = [tag * EACH + draw.randrange(EACH) if draw.random() < 0.5
                else draw.randrange(WORDS) for _ in range(draw.randint(5, 10))]
        yield " ".join(["tag_pos:%d tag_neg:%d" % (tag, other)] +
                       ["word:%d" % word for word in text])


if __name__ == "__main__":
    for line in rows(int(sys.argv[1]), int(sys.argv[2])):
        print(line)
