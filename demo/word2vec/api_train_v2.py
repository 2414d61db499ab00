"""Train word2vec straight from paddle.dataset.imikolov: on this machine alone, or, with
PADDLE_CLUSTER_TRAIN=True and PADDLE_INIT_* set, on parameter servers.

    python api_train_v2.py

Here every trainer of a cluster reads all sentences; api_train_v2_cluster.py is for data that are
split. Without a network the sentences are generated ones (docs/datasets.md)."""
import os
import pickle

import paddle.v2 as paddle
from api_train_v2_cluster import TRUE, argument_parser, make_trainer, next_word_cost, train
from paddle.dataset.common import fetch_or_synthetic

N = 5


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("--sentences_from", choices=["train", "test"], default="train",
                        help="test is the smaller part, for a trial")
    args = parser.parse_args()
    cluster = os.getenv("PADDLE_CLUSTER_TRAIN", "").lower() in TRUE
    if cluster:
        paddle.init()  # all from PADDLE_INIT_*
    else:
        paddle.init(use_gpu=False, trainer_count=1)
    imikolov = paddle.dataset.imikolov
    fetch_or_synthetic(imikolov)
    word_dict = imikolov.build_dict()
    if int(os.getenv("PADDLE_INIT_TRAINER_ID", "0")) == 0:
        with open("word_dict.pickle", "wb") as f:  # infer.py needs it
            pickle.dump(word_dict, f, protocol=2)
    trainer = make_trainer(next_word_cost(len(word_dict)), is_local=not cluster)
    train(trainer, args, getattr(imikolov, args.sentences_from)(word_dict, N),
          imikolov.test(word_dict, N),
          saves=not cluster or os.getenv("PADDLE_INIT_TRAINER_ID", "0") == "0")


if __name__ == "__main__":
    main()
