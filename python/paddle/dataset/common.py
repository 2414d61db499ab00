"""What the data sets share: the cache, downloads, archives, and the switch to synthetic data."""
import os
import pickle
import sys

__all__ = ["DATA_HOME", "download", "md5file", "split", "cluster_files_reader"]

DATA_HOME = os.path.expanduser(os.path.join("~", ".cache", "paddle", "dataset"))

TRIES = 3
TIMEOUT_S = 30             # without a byte from the server
MAX_DOWNLOAD = 16 << 30    # bytes; the largest of the sets has 2 GB
_BLOCK = 1 << 20

_checked = {}  # path -> (size, time of change, MD5): what this process has found right
_announced = set()


def must_mkdirs(path):
    os.makedirs(path, exist_ok=True)


def md5file(fname):
    """The MD5 of a file, in hexadecimal digits."""
    import hashlib
    sums = hashlib.md5()
    with open(fname, "rb") as f:
        for block in iter(lambda: f.read(_BLOCK), b""):
            sums.update(block)
    return sums.hexdigest()


def _is_right(path, md5sum):
    """Whether the file is there and has the sum. Large files are summed once a process."""
    try:
        state = os.stat(path)
    except OSError:
        return False
    key = (state.st_size, state.st_mtime_ns, md5sum)
    if _checked.get(path) != key:
        if md5sum is not None and md5file(path) != md5sum:
            return False
        _checked[path] = key
    return True


def download(url, module_name, md5sum, save_name=None):
    """The path of the file in the cache; it is fetched where it is not there, or not the right
    one. It comes whole or not at all."""
    folder = os.path.join(DATA_HOME, module_name)
    path = os.path.join(folder, url.split("/")[-1] if save_name is None else save_name)
    if _is_right(path, md5sum):
        return path
    must_mkdirs(folder)
    found = None
    if os.path.exists(path):
        found = "the file there has the MD5 %s" % md5file(path)
    from http.client import HTTPException
    print("paddle.dataset: downloading %s to %s" % (url, path), file=sys.stderr)
    for attempt in range(TRIES):
        try:
            wrong = _fetch(url, path, md5sum)
        except (OSError, ValueError, HTTPException) as error:
            wrong = "%s: %s" % (type(error).__name__, error)
        if wrong is None:
            return path
    raise RuntimeError(
        "paddle.dataset: cannot download %s (%d tries; the last one: %s). Without a network, put "
        "the file here yourself:\n    file  %s\n    from  %s\n    MD5   %s%s\nor set "
        "PADDLE_DATASET=synthetic to work with generated data of the same format."
        % (url, TRIES, wrong, path, url, md5sum, "\n    (%s)" % found if found else ""))


def _fetch(url, path, md5sum):
    """None, or what is wrong with what came."""
    import hashlib
    import tempfile
    import urllib.request
    sums, size = hashlib.md5(), 0
    handle, part = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".download-")
    try:
        with os.fdopen(handle, "wb") as out, \
                urllib.request.urlopen(url, timeout=TIMEOUT_S) as response:
            for block in iter(lambda: response.read(_BLOCK), b""):
                size += len(block)
                if size > MAX_DOWNLOAD:
                    return "more than %d bytes came" % MAX_DOWNLOAD
                sums.update(block)
                out.write(block)
        if md5sum is not None and sums.hexdigest() != md5sum:
            return "%d bytes came, with the MD5 %s" % (size, sums.hexdigest())
        os.chmod(part, 0o644)
        os.replace(part, path)
        return None
    finally:
        if os.path.exists(part):
            os.unlink(part)


def fetch_all():
    """Download every set."""
    from .. import dataset
    for name in dataset.__all__:
        module = getattr(dataset, name)
        if hasattr(module, "fetch"):
            module.fetch()


def synthetic(name):
    """Whether the user asked for generated data. It is said once for each set."""
    wanted = os.environ.get("PADDLE_DATASET", "")
    if wanted == "":
        return False
    if wanted != "synthetic":
        raise ValueError("PADDLE_DATASET=%s is not known: unset it for the real data sets, or set "
                         "it to synthetic" % wanted)
    if name not in _announced:
        _announced.add(name)
        print("paddle.dataset.%s: SYNTHETIC data (PADDLE_DATASET=synthetic), not the real set"
              % name, file=sys.stderr)
    return True


def fetch_or_synthetic(module):
    """For demos: the module's files are fetched; where they cannot be had, the user is told and
    this process, with those it starts, goes on with generated data."""
    if synthetic(module.__name__.split(".")[-1]):
        return
    try:
        module.fetch()
    except RuntimeError as error:
        print("%s\ndemo: going on with PADDLE_DATASET=synthetic, which is GENERATED data "
              "(docs/datasets.md)" % error, file=sys.stderr)
        os.environ["PADDLE_DATASET"] = "synthetic"


# ---- archives, read as streams; nothing is unpacked to disk ----

def tar_members(path, wanted):
    """(name, file) of the members of a tar archive for which wanted(name). The file is to be
    read before the next is asked for."""
    import tarfile
    with tarfile.open(path, mode="r|*") as tar:
        for member in iter(tar.next, None):
            if member.isfile() and wanted(member.name):
                yield member.name, tar.extractfile(member)
            tar.members = []  # of a hundred thousand, none is needed again


def tar_lines(path, suffix):
    """The lines, as bytes, of the members of a tar archive whose names end so."""
    found = False
    for name, f in tar_members(path, lambda name: name.endswith(suffix)):
        found = True
        for line in f:
            yield line
    if not found:
        raise RuntimeError("%s has no member %s" % (path, suffix))


# ---- samples in files ----

def split(reader, line_count, suffix="%05d.pickle", dumper=pickle.dump):
    """Write the samples of a reader into files of line_count samples each: suffix % 0, 1, ..."""
    if not callable(dumper):
        raise TypeError("dumper should be callable.")
    if line_count < 1:
        raise ValueError("split: line_count is %r, and must be 1 or more" % (line_count,))
    from ..batch import batch
    for number, samples in enumerate(batch(reader, line_count)()):
        with open(suffix % number, "wb") as f:
            dumper(samples, f)


def _load(f):
    """What split() writes; it runs no code."""
    from ..fluid import safe_pickle
    return safe_pickle.load(f)


def cluster_files_reader(files_pattern, trainer_count, trainer_id, loader=_load):
    """The samples in this trainer's share of the files: every trainer_count-th, by name."""
    if not callable(loader):
        raise TypeError("loader should be callable.")

    def samples():
        import glob
        for number, name in enumerate(sorted(glob.glob(files_pattern))):
            if number % trainer_count != trainer_id:
                continue
            with open(name, "rb") as f:
                lines = loader(f)
            for line in lines:
                yield line
    return samples
