"""python -m paddlerec.tools.pack regatta-VERSION.whl: PaddleRec.tar.gz, for nodes that install what
they run by `tar -xf PaddleRec.tar.gz; cd PaddleRec; python setup.py install`."""
import io
import os
import sys
import tarfile
import zipfile

__all__ = ["pack"]

SETUP = '''"""python setup.py install: the wheel beside this file, and what it needs."""
import glob
import os
import subprocess
import sys

if sys.argv[1:2] != ["install"]:
    sys.exit("usage: python setup.py install")
if sys.version_info < (3, 8):
    sys.exit("PaddleRec: Python 3.8 or later is needed, and this is %s" % sys.version.split()[0])
wheel, = glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "*.whl"))
pip = [sys.executable, "-m", "pip", "install"]
status = subprocess.call(pip + [wheel]) or \\
    subprocess.call(pip + ["--force-reinstall", "--no-deps", wheel])  # another build of its version
sys.exit(status)
'''


def pack(wheel, target="PaddleRec.tar.gz"):
    """The file that was written; ValueError where `wheel` is none of Regatta's."""
    try:
        with zipfile.ZipFile(wheel) as file:
            fits = any(name.startswith("paddlerec/") for name in file.namelist())
    except (OSError, zipfile.BadZipFile) as e:
        raise ValueError("%s cannot be read: %s" % (wheel, e))
    if not fits or not wheel.endswith(".whl"):
        raise ValueError("%s is no wheel with paddlerec in it" % wheel)
    with tarfile.open(target, "w:gz") as tar:
        tar.add(wheel, "PaddleRec/" + os.path.basename(wheel))
        text = SETUP.encode()
        info = tarfile.TarInfo("PaddleRec/setup.py")
        info.size, info.mtime = len(text), int(os.path.getmtime(wheel))
        tar.addfile(info, io.BytesIO(text))
    return target


def main(argv):
    if argv and argv[0] in ("-h", "--help"):
        print(__doc__)
        return 0
    if len(argv) != 1 or argv[0].startswith("-"):
        sys.stderr.write("usage: python -m paddlerec.tools.pack regatta-VERSION.whl\n")
        return 2
    try:
        print(pack(argv[0]))
    except (OSError, ValueError) as e:
        sys.stderr.write("pack: %s\n" % e)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
