"""paddle.dataset: what is read from files in the true formats (compared with real Paddle 1.8.5),
downloads, hostile archives."""
import hashlib
import http.server
import inspect
import io
import json
import os
import pickle
import re
import struct
import subprocess
import sys
import threading
import zlib

import numpy as np
import pytest

import paddle
from paddle.dataset import common
from paddle.fluid import safe_pickle

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import dataset_cases  # noqa: E402
import dataset_files  # noqa: E402

D = paddle.dataset
with open(os.path.join(HERE, "golden", "dataset.json")) as _f:
    GOLDEN = json.load(_f)
IMAGES = np.load(os.path.join(HERE, "golden", "dataset_images.npz"))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    home = str(tmp_path_factory.mktemp("home"))
    dataset_files.write(home)
    return home


@pytest.fixture
def real(files, monkeypatch):
    """The modules read the files that we wrote."""
    monkeypatch.delenv("PADDLE_DATASET", raising=False)
    monkeypatch.setattr(common, "DATA_HOME", dataset_files.folder(files))
    dataset_files.patch(D, files, monkeypatch.setattr)
    return dataset_files.folder(files)


# ---- the real formats ----

def close(got, want, where):
    """Equal, floats to six digits; dtypes and shapes of arrays exactly."""
    if isinstance(want, float) and isinstance(got, (int, float)):
        assert got == pytest.approx(want, rel=2e-5, abs=2e-6), where
    elif isinstance(want, list):
        assert isinstance(got, list) and len(got) == len(want), where
        for i, (g, w) in enumerate(zip(got, want)):
            close(g, w, "%s[%d]" % (where, i))
    else:
        assert got == want, where


@pytest.mark.parametrize("name", sorted(dataset_cases.CASES))
def test_reads_what_paddle_reads(real, name):
    got = json.loads(json.dumps(dataset_cases.CASES[name](D)))
    close(got, GOLDEN[name], name)


@pytest.mark.parametrize("name", sorted(dataset_cases.IMAGES))
def test_images_are_those_of_paddle(real, name):
    got, want = dataset_cases.IMAGES[name](D), IMAGES[name]
    assert got.dtype == want.dtype and got.shape == want.shape
    assert np.abs(got.astype("float64") - want).max() <= 1
    assert np.abs(got.astype("float64") - want).mean() < 0.002


def test_float_images_are_resized_alike():
    image = dataset_cases._image()
    whole, real = D.image.resize_short(image, 45), D.image.resize_short(image / 255.0, 45)
    assert real.dtype == np.float64
    assert np.abs(np.clip(real * 255, 0, 255) - whole).max() < 1


def test_every_golden_has_a_case():
    assert sorted(GOLDEN) == sorted(dataset_cases.CASES)
    assert sorted(IMAGES.files) == sorted(dataset_cases.IMAGES)


def test_signatures_are_those_of_paddle():
    wanted = {
        "mnist.train": "()", "cifar.train10": "(cycle=False)", "cifar.train100": "()",
        "imdb.build_dict": "(pattern, cutoff)", "imikolov.train": "(word_idx, n, data_type=1)",
        "imikolov.build_dict": "(min_word_freq=50)", "movielens.train": "(**kwargs)",
        "wmt14.get_dict": "(dict_size, reverse=True)",
        "wmt16.train": "(src_dict_size, trg_dict_size, src_lang='en')",
        "wmt16.get_dict": "(lang, dict_size, reverse=False)",
        "common.download": "(url, module_name, md5sum, save_name=None)",
        "mq2007.train": "(*, filepath='MQ2007/MQ2007/Fold1/train.txt', format='pairwise', "
                        "shuffle=False, fill_missing=-1)",
        "image.simple_transform": "(im, resize_size, crop_size, is_train, is_color=True, "
                                  "mean=None)",
    }
    for name, text in wanted.items():
        module, function = name.split(".")
        assert str(inspect.signature(getattr(getattr(D, module), function))) == text, name
    for module in D.__all__:
        for name in getattr(getattr(D, module), "__all__", ()):
            assert hasattr(getattr(D, module), name), (module, name)


