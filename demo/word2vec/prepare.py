"""Make the data of a word2vec job: runs of five words of the Penn Treebank, as numbers, in one file
for each trainer.

    python prepare.py

writes train.txt and test.txt, a line `w0,w1,w2,w3,w4` for each run; the same lines in SPLIT_COUNT
parts each, train.txt-00000, train.txt-00001, ...; and word_dict.pickle, the number of each word.
Without a network the sentences are generated ones (docs/datasets.md)."""
import argparse
import os
import pickle

import paddle.v2 as paddle
from paddle.dataset.common import fetch_or_synthetic

SPLIT_COUNT = 3  # as many as trainers, or a multiple
N = 5            # words in a run: four, and the one that follows them


def write_lines(path, reader, limit):
    """How many lines were written."""
    count = 0
    with open(path, "w") as out:
        for words in reader():
            if limit and count == limit:
                break
            out.write(",".join(str(word) for word in words) + "\n")
            count += 1
    return count


def split(path, count, parts):
    """Write the lines again into `parts` files of the same length, to one line. Equal shares matter:
    in a synchronous job everybody waits for the trainer that has most."""
    with open(path) as lines:
        for part in range(parts):
            with open("%s-%05d" % (path, part), "w") as out:
                for _ in range(count // parts + (part < count % parts)):
                    out.write(next(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--split_count", type=int, metavar="PARTS",
                        default=int(os.getenv("SPLIT_COUNT", SPLIT_COUNT)))
    parser.add_argument("--out_dir", default=os.getenv("OUT_DIR", "."))
    parser.add_argument("--lines", type=int, default=int(os.getenv("MAX_LINES", "0")),
                        help="stop after so many, for a trial; 0: all")
    args = parser.parse_args()
    if args.split_count < 1:
        parser.error("--split_count is %d, and must be 1 or more" % args.split_count)
    imikolov = paddle.dataset.imikolov
    fetch_or_synthetic(imikolov)
    os.makedirs(args.out_dir, exist_ok=True)
    word_dict = imikolov.build_dict()
    with open(os.path.join(args.out_dir, "word_dict.pickle"), "wb") as out:
        pickle.dump(word_dict, out, protocol=2)
    print("word_dict.pickle: %d words" % len(word_dict))
    for name, reader in (("train.txt", imikolov.train(word_dict, N)),
                         ("test.txt", imikolov.test(word_dict, N))):
        path = os.path.join(args.out_dir, name)
        count = write_lines(path, reader, args.lines)
        split(path, count, args.split_count)
        print("%s: %d lines, in %d parts" % (name, count, args.split_count))


if __name__ == "__main__":
    main()
