"""The script of the Fluid distributed training guide that trains on one machine, as it stands
there (seed_001_single.py, not a character changed): it exits with 0 when it has learnt."""
import os
import shutil
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
MD5 = "d4accdce7a25600298819f8e28e8d593"
REAL = os.environ.get("REGATTA_HOUSING_DATA") or os.path.expanduser(
    os.path.join("~", ".cache", "paddle", "dataset", "uci_housing", "housing.data"))


def run(home, **env):
    """The script in an empty folder, with a home of its own and no way to a network."""
    work = home / "work"
    work.mkdir()
    nowhere = "http://127.0.0.1:9"  # the discard port: nothing answers
    return work, subprocess.run(
        [sys.executable, os.path.join(HERE, "seed_001_single.py")], cwd=work, capture_output=True,
        text=True, timeout=300, env=dict(
            {k: v for k, v in os.environ.items() if k != "PADDLE_DATASET"}, HOME=str(home),
            http_proxy=nowhere, https_proxy=nowhere, no_proxy="", **env))


def put_housing(home, source=None):
    folder = home / ".cache" / "paddle" / "dataset" / "uci_housing"
    folder.mkdir(parents=True)
    if source is not None:
        shutil.copy(source, folder / "housing.data")
    else:  # of the right form, and with other numbers
        row = "%8.5f%7.2f%8.3f%3d%8.4f%8.4f%7.2f%8.4f%4d%7.1f%7.2f%7.2f%7.2f%7.2f\n"
        (folder / "housing.data").write_text("".join(
            row % tuple(i % (7 + k) for k in range(14)) for i in range(506)))
    return folder / "housing.data"


def test_with_synthetic_data(tmp_path):
    work, done = run(tmp_path, PADDLE_DATASET="synthetic")
    assert done.returncode == 0, done.stderr
    assert "SYNTHETIC" in done.stderr
    assert {"fc_0.w_0", "fc_0.b_0"} <= set(os.listdir(work / "fit_a_line.model"))


@pytest.mark.skipif(not os.path.exists(REAL), reason="no real housing.data: put it into the cache "
                    "of paddle.dataset, or name it in REGATTA_HOUSING_DATA")
def test_with_the_real_housing_file_in_the_cache(tmp_path):
    put_housing(tmp_path, REAL)
    _, done = run(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "SYNTHETIC" not in done.stderr


@pytest.mark.parametrize("there", [False, True], ids=["no file", "another file"])
def test_without_the_real_file_the_error_says_what_to_put_where(tmp_path, there):
    path = put_housing(tmp_path) if there else tmp_path / ".cache/paddle/dataset/uci_housing/housing.data"
    _, done = run(tmp_path)
    assert done.returncode == 1
    assert "put the file here yourself:\n    file  %s\n" % path in done.stderr
    assert "MD5   " + MD5 in done.stderr and "PADDLE_DATASET=synthetic" in done.stderr
    assert ("the file there has the MD5" in done.stderr) == there
