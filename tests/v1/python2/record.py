"""Records with Python 2.7 what the sources in old/ print, and pickles that it writes.
Usage: python3 record.py PYTHON2.7"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

PICKLES = r"""
import cPickle
words = {'the': 0, 'caf\xc3\xa9': 1, u'\u4e2d': [1, 2.5]}
cPickle.dump(words, open('text.pickle', 'w'))
cPickle.dump(words, open('binary.pickle', 'wb'), -1)
open('windows.pickle', 'wb').write(cPickle.dumps(words).replace('\n', '\r\n'))
"""


def main():
    python2 = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(os.path.join(HERE, "old"), folder, dirs_exist_ok=True)
        for name, arguments in (("main", ["a", "b"]), ("chinese", []), ("library", [])):
            out = subprocess.run([python2, "-B", name + ".py"] + arguments, cwd=folder, check=True,
                                 input=b"1 2 3\n7\nrest\na\nb\n", stdout=subprocess.PIPE).stdout
            with open(os.path.join(HERE, "golden", name + ".txt"), "wb") as f:
                f.write(out)
        subprocess.run([python2, "-c", PICKLES], cwd=os.path.join(HERE, "golden"), check=True)


if __name__ == "__main__":
    main()