def test_mnist_of_any_length(real, tmp_path):
    images, labels = tmp_path / "i.gz", tmp_path / "l.gz"
    images.write_bytes(dataset_files.gz_bytes(struct.pack(">IIII", 2051, 7, 2, 3) + bytes(42)))
    labels.write_bytes(dataset_files.gz_bytes(struct.pack(">II", 2049, 7) + bytes(range(7))))
    samples = list(D.mnist.reader_creator(str(images), str(labels), 3)())
    assert [label for _, label in samples] == list(range(7))
    assert all(image.shape == (6,) and (image == -1).all() for image, _ in samples)


def test_mnist_refuses_damaged_files(real, tmp_path):
    images, labels = tmp_path / "i.gz", tmp_path / "l.gz"
    labels.write_bytes(dataset_files.gz_bytes(struct.pack(">II", 2049, 7) + bytes(7)))
    for data, text in ((struct.pack(">IIII", 2051, 8, 2, 3) + bytes(48), "same length"),
                       (struct.pack(">IIII", 2051, 7, 2, 3) + bytes(41), "ends in the middle"),
                       (struct.pack(">IIII", 99, 7, 2, 3) + bytes(42), "99"), (b"", "ends")):
        images.write_bytes(dataset_files.gz_bytes(data))
        with pytest.raises(ValueError, match=text):
            list(D.mnist.reader_creator(str(images), str(labels), 3)())


