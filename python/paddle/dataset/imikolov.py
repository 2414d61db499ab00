"""Penn Treebank as Mikolov prepared it: sentences, for language models. Words are bytes, as in
Paddle under Python 3; the marks '<s>', '<e>' and '<unk>' are str."""
from . import common

__all__ = ["train", "test", "build_dict"]

URL = "https://dataset.bj.bcebos.com/imikolov%2Fsimple-examples.tgz"
MD5 = "30177ea32e27c525793142b6bf2c8e2d"

_TRAIN = "simple-examples/data/ptb.train.txt"
_TEST = "simple-examples/data/ptb.valid.txt"


class DataType:
    NGRAM = 1
    SEQ = 2


def fetch():
    return common.download(URL, "imikolov", MD5)


def _lines(filename):
    if common.synthetic("imikolov"):
        from . import synthetic
        return synthetic.sentences(filename)
    return common.tar_lines(fetch(), filename)


def word_count(f, word_freq=None):
    """word -> how often, added to word_freq. Each line also begins and ends."""
    word_freq = {} if word_freq is None else word_freq
    for line in f:
        for word in line.strip().split() + ["<s>", "<e>"]:
            word_freq[word] = word_freq.get(word, 0) + 1
    return word_freq


def build_dict(min_word_freq=50):
    """word -> number, for words seen more than min_word_freq times, the most frequent first;
    the last number is '<unk>'."""
    count = word_count(_lines(_TEST), word_count(_lines(_TRAIN)))
    count.pop("<unk>", None)
    kept = [(-n, word if isinstance(word, bytes) else word.encode(), word)
            for word, n in count.items() if n > min_word_freq]
    word_idx = {word: number for number, (_, _, word) in
                enumerate(sorted(kept, key=lambda item: item[:2]))}
    word_idx["<unk>"] = len(word_idx)
    return word_idx


def reader_creator(filename, word_idx, n, data_type):
    if data_type not in (DataType.NGRAM, DataType.SEQ):
        raise ValueError("imikolov: data_type is %r; it is DataType.NGRAM or DataType.SEQ"
                         % (data_type,))
    if data_type == DataType.NGRAM and n < 1:
        raise ValueError("imikolov: n is %r; an n-gram has one word or more" % (n,))
    unknown = word_idx["<unk>"]

    def reader():
        for line in _lines(filename):
            numbers = [word_idx.get(word, unknown) for word in line.strip().split()]
            if data_type == DataType.NGRAM:
                numbers = [word_idx["<s>"]] + numbers + [word_idx["<e>"]]
                for end in range(n, len(numbers) + 1):
                    yield tuple(numbers[end - n:end])
            else:
                source = [word_idx["<s>"]] + numbers
                if n > 0 and len(source) > n:
                    continue
                yield source, numbers + [word_idx["<e>"]]
    return reader


def train(word_idx, n, data_type=DataType.NGRAM):
    """A reader of tuples of n word numbers that follow one another; with DataType.SEQ of
    (sentence, the words that follow), for sentences of at most n words (n <= 0: all)."""
    return reader_creator(_TRAIN, word_idx, n, data_type)


def test(word_idx, n, data_type=DataType.NGRAM):
    return reader_creator(_TEST, word_idx, n, data_type)
