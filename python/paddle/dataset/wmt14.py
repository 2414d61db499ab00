"""WMT 14, French to English, a small part: pairs of sentences."""
from . import common

__all__ = ["train", "test", "get_dict"]

URL_TRAIN = "http://paddlemodels.bj.bcebos.com/wmt/wmt14.tgz"
MD5_TRAIN = "0791583d57d5beb693b9414c5b36798c"
URL_MODEL = "http://paddlepaddle.bj.bcebos.com/demo/wmt_14/wmt14_model.tar.gz"
MD5_MODEL = "4ce14a26607fb8a1cc23bcdedb1895e4"

START = "<s>"
END = "<e>"
UNK = "<unk>"
UNK_IDX = 2

_MAX_WORDS = 80  # longer sentences are left out


def fetch():
    return common.download(URL_TRAIN, "wmt14", MD5_TRAIN)


def _source():
    """suffix of a member's name -> its lines"""
    if common.synthetic("wmt14"):
        from . import synthetic
        return synthetic.pairs14
    path = fetch()
    return lambda suffix: common.tar_lines(path, suffix)


def _read_dict(lines, suffix, dict_size):
    words = {}
    for line in lines(suffix):
        if len(words) >= dict_size:
            break
        words[line.strip().decode("utf-8")] = len(words)
    return words


def _reader(lines, suffix, dict_size):
    def reader():
        src_dict = _read_dict(lines, "src.dict", dict_size)
        trg_dict = _read_dict(lines, "trg.dict", dict_size)
        start, end = trg_dict[START], trg_dict[END]
        for line in lines(suffix):
            parts = line.decode("utf-8").strip().split("\t")
            if len(parts) != 2:
                continue
            src = [src_dict.get(w, UNK_IDX) for w in [START] + parts[0].split() + [END]]
            trg = [trg_dict.get(w, UNK_IDX) for w in parts[1].split()]
            if len(src) > _MAX_WORDS or len(trg) > _MAX_WORDS:
                continue
            yield src, [start] + trg, trg + [end]
    return reader


def reader_creator(tar_file, file_name, dict_size):
    """A reader of (source, target, target one word later) in word numbers."""
    return _reader(lambda suffix: common.tar_lines(tar_file, suffix), file_name, dict_size)


def train(dict_size):
    """A reader of (source, target, target one word later): '<s>' first, '<e>' last, words beyond
    the first dict_size of the dictionary as '<unk>'."""
    return _reader(_source(), "train/train", dict_size)


def test(dict_size):
    return _reader(_source(), "test/test", dict_size)


def gen(dict_size):
    return _reader(_source(), "gen/gen", dict_size)


def get_dict(dict_size, reverse=True):
    """(of the source, of the target): number -> word, or word -> number with reverse=False."""
    lines = _source()
    dicts = [_read_dict(lines, suffix, dict_size) for suffix in ("src.dict", "trg.dict")]
    if reverse:
        dicts = [{number: word for word, number in words.items()} for words in dicts]
    return tuple(dicts)


def model():
    """The parameters of the translator that the book's chapter for paddle.v2 has trained."""
    if common.synthetic("wmt14"):
        raise RuntimeError("paddle.dataset.wmt14.model: generated data have no trained model; train "
                           "one, and read its tar with paddle.parameters.Parameters.from_tar(f)")
    import gzip
    from ..v2.parameters import Parameters
    with gzip.open(common.download(URL_MODEL, "wmt14", MD5_MODEL)) as file:
        return Parameters.from_tar(file)
