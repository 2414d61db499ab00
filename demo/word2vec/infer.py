"""Which words follow four others, by a model that train.py or api_train_v2_cluster.py wrote.

    python infer.py output/pass-00009.tar.gz among a group of

needs word_dict.pickle too. Words that the dictionary lacks count as <unk>."""
import argparse
import gzip

import paddle.v2 as paddle
from api_train_v2_cluster import WORDS, load_dict, predict_next


def text(word):
    return word.decode("utf-8", "replace") if isinstance(word, bytes) else word


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("model")
    parser.add_argument("words", nargs=len(WORDS))
    parser.add_argument("--top", type=int, default=5)
    args = parser.parse_args()
    paddle.init(use_gpu=False, trainer_count=1)
    numbers = {text(word): number for word, number in load_dict().items()}
    words = {number: word for word, number in numbers.items()}
    with gzip.open(args.model, "rb") as f:
        parameters = paddle.parameters.Parameters.from_tar(f)
    sample = tuple(numbers.get(word, numbers["<unk>"]) for word in args.words)
    likely, = paddle.infer(output_layer=predict_next(len(words)), parameters=parameters,
                           input=[sample], feeding={name: i for i, name in enumerate(WORDS)})
    for number in likely.argsort()[::-1][:args.top]:
        print("%-20s %.4f" % (words[int(number)], likely[number]))


if __name__ == "__main__":
    main()
