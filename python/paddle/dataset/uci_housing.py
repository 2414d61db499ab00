"""Boston housing: 13 features of a district, and its median price. 506 districts."""
import numpy as np

from . import common

__all__ = ["train", "test"]

URL = "http://paddlemodels.bj.bcebos.com/uci_housing/housing.data"
MD5 = "d4accdce7a25600298819f8e28e8d593"
feature_names = ["CRIM", "ZN", "INDUS", "CHAS", "NOX", "RM", "AGE", "DIS", "RAD", "TAX",
                 "PTRATIO", "B", "LSTAT"]


def fetch():
    return common.download(URL, "uci_housing", MD5)


def load_data(filename, feature_num=14, ratio=0.8):
    """(train, test): rows of features, scaled to mean 0 and range 1 over all rows, and price."""
    if isinstance(filename, np.ndarray):
        rows = filename.astype("float64")
    else:
        with open(filename) as f:
            rows = np.array(f.read().split(), dtype="float64")
        if rows.size == 0 or rows.size % feature_num:
            raise ValueError("%s has %d numbers, which are no rows of %d"
                             % (filename, rows.size, feature_num))
        rows = rows.reshape(-1, feature_num)
    features = rows[:, :-1]
    spread = features.max(axis=0) - features.min(axis=0)
    rows[:, :-1] = (features - features.sum(axis=0) / len(rows)) / spread
    first = int(len(rows) * ratio)
    return rows[:first], rows[first:]


def _load():
    if common.synthetic("uci_housing"):
        from . import synthetic
        return load_data(synthetic.housing())
    return load_data(fetch())


def _reader(rows):
    def reader():
        for row in rows:
            yield row[:-1], row[-1:]
    return reader


def train():
    """A reader of (13 features, 1 price)."""
    return _reader(_load()[0])


def test():
    return _reader(_load()[1])


def predict_reader():
    """The features of the first test row."""
    return (_load()[1][0, :-1],)