def test_cifar_runs_no_code(real, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    class Evil:
        def __reduce__(self):
            return (os.system, ("touch CANARY",))
    bad = pickle.dumps({b"data": Evil(), b"labels": [1]})
    (tmp_path / "c.tar.gz").write_bytes(dataset_files.tar_bytes([("x/data_batch_1", bad)]))
    with pytest.raises(safe_pickle.UnpicklingError, match="system"):
        list(D.cifar.reader_creator("c.tar.gz", "data_batch")())
    assert os.listdir(tmp_path) == ["c.tar.gz"]


def test_cifar_refuses_other_contents(real, tmp_path):
    path = tmp_path / "c.tar.gz"
    for value in ([1], {b"data": 3, b"labels": [1]}, {b"labels": [1]},
                  {b"data": np.zeros((2, 3072), "uint8"), b"labels": [1]}):
        path.write_bytes(dataset_files.tar_bytes([("x/test_batch", pickle.dumps(value))]))
        with pytest.raises(ValueError, match="test_batch"):
            list(D.cifar.reader_creator(str(path), "test_batch")())
    path.write_bytes(dataset_files.tar_bytes([("other", b"")]))
    with pytest.raises(ValueError, match="has no member test_batch"):
        list(D.cifar.reader_creator(str(path), "test_batch")())


def test_members_are_never_unpacked(tmp_path, monkeypatch):
    """Names that lead elsewhere, links and devices write nothing."""
    import tarfile
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, kind, data in (("../../evil.txt", tarfile.REGTYPE, b"up"),
                                 (str(tmp_path / "evil2.txt"), tarfile.REGTYPE, b"root"),
                                 ("link.txt", tarfile.SYMTYPE, b""),
                                 ("device.txt", tarfile.CHRTYPE, b"")):
            info = tarfile.TarInfo(name)
            info.type, info.size, info.linkname = kind, len(data), "/etc/passwd"
            tar.addfile(info, io.BytesIO(data))
    (tmp_path / "x.tar.gz").write_bytes(out.getvalue())
    members = common.tar_members(str(tmp_path / "x.tar.gz"), lambda name: True)
    got = [(name, f.read()) for name, f in members]
    assert [data for _, data in got] == [b"up", b"root"]
    assert sorted(os.listdir(tmp_path)) == ["a", "x.tar.gz"] and os.listdir(inner) == []


def test_truncated_archives_are_refused(real, tmp_path, monkeypatch):
    with open(os.path.join(real, "imikolov", "imikolov%2Fsimple-examples.tgz"), "rb") as f:
        data = f.read()
    folder = tmp_path / "imikolov"
    folder.mkdir()
    (folder / "imikolov%2Fsimple-examples.tgz").write_bytes(data[:len(data) // 2])
    monkeypatch.setattr(common, "DATA_HOME", str(tmp_path))
    monkeypatch.setattr(D.imikolov, "MD5", hashlib.md5(data[:len(data) // 2]).hexdigest())
    with pytest.raises(Exception, match="end|unexpected|read"):
        D.imikolov.build_dict(1)


def test_an_empty_dictionary_is_no_crash(real):
    assert D.imdb.word_dict() == {"<unk>": 0}  # no word is seen 150 times
    assert D.imikolov.build_dict(10 ** 6) == {"<unk>": 0}


def test_arguments_are_checked(real):
    words = D.imikolov.build_dict(5)
    for bad in (lambda: D.imikolov.train(words, -1), lambda: D.imikolov.train(words, 3, 7),
                lambda: D.wmt16.train(6, 7, "fr"), lambda: D.wmt16.get_dict("fr", 6),
                lambda: D.mq2007.train(format="x"),
                lambda: list(D.mq2007.gen_pair([D.mq2007.Query(1, 2, [1])], "other"))):
        with pytest.raises(ValueError):
            bad()
    with pytest.raises(TypeError, match="bogus"):
        D.movielens.train(bogus=1)


def test_conll05_says_what_is_wrong():
    for role in ("(V*\t*", "+"):
        words, props = ["a\n", "\n"], ["go\t%s\n" % role, "\n"]
        with pytest.raises(ValueError, match="here"):
            list(D.conll05._sentences(words, props, "here"))


def test_housing_says_what_is_wrong(tmp_path):
    path = tmp_path / "housing.data"
    path.write_text("1 2 3")
    with pytest.raises(ValueError, match="3 numbers"):
        D.uci_housing.load_data(str(path))


def test_mq2007_points_are_all_documents(real):
    # Paddle 1.8.5 yields the first document of each query alone.
    points = list(D.mq2007.train(format="pointwise"))
    assert len(points) == 8 and points[0][1].shape == (46,)
    assert len(list(D.mq2007.train(format="plain_txt"))) == 8


def test_mq2007_missing_features(real):
    query = D.mq2007.Query()._parse_("2 qid:10 1:0.5 3:NULL 46:1 #docid = GX1", fill_missing=-1)
    assert query.relevance_score == 2 and query.query_id == 10
    assert query.feature_vector == [0.5] + [-1.0] * 44 + [1.0]
    assert query.description == "docid = GX1"
    for line in ("x", "1 qd:3", "1 qid:3 47:1", "1 qid:3 1", "1 qid:x 1:1"):
        with pytest.raises(ValueError, match="no document"):
            D.mq2007.Query()._parse_(line)


def test_mq2007_says_where_to_unpack(real, monkeypatch):
    import shutil
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(RuntimeError, match="Fold2/train.txt is there"):
        list(D.mq2007.train(filepath="MQ2007/MQ2007/Fold2/train.txt"))


def test_mq2007_is_unpacked_by_a_tool(real, monkeypatch, tmp_path):
    """A stand-in for bsdtar, which prints the member that is asked for."""
    tool = tmp_path / "bsdtar"
    tool.write_text("#!/bin/sh\n[ \"$3\" = MQ2007/Fold3/train.txt ] && "
                    "cat '%s/MQ2007/MQ2007/MQ2007/Fold1/train.txt'\n" % real)
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", "%s:%s" % (tmp_path, os.environ["PATH"]))
    got = list(D.mq2007.train(filepath="MQ2007/MQ2007/Fold3/train.txt"))
    assert len(got) == len(list(D.mq2007.train()))
    os.unlink(os.path.join(real, "MQ2007/MQ2007/MQ2007/Fold3/train.txt"))


# ---- images ----

def png(image, palette=None):
    """A PNG of grey levels, colours, or numbers into a palette."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(
            ">I", zlib.crc32(kind + data))
    kind = 3 if palette is not None else 2 if image.ndim == 3 else 0
    rows = b"".join(b"\0" + row.tobytes() for row in image)
    return (b"\x89PNG\r\n\x1a\n" +
            chunk(b"IHDR", struct.pack(">IIBBBBB", image.shape[1], image.shape[0], 8, kind,
                                       0, 0, 0)) +
            (chunk(b"PLTE", palette.tobytes()) if palette is not None else b"") +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def test_images_are_decoded(tmp_path):
    rng = np.random.RandomState(0)
    colour = rng.randint(0, 256, (6, 9, 3)).astype("uint8")
    grey = rng.randint(0, 256, (6, 9)).astype("uint8")
    for encode in (png, dataset_files.ppm_bytes):
        np.testing.assert_array_equal(D.image.load_image_bytes(encode(colour))[:, :, ::-1], colour)
        np.testing.assert_array_equal(D.image.load_image_bytes(encode(grey), False), grey)
        np.testing.assert_array_equal(D.image.load_image_bytes(encode(grey)),
                                      np.stack([grey] * 3, 2))
        back = D.image.load_image_bytes(encode(colour), False)
        assert np.abs(back - colour @ np.array([0.299, 0.587, 0.114])).max() <= 1
    path = tmp_path / "x.png"
    path.write_bytes(png(colour))
    assert D.image.load_and_transform(str(path), 8, 5, False).shape == (3, 5, 5)
    assert D.image.load_image(str(path)).flags.writeable


def test_bad_images_are_refused(tmp_path):
    for data in (b"junk", b"", b"P6\n999 999\n255\nabc", b"P6\n-1 3\n255\n", png(
            np.zeros((4, 4), "uint8"))[:40]):
        with pytest.raises(ValueError, match="cannot be decoded"):
            D.image.load_image_bytes(data)
    with pytest.raises(OSError, match="nowhere"):
        D.image.load_image(str(tmp_path / "nowhere.jpg"))


def test_without_pillow_the_error_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match="pip install pillow"):
        D.image.load_image_bytes(png(np.zeros((2, 2), "uint8")))
    assert D.image.load_image_bytes(dataset_files.ppm_bytes(np.zeros((2, 2), "uint8"))).shape == \
        (2, 2, 3)


def test_voc_labels_are_numbers_into_the_palette(tmp_path):
    labels = np.array([[0, 1, 20], [255, 5, 0]], "uint8")
    image = np.arange(18, dtype="uint8").reshape(2, 3, 3)
    palette = np.random.RandomState(0).randint(0, 256, (256, 3)).astype("uint8")
    path = tmp_path / "voc.tar"
    path.write_bytes(dataset_files.tar_bytes([
        ("VOCdevkit/VOC2012/ImageSets/Segmentation/val.txt", b"a\n"),
        ("VOCdevkit/VOC2012/JPEGImages/a.jpg", png(image)),
        ("VOCdevkit/VOC2012/SegmentationClass/a.png", png(labels, palette))], "w"))
    (got, got_labels), = D.voc2012.reader_creator(str(path), "val")()
    np.testing.assert_array_equal(got, image)
    np.testing.assert_array_equal(got_labels, labels)


def test_batch_images_from_tar(real, tmp_path):
    path = tmp_path / "x.tgz"
    path.write_bytes(dataset_files.tar_bytes([("jpg/%d.jpg" % i, b"%d" % i) for i in range(5)]))
    labels = {"jpg/%d.jpg" % i: 10 + i for i in (1, 2, 4)}
    listing = D.image.batch_images_from_tar(str(path), "some", labels, 2)
    assert listing == str(path) + "_batch/some.txt"
    with open(listing) as f:
        names = f.read().split()
    batches = []
    for name in names:
        with open(name, "rb") as f:
            batches.append(safe_pickle.load(f))
    assert batches == [{"label": [11, 12], "data": [b"1", b"2"]}, {"label": [14], "data": [b"4"]}]
    assert D.image.batch_images_from_tar(str(path), "some", {}) == listing  # once


def test_flowers_default_mapper(real):
    got = list(D.flowers.test()())
    assert [label for _, label in got] == [2, 1]
    assert all(image.shape == (3 * 224 * 224,) and image.dtype == np.float32 for image, _ in got)
    cycle = D.flowers.test(mapper=lambda s: s[1], cycle=True)()
    assert [next(cycle) for _ in range(5)] == [2, 1, 2, 1, 2]
    cycle.close()


@pytest.mark.parametrize("compressed", [False, True])
def test_matlab_files(tmp_path, compressed):
    from paddle.dataset import _matlab
    path = tmp_path / "x.mat"
    arrays = [("a", np.arange(6, dtype="float64").reshape(2, 3)),
              ("longer_name", np.array([[1, 2, 300]], "uint16")), ("b", np.zeros((1, 0), "uint8"))]
    good = dataset_files.mat_bytes(arrays, compressed)
    path.write_bytes(good)
    back = _matlab.read(str(path))
    assert list(back) == ["a", "longer_name", "b"]
    for name, array in arrays:
        np.testing.assert_array_equal(back[name], array)
    rng = np.random.RandomState(0)
    for i in range(600):  # cut or changed anywhere: a ValueError or some arrays
        data = bytearray(good)
        if i < 150:
            del data[rng.randint(len(data)):]
        else:
            data[rng.randint(len(data))] ^= 1 << rng.randint(8)
        path.write_bytes(data)
        try:
            _matlab.read(str(path))
        except ValueError as error:
            assert str(path) in str(error)


# ---- downloads ----

class Server:
    """A web server that gives out `answers`, one after another, and counts."""

    def __init__(self):
        self.answers, self.asked = [], []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.asked.append(self.path)
                status, body, length = outer.answers[min(len(outer.asked), len(outer.answers)) - 1]
                self.send_response(status)
                self.send_header("Content-Length", str(len(body) if length is None else length))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args):
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = "http://127.0.0.1:%d/" % self.server.server_address[1]


@pytest.fixture
def web(tmp_path, monkeypatch):
    monkeypatch.setattr(common, "DATA_HOME", str(tmp_path))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    server = Server()
    yield server
    server.server.shutdown()
    server.server.server_close()


def test_download_checks_keeps_and_fetches_again(web, tmp_path, capfd):
    body = b"data" * 1000
    md5 = hashlib.md5(body).hexdigest()
    web.answers = [(200, body, None)]
    path = common.download(web.url + "some/x%2Fy.bin", "mod", md5)
    assert path == str(tmp_path / "mod" / "x%2Fy.bin")
    assert common.md5file(path) == md5
    assert "downloading" in capfd.readouterr().err
    assert common.download(web.url + "some/x%2Fy.bin", "mod", md5) == path
    assert len(web.asked) == 1
    with open(path, "wb") as f:  # damaged on disk
        f.write(b"oops")
    assert common.download(web.url + "some/x%2Fy.bin", "mod", md5) == path
    assert common.md5file(path) == md5 and len(web.asked) == 2
    assert common.download(web.url + "z", "mod", md5, save_name="n") == str(tmp_path / "mod" / "n")
    assert sorted(os.listdir(tmp_path / "mod")) == ["n", "x%2Fy.bin"]
    assert os.stat(path).st_mode & 0o777 == 0o644


def test_download_tries_three_times(web, tmp_path):
    body = b"right"
    md5 = hashlib.md5(body).hexdigest()
    web.answers = [(500, b"", None), (200, b"wrong", None), (200, body, None)]
    common.download(web.url + "f", "mod", md5)
    assert len(web.asked) == 3


@pytest.mark.parametrize("answer, text", [
    ((200, b"wrong", None), "2bda2998d9b0ee197da142a0447f6725"), ((404, b"", None), "404"),
    ((200, b"short", 100), "IncompleteRead|MD5")])
def test_download_gives_up_and_says_what_to_do(web, tmp_path, answer, text):
    web.answers = [answer]
    with pytest.raises(RuntimeError, match=text) as caught:
        common.download(web.url + "d/f.bin", "mod", "0" * 32)
    assert len(web.asked) == 3
    for part in (web.url + "d/f.bin", str(tmp_path / "mod" / "f.bin"), "0" * 32, "synthetic"):
        assert part in str(caught.value)
    assert os.listdir(tmp_path / "mod") == []  # whole or not at all


def test_a_wrong_file_stays_when_no_better_one_comes(web, tmp_path):
    (tmp_path / "mod").mkdir()
    (tmp_path / "mod" / "f").write_bytes(b"mine")
    web.answers = [(404, b"", None)]
    with pytest.raises(RuntimeError, match="the file there has the MD5 %s"
                       % hashlib.md5(b"mine").hexdigest()):
        common.download(web.url + "f", "mod", "0" * 32)
    assert (tmp_path / "mod" / "f").read_bytes() == b"mine"


def test_download_has_a_limit(web, tmp_path, monkeypatch):
    monkeypatch.setattr(common, "MAX_DOWNLOAD", 10)
    web.answers = [(200, b"x" * 11, None)]
    with pytest.raises(RuntimeError, match="more than 10 bytes"):
        common.download(web.url + "f", "mod", None)


OPEN = {
    "uci_housing": lambda: D.uci_housing.train(), "mnist": lambda: D.mnist.test(),
    "cifar": lambda: D.cifar.train10(), "imdb": lambda: D.imdb.word_dict(),
    "imikolov": lambda: D.imikolov.build_dict(), "movielens": lambda: D.movielens.train(),
    "conll05": lambda: D.conll05.test(), "wmt14": lambda: D.wmt14.train(30),
    "wmt16": lambda: D.wmt16.train(30, 30), "sentiment": lambda: list(D.sentiment.train()),
    "flowers": lambda: D.flowers.train(), "voc2012": lambda: D.voc2012.train(),
    "mq2007": lambda: list(D.mq2007.train()),
}


@pytest.mark.parametrize("name", sorted(OPEN))
def test_without_network_the_error_names_file_url_and_md5(no_datasets, name):
    with pytest.raises(RuntimeError) as caught:
        OPEN[name]()
    text = str(caught.value)
    url = re.search(r"from  (http\S+)", text).group(1)
    path = re.search(r"file  (\S+)", text).group(1)
    md5 = re.search(r"MD5   ([0-9a-f]{32})", text).group(1)
    constants = vars(getattr(D, name)).values()
    assert url in constants and md5 in constants
    assert path.startswith(no_datasets + os.sep)
    assert "no network" in text


def test_the_cache_is_in_the_home_folder(tmp_path):
    out = subprocess.run([sys.executable, "-c", "from paddle.dataset import common\n"
                          "print(common.DATA_HOME)"], env=dict(os.environ, HOME=str(tmp_path)),
                         capture_output=True, text=True, check=True)
    assert out.stdout.strip() == str(tmp_path / ".cache" / "paddle" / "dataset")
    assert os.listdir(tmp_path) == []  # an import makes nothing


def test_fetch_all(monkeypatch):
    asked = []
    monkeypatch.setattr(common, "download", lambda url, *rest, **kw: asked.append(url) or "/x")
    monkeypatch.setattr(D.mq2007, "_member", lambda path: asked.append(path))
    monkeypatch.setattr(D.conll05, "load_dict", lambda path: {})
    monkeypatch.setattr(D.conll05, "load_label_dict", lambda path: {})
    common.fetch_all()
    assert len(asked) == 24 and len(set(asked)) == 24


# ---- samples in files ----

def test_split_and_cluster_files_reader(tmp_path):
    samples = [(i, np.arange(i), "x%d" % i) for i in range(10)]
    common.split(lambda: iter(samples), 4, suffix=str(tmp_path / "s-%05d.pickle"))
    assert sorted(os.listdir(tmp_path)) == ["s-0000%d.pickle" % i for i in range(3)]
    pattern = str(tmp_path / "s-*.pickle")
    first = [s[0] for s in common.cluster_files_reader(pattern, 2, 0)()]
    second = [s[0] for s in common.cluster_files_reader(pattern, 2, 1)()]
    assert first == [0, 1, 2, 3, 8, 9] and second == [4, 5, 6, 7]
    for sample, (i, array, text) in zip(common.cluster_files_reader(pattern, 1, 0)(), samples):
        assert sample[0] == i and sample[2] == text
        np.testing.assert_array_equal(sample[1], array)


def test_cluster_files_reader_runs_no_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s-0.pickle").write_bytes(b"cos\nsystem\n(S'touch CANARY'\ntR.")
    with pytest.raises(safe_pickle.UnpicklingError, match="os.system"):
        list(common.cluster_files_reader("s-*.pickle", 1, 0)())
    assert os.listdir(tmp_path) == ["s-0.pickle"]


def test_split_refuses(tmp_path):
    with pytest.raises(TypeError, match="dumper"):
        common.split(lambda: iter([1]), 2, dumper=3)
    with pytest.raises(TypeError, match="loader"):
        common.cluster_files_reader("x", 1, 0, loader=3)
    with pytest.raises(ValueError, match="line_count"):
        common.split(lambda: iter([1]), 0)
