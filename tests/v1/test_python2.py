"""Python 2 sources, run by `paddle python` (paddle.python2): the same as Python 2.7 printed."""
import os
import re
import shutil
import subprocess
import sys

import pytest

from built import PADDLE
from paddle.fluid import safe_pickle

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "python2")


@pytest.fixture
def place(tmp_path):
    """A workspace to write sources into, and a way to run them."""
    class Place:
        folder = tmp_path / "job"
        cache = tmp_path / "cache"

        def write(self, name, text):
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
            return path

        def run(self, *arguments, status=0, at=None, home=None, **options):
            path = "%s:%s" % (os.path.dirname(sys.executable), os.environ["PATH"])
            environment = dict(os.environ, XDG_CACHE_HOME=str(self.cache), PATH=path)
            if home:
                environment["HOME"] = str(home)
            done = subprocess.run([PADDLE, "python"] + list(arguments),
                                  cwd=at or self.folder, env=environment, timeout=60,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
            assert done.returncode == status, done.stderr.decode()
            return done.stdout.decode("utf-8", "surrogateescape"), done.stderr.decode()

        def old(self):
            shutil.copytree(os.path.join(HERE, "old"), self.folder)

        def files(self):
            return sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob("*")
                          if p.is_file())
    made = Place()
    if not made.folder.exists():
        made.cache.mkdir()
    return made


def golden(name):
    with open(os.path.join(HERE, "golden", name), "rb") as f:
        return f.read().decode("utf-8", "surrogateescape")


def test_a_script_prints_what_python_2_did_and_leaves_nothing_behind(place):
    place.old()
    before = place.files()
    out, err = place.run("main.py", "a", "b")
    assert out == golden("main.txt")
    assert place.files() == before
    assert err.count("is no Python 3") == 1 and "main.py:" in err
    assert "to stderr\n" in err
    kept = list((place.cache / "paddle" / "python2").iterdir())
    assert len(kept) >= 4 and all(p.suffix == ".py" for p in kept)
    assert place.run("main.py", "a", "b")[0] == out  # this time from the cache


def test_its_library_and_older_turns_of_phrase(place):
    place.old()
    before = place.files()
    out, _ = place.run("library.py", input=b"1 2 3\n7\nrest\na\nb\n")
    assert out == golden("library.txt") and place.files() == before


def test_a_v2_script_trains(place):
    place.old()
    out, _ = place.run("words_v2.py")
    costs = [float(c) for c in re.findall(r"Cost ([\d.]+), \{", out)]
    assert len(costs) == 4 and costs[-1] < costs[0]
    assert out.splitlines()[-1] == "___fc_layer_0__.w0 5 3"


def test_text_in_gbk_keeps_its_bytes(place):
    place.old()
    out, _ = place.run("chinese.py")
    assert out.split()[:4] == golden("chinese.txt").split()[:4]
    assert (place.folder / "gbk.tmp").read_bytes() == "中文".encode("gbk")
    assert out.splitlines()[1].startswith("True 4")


@pytest.mark.parametrize("name", ["text", "binary", "windows"])
@pytest.mark.parametrize("mode", ["r", "rb"])
def test_pickles_that_python_2_wrote_are_read(place, name, mode):
    place.write("read.py", "import cPickle\n"
                "words = cPickle.load(open(%r, %r))\n"
                "print words['the'], words['caf\\xc3\\xa9'], words[u'\\u4e2d']\n"
                % (os.path.join(HERE, "golden", name + ".pickle"), mode))
    assert place.run("read.py")[0] == "0 1 [1, 2.5]\n"


