"""Find the best pass in the log of paddle train: the one with the smallest cost on the test data.

    python evaluate.py log.txt"""
import math
import re
import sys

TESTED = re.compile(r" Test samples=\d+ cost=([^ ]+)")
SAVED = re.compile(r"pass-(\d{5})")


def passes(lines):
    """(cost, number) of each pass that was tested and then saved."""
    cost = None
    for line in lines:
        tested = TESTED.search(line)
        if tested:
            cost = float(tested.group(1))
            continue
        saved = SAVED.search(line)
        if saved and cost is not None:
            yield cost, saved.group(1)
            cost = None


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], errors="replace") as log:
        found = [each for each in passes(log) if not math.isnan(each[0])]
    if not found:
        sys.exit("evaluate: %s has no line ' Test samples=... cost=...' before one with a saved "
                 "pass-NNNNN; was it written by run.sh, and did a pass end?" % sys.argv[1])
    cost, number = min(found)
    print("Best pass is %s, error is %s, which means predict get error as %f"
          % (number, cost, math.sqrt(cost) / 2))
    print("evaluating from pass output/pass-%s" % number)


if __name__ == "__main__":
    main()
