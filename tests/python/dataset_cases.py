"""What is read from the files of dataset_files.py: one list of cases for real Paddle 1.8.5, which
records what it yields (record_dataset.py), and for Regatta, which is compared with that."""
import re

import numpy as np


def plain(value):
    """Without numpy and bytes, and with numbers to seven digits, for JSON."""
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        flat = [float("%.6g" % v) for v in array.ravel()[:8]]
        return ["array", str(array.dtype), list(array.shape), flat,
                float("%.5g" % array.astype("float64").sum())]
    if isinstance(value, bytes):
        return ["bytes", value.decode("latin-1")]
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return ["dict"] + sorted(([plain(k), plain(v)] for k, v in value.items()), key=repr)
    return value


def some(reader, n=40):
    """The first samples, and how many there are."""
    samples = list(reader)
    return [len(samples), [plain(s) for s in samples[:n]]]


def _movielens(samples, meta):
    """Samples with names for the numbers that Paddle gives out in the order of a set."""
    words = {v: k for k, v in meta.get_movie_title_dict().items()}
    kinds = {v: k for k, v in meta.movie_categories().items()}
    return [s[:5] + [[kinds[k] for k in s[5]], [words[w] for w in s[6]], s[7]] for s in samples]


def _conll05(D):
    labels = {v: k for k, v in D.conll05.get_dict()[2].items()}
    return [s[:8] + ([labels[v] for v in s[8]],) for s in D.conll05.test()()]


def _imdb_dict(D):
    return D.imdb.build_dict(re.compile(r"aclImdb/(train|test)/(pos|neg)/.*\.txt$"), 10)


def _image():
    rng = np.random.RandomState(5)
    y, x = np.mgrid[:30, :40]
    image = np.stack([y * 8, x * 6, (x * y) % 256], axis=2) + rng.randint(0, 16, (30, 40, 3))
    return np.clip(image, 0, 255).astype("uint8")


