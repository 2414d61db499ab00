"""Generated data in the formats of the real sets, for PADDLE_DATASET=synthetic.

Each function stands for the files of one set: the modules read its lines, texts or arrays with
the code that reads the real ones. Each set is the same in every run, and a model can learn it:
what it is to predict was planted. Nothing here is used unless the user asks for it."""
import os
import zlib

import numpy as np


def _rng(*key):
    """A stream of its own for each set and part."""
    return np.random.RandomState(zlib.crc32(repr(key).encode()))


# ---- numbers and images ----

def housing():
    """506 rows of 13 features and a price: a linear model and noise. The features lean on one
    common cause, as those of real districts do."""
    rng = _rng("housing")
    n = 506
    cause = rng.rand(n, 1)
    features = 0.6 * cause + 0.4 * rng.rand(n, 13)
    features[:, 3] = features[:, 3] > 0.8  # CHAS is 0 or 1
    features *= np.array([80, 100, 27, 1, 0.5, 5, 97, 11, 23, 500, 9, 390, 35.0])
    scaled = (features - features.mean(axis=0)) / (features.max(axis=0) - features.min(axis=0))
    weights = rng.uniform(0.5, 2.5, 13)
    price = 22.5 + scaled @ weights + rng.normal(0, 1.0, n)
    return np.concatenate([features, np.clip(price, 5, 50)[:, None]], axis=1)


def digits(n, seed):
    """(n, 784) bytes and labels: ten blotched prototypes under noise."""
    coarse = _rng("digits").rand(10, 7, 7) > 0.6
    prototypes = np.kron(coarse, np.ones((4, 4))).reshape(10, 784) * 200
    rng = _rng("digits", seed)
    labels = rng.randint(0, 10, n).astype("uint8")
    images = prototypes[labels] + rng.normal(20, 40, (n, 784))
    return np.clip(images, 0, 255).astype("uint8"), labels


def pictures(classes, n, seed):
    """(n, 3072) bytes and labels: a prototype of coarse colours for each class, under noise."""
    coarse = _rng("pictures", classes).randint(30, 226, (classes, 3, 8, 8))
    prototypes = np.kron(coarse, np.ones((4, 4))).reshape(classes, 3072)
    rng = _rng("pictures", classes, seed)
    labels = rng.randint(0, classes, n)
    images = prototypes[labels] + rng.normal(0, 30, (n, 3072))
    return np.clip(images, 0, 255).astype("uint8"), [int(v) for v in labels]


def blossoms(flag):
    """(encoded image, label) of 102 kinds of flowers, each of its own colours."""
    colours = _rng("blossoms").randint(0, 200, (102, 2, 3))
    rng = _rng("blossoms", flag)
    for i in range(306 if flag == "tstid" else 102):
        label = i % 102
        height, width = rng.randint(40, 60, 2)
        y, x = np.mgrid[:height, :width]
        inside = (y - height / 2) ** 2 + (x - width / 2) ** 2 < rng.randint(10, 18) ** 2
        image = colours[label][inside.astype(int)] + rng.randint(0, 56, (height, width, 1))
        yield (b"P6\n%d %d\n255\n" % (width, height) + image.astype("uint8").tobytes(), label)


def scenes(sub_name):
    """(image, labels of its pixels): one rectangle of a thing on a background."""
    colours = _rng("scenes").randint(0, 200, (21, 3))
    parts = {"train": ["train"], "val": ["val"], "trainval": ["train", "val"]}[sub_name]
    for part in parts:
        rng = _rng("scenes", part)
        for _ in range(40):
            height, width = rng.randint(48, 65, 2)
            labels = np.zeros((height, width), "uint8")
            top, left = rng.randint(4, 16, 2)
            bottom, right = rng.randint(24, 44, 2)
            labels[top - 1:bottom + 1, left - 1:right + 1] = 255
            labels[top:bottom, left:right] = rng.randint(1, 21)
            image = colours[np.where(labels == 255, 0, labels)] + \
                rng.randint(0, 56, (height, width, 1))
            yield image.astype("uint8"), labels


# ---- words ----

def _zipf(n):
    weights = 1.0 / np.arange(3, n + 3)
    return weights / weights.sum()


