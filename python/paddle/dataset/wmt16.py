"""WMT 16, English and German, the multimodal task's captions (Multi30K)."""
from . import common

__all__ = ["train", "test", "validation", "fetch", "get_dict"]

DATA_URL = "http://paddlemodels.bj.bcebos.com/wmt/wmt16.tar.gz"
DATA_MD5 = "0c38be43600334966403524a40dcd81e"
TOTAL_EN_WORDS = 11250
TOTAL_DE_WORDS = 19220
START_MARK = "<s>"
END_MARK = "<e>"
UNK_MARK = "<unk>"

_words = {}  # (where from, language) -> all its words, the most frequent first


def fetch():
    """Download the set."""
    return common.download(DATA_URL, "wmt16", DATA_MD5)


def _pairs(name):
    """(English words, German words) of wmt16/train, wmt16/val or wmt16/test."""
    if common.synthetic("wmt16"):
        from . import synthetic
        lines = synthetic.pairs16(name)
    else:
        lines = common.tar_lines(fetch(), name)
    for line in lines:
        parts = line.decode("utf-8").strip().split("\t")
        if len(parts) == 2:
            yield [part.split() for part in parts]


def _column(lang):
    if lang not in ("en", "de"):
        raise ValueError("wmt16: a language is en (English) or de (German), not %r" % (lang,))
    return 0 if lang == "en" else 1


def get_dict(lang, dict_size, reverse=False):
    """word -> number of the dict_size most frequent words of the training set, after the three
    marks; or number -> word."""
    column = _column(lang)
    key = ("synthetic" if common.synthetic("wmt16") else (fetch(), DATA_MD5), lang)
    if key not in _words:
        count = {}
        for pair in _pairs("wmt16/train"):
            for word in pair[column]:
                count[word] = count.get(word, 0) + 1
        _words[key] = sorted(count, key=count.get, reverse=True)
    size = min(dict_size, TOTAL_DE_WORDS if column else TOTAL_EN_WORDS)
    words = ([START_MARK, END_MARK, UNK_MARK] + _words[key])[:size]
    if reverse:
        return dict(enumerate(words))
    return {word: number for number, word in enumerate(words)}


def _reader(name, src_dict_size, trg_dict_size, src_lang):
    source = _column(src_lang)
    src_dict = get_dict(src_lang, src_dict_size)
    trg_dict = get_dict("en" if source else "de", trg_dict_size)
    # The marks have the same numbers in both.
    start, end, unknown = src_dict[START_MARK], src_dict[END_MARK], src_dict[UNK_MARK]

    def reader():
        for pair in _pairs(name):
            src = [src_dict.get(word, unknown) for word in pair[source]]
            trg = [trg_dict.get(word, unknown) for word in pair[1 - source]]
            yield [start] + src + [end], [start] + trg, trg + [end]
    return reader


def train(src_dict_size, trg_dict_size, src_lang="en"):
    """A reader of (source, target, target one word later) in word numbers."""
    return _reader("wmt16/train", src_dict_size, trg_dict_size, src_lang)


def test(src_dict_size, trg_dict_size, src_lang="en"):
    return _reader("wmt16/test", src_dict_size, trg_dict_size, src_lang)


def validation(src_dict_size, trg_dict_size, src_lang="en"):
    return _reader("wmt16/val", src_dict_size, trg_dict_size, src_lang)
