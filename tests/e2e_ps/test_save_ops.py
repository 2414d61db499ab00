"""recv_save and checkpoint_notify in programs built by hand: the files of a trainer are those that
save_persistables writes, byte for byte, and the parts that servers write can be loaded by any
number of them, and by one process."""
import os
import shutil

import numpy as np
import paddle.fluid as fluid
import pytest
from paddle import _core

from cluster import HERE, Cluster, cluster  # noqa: F401
from ps_script import ROWS

OPS = os.path.join(HERE, "save_ops_script.py")


def read(*path):
    with open(os.path.join(*map(str, path)), "rb") as file:
        return file.read()


def files_of(folder):
    return sorted(f for f in os.listdir(str(folder)) if f != "MANIFEST.regatta")


def read_rows(path):
    """(ids, rows, height) of a file of selected rows, by the load op."""
    program, scope = fluid.Program(), fluid.core.Scope()
    block = program.global_block()
    out = block.create_var(name="part", type=fluid.core.VarDesc.VarType.SELECTED_ROWS,
                           persistable=True)
    block.append_op("load", {}, {"Out": [out]}, {"file_path": str(path)})
    with fluid.scope_guard(scope):
        fluid.Executor(fluid.CPUPlace()).run(program)
    rows = scope.find_var("part").get_selected_rows()
    return np.array(rows.rows()), np.array(rows.get_tensor()), rows.height()


def read_tensor(folder, name):
    scope = fluid.core.Scope()
    _core.load_files(scope, str(folder), [(name, [name])])
    return np.array(scope.find_var(name).get_tensor())


@pytest.fixture(scope="module", params=["Adam sync", "SGD async", "Adagrad sync, not cut"])
def saved(request, tmp_path_factory):
    """(the folder, what trainer 0 printed, how many servers wrote parts)"""
    optimizer, mode = request.param.split(",")[0].split()
    cut = "not cut" not in request.param
    job = Cluster(tmp_path_factory.mktemp("job"))
    try:
        job.fleet(2, 2, ["--optimizer", optimizer, "--mode", mode] +
                  ([] if cut else ["--no-slices"]), script=OPS)
        job.finish()
        yield job.folder, job.named("worker0").text(), 2 if cut else 1, optimizer
    finally:
        job.close()


def test_recv_save_writes_what_save_persistables_writes(saved):
    folder, _, _, optimizer = saved
    names = files_of(folder / "ops")
    assert {"fc_0.w_0", "table", "learning_rate_0"} <= set(names)
    if optimizer == "Adam":  # a state that is cut, of a table too, and one that is not
        assert {"fc_0.w_0_moment1_0", "table_moment2_0", "table_beta1_pow_acc_0"} <= set(names)
    for name in names:
        assert read(folder, "ops", name) == read(folder, "whole", name), name
    assert read(folder, "again", "table") == read(folder, "whole", "table")
    assert not os.path.exists(str(folder / "none"))


def test_each_server_writes_its_part(saved):
    folder, _, servers, _ = saved
    parts = folder / "parts" / "__lookup_table__"
    assert len(files_of(parts)) == servers
    table, seen = read_tensor(folder / "whole", "table"), set()
    for name in files_of(parts):
        ids, rows, height = read_rows(parts / name)
        assert 100 < len(ids) < ROWS, "the rows that were touched"
        assert (np.diff(ids) > 0).all() and ids[-1] < height <= ROWS
        assert not seen & set(ids), "no row twice"
        assert (rows == table[ids]).all()
        seen |= set(ids)


