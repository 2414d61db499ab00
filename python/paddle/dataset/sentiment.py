"""NLTK's film reviews: 1,000 damning and 1,000 praising. train() and test() are readers
themselves, not functions that return one."""
import re

from . import common

__all__ = ["train", "test", "get_word_dict"]

URL = "https://corpora.bj.bcebos.com/movie_reviews%2Fmovie_reviews.zip"
MD5 = "155de2b77c6834dd8eea7cbe88e93acb"
NUM_TRAINING_INSTANCES = 1600
NUM_TOTAL_INSTANCES = 2000

_loaded = {}  # where from -> (dictionary, samples)


def fetch():
    return common.download(URL, "corpora", MD5, save_name="movie_reviews.zip")


def _documents():
    """(name, text), the damning ones first, each kind by name."""
    if common.synthetic("sentiment"):
        from . import synthetic
        for name, text in synthetic.criticism():
            yield name, text
        return
    import zipfile
    with zipfile.ZipFile(fetch()) as package:
        names = [name for name in package.namelist()
                 if re.match(r"movie_reviews/(neg|pos)/.*\.txt$", name)]
        for name in sorted(names):
            yield name[len("movie_reviews/"):], package.read(name).decode("latin-1")


def _load():
    """The dictionary, and samples with damning and praising ones in turns."""
    key = "synthetic" if common.synthetic("sentiment") else (fetch(), MD5)
    if key not in _loaded:
        token = re.compile(r"\w+|[^\w\s]+")
        count, documents = {}, {"neg": [], "pos": []}
        for name, text in _documents():
            words = token.findall(text)
            for word in words:
                count[word] = count.get(word, 0) + 1
            documents[name[:3]].append(words)
        words = sorted(count, key=count.get, reverse=True)
        numbers = {word: number for number, word in enumerate(words)}
        samples = []
        for pair in zip(documents["neg"], documents["pos"]):
            for label, text in enumerate(pair):
                samples.append(([numbers.get(w.lower(), numbers[w]) for w in text], label))
        _loaded.clear()
        _loaded[key] = (list(numbers.items()), samples)
    return _loaded[key]


def get_word_dict():
    """[(word, number)], the most frequent first."""
    return _load()[0]


def train():
    """(word numbers, 0: damnation, 1: praise): 1,600."""
    for sample in _load()[1][:NUM_TRAINING_INSTANCES]:
        yield sample


def test():
    """400 more."""
    for sample in _load()[1][NUM_TRAINING_INSTANCES:NUM_TOTAL_INSTANCES]:
        yield sample
