"""`paddle criteo`, `paddle gen-criteo` and the reader of the CTR demo."""
import os
import random
import subprocess
import sys

import pytest

from built import PADDLE, ROOT

READER = os.path.join(ROOT, "demo", "ctr", "criteo_reader.py")


def run(*command, text=None, status=0):
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=120)
    assert done.returncode == status, done.stderr
    return done.stdout if status == 0 else done.stderr


def convert(text, buckets="1000001", status=0):
    return run(PADDLE, "criteo", "--hash", buckets, text=text, status=status)


def odd_lines(n):
    """Lines with every kind of field: missing, negative, huge, short and long categories."""
    draw = random.Random(5)
    for _ in range(n):
        counts = [draw.choice(["", "0", "1", "-1", "-3", "7", str(draw.randrange(10 ** 9)),
                               str(10 ** 12 - 1), str(1 - 10 ** 12),
                               str(draw.randrange(200))]) for _ in range(13)]
        categories = [draw.choice(["", "%08x" % draw.randrange(2 ** 32), "a", "\u00e4x", "x" * 30])
                      for _ in range(26)]
        yield "\t".join([draw.choice("01")] + counts + categories) + "\n"


def test_the_command_and_the_script_make_the_same_bytes():
    raw = run(PADDLE, "gen-criteo", "--rows", "2000", "--seed", "3") + "".join(odd_lines(500))
    for buckets in "1000001", "7":
        assert convert(raw, buckets) == run(sys.executable, READER, buckets, text=raw)


def test_a_line_is_what_the_documentation_says():
    line = convert("1\t5\t600\t\t-1\t3" + "\t" * 8 + "\t68fd1e64" + "\t" * 25 + "\r\n", "4294967296")
    fields = line.split()
    assert fields[:6] == ["13", "0.25", "1.0", "0.0", "-0.02", "4.7e-05"]
    import zlib
    assert int(fields[15]) == zlib.crc32(b"1468fd1e64")
    assert int(fields[17]) == zlib.crc32(b"15")
    assert fields[-2:] == ["1", "1"] and len(fields) == 14 + 26 * 2 + 2


@pytest.mark.parametrize("line, message", [
    ("1\t2\n", "/dev/stdin:1: got 2 fields, wanted 40"),
    ("\t".join(["0"] * 41) + "\n", "got more than 40 fields, wanted 40"),
    ("x" + "\t" * 39 + "\n", "field 1: got 'x', wanted a label"),
    ("1\t2.5" + "\t" * 38 + "\n", "field 2: got '2.5', wanted a whole number"),
    ("1\t" + "9" * 13 + "\t" * 38 + "\n", "wanted a whole number of at most 12 digits"),
    ("1\t-" + "9" * 13 + "\t" * 38 + "\n", "wanted a whole number of at most 12 digits"),
    ("1" + "\t" * 14 + "y" * 65 + "\t" * 25 + "\n", "wanted at most 64 bytes"),
])
def test_lines_that_do_not_fit_are_refused(line, message):
    assert message in convert(line, status=1)


def test_files_are_named_and_may_be_packed(tmp_path):
    import gzip
    raw = run(PADDLE, "gen-criteo", "--rows", "300")
    (tmp_path / "a.gz").write_bytes(gzip.compress(raw.encode()))
    (tmp_path / "b").write_text(raw[:-1])
    once = convert(raw)
    assert run(PADDLE, "criteo", "--hash=1000001", str(tmp_path / "a.gz"),
               str(tmp_path / "b")) == once + once
    assert "nowhere" in run(PADDLE, "criteo", "--hash", "9", str(tmp_path / "nowhere"), status=1)
    assert "--hash takes a whole number above 0, and not 'x'" in run(PADDLE, "criteo", "--hash", "x",
                                                                      status=2)
    assert "usage" in run(PADDLE, "criteo", status=2)


def test_made_up_logs_repeat_and_can_be_learnt_from(tmp_path):
    out = tmp_path / "raw"
    done = subprocess.run([PADDLE, "gen-criteo", "--rows", "20000", "--seed", "3", "--out",
                           str(out)], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == ""
    auc = float(done.stderr.split("model: ")[1].split()[0])
    assert 0.8 < auc < 0.95
    lines = out.read_text().splitlines()
    assert len(lines) == 20000 and all(line.count("\t") == 39 for line in lines)
    assert 0.2 < sum(line[0] == "1" for line in lines) / 20000 < 0.4
    assert run(PADDLE, "gen-criteo", "--rows", "100", "--seed", "3").splitlines() == lines[:100]
    assert run(PADDLE, "gen-criteo", "--rows", "100", "--seed", "4").splitlines() != lines[:100]
    first = [line.split("\t")[14] for line in lines]
    top = max(set(first), key=first.count)
    assert first.count(top) > 20000 / 1460 * 20  # a power law, not a fair draw
    assert "--rows takes a whole number above 0" in run(PADDLE, "gen-criteo", "--rows", "0", status=2)
    assert "usage" in run(PADDLE, "gen-criteo", status=2)
    assert "cannot write to /proc/none: " in run(PADDLE, "gen-criteo", "--rows", "1", "--out",
                                                 "/proc/none", status=1)
