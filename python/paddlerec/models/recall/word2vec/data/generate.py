"""Made-up sentences: python generate.py LINES SEED > part-0

A sentence is about one of ten subjects, each of which has ten words of its own; words between them
belong to all."""
import random
import sys

WORDS = 120


def lines(count, seed):
    draw = random.Random(seed)
    for _ in range(count):
        subject = draw.randrange(10)
        yield " ".join(str(draw.randrange(100, WORDS) if draw.random() < 0.15
                           else subject * 10 + min(int(draw.expovariate(0.4)), 9))
                       for _ in range(draw.randint(8, 14)))


if __name__ == "__main__":
    for line in lines(int(sys.argv[1]), int(sys.argv[2])):
        print(line)