CASES = {
    "uci_housing.train": lambda D: some(D.uci_housing.train()()),
    "uci_housing.test": lambda D: some(D.uci_housing.test()()),
    "uci_housing.predict": lambda D: plain(D.uci_housing.predict_reader()),
    "mnist.train": lambda D: some(D.mnist.train()(), 5),
    "mnist.test": lambda D: some(D.mnist.test()(), 5),
    "cifar.train10": lambda D: some(D.cifar.train10()()),
    "cifar.test10": lambda D: some(D.cifar.test10()()),
    "cifar.train100": lambda D: some(D.cifar.train100()()),
    "cifar.test100": lambda D: some(D.cifar.test100()()),
    "cifar.cycle": lambda D: some(s for s, _ in zip(D.cifar.test10(cycle=True)(), range(5))),
    "imdb.build_dict": lambda D: plain(_imdb_dict(D)),
    "imdb.train": lambda D: some(D.imdb.train(_imdb_dict(D))()),
    "imdb.test": lambda D: some(D.imdb.test(_imdb_dict(D))()),
    "imikolov.build_dict": lambda D: plain(D.imikolov.build_dict(5)),
    "imikolov.train": lambda D: some(D.imikolov.train(D.imikolov.build_dict(5), 3)()),
    "imikolov.test": lambda D: some(D.imikolov.test(D.imikolov.build_dict(5), 5)()),
    "imikolov.seq": lambda D: some(D.imikolov.train(D.imikolov.build_dict(5), 3, 2)()),
    "imikolov.seq_all": lambda D: some(D.imikolov.test(D.imikolov.build_dict(5), -1, 2)()),
    "movielens.train": lambda D: plain(_movielens(D.movielens.train()(), D.movielens)),
    "movielens.test": lambda D: plain(_movielens(D.movielens.test()(), D.movielens)),
    "movielens.ratio": lambda D: plain(_movielens(
        D.movielens.test(test_ratio=0.5, rand_seed=3)(), D.movielens)),
    "movielens.users": lambda D: plain({k: [str(v), v.value()] for k, v in
                                        D.movielens.user_info().items()}),
    "movielens.movies": lambda D: plain({k: str(v) for k, v in
                                         D.movielens.movie_info().items()}),
    "movielens.words": lambda D: sorted(D.movielens.get_movie_title_dict()),
    "movielens.max": lambda D: [D.movielens.max_movie_id(), D.movielens.max_user_id(),
                                D.movielens.max_job_id(), D.movielens.age_table],
    "conll05.test": lambda D: plain(_conll05(D)),
    "conll05.dicts": lambda D: plain([D.conll05.get_dict()[0], D.conll05.get_dict()[1],
                                      sorted(D.conll05.get_dict()[2])]),
    "wmt14.train": lambda D: some(D.wmt14.train(6)()),
    "wmt14.test": lambda D: some(D.wmt14.test(8)()),
    "wmt14.gen": lambda D: some(D.wmt14.gen(5)()),
    "wmt14.dict": lambda D: plain([D.wmt14.get_dict(5), D.wmt14.get_dict(50, False)]),
    "wmt16.train": lambda D: some(D.wmt16.train(6, 7)()),
    "wmt16.german": lambda D: some(D.wmt16.train(6, 7, "de")()),
    "wmt16.validation": lambda D: some(D.wmt16.validation(8, 8)()),
    "wmt16.test": lambda D: some(D.wmt16.test(30, 30)()),
    "wmt16.dict": lambda D: plain([D.wmt16.get_dict("en", 6), D.wmt16.get_dict("de", 7, True)]),
    "sentiment.dict": lambda D: plain(D.sentiment.get_word_dict()),
    "sentiment.train": lambda D: some(D.sentiment.train()),
    "sentiment.test": lambda D: some(D.sentiment.test()),
    "flowers.train": lambda D: some(D.flowers.train(mapper=lambda s: (len(s[0]), s[1]))()),
    "flowers.test": lambda D: some(D.flowers.test(mapper=lambda s: (s[0][:20], s[1]),
                                                  use_xmap=False)()),
    "flowers.valid": lambda D: some(D.flowers.valid(mapper=lambda s: (len(s[0]), s[1]))()),
    "voc2012.train": lambda D: some(D.voc2012.train()()),
    "voc2012.test": lambda D: some(D.voc2012.test()()),
    "voc2012.val": lambda D: some(D.voc2012.val()()),
    "mq2007.pairwise": lambda D: some(D.mq2007.train()),
    "mq2007.listwise": lambda D: some(D.mq2007.train(format="listwise")),
    "mq2007.test": lambda D: some(D.mq2007.test(format="pairwise")),
    "mq2007.points": lambda D: some(D.mq2007.gen_point(
        D.mq2007.load_from_text("MQ2007/MQ2007/Fold1/train.txt")[0])),
    "mq2007.plain": lambda D: some(D.mq2007.gen_plain_txt(
        D.mq2007.load_from_text("MQ2007/MQ2007/Fold1/train.txt")[2])),
    "mq2007.query": lambda D: [str(q) for q in D.mq2007.load_from_text(
        "MQ2007/MQ2007/Fold1/test.txt")[0]],
    "image.crop": lambda D: plain([D.image.center_crop(_image(), 9),
                                   D.image.center_crop(_image()[:, :, 0], 8, False),
                                   D.image.to_chw(_image()), D.image.left_right_flip(_image())]),
}

# Arrays that are compared pixel by pixel, with a tolerance of one grey level.
IMAGES = {
    "resize_larger": lambda D: D.image.resize_short(_image(), 45),
    "resize_smaller": lambda D: D.image.resize_short(_image(), 13),
    "resize_tall": lambda D: D.image.resize_short(_image().transpose(1, 0, 2), 33),
    "transform": lambda D: D.image.simple_transform(_image(), 32, 20, False, mean=[1., 2., 3.]),
    "transform_grey": lambda D: D.image.simple_transform(_image()[:, :, 0], 32, 20, False,
                                                         is_color=False),
    "transform_train": lambda D: np.random.seed(3) or D.image.simple_transform(_image(), 32, 20,
                                                                               True),
}
