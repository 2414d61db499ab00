"""IMDB: film reviews, praising or damning. Words are bytes, as in Paddle under Python 3."""
import re
import string

from . import common

__all__ = ["build_dict", "train", "test"]

URL = "https://dataset.bj.bcebos.com/imdb%2FaclImdb_v1.tar.gz"
MD5 = "7c2ac02c03563afcf9b574c7e56c153a"

_PUNCTUATION = string.punctuation.encode()


def fetch():
    return common.download(URL, "imdb", MD5)


def _documents(wanted):
    """(name, text) of the reviews whose names are wanted."""
    if common.synthetic("imdb"):
        from . import synthetic
        return ((name, text) for name, text in synthetic.reviews() if wanted(name))
    return ((name, f.read()) for name, f in common.tar_members(fetch(), wanted))


def _words(text):
    return text.rstrip(b"\n\r").translate(None, _PUNCTUATION).lower().split()


def tokenize(pattern):
    """The words of each review whose name matches the pattern: no punctuation, lower case."""
    for _, text in _documents(lambda name: bool(pattern.match(name))):
        yield _words(text)


def build_dict(pattern, cutoff):
    """word -> number, for words seen more than cutoff times, the most frequent first; the last
    number is '<unk>'."""
    count = {}
    for words in tokenize(pattern):
        for word in words:
            count[word] = count.get(word, 0) + 1
    kept = sorted((-n, word) for word, n in count.items() if n > cutoff)
    word_idx = {word: number for number, (_, word) in enumerate(kept)}
    word_idx["<unk>"] = len(kept)
    return word_idx


def reader_creator(pos_pattern, neg_pattern, word_idx):
    """A reader of (word numbers, 0 for the first pattern and 1 for the second)."""
    unknown = word_idx["<unk>"]
    samples = ([], [])
    patterns = (pos_pattern, neg_pattern)
    for name, text in _documents(lambda name: any(p.match(name) for p in patterns)):
        numbers = [word_idx.get(word, unknown) for word in _words(text)]
        for label, pattern in enumerate(patterns):
            if pattern.match(name):
                samples[label].append((numbers, label))

    def reader():
        for some in samples:
            for sample in some:
                yield sample
    return reader


def train(word_idx):
    """A reader of (word numbers, 0: praise, 1: damnation): 25,000."""
    return reader_creator(re.compile(r"aclImdb/train/pos/.*\.txt$"),
                          re.compile(r"aclImdb/train/neg/.*\.txt$"), word_idx)


def test(word_idx):
    """25,000 more."""
    return reader_creator(re.compile(r"aclImdb/test/pos/.*\.txt$"),
                          re.compile(r"aclImdb/test/neg/.*\.txt$"), word_idx)


def word_dict():
    """The words seen more than 150 times in all labelled reviews."""
    return build_dict(re.compile(r"aclImdb/(train|test)/(pos|neg)/.*\.txt$"), 150)
