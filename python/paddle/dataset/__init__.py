"""The data sets of Paddle's book and tests: downloaded once, checked, and read from
~/.cache/paddle/dataset. Without a network, put the files there yourself (the error of a failed
download says which and where), or set PADDLE_DATASET=synthetic: generated data of the same
format take their place."""

__all__ = [
    "mnist", "imikolov", "imdb", "cifar", "movielens", "conll05", "sentiment", "uci_housing",
    "wmt14", "wmt16", "mq2007", "flowers", "voc2012", "image",
]


def __getattr__(name):
    if name in __all__ or name == "common":
        __import__("paddle.dataset." + name)
        return globals()[name]
    from .._names import missing
    return missing(__name__, name)


def __dir__():
    return sorted(set(globals()) | set(__all__) | {"common"})
