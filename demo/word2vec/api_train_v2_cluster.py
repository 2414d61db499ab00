"""Train word2vec on parameter servers: each trainer runs this script, on its own part of the data.

    paddle pserver --port=7164 --ports_num=1 --ports_num_for_sparse=1 --num_gradient_servers=2 &
    python api_train_v2_cluster.py --num_gradient_servers=2 --trainer_id=0 &
    python api_train_v2_cluster.py --num_gradient_servers=2 --trainer_id=1

Who a trainer is and where the servers are is said by arguments, as above, or by PADDLE_INIT_*
(PADDLE_INIT_TRAINER_ID=1), or by Open MPI (OMPI_COMM_WORLD_RANK); arguments win. The data are those
of prepare.py: train.txt-00000, train.txt-00001, ... in train_data_dir/, train_data_dir/train/ or
beside this script, test.txt-... in test_data_dir/ likewise, and word_dict.pickle. A trainer takes the
files whose number % trainers is its own. Trainer 0 writes the model into output/."""
import argparse
import gzip
import math
import os
import pickle
import re
import sys

import paddle.v2 as paddle

EMBEDDING, HIDDEN = 32, 256
WORDS, FOLLOWING = ["firstw", "secondw", "thirdw", "fourthw"], "fifthw"
FEEDING = {name: i for i, name in enumerate(WORDS + [FOLLOWING])}  # places in a line
INIT = ["trainer_id", "num_gradient_servers", "port", "ports_num", "ports_num_for_sparse",
        "trainer_count"]
TRUE, FALSE = ("true", "1", "yes", "on"), ("false", "0", "no", "off")


# ---- the model ----

def predict_next(dict_size):
    """The layer that says how likely each word is to follow four others. They share one table, of
    which a step needs the rows of its own words only: sparse_update."""
    table = paddle.attr.Param(name="_proj", initial_std=0.001, learning_rate=1, l2_rate=0,
                              sparse_update=True)
    embedded = [paddle.layer.embedding(
        input=paddle.layer.data(name=word, type=paddle.data_type.integer_value(dict_size)),
        size=EMBEDDING, param_attr=table) for word in WORDS]
    hidden = paddle.layer.fc(
        input=paddle.layer.concat(input=embedded), size=HIDDEN, act=paddle.activation.Sigmoid(),
        layer_attr=paddle.attr.Extra(drop_rate=0.5), bias_attr=paddle.attr.Param(learning_rate=2),
        param_attr=paddle.attr.Param(initial_std=1.0 / math.sqrt(EMBEDDING * 8), learning_rate=1))
    return paddle.layer.fc(input=hidden, size=dict_size, act=paddle.activation.Softmax(),
                           bias_attr=paddle.attr.Param(learning_rate=2))


def next_word_cost(dict_size):
    predicted = predict_next(dict_size)
    following = paddle.layer.data(name=FOLLOWING, type=paddle.data_type.integer_value(dict_size))
    return paddle.layer.classification_cost(input=predicted, label=following)


def make_trainer(cost, is_local=True):
    optimizer = paddle.optimizer.Adam(
        learning_rate=3e-3, regularization=paddle.optimizer.L2Regularization(8e-4))
    return paddle.trainer.SGD(cost, paddle.parameters.create(cost), optimizer, is_local=is_local)


# ---- the data ----

def find(names, what):
    """The first of these paths, in the working directory or beside this script, that is there."""
    here = os.path.dirname(os.path.abspath(__file__))
    tried = [os.path.join(base, name) for base in (os.getcwd(), here) for name in names]
    for path in tried:
        if os.path.exists(path):
            return path
    sys.exit("word2vec: there is no %s: neither %s. Make the data with prepare.py." %
             (what, " nor ".join(dict.fromkeys(tried))))


def my_files(kind, trainer_id, trainers):
    """This trainer's share of the files train.txt-NNNNN (or test.txt-NNNNN): those whose number,
    modulo the number of trainers, is its own."""
    here = os.path.dirname(os.path.abspath(__file__))
    pattern = re.compile(re.escape(kind) + r"\.txt-(\d+)$")
    folders = [os.path.join(base, folder) for base in (os.getcwd(), here)
               for folder in (kind + "_data_dir", os.path.join(kind + "_data_dir", kind), "")]
    for folder in folders:
        found = [(int(pattern.match(name).group(1)), os.path.join(folder, name))
                 for name in (os.listdir(folder) if os.path.isdir(folder) else ())
                 if pattern.match(name)]
        mine = sorted(path for number, path in found if number % trainers == trainer_id)
        if mine:
            return mine
        if found:
            sys.exit("word2vec: %s has %d file(s) %s.txt-NNNNN, and none is for trainer %d of %d "
                     "(NNNNN %% %d == %d). Make at least %d parts: SPLIT_COUNT=%d python prepare.py"
                     % (folder, len(found), kind, trainer_id, trainers, trainers, trainer_id,
                        trainers, trainers))
    sys.exit("word2vec: no %s.txt-NNNNN in any of %s. Make the data with prepare.py."
             % (kind, ", ".join(dict.fromkeys(folders))))


