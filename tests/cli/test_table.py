"""`paddle table`: what it says of saved tables, against NumPy."""
import json
import os
import struct
import subprocess
import sys

import numpy as np
import pytest

import paddle.fluid as fluid

PADDLE = os.path.join(os.path.dirname(sys.executable), "paddle")
ROWS, DIM = 500, 6


def table(*arguments, **more):
    done = subprocess.run([PADDLE, "table"] + [str(a) for a in arguments], text=True, timeout=60,
                          capture_output=True, **more)
    return done.returncode, done.stdout, done.stderr


def save(folder, **tables):
    main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(scope):
        ids = fluid.data("ids", [None, 1], "int64")
        for name, values in tables.items():
            fluid.embedding(ids, list(values.shape), param_attr=name)
        exe = fluid.Executor()
        exe.run(startup)
        for name, values in tables.items():
            scope.find_var(name).get_tensor().set(values, fluid.CPUPlace())
        fluid.io.save_persistables(exe, str(folder), main)


def part(path, ids, rows, height):
    """SelectedRows, as a server writes its part (docs/formats.md)."""
    desc = b"\x08\x05" + b"".join(b"\x10" + struct.pack("B", n) for n in rows.shape)
    path.write_bytes(struct.pack("<IQ", 0, len(ids)) + np.array(ids, "<i8").tobytes() +
                     struct.pack("<qIi", height, 0, len(desc)) + desc + rows.astype("<f4").tobytes())


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    rng = np.random.RandomState(3)
    start = rng.uniform(-1, 1, (ROWS, DIM)).astype("float32")
    end = start.copy()
    end[100:] += rng.normal(0, 0.3, (ROWS - 100, DIM)).astype("float32")
    end[[7, 300]] = 0
    save(folder / "start", words=start, users=start[:20])
    save(folder / "end", words=end, users=start[:20])
    save(folder / "bad", words=np.where(np.arange(DIM) == 3, np.nan, end[:3]).astype("float32"))
    return folder, start, end


def test_the_tables_of_a_model(saved):
    folder, start, end = saved
    code, out, err = table(folder / "end")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert [line.split()[:3] for line in lines[1:]] == [["users", "20", "6"], ["words", "500", "6"]]
    assert lines[2].split()[-1] == "2"  # rows of zeros


def test_norms_dead_hot_and_near(saved):
    folder, start, end = saved
    norms = np.linalg.norm(end.astype("float64"), axis=1)
    code, out, _ = table(folder / "end", "--name=words", "--start", folder / "start", "--near=42",
                         "--k", 5, "--json")
    assert code == 0
    found = json.loads(out)
    assert (found["rows"], found["dim"], found["height"]) == (ROWS, DIM, ROWS)
    for name, value in (("min", 0), ("median", np.median(norms)), ("max", norms.max()),
                        ("mean", norms.mean())):
        assert found["norms"][name] == pytest.approx(value, rel=1e-8)
    counts, edges = np.histogram(norms, 20)
    assert found["histogram"] == counts.tolist() and found["edges"] == pytest.approx(edges.tolist())
    assert found["zero"] == {"rows": 2, "ids": [7, 300]}
    assert found["never_updated"] == {"rows": 99, "ids": [0, 1, 2, 3, 4]}  # 7 was set to zero
    moved = np.linalg.norm(end.astype("float64") - start, axis=1)
    hot = np.argsort(-moved, kind="stable")[:5]
    assert [i for i, _ in found["moved"]] == hot.tolist()
    with np.errstate(invalid="ignore"):
        cosine = end.astype("float64") @ end[42] / (norms * norms[42])
    cosine[[42, 7, 300]] = -2
    near = np.argsort(-cosine)[:5]
    assert [i for i, _ in found["near"]] == near.tolist()
    assert [c for _, c in found["near"]] == pytest.approx(cosine[near].tolist(), rel=1e-6)
    code, out, _ = table(folder / "end", "--name=words")
    assert code == 0 and "zero rows      2 (0.40 %): 7, 300\n" in out and "never updated" not in out
    assert out.count("#") > 40 and "largest norms" in out
    code, out, _ = table(folder / "bad")  # the only one needs no name; a NaN is not hidden
    assert code == 0 and "NaN or Inf     3 (100.00 %): 0, 1, 2" in out


