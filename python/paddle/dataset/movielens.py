"""MovieLens 1M: what 6,040 people thought of 3,900 films."""
import re

import numpy as np

from . import common

__all__ = [
    "train", "test", "get_movie_title_dict", "max_movie_id", "max_user_id", "age_table",
    "movie_categories", "max_job_id", "user_info", "movie_info",
]

URL = "https://dataset.bj.bcebos.com/movielens%2Fml-1m.zip"
MD5 = "c4d9eecfca2ab87c1945afe126590906"
age_table = [1, 18, 25, 35, 45, 50, 56]


class MovieInfo:
    """A film: number, categories, title."""

    def __init__(self, index, categories, title):
        self.index = int(index)
        self.categories = categories
        self.title = title

    def value(self):
        """[number, category numbers, title word numbers]"""
        meta = _load()
        return [self.index, [meta.categories[c] for c in self.categories],
                [meta.words[w.lower()] for w in self.title.split()]]

    def __str__(self):
        return "<MovieInfo id(%d), title(%s), categories(%s)>" % (self.index, self.title,
                                                                  self.categories)

    __repr__ = __str__


class UserInfo:
    """A person: number, gender, age, job."""

    def __init__(self, index, gender, age, job_id):
        self.index = int(index)
        self.is_male = gender == "M"
        self.age = age_table.index(int(age))
        self.job_id = int(job_id)

    def value(self):
        """[number, 0 for men and 1 for women, number of the age group, job]"""
        return [self.index, 0 if self.is_male else 1, self.age, self.job_id]

    def __str__(self):
        return "<UserInfo id(%d), gender(%s), age(%d), job(%d)>" % (
            self.index, "M" if self.is_male else "F", age_table[self.age], self.job_id)

    __repr__ = __str__


class _Meta:
    """Films and people. Categories and title words are numbered in alphabetical order."""

    def __init__(self):
        self.movies, self.users = {}, {}
        title = re.compile(r"^(.*)\((\d+)\)$")
        categories, words = set(), set()
        for line in _lines("movies.dat"):
            number, name, kinds = line.split("::")
            match = title.match(name)
            movie = MovieInfo(number, kinds.split("|"), match.group(1) if match else name)
            self.movies[movie.index] = movie
            categories.update(movie.categories)
            words.update(word.lower() for word in movie.title.split())
        for line in _lines("users.dat"):
            number, gender, age, job, _ = line.split("::")
            self.users[int(number)] = UserInfo(number, gender, age, job)
        self.categories = {name: i for i, name in enumerate(sorted(categories))}
        self.words = {word: i for i, word in enumerate(sorted(words))}


_loaded = {}  # where from -> _Meta


def fetch():
    return common.download(URL, "movielens", MD5)


def _lines(name):
    """The lines of a file of the archive."""
    if common.synthetic("movielens"):
        from . import synthetic
        for line in synthetic.ratings(name):
            yield line
        return
    import io
    import zipfile
    with zipfile.ZipFile(fetch()) as package, package.open("ml-1m/" + name) as f:
        for line in io.TextIOWrapper(f, encoding="latin"):
            yield line.rstrip("\r\n")


def _load():
    key = "synthetic" if common.synthetic("movielens") else (fetch(), MD5)
    if key not in _loaded:
        _loaded.clear()
        _loaded[key] = _Meta()
    return _loaded[key]


def _reader(is_test, rand_seed=0, test_ratio=0.1):
    def reader():
        meta = _load()
        rng = np.random.RandomState(rand_seed)
        users = {number: user.value() for number, user in meta.users.items()}
        movies = {number: movie.value() for number, movie in meta.movies.items()}
        for line in _lines("ratings.dat"):
            if (rng.random_sample() < test_ratio) != is_test:
                continue
            user, movie, rating, _ = line.split("::")
            yield users[int(user)] + movies[int(movie)] + [[float(rating) * 2 - 5.0]]
    _load()
    return reader


def train(**kwargs):
    """A reader of [user number, gender, age group, job, film number, category numbers, title word
    numbers, [rating from -3 to 5]]. test_ratio=0.1 and rand_seed=0 say which share is for
    test()."""
    return _reader(False, **kwargs)


def test(**kwargs):
    return _reader(True, **kwargs)


def get_movie_title_dict():
    """word -> number"""
    return _load().words


def movie_categories():
    """category -> number"""
    return _load().categories


def max_movie_id():
    return max(_load().movies)


def max_user_id():
    return max(_load().users)


def max_job_id():
    return max(user.job_id for user in _load().users.values())


def user_info():
    """number -> UserInfo"""
    return _load().users


def movie_info():
    """number -> MovieInfo"""
    return _load().movies
