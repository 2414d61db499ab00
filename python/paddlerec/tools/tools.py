"""Downloads of data sets, as the scripts beside models call them."""
import os
import platform
import shutil
import sys
import tarfile
import time
import urllib.request
import zipfile

__all__ = ["download_file", "download_file_and_uncompress"]

FLUSH_INTERVAL = 0.1
LOCAL_PATH = os.path.dirname(os.path.abspath(__file__))
_PACKED = (".tar.gz", ".tgz", ".tar", ".zip", ".gz")


def get_platform():
    return platform.platform()


def is_windows():
    return platform.system() == "Windows"


def progress(str, end=False):
    """A line that the next one writes over."""
    sys.stdout.write("\r" + str + ("\n" if end else ""))
    sys.stdout.flush()


def download_file(url, savepath, print_progress):
    """The file at url as `savepath`: whole, or not there."""
    part = savepath + ".part"
    try:
        with urllib.request.urlopen(url, timeout=60) as source, open(part, "wb") as target:
            size, have, shown = int(source.headers.get("Content-Length") or 0), 0, 0.0
            for block in iter(lambda: source.read(1 << 16), b""):
                target.write(block)
                have += len(block)
                if print_progress and time.time() - shown > FLUSH_INTERVAL:
                    shown = time.time()
                    progress("[%-50s] %.1f MB" % (
                        "=" * (50 * have // size) if size else "", have / 1e6))
        if size and have != size:
            raise IOError("%s ended after %d of %d bytes" % (url, have, size))
        os.replace(part, savepath)
    except BaseException:
        if os.path.exists(part):
            os.remove(part)
        raise
    if print_progress:
        progress("[%s] %.1f MB" % ("=" * 50, have / 1e6), end=True)


def _inside(folder, name):
    """Refuses a name that would leave the folder."""
    place = os.path.realpath(os.path.join(folder, name))
    if os.path.commonpath([os.path.realpath(folder), place]) != os.path.realpath(folder):
        raise ValueError("%s would be written outside of %s" % (name, folder))


def _unpack(path, folder):
    os.makedirs(folder, exist_ok=True)
    if path.endswith(".zip"):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                _inside(folder, name)
            archive.extractall(folder)
    elif path.endswith((".tar.gz", ".tgz", ".tar")):
        with tarfile.open(path) as archive:
            members = archive.getmembers()
            for member in members:
                _inside(folder, member.name)
                if member.issym() or member.islnk() or not (member.isfile() or member.isdir()):
                    raise ValueError("%s in %s is neither a file nor a folder"
                                     % (member.name, path))
            archive.extractall(folder, members)
    else:
        import gzip
        target = os.path.join(folder, os.path.basename(path)[:-len(".gz")])
        with gzip.open(path) as source, open(target, "wb") as f:
            shutil.copyfileobj(source, f)


def download_file_and_uncompress(url, savepath=None, savename=None, extrapath=None,
                                 print_progress=True, cover=False, delete_file=False):
    """Download into the folder savepath (here) as savename (as it is called there), and unpack
    .tar.gz, .tgz, .tar, .zip and .gz into extrapath (here). cover: again, where it is there
    already; delete_file: keep what was unpacked alone."""
    savepath, extrapath = savepath or ".", extrapath or "."
    name = savename or url.rstrip("/").split("/")[-1]
    ending = next((e for e in _PACKED if name.endswith(e)), None)
    if ending is None:  # a savename may leave it out
        ending = next((e for e in _PACKED if url.endswith(e)), "")
        name += ending
    os.makedirs(savepath, exist_ok=True)
    path = os.path.join(savepath, name)
    if cover or not os.path.exists(path):
        download_file(url, path, print_progress)
    if ending:
        _unpack(path, extrapath)
        if delete_file:
            os.remove(path)
