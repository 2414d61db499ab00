"""LETOR's MQ2007: queries, and documents with 46 features and a relevance of 0, 1 or 2."""
import os

import numpy as np

from . import common

URL = ("http://www.bigdatalab.ac.cn/benchmark/upload/download_source/"
       "7b6dbbe2-842c-11e4-a536-bcaec51b9163_MQ2007.rar")
MD5 = "7be1640ae95c6408dab0ae7207bdc706"

_FEATURES = 46


def _member(filepath):
    """The path of a file of the archive in the cache; unpacked by what the system has."""
    path = os.path.join(common.DATA_HOME, "MQ2007", filepath)
    if os.path.exists(path):
        return path
    import shutil
    import subprocess
    archive = common.download(URL, "MQ2007", MD5)
    inside = filepath.split("/", 1)[1]
    wrong = "none of bsdtar, unrar and 7z is installed"
    for tool in (["bsdtar", "-xOf", archive, inside], ["unrar", "p", "-inul", archive, inside],
                 ["7z", "e", "-so", archive, inside]):
        if shutil.which(tool[0]) is None:
            continue
        done = subprocess.run(tool, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode == 0 and done.stdout:
            common.must_mkdirs(os.path.dirname(path))
            part = "%s.%d" % (path, os.getpid())
            with open(part, "wb") as f:
                f.write(done.stdout)
            os.replace(part, path)
            return path
        wrong = "%s: %s" % (tool[0], done.stderr.decode("utf-8", "replace").strip())
    raise RuntimeError("paddle.dataset.mq2007: cannot unpack %s (%s). Unpack it yourself, so that "
                       "%s is there." % (archive, wrong, path))


def fetch():
    """Download and unpack the archive."""
    for part in ("train", "test"):
        _member("MQ2007/MQ2007/Fold1/%s.txt" % part)


class Query:
    """A document for a query."""

    def __init__(self, query_id=-1, relevance_score=-1, feature_vector=None, description=""):
        self.query_id = query_id
        self.relevance_score = relevance_score
        self.feature_vector = [] if feature_vector is None else feature_vector
        self.description = description

    def __str__(self):
        return "%s %s %s" % (self.relevance_score, self.query_id,
                             " ".join(str(f) for f in self.feature_vector))

    def _parse_(self, text, fill_missing=-1):
        """relevance qid:number 1:feature 2:feature ... #description"""
        text, _, self.description = (part.strip() for part in text.partition("#"))
        parts = text.split()
        try:
            score, (key, number) = int(parts[0]), parts[1].split(":")
            features = [float(fill_missing)] * _FEATURES
            for part in parts[2:]:
                at, value = part.split(":")
                if not 1 <= int(at) <= _FEATURES:
                    raise ValueError("feature %s" % at)
                if value != "NULL":
                    features[int(at) - 1] = float(value)
            if key != "qid":
                raise ValueError(key)
            number = int(number)
        except (ValueError, IndexError) as error:
            raise ValueError("a line is no document of a query (%s): %.80s" % (error, text))
        self.query_id, self.relevance_score, self.feature_vector = number, score, features
        return self


class QueryList:
    """The documents of one query."""

    def __init__(self, querylist=None):
        self.query_id = -1
        self.querylist = []
        for query in querylist or []:
            self._add_query(query)

    def __iter__(self):
        return iter(self.querylist)

    def __len__(self):
        return len(self.querylist)

    def __getitem__(self, i):
        return self.querylist[i]

    def _correct_ranking_(self):
        """The most relevant first."""
        self.querylist.sort(key=lambda query: query.relevance_score, reverse=True)

    def _add_query(self, query):
        if self.query_id == -1:
            self.query_id = query.query_id
        elif self.query_id != query.query_id:
            raise ValueError("query %s in the list of query %s" % (query.query_id, self.query_id))
        self.querylist.append(query)


def _ranked(querylist):
    querylist = querylist if isinstance(querylist, QueryList) else QueryList(querylist)
    querylist._correct_ranking_()
    return querylist


def gen_plain_txt(querylist):
    """(query, relevance, features) of each document."""
    querylist = _ranked(querylist)
    for query in querylist:
        yield querylist.query_id, query.relevance_score, np.array(query.feature_vector)


def gen_point(querylist):
    """(relevance, features) of each document."""
    for query in _ranked(querylist):
        yield query.relevance_score, np.array(query.feature_vector)


def gen_pair(querylist, partial_order="full"):
    """([1], features of the better, features of the worse) of all pairs of different relevance,
    which is what "full" says."""
    if partial_order != "full":
        raise ValueError("gen_pair: partial_order is full, not %r" % (partial_order,))
    queries = list(_ranked(querylist))
    for i, better in enumerate(queries):
        for worse in queries[i + 1:]:
            if better.relevance_score > worse.relevance_score:
                yield (np.array([1]), np.array(better.feature_vector),
                       np.array(worse.feature_vector))


def gen_list(querylist):
    """(relevances in a column, features in rows), once."""
    querylist = _ranked(querylist)
    yield (np.array([[query.relevance_score] for query in querylist]),
           np.array([query.feature_vector for query in querylist]))


def query_filter(querylists):
    """Those with a relevant document."""
    return [some for some in querylists if sum(query.relevance_score for query in some) != 0]


def _query_lists(lines, shuffle, fill_missing):
    lists = []
    for line in lines:
        if not line.strip():
            continue
        query = Query()._parse_(line, fill_missing)
        if not lists or lists[-1].query_id != query.query_id:
            lists.append(QueryList())
        lists[-1]._add_query(query)
    if shuffle:
        import random
        random.shuffle(lists)
    return lists


def load_from_text(filepath, shuffle=False, fill_missing=-1):
    """The QueryLists of a file of the cache. Features that are not there are fill_missing."""
    with open(_member(filepath)) as f:
        return _query_lists(f, shuffle, fill_missing)


_FORMATS = {"plain_txt": gen_plain_txt, "pointwise": gen_point, "pairwise": gen_pair,
            "listwise": gen_list}


def _reader(filepath, format="pairwise", shuffle=False, fill_missing=-1):
    if format not in _FORMATS:
        raise ValueError("mq2007: format is %r; it is one of %s" % (format,
                                                                    ", ".join(sorted(_FORMATS))))

    def reader():
        if common.synthetic("mq2007"):
            from . import synthetic
            lists = _query_lists(synthetic.rankings(filepath), shuffle, fill_missing)
        else:
            lists = load_from_text(filepath, shuffle, fill_missing)
        for querylist in query_filter(lists):
            for sample in _FORMATS[format](querylist):
                yield sample
    return reader


def train(*, filepath="MQ2007/MQ2007/Fold1/train.txt", format="pairwise", shuffle=False,
          fill_missing=-1):
    """The samples of gen_pair ("pairwise"), gen_point ("pointwise": all documents), gen_list
    ("listwise") or gen_plain_txt ("plain_txt") for all queries with a relevant document. Call it
    to read: it is the reader."""
    return _reader(filepath, format, shuffle, fill_missing)()


def test(*, filepath="MQ2007/MQ2007/Fold1/test.txt", format="pairwise", shuffle=False,
         fill_missing=-1):
    return _reader(filepath, format, shuffle, fill_missing)()