def test_arrays_that_python_2_pickled_are_read(place):
    # As Python 2 wrote an array: its bytes are a string, which is not always UTF-8.
    import numpy as np
    array = np.array([1.5, -2.25, 1e30], "float64")
    data = b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR(I1\n(I3\n" \
        b"tcnumpy\ndtype\n(S'f8'\nI0\nI1\ntR(I3\nS'<'\nNNNI-1\nI-1\nI0\ntbI00\nS" + \
        repr(array.tobytes())[1:].encode() + b"\ntb."
    place.write("array.pickle", data)
    place.write("read.py", "from pickle import load\n"
                "print list(load(open('array.pickle'))) == [1.5, -2.25, 1e30]\n")
    assert place.run("read.py")[0] == "True\n"


def test_what_is_pickled_can_be_read_by_either(place):
    place.write("write.py", "import pickle\nprint 'writing'\n"
                "pickle.dump({'a': range(3)}, open('out.pickle', 'w'))\n")
    place.run("write.py")
    data = (place.folder / "out.pickle").read_bytes()
    assert data[:2] == b"\x80\x02" and safe_pickle.loads(data) == {"a": [0, 1, 2]}


def test_one_old_file_decides_for_the_whole_tree_but_not_for_python_3(place):
    place.write("train.py", "import rate\nfrom sub import deep\nimport new\n"
                "print(rate.half(3), deep.half(5), new.half(7))\n")
    place.write("rate.py", "def half(n):\n    return n / 2\n")
    place.write("sub/__init__.py", "")
    place.write("sub/deep.py", "def half(n):\n    return n / 2\n")
    place.write("new.py", "def half(n):\n    return float(f'{n / 2}')\n")
    assert place.run("train.py")[0] == "1.5 2.5 3.5\n"
    place.write("tools/old.py", "print 'never run'\n")
    out, err = place.run("train.py")
    assert out == "(1, 2, 3.5)\n" and "tools/old.py:1 is no" in err


def test_a_module_too_far_to_be_looked_at_is_seen_when_it_is_imported(place):
    for n in range(600):
        place.write("a%03d.py" % n, "")
    place.write("main.py", "import zold\nprint(zold.half(3))\n")
    place.write("zold.py", "def half(n):\n    print 'half of', n\n    return n / 2\n")
    out, err = place.run("main.py")
    assert out == "half of 3\n1\n" and "zold.py:2 is no Python 3" in err


def test_an_environment_inside_of_a_workspace_is_no_part_of_it(place):
    place.write("main.py", "import sys\nsys.path.append('env/lib')\nimport far\nprint far.half(3)\n")
    place.write("env/pyvenv.cfg", "")
    place.write("env/lib/far.py", "def half(n):\n    return n / 2\n")
    place.write("env/lib/older.py", "print 'x'\n")
    assert place.run("main.py")[0] == "1.5\n"


def test_old_files_in_a_home_do_not_decide_for_others(place):
    place.write("old/one.py", "print 'x'\n")
    place.write("main.py", "print(3 / 2)\n")
    assert place.run("main.py", home=place.folder) == ("1.5\n", "")
    place.write("two.py", "import below.module\nprint 3 / 2, below.module.half(3)\n")
    place.write("below/__init__.py", "")
    place.write("below/module.py", "def half(n):\n    return n / 2\n")
    assert place.run("two.py", home=place.folder)[0] == "1 1.5\n"


@pytest.mark.parametrize("line,old", [
    ("print >>sys.stderr, 'x'", True), ("import cPickle", True), ("n = xrange(3)", True),
    ("def f(d):\n    return unicode(d)", True), ("xrange = range", False),
    ("try:\n    import cPickle\nexcept ImportError:\n    pass", False),
    ("try:\n    xrange\nexcept NameError:\n    xrange = range\nxrange(3)", False),
    ("if sys.version_info < (3,):\n    n = xrange(3)", False),
    ("n = unicode if sys.version_info[0] == 2 else str", False),
    ("if __name__ == '__main__':\n    n = xrange(3)", True),
    ("list({}.iteritems())", True), ("{}.has_key('a')", True), ("n = sys.maxint", True),
    ("import string\nn = string.letters", True), ("import itertools as it\nit.imap", True),
    ("from itertools import izip", True), ("f = open('main.py')\nf.next()", True),
    ("import csv\nwith open('main.py') as f:\n    csv.reader(f).next()", True),
    ("class D(dict):\n    def iteritems(self):\n        return ()\nD().iteritems()", False),
    ("def iteritems(d):\n    return ()\niteritems({})", False),
    ("import string\nclass A:\n    letters = 1\nstring = A()\nstring.letters", False),
    ("class A:\n    maxint = letters = 1\n    def next(self):\n        return 1\n"
     "f = A()\nf.letters, f.maxint, f.next()", False),
    ("class A:\n    def next(self):\n        return 1\ndef g(f):\n    return f.next()\n"
     "def h():\n    f = open('main.py')\ng(A())", False),
    ("for v in ({}.iteritems() if hasattr({}, 'iteritems') else ()):\n    pass", False)])
def test_what_parses_and_could_not_run_is_python_2_too(place, line, old):
    place.write("main.py", "import sys\nprint(3 / 2)\n" + line + "\n")
    assert place.run("main.py")[0] == ("1\n" if old else "1.5\n")


def test_the_first_line_of_a_script_says_what_it_is(place):
    place.write("main.py", "#!/usr/bin/env python2\nprint(3 / 2)\n")
    assert place.run("main.py")[0] == "1\n"
    place.write("main.py", "#!/usr/bin/env python3\nprint(3 / 2)\nif 0: print({}.iteritems())\n")
    assert place.run("main.py")[0] == "1.5\n"


def test_a_method_that_the_workspace_has_itself_says_nothing(place):
    place.write("main.py", "import keys\nprint(3 / 2, keys.Keys().has_key('a'))\n")
    place.write("keys.py", "class Keys:\n    def has_key(self, key):\n        return 1\n")
    assert place.run("main.py") == ("1.5 1\n", "")
    place.write("keys.py", "class Keys(dict):\n    pass\n")
    assert place.run("main.py")[0] == "(1, False)\n"


def test_a_file_that_parses_as_neither_is_no_python_2(place):
    place.write("broken.py", "def (:\n")
    place.write("run.py", "print(3 / 2)\n")
    assert place.run("run.py") == ("1.5\n", "")
    _, err = place.run("broken.py", status=1)
    assert "SyntaxError" in err and "broken.py" in err and "and as Python 2: " in err
    place.write("old.py", "import half\nprint 3\n")
    place.write("half.py", "print 1\n\n@f if 1 else g\ndef h():\n    pass\n")
    _, err = place.run("old.py", status=1)
    assert 'half.py", line 3' in err and "neither Python 3 nor Python 2: bad input 'if'" in err


def test_division_of_numpy_and_future_division(place):
    place.write("a.py", "from __future__ import division\nprint 3 / 2\n")
    place.write("b.py", "import numpy as np\nx = np.array([3, 5])\nprint x / 2, np.array([3.0]) / 2\n"
                "y = np.array([3., 5.])\nz = y\ny /= 2\nprint z, np.int64(7) / np.int64(2)\n")
    assert place.run("a.py")[0] == "1.5\n"
    assert place.run("b.py")[0] == "[1 2] [1.5]\n[1.5 2.5] 3\n"


def test_numpy_has_the_names_it_had(place):
    place.write("old.py", "import numpy as np\nimport numpy.random\nfrom numpy import float as f\n"
                "print np.zeros(2, np.float).dtype, np.array([1], dtype=np.int).dtype.kind, f is float\n"
                "print np.isnan(np.NaN), np.product([2, 3]), isinstance(np.ones(1), np.ndarray)\n"
                "open('x', 'wb').write(np.array([1.5, 2], 'f').tostring())\n"
                "print np.fromstring(open('x', 'rb').read(), 'f'), np.fromstring('1 2', sep=' ')\n"
                "print len(np.random.rand(3)), np.linalg.norm(np.array([3, 4]))\n")
    assert place.run("old.py")[0] == ("float64 i True\nTrue 6 True\n[1.5 2. ] [1. 2.]\n3 5.0\n")


def test_an_error_names_the_line_of_the_source(place):
    place.write("bad.py", "print 'start'\n\ndef f():\n    return 1 / 0\nf()\n")
    out, err = place.run("bad.py", status=1)
    assert out == "start\n"
    assert 'bad.py", line 4, in f' in err and "ZeroDivisionError" in err
    assert "python2/__init__" not in err
    place.write("leave.py", "import sys\nprint 'x'\nsys.exit(7)\n")
    place.run("leave.py", status=7)


def test_reading_from_stdin_and_subprocesses(place):
    place.write("ask.py", "import subprocess, sys\n"
                "name = raw_input('name? ')\nprint 'hello', name\n"
                "for line in sys.stdin:\n    print line.strip().split(',')\n"
                "print subprocess.check_output(['echo', 'a b']).split(' ')[0]\n"
                "p = subprocess.Popen(['cat'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
                "print p.communicate('piped\\n')[0].strip()\n")
    out, _ = place.run("ask.py", input=b"Ann\n1,2\n")
    assert out == "name? hello Ann\n['1', '2']\na\npiped\n"


def test_what_cannot_be_run_is_said(place):
    place.folder.mkdir()
    assert "usage: paddle python FILE" in place.run(status=2)[1]
    assert "there is no file nothing.py" in place.run("nothing.py", status=2)[1]
    assert "no option -c" in place.run("-c", "1", status=2)[1]


def test_a_cache_that_cannot_be_written_does_not_matter(place):
    place.write("hello.py", "print 'hello'\n")
    shutil.rmtree(place.cache)
    place.cache.write_text("a file is in the way")
    assert place.run("hello.py")[0] == "hello\n"
