"""Made-up people in slot lines: python generate.py ROWS SEED > part-0

Of twelve numbers known of a person, four matter to the income, four to being married, and two to
both."""
import math
import random
import sys


def rows(count, seed):
    draw = random.Random(seed)
    for _ in range(count):
        x = [round(draw.uniform(-1, 1), 2) for _ in range(12)]
        both = 3 * x[8] * x[9]
        income, married = (int(draw.random() < 1 / (1 + math.exp(-3 * (
            x[i] - x[i + 1] + x[i + 2] - x[i + 3]) - both))) for i in (0, 4))
        yield "income:%d married:%d %s" % (income, married, " ".join("x:%s" % v for v in x))


if __name__ == "__main__":
    for line in rows(int(sys.argv[1]), int(sys.argv[2])):
        print(line)
