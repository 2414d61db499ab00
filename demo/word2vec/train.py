"""Train word2vec on this machine alone, on all that prepare.py wrote.

    python prepare.py
    python train.py
    python infer.py output/pass-00009.tar.gz among a group of"""
import os

import paddle.v2 as paddle
from api_train_v2_cluster import (argument_parser, find, line_reader, load_dict, make_trainer,
                                  next_word_cost, train)


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("--trainer_count", type=int, default=1, help="threads")
    args = parser.parse_args()
    paddle.init(use_gpu=False, trainer_count=args.trainer_count)
    trainer = make_trainer(next_word_cost(len(load_dict())))
    train(trainer, args, *(line_reader([find([name], name)]) for name in ("train.txt", "test.txt")))
    print("the model: %s" % os.path.join(args.save_dir, "pass-%05d.tar.gz" % (args.num_passes - 1)))


if __name__ == "__main__":
    main()
