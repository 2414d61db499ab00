"""The data sets of Paddle's book and tests: downloaded once, checked, and read from
~/.cache/paddle/dataset. docs/datasets.md says how to work without a network, and what
PADDLE_DATASET=synthetic does."""

__all__ = [
    "mnist", "imikolov", "imdb", "cifar", "movielens", "conll05", "sentiment", "uci_housing",
    "wmt14", "wmt16", "mq2007", "flowers", "voc2012", "image",
]


def __getattr__(name):
    if name in __all__ or name == "common":
        __import__("paddle.dataset." + name)
        return globals()[name]
    raise AttributeError("module 'paddle.dataset' has no attribute %r" % name)


def __dir__():
    return sorted(set(globals()) | set(__all__) | {"common"})
