"""Small files in the true formats of paddle.dataset's archives.

write(home) puts them where the readers look for them, under home/.cache/paddle/dataset, and
patch(dataset) tells the modules their MD5 sums. The same files are read by real Paddle 1.8.5
(record_dataset.py) and by Regatta."""
import gzip
import hashlib
import io
import os
import pickle
import struct
import tarfile
import zipfile
import zlib

import numpy as np


def folder(home):
    return os.path.join(home, ".cache", "paddle", "dataset")


def _put(home, name, data):
    path = os.path.join(folder(home), name)
    if not os.path.isdir(os.path.dirname(path)):
        os.makedirs(os.path.dirname(path))
    with open(path, "wb") as f:
        f.write(data)


def tar_bytes(members, mode="w:gz"):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as tar:
        for name, data in members:
            info = tarfile.TarInfo(name)
            if data is None:
                info.type = tarfile.DIRTYPE
                tar.addfile(info)
                continue
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def zip_bytes(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in members:
            z.writestr(name, data)
    return out.getvalue()


def gz_bytes(data):
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb") as f:
        f.write(data)
    return out.getvalue()


def ppm_bytes(image):
    """A colour (h, w, 3) array in RGB, or a grey (h, w) one."""
    kind = b"P6" if image.ndim == 3 else b"P5"
    return kind + b"\n%d %d\n255\n" % (image.shape[1], image.shape[0]) + image.tobytes()


def mat_bytes(arrays, compressed):
    """A MATLAB 5 file of matrices of double, uint8 or uint16."""
    def element(kind, data):
        return struct.pack("<II", kind, len(data)) + data + b"\0" * (-len(data) % 8)

    body = b""
    for name, array in arrays:
        cls, kind = {"float64": (6, 9), "uint8": (9, 2), "uint16": (11, 4)}[array.dtype.name]
        flags = element(6, struct.pack("<II", cls, 0))
        dims = element(5, struct.pack("<ii", *array.shape))
        text = name.encode()
        if len(text) <= 4:  # the small form
            text = struct.pack("<HH", 1, len(text)) + text + b"\0" * (4 - len(text))
        else:
            text = element(1, text)
        data = element(kind, array.tobytes(order="F"))
        matrix = element(14, flags + dims + text + data)
        if compressed:
            packed = zlib.compress(matrix)
            matrix = struct.pack("<II", 15, len(packed)) + packed
        body += matrix
    return b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<H2s", 0x0100, b"IM") + body


def _housing(home, rng):
    rows = np.round(rng.rand(30, 14) * 50, 3)
    text = "\n".join(" " + "  ".join("%8.3f" % v for v in row) for row in rows) + "\n"
    _put(home, "uci_housing/housing.data", text.encode())


def _mnist(home, rng):
    for name, n in (("train", 300), ("t10k", 200)):
        images = rng.randint(0, 256, (n, 28, 28)).astype("uint8")
        labels = rng.randint(0, 10, n).astype("uint8")
        _put(home, "mnist/%s-images-idx3-ubyte.gz" % name,
             gz_bytes(struct.pack(">IIII", 2051, n, 28, 28) + images.tobytes()))
        _put(home, "mnist/%s-labels-idx1-ubyte.gz" % name,
             gz_bytes(struct.pack(">II", 2049, n) + labels.tobytes()))


def py2_pickle(data, labels, key):
    """What Python 2's pickle wrote for cifar: byte strings, an old numpy's names."""
    def short(text):
        return b"U" + struct.pack("<B", len(text)) + text

    shape = b"".join(b"M" + struct.pack("<H", d) for d in data.shape)
    raw = data.tobytes()
    return (b"\x80\x02}(" + short(b"batch_label") + short(b"training batch 1 of 5") +
            short(key) + b"](" + b"".join(b"K" + bytes(bytearray([v])) for v in labels) + b"e" +
            short(b"data") + b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\n" +
            b"K\x00\x85" + short(b"b") + b"\x87R(K\x01" + shape + b"\x86" +
            b"cnumpy\ndtype\n" + short(b"u1") + b"K\x00K\x01\x87R(K\x03" + short(b"|") +
            b"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89" +
            b"T" + struct.pack("<I", len(raw)) + raw + b"tb" +
            short(b"filenames") + b"](" + short(b"a.png") + short(b"b.png") + b"eu.")


def _cifar(home, rng):
    members = [("cifar-10-batches-py", None), ("cifar-10-batches-py/readme.html", b"hello")]
    for name, n in (("data_batch_2", 3), ("data_batch_1", 4), ("test_batch", 2)):
        data = rng.randint(0, 256, (n, 3072)).astype("uint8")
        labels = [int(v) for v in rng.randint(0, 10, n)]
        if name == "data_batch_1":
            raw = pickle.dumps({b"data": data, b"labels": labels, b"filenames": [b"x.png"] * n,
                                b"batch_label": b"batch"}, protocol=2)
        else:
            raw = py2_pickle(data, labels, b"labels")
        members.append(("cifar-10-batches-py/" + name, raw))
    _put(home, "cifar/cifar-10-python.tar.gz", tar_bytes(members))
    members = [("cifar-100-python", None)]
    for name, n in (("train", 3), ("test", 2)):
        data = rng.randint(0, 256, (n, 3072)).astype("uint8")
        labels = [int(v) for v in rng.randint(0, 100, n)]
        members.append(("cifar-100-python/" + name, py2_pickle(data, labels, b"fine_labels")))
    _put(home, "cifar/cifar-100-python.tar.gz", tar_bytes(members))


def _imdb(home, rng):
    words = ["good", "bad", "film", "the", "it's", "plot-hole", "caf\u00e9", "a"]
    members = []
    for part in ("train", "test"):
        for kind in ("neg", "pos", "unsup"):
            for i in range(4):
                text = " ".join(words[k] for k in rng.randint(0, len(words), 30))
                text = text.capitalize() + "!<br /><br />Really... (10/10)\n"
                members.append(("aclImdb/%s/%s/%d_%d.txt" % (part, kind, i, i + 3),
                                text.encode("utf-8")))
        members.append(("aclImdb/%s/urls_pos.txt" % part, b"http://x"))
    _put(home, "imdb/imdb%2FaclImdb_v1.tar.gz", tar_bytes(members))


def _imikolov(home, rng):
    words = ["the", "<unk>", "N", "market", "said", "it", "mr."]
    members = []
    for part, n in (("train", 20), ("valid", 6), ("test", 4)):
        lines = [" " + " ".join(words[k] for k in rng.randint(0, len(words), rng.randint(1, 9))) +
                 " \n" for _ in range(n)]
        members.append(("./simple-examples/data/ptb.%s.txt" % part, "".join(lines).encode()))
    _put(home, "imikolov/imikolov%2Fsimple-examples.tgz", tar_bytes(members))


def _movielens(home, rng):
    movies = [b"1::Toy Story (1995)::Animation|Children's|Comedy",
              b"2::Jumanji (1995)::Adventure|Children's|Fantasy",
              b"5::Mis\xe9rables, Les (1995)::Drama|Musical",
              b"9::Sudden Death (1995)::Action"]
    users = [b"1::F::1::10::48067", b"2::M::56::16::70072", b"4::M::25::20::55117"]
    ratings = [b"%d::%d::%d::978300760" % (u, m, r) for u, m, r in
               zip(rng.choice([1, 2, 4], 60), rng.choice([1, 2, 5, 9], 60),
                   rng.randint(1, 6, 60))]
    _put(home, "movielens/movielens%2Fml-1m.zip", zip_bytes([
        ("ml-1m/movies.dat", b"\n".join(movies) + b"\n"),
        ("ml-1m/users.dat", b"\n".join(users) + b"\n"),
        ("ml-1m/ratings.dat", b"\n".join(ratings) + b"\n")]))


_ROLES = [  # word, verb, a column of roles for each verb
    """The - (A0*
       cat - *)
       sat sit (V*)
       on - (AM-LOC*
       the - *
       mat - *)
       . - *""",
    """Dogs - (A0*) *
       bark bark (V*) *
       and - * *
       cats - * (A0*)
       sleep sleep * (V*)
       loudly - * (AM-MNR*)
       . - * *""",
    """No -
       verb -
       here -""",
    """Sit sit (V*)
       . - *""",
    """Sleep sleep (V*)""",
    """The - (A0*
       dogs - *)
       sleep sleep (V*)""",
]


def _conll05(home, rng):
    rows = [[line.split() for line in text.splitlines()] for text in _ROLES]
    words = "".join("".join(row[0] + " \n" for row in some) + "\n" for some in rows)
    props = "".join("".join("\t".join(row[1:]) + "\n" for row in some) + "\n" for some in rows)
    _put(home, "conll05st/conll05st-tests.tar.gz", tar_bytes([
        ("conll05st-release/test.wsj/words/test.wsj.words.gz", gz_bytes(words.encode())),
        ("conll05st-release/test.wsj/props/test.wsj.props.gz", gz_bytes(props.encode()))]))
    _put(home, "conll05st/conll05st%2FwordDict.txt",
         b"<unk>\nbos\neos\nThe\ncat\nsat\non\nthe\nmat\n.\nDogs\nand\nSit\n")
    _put(home, "conll05st/conll05st%2FverbDict.txt", b"sit\nbark\nsleep\n")
    _put(home, "conll05st/conll05st%2FtargetDict.txt",
         b"B-A0\nI-A0\nB-V\nB-AM-LOC\nI-AM-LOC\nB-AM-MNR\nO\n")
    emb = rng.rand(13, 32).astype("float32")
    _put(home, "conll05st/conll05st%2Femb", b"\0" * 16 + emb.tobytes())


def _wmt14(home, rng):
    src = ["<s>", "<e>", "<unk>", "a", "b", "c", "d", "e"]
    trg = ["<s>", "<e>", "<unk>", "A", "B", "C", "D", "E"]

    def pairs(n):
        lines = []
        for i in range(n):
            k = rng.randint(0, 9, rng.randint(1, 7))
            lines.append(" ".join((src + ["zz"])[v] for v in k) + "\t" +
                         " ".join((trg + ["ZZ"])[v] for v in k))
        lines.append("no tab here")
        lines.append(" ".join(["a"] * 90) + "\t" + "A")
        return ("\n".join(lines) + "\n").encode()
    _put(home, "wmt14/wmt14.tgz", tar_bytes([
        ("wmt14/src.dict", ("\n".join(src) + "\n").encode()),
        ("wmt14/trg.dict", ("\n".join(trg) + "\n").encode()),
        ("wmt14/train/train", pairs(6)), ("wmt14/test/test", pairs(3)),
        ("wmt14/gen/gen", pairs(2))]))


def _wmt16(home, rng):
    en = ["a", "man", "walks", "the", "dog", "in", "snow"]
    de = ["ein", "Mann", "geht", "der", "Hund", "im", "Schnee\u00df"]

    def pairs(n):
        lines = []
        for i in range(n):
            k = rng.randint(0, 7, rng.randint(1, 7))
            lines.append(" ".join(en[v] for v in k) + "\t" + " ".join(de[v] for v in k))
        lines.append("broken line")
        return ("\n".join(lines) + "\n").encode("utf-8")
    _put(home, "wmt16/wmt16.tar.gz", tar_bytes([
        ("wmt16/train", pairs(8)), ("wmt16/val", pairs(3)), ("wmt16/test", pairs(3))]))


def _sentiment(home, rng):
    words = ["good", "bad", "film", ",", "it's", "The", "the", "plot", "( ! )", ".", "a_b", "x--y"]
    members = []
    for kind in ("pos", "neg"):
        for i in range(999, -1, -1):
            text = " ".join(words[k] for k in rng.randint(0, len(words), 6 + i % 3)) + " \n"
            members.append(("movie_reviews/%s/cv%03d_%d.txt" % (kind, i, 20000 - 7 * i),
                            text.encode()))
    members.append(("movie_reviews/README", b"reviews"))
    _put(home, "corpora/movie_reviews.zip", zip_bytes(members))


def _flowers(home, rng):
    members = [("jpg", None)]
    for i in range(1, 9):
        image = rng.randint(0, 256, (24 + i, 30, 3)).astype("uint8")
        members.append(("jpg/image_%05d.jpg" % i, ppm_bytes(image)))
    _put(home, "flowers/102flowers.tgz", tar_bytes(members))
    labels = np.array([[3, 1, 2, 102, 5, 6, 7, 8]], dtype="uint8")
    _put(home, "flowers/imagelabels.mat", mat_bytes([("labels", labels)], True))
    sets = [("trnid", [1, 3]), ("valid", [2, 8]), ("tstid", [4, 5, 6, 7])]
    _put(home, "flowers/setid.mat", mat_bytes(
        [(n, np.array([v], dtype="uint16")) for n, v in sets], False))


def _voc2012(home, rng):
    members = []
    names = ["2007_%06d" % i for i in range(4)]
    for name in names:
        image = rng.randint(0, 256, (5, 7, 3)).astype("uint8")
        label = rng.randint(0, 21, (5, 7)).astype("uint8")
        # Paddle 1.8.5 under Python 3 asks for the second name, by mistake.
        for stem in (name, "b'%s'" % name):
            members.append(("VOCdevkit/VOC2012/JPEGImages/%s.jpg" % stem, ppm_bytes(image)))
            members.append(("VOCdevkit/VOC2012/SegmentationClass/%s.png" % stem,
                            ppm_bytes(label)))
    for part, some in (("trainval", names), ("train", names[:2]), ("val", names[2:])):
        members.append(("VOCdevkit/VOC2012/ImageSets/Segmentation/%s.txt" % part,
                        ("\n".join(some) + "\n").encode()))
    _put(home, "voc2012/VOCtrainval_11-May-2012.tar", tar_bytes(members, "w"))


def _mq2007(home, rng):
    def text(n):
        lines = []
        for q in range(n):
            for i in range(4):
                rel = 0 if q == 1 else rng.randint(0, 3)
                feats = " ".join("%d:%.6f" % (k + 1, v) for k, v in enumerate(rng.rand(46)))
                lines.append("%d qid:%d %s #docid = GX%03d inc = %d prob = 0.5"
                             % (rel, 10 + q, feats, i, i))
        return ("\n".join(lines) + "\n").encode()
    _put(home, "MQ2007/MQ2007/MQ2007/Fold1/train.txt", text(3))
    _put(home, "MQ2007/MQ2007/MQ2007/Fold1/test.txt", text(2))
    _put(home, "MQ2007/7b6dbbe2-842c-11e4-a536-bcaec51b9163_MQ2007.rar", b"not opened")


_MAKERS = (_housing, _mnist, _cifar, _imdb, _imikolov, _movielens, _conll05, _wmt14, _wmt16,
           _sentiment, _flowers, _voc2012, _mq2007)


def write(home):
    """All archives, the same bytes of data in each run."""
    for maker in _MAKERS:
        maker(home, np.random.RandomState(zlib.crc32(maker.__name__.encode())))


# Which constant of which module holds the MD5 of which file.
_SUMS = [
    ("uci_housing", "MD5", "uci_housing/housing.data"),
    ("mnist", "TRAIN_IMAGE_MD5", "mnist/train-images-idx3-ubyte.gz"),
    ("mnist", "TRAIN_LABEL_MD5", "mnist/train-labels-idx1-ubyte.gz"),
    ("mnist", "TEST_IMAGE_MD5", "mnist/t10k-images-idx3-ubyte.gz"),
    ("mnist", "TEST_LABEL_MD5", "mnist/t10k-labels-idx1-ubyte.gz"),
    ("cifar", "CIFAR10_MD5", "cifar/cifar-10-python.tar.gz"),
    ("cifar", "CIFAR100_MD5", "cifar/cifar-100-python.tar.gz"),
    ("imdb", "MD5", "imdb/imdb%2FaclImdb_v1.tar.gz"),
    ("imikolov", "MD5", "imikolov/imikolov%2Fsimple-examples.tgz"),
    ("movielens", "MD5", "movielens/movielens%2Fml-1m.zip"),
    ("conll05", "DATA_MD5", "conll05st/conll05st-tests.tar.gz"),
    ("conll05", "WORDDICT_MD5", "conll05st/conll05st%2FwordDict.txt"),
    ("conll05", "VERBDICT_MD5", "conll05st/conll05st%2FverbDict.txt"),
    ("conll05", "TRGDICT_MD5", "conll05st/conll05st%2FtargetDict.txt"),
    ("conll05", "EMB_MD5", "conll05st/conll05st%2Femb"),
    ("wmt14", "MD5_TRAIN", "wmt14/wmt14.tgz"),
    ("wmt16", "DATA_MD5", "wmt16/wmt16.tar.gz"),
    ("sentiment", "MD5", "corpora/movie_reviews.zip"),
    ("flowers", "DATA_MD5", "flowers/102flowers.tgz"),
    ("flowers", "LABEL_MD5", "flowers/imagelabels.mat"),
    ("flowers", "SETID_MD5", "flowers/setid.mat"),
    ("voc2012", "VOC_MD5", "voc2012/VOCtrainval_11-May-2012.tar"),
    ("mq2007", "MD5", "MQ2007/7b6dbbe2-842c-11e4-a536-bcaec51b9163_MQ2007.rar"),
]


def patch(dataset, home, set_attribute=setattr):
    """Make the modules of `dataset` believe the sums of these files."""
    for module, constant, name in _SUMS:
        with open(os.path.join(folder(home), name), "rb") as f:
            set_attribute(getattr(dataset, module), constant, hashlib.md5(f.read()).hexdigest())
