"""Split ratings into FILE.train and FILE.test: of each user the same share is kept for the test.

    python split.py ml-1m/ratings.dat --delimiter="::" --test_ratio=0.1"""
import argparse
import random


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("input")
    parser.add_argument("--delimiter", default="::")
    parser.add_argument("--test_ratio", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    if not 0 < args.test_ratio < 1:
        parser.error("--test_ratio is %g, and must be between 0 and 1" % args.test_ratio)
    by_user = {}
    with open(args.input, encoding="latin-1") as lines:
        for line in lines:
            by_user.setdefault(line.split(args.delimiter)[0], []).append(line)
    draw = random.Random(args.seed)
    with open(args.input + ".train", "w", encoding="latin-1") as train, \
            open(args.input + ".test", "w", encoding="latin-1") as test:
        owed = 0.0  # of test lines: users of few ratings add up
        for lines in by_user.values():
            draw.shuffle(lines)
            owed += len(lines) * args.test_ratio
            kept = int(owed + 1e-9)
            owed -= kept
            test.writelines(lines[:kept])
            train.writelines(lines[kept:])


if __name__ == "__main__":
    main()
