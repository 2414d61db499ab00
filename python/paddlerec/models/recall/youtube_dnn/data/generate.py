"""Made-up views in slot lines: python generate.py ROWS SEED > part-0

A user likes one of eight subjects, each of which has ten videos and ten words; what was watched
and searched for is mostly of it, and so is the video that comes next."""
import random
import sys

SUBJECTS, EACH = 8, 10


def rows(count, seed):
    draw = random.Random(seed)

    def some(subject):
        if draw.random() < 0.2:
            subject = draw.randrange(SUBJECTS)
        return subject * EACH + min(int(draw.expovariate(0.3)), EACH - 1)

    for _ in range(count):
        subject = draw.randrange(SUBJECTS)
        words = ["label:%d" % some(subject), "gender:%d" % draw.randrange(2),
                 "age:%.2f" % draw.random()]
        words += ["watched:%d" % some(subject) for _ in range(draw.randint(2, 6))]
        words += ["searched:%d" % some(subject) for _ in range(draw.randint(1, 4))]
        yield " ".join(words)


if __name__ == "__main__":
    for line in rows(int(sys.argv[1]), int(sys.argv[2])):
        print(line)