def test_what_cannot_be_saved_is_refused(saved):
    _, said, _, _ = saved
    assert "NOT refused" not in said
    refused = dict(line[len("refused "):].split(": ", 1) for line in said.splitlines()
                   if line.startswith("refused "))
    for what, wanted in {
            "variable": ["127.0.0.1:", "has no variable no_such"],
            "file": ["ops/fc_0.w_0 exists, and overwrite is false"],
            "folder": ["/proc/none"], "shape": ["does not fit into the shape"],
            "slice": ["fc_1.b_0 has 2 elements there", "[3]"],
            "dtype": ["is float32 there, and dtype says float64"],
            "server": ["127.0.0.1:1 is no server of this job"], "counts": ["0 shapes"],
            "table": ["no server of epmap keeps a part of a table no_such"],
            "dense": ["no server of epmap keeps a part of a table fc_0.w_0"],
            "disk": ["127.0.0.1:", "FLAGS_ps_save_root", "/proc/none is not below"]}.items():
        assert what in refused, said
        assert all(text in refused[what] for text in wanted), refused[what]


def folder_with_parts(saved, to):
    """Whole files of all but the table, which is there in parts."""
    folder = saved[0]
    shutil.copytree(str(folder / "whole"), str(to))
    os.remove(str(to / "table"))
    shutil.copytree(str(folder / "parts" / "__lookup_table__"), str(to / "__lookup_table__"))
    return to


@pytest.mark.parametrize("servers", [1, 3])
def test_any_number_of_servers_starts_from_parts(saved, cluster, tmp_path, servers):  # noqa: F811
    start = folder_with_parts(saved, tmp_path / "start")
    cluster.fleet(servers, 1, ["--optimizer", saved[3], "--steps", "0", "--init", str(start),
                               "--only-save", "out"], script=OPS)
    cluster.finish()
    for name in files_of(saved[0] / "ops"):
        assert read(tmp_path, "out", name) == read(saved[0], "whole", name), name


def test_one_process_starts_from_parts(saved, cluster, tmp_path):  # noqa: F811
    start = folder_with_parts(saved, tmp_path / "start")
    cluster.start("alone", [os.path.join(HERE, "ps_script.py"), "--style", "single", "--optimizer",
                            saved[3], "--steps", "0", "--init", str(start), "--save", "out"])
    cluster.finish()
    assert read(tmp_path, "out", "table") == read(saved[0], "whole", "table")


def rows_of_parts(folder):
    """{id: row} of all parts of the table."""
    found = {}
    for name in files_of(folder):
        ids, rows, _ = read_rows(folder / name)
        found.update(zip(ids.tolist(), map(bytes, rows)))
    return found


def test_rows_beyond_the_height_of_a_table_that_grows(tmp_path):
    saves = []
    for servers, more in (2, []), (3, ["--steps", "0", "--init", str(tmp_path / "start")]):
        folder = tmp_path / ("of_%d" % servers)
        folder.mkdir()
        job = Cluster(folder)
        try:
            job.fleet(servers, 1, ["--grows", "--only-save", "out"] + more, script=OPS)
            job.finish()
        finally:
            job.close()
        saves.append(rows_of_parts(folder / "out" / "__lookup_table__"))
        if servers == 2:
            shutil.copytree(str(folder / "out"), str(tmp_path / "start"))
            os.remove(str(tmp_path / "start" / "table"))
    assert max(saves[0]) >= ROWS
    assert {i: saves[1][i] for i in saves[0]} == saves[0]
    # One process has no room for them.
    job = Cluster(tmp_path)
    alone = job.start("alone", [os.path.join(HERE, "ps_script.py"), "--style", "single",
                                "--optimizer", "Adam", "--init", str(tmp_path / "start")])
    assert alone.wait(60) != 0
    assert "and the program's variable ends at %d" % (ROWS - 1) in alone.text()


def test_parts_of_different_saves_are_refused(saved, cluster, tmp_path):  # noqa: F811
    start = folder_with_parts(saved, tmp_path / "start")
    parts = start / "__lookup_table__"
    first = str(parts / files_of(parts)[0])
    shutil.copy(first, first[:first.rindex("_")] + "_7")
    alone = cluster.start("alone", [os.path.join(HERE, "ps_script.py"), "--style", "single",
                                    "--optimizer", saved[3], "--steps", "0", "--init", str(start)])
    assert alone.wait(60) != 0
    assert "of table is in more than one of its" in alone.text()
