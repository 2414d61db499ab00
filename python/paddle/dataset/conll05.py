"""CoNLL 2005, the test sections: sentences whose words play roles around a verb. (The training
data is not free.)"""
from . import common

__all__ = ["test", "get_dict", "get_embedding"]

DATA_URL = "http://paddlemodels.bj.bcebos.com/conll05st/conll05st-tests.tar.gz"
DATA_MD5 = "387719152ae52d60422c016e92a742fc"
WORDDICT_URL = "http://paddlemodels.bj.bcebos.com/conll05st%2FwordDict.txt"
WORDDICT_MD5 = "ea7fb7d4c75cc6254716f0177a506baa"
VERBDICT_URL = "http://paddlemodels.bj.bcebos.com/conll05st%2FverbDict.txt"
VERBDICT_MD5 = "0d2977293bbb6cbefab5b0f97db1e77c"
TRGDICT_URL = "http://paddlemodels.bj.bcebos.com/conll05st%2FtargetDict.txt"
TRGDICT_MD5 = "d8c7f03ceb5fc2e5a0fa7503a4353751"
EMB_URL = "http://paddlemodels.bj.bcebos.com/conll05st%2Femb"
EMB_MD5 = "bf436eb0faa1f6f9103017f8be57cdb7"

UNK_IDX = 0

_WORDS = "conll05st-release/test.wsj/words/test.wsj.words.gz"
_PROPS = "conll05st-release/test.wsj/props/test.wsj.props.gz"


def load_label_dict(filename):
    """label -> number: B- and I- of each tag in the order of the file, then O."""
    tags = []
    for line in _text(filename):
        tag = line.strip()[2:]
        if line.startswith(("B-", "I-")) and tag not in tags:
            tags.append(tag)
    labels = {}
    for tag in tags:
        labels["B-" + tag] = len(labels)
        labels["I-" + tag] = len(labels)
    labels["O"] = len(labels)
    return labels


def load_dict(filename):
    """line -> its number"""
    return {line.strip(): number for number, line in enumerate(_text(filename))}


def _text(filename):
    """The lines of a file, or the lines themselves."""
    if not isinstance(filename, str):
        return filename
    with open(filename, encoding="utf-8") as f:
        return f.readlines()


def _labels(column, where):
    """B-, I- and O for a column of brackets: (A0*  *  *)  *"""
    out, tag, inside = [], None, False
    for mark in column:
        if mark == "*":
            out.append("I-" + tag if inside else "O")
        elif mark == "*)":
            out.append("I-" + str(tag))
            inside = False
        elif mark.startswith("(") and "*" in mark:
            tag, inside = mark[1:mark.index("*")], not mark.endswith(")")
            out.append("B-" + tag)
        else:
            raise ValueError("%s: a role is written %r" % (where, mark))
    return out


def _sentences(words, props, where):
    """(words, verb, labels) for each verb of each sentence, from lines of both files."""
    sentence, columns = [], []
    for word, prop in zip(words, props):
        word, columns_here = word.strip(), prop.strip().split()
        if columns_here:
            sentence.append(word)
            columns.append(columns_here)
            continue
        if columns:
            turned = list(zip(*columns))
            verbs = [verb for verb in turned[0] if verb != "-"]
            if len(verbs) != len(turned) - 1:
                raise ValueError("%s: a sentence of %d verbs and %d columns of roles"
                                 % (where, len(verbs), len(turned) - 1))
            for verb, column in zip(verbs, turned[1:]):
                yield sentence, verb, _labels(column, where)
        sentence, columns = [], []


def corpus_reader(data_path, words_name, props_name):
    """A reader of (words, verb, labels) from the archive."""
    def reader():
        import gzip
        texts = {}
        for name, f in common.tar_members(data_path, lambda n: n in (words_name, props_name)):
            with gzip.open(f, "rt", encoding="utf-8") as text:
                texts[name] = text.readlines()
        for name in (words_name, props_name):
            if name not in texts:
                raise RuntimeError("%s has no member %s" % (data_path, name))
        return _sentences(texts[words_name], texts[props_name], data_path)
    return reader


def reader_creator(corpus_reader, word_dict=None, predicate_dict=None, label_dict=None):
    """A reader of nine lists, each as long as the sentence: words; the words two before, one
    before, at, one after and two after the verb; the verb; whether a word is one of those five;
    labels."""
    def reader():
        for sentence, predicate, labels in corpus_reader():
            n = len(sentence)
            verb = labels.index("B-V")
            near = []
            mark = [0] * n
            for offset in (-2, -1, 0, 1, 2):
                at = verb + offset
                if 0 <= at < n:
                    mark[at] = 1
                    near.append(sentence[at])
                else:
                    near.append("bos" if at < 0 else "eos")
            numbers = [[word_dict.get(word, UNK_IDX)] * n for word in near]
            yield ([word_dict.get(word, UNK_IDX) for word in sentence], *numbers,
                   [predicate_dict.get(predicate)] * n, mark,
                   [label_dict.get(label) for label in labels])
    return reader


def get_dict():
    """(word -> number, verb -> number, label -> number)"""
    if common.synthetic("conll05"):
        from . import synthetic
        words, verbs, labels = synthetic.role_dicts()
    else:
        words = common.download(WORDDICT_URL, "conll05st", WORDDICT_MD5)
        verbs = common.download(VERBDICT_URL, "conll05st", VERBDICT_MD5)
        labels = common.download(TRGDICT_URL, "conll05st", TRGDICT_MD5)
    return load_dict(words), load_dict(verbs), load_label_dict(labels)


def get_embedding():
    """The path of a file of word vectors: 16 bytes, then 32 floats for each word of the
    dictionary."""
    if common.synthetic("conll05"):
        from . import synthetic
        return synthetic.role_embedding(common.DATA_HOME)
    return common.download(EMB_URL, "conll05st", EMB_MD5)


def test():
    """A reader of nine lists; see reader_creator()."""
    if common.synthetic("conll05"):
        from . import synthetic
        words, props = synthetic.role_sentences()

        def corpus():
            return _sentences(words, props, "synthetic")
    else:
        corpus = corpus_reader(common.download(DATA_URL, "conll05st", DATA_MD5), _WORDS, _PROPS)
    return reader_creator(corpus, *get_dict())


def fetch():
    get_dict()
    get_embedding()
    common.download(DATA_URL, "conll05st", DATA_MD5)
