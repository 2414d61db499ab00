"""Made-up searches in slot lines: python generate.py ROWS SEED > part-0

Queries and documents are bags of three-letter pieces. Each of twenty subjects has five pieces that
queries use and five others that documents use: they match only for one who has learnt it."""
import random
import sys

SUBJECTS, EACH, NEGATIVES = 20, 5, 4


def rows(count, seed):
    draw = random.Random(seed)

    def bag(slot, subject, first):
        return ["%s:%d" % (slot, first + draw.randrange(SUBJECTS * EACH) if draw.random() < 0.1
                           else first + subject * EACH + draw.randrange(EACH))
                for _ in range(draw.randint(2, 5))]

    for _ in range(count):
        subject, *others = draw.sample(range(SUBJECTS), 1 + NEGATIVES)
        words = bag("query", subject, 0) + bag("pos", subject, SUBJECTS * EACH)
        for n, other in enumerate(others):
            words += bag("neg_%d" % (n + 1), other, SUBJECTS * EACH)
        yield " ".join(words)


if __name__ == "__main__":
    for line in rows(int(sys.argv[1]), int(sys.argv[2])):
        print(line)