def _opinions(key, n, length):
    """n texts and whether each praises: a fifth of the words say so, mostly rightly."""
    rng = _rng(key)
    plain = ["word%d" % i for i in range(400)]
    good = ["great%d" % i for i in range(20)]
    bad = ["awful%d" % i for i in range(20)]
    weights = _zipf(len(plain))
    for i in range(n):
        praises = i % 2 == 1
        words = [plain[k] for k in rng.choice(len(plain), rng.randint(length // 2, length * 2),
                                              p=weights)]
        for at in range(0, len(words), 5):
            side = good if praises == (rng.rand() < 0.85) else bad
            words[at] = side[rng.randint(20)]
        yield words, praises


def reviews():
    """(name, text) as in aclImdb_v1.tar.gz."""
    for part, n in (("train", 2000), ("test", 500)):
        for i, (words, praises) in enumerate(_opinions("imdb " + part, n, 60)):
            kind, stars = ("pos", 9) if praises else ("neg", 2)
            yield ("aclImdb/%s/%s/%d_%d.txt" % (part, kind, i // 2, stars),
                   (" ".join(words).capitalize() + ".").encode())


def criticism():
    """(name, text) as in movie_reviews.zip, the damning ones first."""
    texts = list(_opinions("sentiment", 2000, 40))
    for praise in (False, True):
        some = [words for words, praises in texts if praises == praise]
        for i, words in enumerate(some):
            yield ("%s/cv%03d_%d.txt" % ("pos" if praise else "neg", i, 10000 + i),
                   " ".join(words) + " .\n")


def sentences(filename):
    """Lines of a Markov chain over 2070 words, as many as the real set has above 50 times: each has
    four that may follow it, and each follows four. Some are words that well-known scripts ask for."""
    size, longest = 2070, 20
    words = [b"the", b"a", b"of", b"among", b"group", b"in", b"to", b"and"]
    words += [b"w%d" % i for i in range(len(words), size)]
    rng = _rng("sentences")
    follow = np.stack([rng.permutation(size) for _ in range(4)], axis=1)
    rng = _rng("sentences", filename)
    n = 18000 if "train" in filename else 1800
    chain = np.empty((n, longest), "int64")
    chain[:, 0] = rng.permutation(n) % size
    for i in range(1, longest):
        chain[:, i] = follow[chain[:, i - 1], np.minimum(rng.geometric(0.6, n), 4) - 1]
    for line, length in zip(chain.tolist(), rng.randint(3, longest, n)):
        yield b" " + b" ".join([words[w] for w in line[:length]]) + b" \n"


def _translations(key, n, size, form):
    """Pairs of sentences over `size` words; the target word is the one after the source's."""
    rng = _rng(key)
    weights = _zipf(size)
    for _ in range(n):
        words = rng.choice(size, rng.randint(3, 12), p=weights)
        yield ("%s\t%s\n" % (" ".join(form[0] % w for w in words),
                             " ".join(form[1] % ((w + 1) % size) for w in words))).encode()


def pairs14(suffix):
    """Lines of the members of wmt14.tgz. The dictionaries have 30,000 words, as the real ones;
    the sentences use the first 200."""
    if suffix.endswith(".dict"):
        form = b"fr%d\n" if suffix.startswith("src") else b"en%d\n"
        return iter([b"<s>\n", b"<e>\n", b"<unk>\n"] + [form % i for i in range(29997)])
    n = {"train/train": 4000, "test/test": 400, "gen/gen": 100}[suffix]
    return _translations("wmt14 " + suffix, n, 200, ("fr%d", "en%d"))


def pairs16(name):
    """Lines of the members of wmt16.tar.gz."""
    n = {"wmt16/train": 4000, "wmt16/val": 400, "wmt16/test": 400}[name]
    return _translations(name, n, 300, ("en%d", "de%d"))


# ---- films ----

_CATEGORIES = ["Action", "Adventure", "Animation", "Children's", "Comedy", "Crime", "Documentary",
               "Drama", "Fantasy", "Film-Noir", "Horror", "Musical", "Mystery", "Romance",
               "Sci-Fi", "Thriller", "War", "Western"]
_AGES = [1, 18, 25, 35, 45, 50, 56]


def ratings(name):
    """Lines of movies.dat, users.dat and ratings.dat. People and films have factors; people of a
    gender, an age and a job, and films of a category, are alike. As many of both, and of words in
    titles, as in the real set, whose numbers scripts know; fewer ratings."""
    rng = _rng("ratings")
    n_users, n_movies, n_words = 6040, 3952, 5175
    kinds = [sorted(set(rng.choice(18, 1 + rng.randint(3)))) for _ in range(n_movies)]
    who = [(rng.randint(2), rng.randint(7), rng.randint(21)) for _ in range(n_users)]
    if name == "movies.dat":
        return ["%d::%s (%d)::%s" % (
            i + 1, " ".join("Title%d" % (w % n_words) for w in
                            [i, i + n_movies] + list(rng.randint(0, n_words, rng.randint(3)))),
            rng.randint(1950, 2000), "|".join(_CATEGORIES[k] for k in kinds[i]))
            for i in range(n_movies)]
    if name == "users.dat":
        return ["%d::%s::%d::%d::00000" % (i + 1, "MF"[gender], _AGES[age], job)
                for i, (gender, age, job) in enumerate(who)]
    of_kind, of_gender, of_age, of_job = (rng.normal(0, 1, (size, 4)) for size in (18, 2, 7, 21))
    users = np.array([of_gender[g] + of_age[a] + 0.5 * of_job[j] for g, a, j in who])
    movies = np.array([of_kind[k].mean(axis=0) for k in kinds])
    score = users @ movies.T
    score = 3 + 1.2 * score / score.std()
    lines = []
    for i in range(20000):
        u, m = (i if i < n_users else rng.randint(n_users)), rng.randint(n_movies)
        stars = int(np.clip(np.rint(score[u, m] + rng.normal(0, 0.3)), 1, 5))
        lines.append("%d::%d::%d::978300760" % (u + 1, m + 1, stars))
    return lines


# ---- roles ----

_NOUNS, _VERBS, _PLACES = 120, 40, 30


def role_dicts():
    """Lines of wordDict.txt, verbDict.txt and targetDict.txt."""
    words = ["<unk>", "bos", "eos", "the", "."] + ["noun%d" % i for i in range(_NOUNS)] + \
        ["verbs%d" % i for i in range(_VERBS)] + ["in%d" % i for i in range(_PLACES)]
    return (words, ["verb%d" % i for i in range(_VERBS)],
            ["B-A0", "I-A0", "B-A1", "I-A1", "B-AM-LOC", "B-V", "O"])


def role_sentences():
    """Lines of words and props: the noun0 verbs0 the noun1 in0 ."""
    rng = _rng("roles")
    words, props = [], []
    for _ in range(600):
        verb = rng.randint(_VERBS)
        parts = [("the", "(A0*"), ("noun%d" % rng.randint(_NOUNS), "*)"),
                 ("verbs%d" % verb, "(V*)"), ("the", "(A1*"),
                 ("noun%d" % rng.randint(_NOUNS), "*)")]
        if rng.rand() < 0.5:
            place = ("in%d" % rng.randint(_PLACES), "(AM-LOC*)")
            parts.insert(0 if rng.rand() < 0.3 else len(parts), place)
        parts.append((".", "*"))
        for word, role in parts:
            words.append(word + "\n")
            props.append("%s\t%s\n" % ("verb%d" % verb if role == "(V*)" else "-", role))
        words.append("\n")
        props.append("\n")
    return words, props


def role_embedding(home):
    """The path of a file of word vectors, written into the cache's folder synthetic/."""
    size = len(role_dicts()[0])
    folder = os.path.join(home, "synthetic", "conll05st")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "emb")
    part = "%s.%d" % (path, os.getpid())
    with open(part, "wb") as f:
        f.write(b"\0" * 16 + _rng("embedding").normal(0, 0.1, (size, 32)).astype("float32")
                .tobytes())
    os.replace(part, path)
    return path


# ---- ranking ----

def rankings(filepath):
    """Lines of an MQ2007 file: the relevance follows from a few of the 46 features."""
    weights = _rng("rankings").normal(0, 1, 46) * (np.arange(46) % 4 == 0)
    rng = _rng("rankings", filepath)
    for query in range(100 if "train" in filepath else 30):
        for document in range(rng.randint(8, 15)):
            features = rng.rand(46)
            score = (features - 0.5) @ weights + rng.normal(0, 0.1)
            yield "%d qid:%d %s #docid = GX%03d\n" % (
                0 if score < 0.2 else 1 if score < 1.0 else 2, query + 1,
                " ".join("%d:%.6f" % (i + 1, v) for i, v in enumerate(features)), document)