def line_reader(paths):
    """A reader of the runs of words in files of prepare.py."""
    def reader():
        for path in paths:
            with open(path) as lines:
                for line in lines:
                    yield tuple(map(int, line.split(",")))
    return reader


def load_dict():
    path = find(["word_dict.pickle", "thirdparty/wuyi_train_thdpty/word_dict.pickle"],
                "word_dict.pickle")
    with open(path, "rb") as f:
        return pickle.load(f)


# ---- training ----

def save(trainer, path):
    """Write the parameters aside, then under their name: nobody finds half a model."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with gzip.open(path + ".part", "wb") as f:
        trainer.save_parameter_to_tar(f)
    os.replace(path + ".part", path)


def event_handler(trainer, args, test_reader, saves):
    """Say how training goes; with `saves`, write a model after each pass, and inside of passes
    every --saving_period_by_batches."""
    glance = paddle.batch(paddle.reader.firstn(test_reader, 20 * args.batch_size), args.batch_size)

    def handle(event):
        if isinstance(event, paddle.event.EndIteration):
            if event.batch_id % args.log_period == 0:
                tested = trainer.test(glance, feeding=FEEDING)
                print("Pass %d, Batch %d, Cost %f, %s, Testing metrics %s" % (
                    event.pass_id, event.batch_id, event.cost, event.metrics, tested.metrics),
                    flush=True)
            every = args.saving_period_by_batches
            if saves and every and event.batch_id and event.batch_id % every == 0:
                save(trainer, os.path.join(args.save_dir, "batch-%d.tar.gz" % event.batch_id))
        elif isinstance(event, paddle.event.EndPass):
            tested = trainer.test(paddle.batch(test_reader, args.batch_size), feeding=FEEDING)
            print("Pass %d, Testing cost %f, metrics %s" % (event.pass_id, tested.cost,
                                                            tested.metrics), flush=True)
            if saves:
                save(trainer, os.path.join(args.save_dir, "pass-%05d.tar.gz" % event.pass_id))
    return handle


def train(trainer, args, train_reader, test_reader, saves=True):
    shuffled = paddle.reader.shuffle(train_reader, buf_size=args.batch_size * 100)
    trainer.train(paddle.batch(shuffled, args.batch_size), num_passes=args.num_passes,
                  event_handler=event_handler(trainer, args, test_reader, saves), feeding=FEEDING)


def argument_parser(text):
    """What all word2vec scripts can be told."""
    parser = argparse.ArgumentParser(description=text.split("\n\n")[0])
    parser.add_argument("--num_passes", type=int, default=int(os.getenv("NUM_PASSES", "10")))
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--log_period", type=int, default=100, metavar="BATCHES")
    parser.add_argument("--saving_period_by_batches", type=int, default=1000, metavar="BATCHES",
                        help="save inside of passes too; 0: no")
    parser.add_argument("--save_dir", default="output")
    return parser


def from_environment(*names):
    return next((int(os.environ[name]) for name in names if os.environ.get(name)), None)


def parse():
    parser = argument_parser(__doc__)
    group = parser.add_argument_group("arguments of paddle.init(), which go before PADDLE_INIT_*")
    for name in INIT:
        group.add_argument("--" + name, type=int)
    group.add_argument("--pservers", metavar="IP,IP,...")
    group.add_argument("--use_gpu")
    # The data are dealt out by these two, so they are known here and not to paddle.init() alone.
    parser.set_defaults(
        trainer_id=from_environment("PADDLE_INIT_TRAINER_ID", "OMPI_COMM_WORLD_RANK"),
        num_gradient_servers=from_environment("PADDLE_INIT_NUM_GRADIENT_SERVERS",
                                              "OMPI_COMM_WORLD_SIZE"))
    args = parser.parse_args()
    if args.trainer_id is None:
        parser.error("who am I? Give --trainer_id, or set PADDLE_INIT_TRAINER_ID, or start me with "
                     "mpirun (OMPI_COMM_WORLD_RANK)")
    args.num_gradient_servers = args.num_gradient_servers or 1
    if not 0 <= args.trainer_id < args.num_gradient_servers:
        parser.error("trainer_id is %d, and must be 0 to %d: num_gradient_servers is %d" % (
            args.trainer_id, args.num_gradient_servers - 1, args.num_gradient_servers))
    given = {name: getattr(args, name) for name in INIT + ["pservers", "use_gpu"]}
    return args, {name: value for name, value in given.items() if value is not None}


def main():
    args, init = parse()
    cluster = os.getenv("PADDLE_CLUSTER_TRAIN", "true").lower() not in FALSE
    word_dict = load_dict()
    files = {kind: my_files(kind, args.trainer_id, args.num_gradient_servers)
             for kind in ("train", "test")}
    print("trainer %d of %d: %s" % (args.trainer_id, args.num_gradient_servers,
                                    " ".join(files["train"])), flush=True)
    paddle.init(**init)
    trainer = make_trainer(next_word_cost(len(word_dict)), is_local=not cluster)
    train(trainer, args, line_reader(files["train"]), line_reader(files["test"]),
          saves=args.trainer_id == 0)


if __name__ == "__main__":
    main()