def test_parts_that_servers_wrote(tmp_path):
    parts = tmp_path / "__lookup_table__"
    parts.mkdir()
    rng = np.random.RandomState(4)
    rows = rng.uniform(-1, 1, (7, 4)).astype("float32")
    part(parts / "emb_1", [99, 3, 50, 7], rows[:4], 100)
    part(parts / "emb_0", [2, 80, 4], rows[4:], 100)
    code, out, _ = table(tmp_path, "--json")
    found = json.loads(out)
    assert (found["name"], found["rows"], found["height"], found["parts"]) == ("emb", 7, 100, 2)
    assert table(tmp_path, "--to=npy", "--out", tmp_path / "x.npy")[0] == 0
    ids = np.load(str(tmp_path / "x.npy.ids.npy"))
    assert ids.tolist() == [2, 3, 4, 7, 50, 80, 99]
    assert np.array_equal(np.load(str(tmp_path / "x.npy")), rows[[4, 1, 6, 3, 2, 5, 0]])
    code, _, err = table(tmp_path, "--near", "5")
    assert code == 1 and "id 5 has no row in emb (7 rows, ids below 100)" in err
    part(parts / "emb_2", [3], rows[:1], 100)
    assert "id 3 is in the parts twice" in table(tmp_path)[2]
    (parts / "emb_2").write_bytes(b"\0" * 30)
    assert "__lookup_table__/emb_2" in table(tmp_path)[2]


def test_exports(saved, tmp_path):
    folder, start, end = saved
    assert table(folder / "end", "--name=words", "--to=npy", "--out", tmp_path / "w.npy")[0] == 0
    got = np.load(str(tmp_path / "w.npy"))
    assert got.dtype == np.float32 and np.array_equal(got, end)
    words = ["w%d" % i for i in range(20)]
    (tmp_path / "words").write_text("\n".join(words) + "\n")
    code, _, _ = table(folder / "end", "--name=users", "--to=word2vec", "--out", tmp_path / "w.txt",
                       "--words", tmp_path / "words")
    lines = (tmp_path / "w.txt").read_text().splitlines()
    assert code == 0 and lines[0] == "20 6" and [line.split()[0] for line in lines[1:]] == words
    read = np.array([line.split()[1:] for line in lines[1:]], "float32")
    assert np.array_equal(read, start[:20])  # every bit
    code, _, err = table(folder / "end", "--name=words", "--to=word2vec", "--out", tmp_path / "x",
                         "--words", tmp_path / "words")
    assert code == 1 and "--words has 20 lines, and there is an id 20" in err
    code, _, err = table(folder / "end", "--name=users", "--to=parquet", "--out", tmp_path / "p")
    try:
        import pyarrow.parquet
    except ImportError:
        assert code == 1 and "pip install pyarrow" in err
    else:
        rows = pyarrow.parquet.read_table(str(tmp_path / "p")).to_pydict()
        assert code == 0 and rows["id"] == list(range(20))
        assert np.array_equal(np.array(rows["row"], "float32"), start[:20])


def test_the_histogram_as_a_picture(saved, tmp_path):
    pytest.importorskip("matplotlib")
    folder, _, _ = saved
    code, out, err = table(folder / "end", "--name", "words", "--picture", tmp_path / "h.png")
    assert code == 0, err
    data = (tmp_path / "h.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) > 5000


def test_misuse(saved, tmp_path):
    folder = saved[0]
    for arguments, status, says in (
            ([], 2, "usage: paddle table DIR"),
            ([folder / "nowhere"], 1, "nowhere"),
            ([tmp_path], 1, "has no table"),
            ([folder / "end", "--near=1"], 1, "name one with --name: users, words"),
            ([folder / "end", "--name=word"], 1, "has no table word; it has users, words"),
            ([folder / "end", "--to=npy"], 1, "--to and --out go together"),
            ([folder / "end", "--to=csv", "--out=x"], 2, "npy|word2vec|parquet"),
            ([folder / "end", "--nmae=x"], 2, "did you mean --name?")):
        code, _, err = table(*arguments)
        assert code == status and says in err, err
