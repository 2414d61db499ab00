"""Made-up searches in slot lines: python generate.py ROWS SEED > part-0

A query has two views (its own words, and those of the user's last search), a title one. Each of
ten subjects has five words for each of the three: that they belong together is to be learnt."""
import random
import sys

SUBJECTS, EACH = 10, 5


def rows(count, seed):
    draw = random.Random(seed)

    def text(slot, subject, first):
        return ["%s:%d" % (slot, first + draw.randrange(SUBJECTS * EACH) if draw.random() < 0.1
                           else first + subject * EACH + draw.randrange(EACH))
                for _ in range(draw.randint(2, 5))]

    for _ in range(count):
        subject, other = draw.sample(range(SUBJECTS), 2)
        words = text("query_1", subject, 0) + text("query_2", subject, 50)
        yield " ".join(words + text("title_pos", subject, 100) + text("title_neg", other, 100))


if __name__ == "__main__":
    for line in rows(int(sys.argv[1]), int(sys.argv[2])):
        print(line)
