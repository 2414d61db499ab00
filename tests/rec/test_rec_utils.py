"""paddlerec.core.utils: what models and readers of users' import."""
import os

import pytest

import paddle.fluid as fluid
import rec_job as job
from paddlerec.core.utils import envs, util, validation
from paddlerec.core.utils.dataset_holder import TimeSplitDatasetHolder
from paddlerec.core.utils.fs import FileHandler, LocalFSClient, is_afs_path
from paddlerec.core.utils.table import TableMeta


def test_files_are_split_in_blocks():
    files = list("abcde")
    assert [util.split_files(files, i, 2) for i in (0, 1)] == [["a", "b", "c"], ["d", "e"]]
    assert [util.split_files(["a", "b"], i, 3) for i in (0, 1, 2)] == [["a"], ["b"], []]
    with pytest.raises(TypeError):
        util.split_files("ab", 0, 1)


def test_hidden_files_are_told_apart_in_folders_below_too(tmp_path):
    for name in ("b", ".h", "sub/a", "sub/.g", ".dir/c"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("")
    hidden, files = util.check_filelist([], [], str(tmp_path))
    assert sorted(os.path.relpath(f, tmp_path) for f in files) == ["b", "sub/a"]
    assert sorted(os.path.relpath(f, tmp_path) for f in hidden) == [".dir", ".h", "sub/.g"]


def test_the_configuration_has_flat_names_and_its_workspace(tmp_path):
    job.make(tmp_path, job.CONFIG.replace('workspace: "."', 'workspace: "%s"' % tmp_path))
    envs.clear_global_envs()
    envs.set_global_envs(envs.load_yaml(str(tmp_path / "config.yaml")))
    get = envs.get_global_env
    assert get("dataset.clicks.data_path") == "%s/data" % tmp_path
    assert get("hyper_parameters.optimizer.learning_rate") == 0.1
    assert get("epochs", namespace="runner.train_it") == 2
    assert get("nothing", 5) == 5
    table = envs.pretty_print_envs({"key": "v", "long": "x" * 60}, ("Name", "Value"))
    assert "... " + "x" * 46 in table and "x" * 47 not in table
    assert envs.flatten_environs({"a": {"b": 1, "c": {"d": 2}}}, "_") == {"a_b": "1",
                                                                          "a_c_d": "2"}
    envs.clear_global_envs()


def test_classes_of_equal_file_names_are_apart(tmp_path):
    for name in ("x", "y"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.py").write_text("class Model:\n    of = %r\n" % name)
    found = [envs.lazy_instance_by_fliename(str(tmp_path / n / "model.py"), "Model").of
             for n in ("x", "y")]
    assert found == ["x", "y"]
    with pytest.raises(AttributeError, match="defines no class Nobody"):
        envs.lazy_instance_by_fliename(str(tmp_path / "x" / "model.py"), "Nobody")
    with pytest.raises(IOError, match="is not there"):
        envs.lazy_instance_by_fliename(str(tmp_path / "z.py"), "Model")


def test_validation_says_whether_and_why_not(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(job.make(tmp_path))
    assert validation.yaml_validation("config.yaml")
    job.make(tmp_path, job.CONFIG.replace("epochs: 2", "epochs: x"))
    assert not validation.yaml_validation("config.yaml")
    assert "config.yaml:10" in capsys.readouterr().out


def test_local_files(tmp_path):
    here, handler = LocalFSClient(), FileHandler({})
    path = str(tmp_path / "deep" / "file")
    handler.write("one", path)
    handler.write(" two", path, "a")
    assert handler.cat(path) == "one two" and handler.is_exist(path)
    assert handler.get_file_name(path + "/") == "file"
    handler.cp(path, str(tmp_path / "copy"))
    assert handler.ls(str(tmp_path)) == ["copy", "deep"]
    here.remove(str(tmp_path / "deep"))
    assert not here.is_exist(path)
    assert is_afs_path("afs:/x") and not is_afs_path("/afs/x")


def test_data_by_time(tmp_path):
    for minute in ("00", "05", "10"):
        folder = tmp_path / "20200114" / ("08" + minute)
        folder.mkdir(parents=True)
        for i in range(2):
            (folder / ("part-%d" % i)).write_text("1 %d\n" % (int(minute) + 1))
        if minute != "10":
            (folder / "to.hadoop.done").write_text("")
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x = fluid.data("x", [None, 1], "int64", lod_level=1)
        holder = TimeSplitDatasetHolder({
            "data_path": str(tmp_path) + "/%Y%m%d/%H%M", "split_interval": 5, "batch_size": 1,
            "filename_prefix": "part-", "data_vars": [x], "load_thread": 1})
        assert holder.check_ready("202001140800", 10)
        assert not holder.check_ready("202001140800", 15)
        assert [p[-11:] for p in holder.get_file_list("202001140803", 7, 2, 1)] == ["0805/part-1"]
        params = {"begin_time": "202001140805", "time_window_min": 5, "node_num": 1,
                  "node_idx": 0}
        assert holder.preload_dataset(params) and not holder.preload_dataset(params)
        assert holder.load_dataset(params).get_memory_data_size() == 2
        holder.release_dataset(params)


def test_table_numbers():
    first = TableMeta.alloc_new_table(-1)._table_id
    assert TableMeta.alloc_new_table(-1)._table_id == first + 1
    assert TableMeta.alloc_new_table(first + 10)._table_id == first + 10
    assert TableMeta.alloc_new_table(-1)._table_id == first + 11


def test_small_things():
    assert util.str2bool("Yes") and not util.str2bool("0") and util.str2bool(True)
    with pytest.raises(ValueError):
        util.str2bool("perhaps")
    assert util.get_absolute_path("afs:/a", {"fs_name": "afs://h:1"}) == "afs://h:1/a"
    assert util.get_absolute_path("/a", {}) == "/a"
    assert util.make_datetime("202001141230").minute == 30
    done = []
    printer = util.CostPrinter(lambda seconds, params: done.append((seconds >= 0, params)), 7)
    printer.done()
    assert done == [(True, 7)]


def test_data_are_fetched_whole_and_unpacked(tmp_path, monkeypatch):
    import tarfile
    from paddlerec.tools.tools import download_file_and_uncompress
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "data.txt").write_text("some data")
    packed = str(tmp_path / "data.tar.gz")
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(str(tmp_path / "there" / "data.txt"), "sub/data.txt")
    monkeypatch.chdir(tmp_path / "there")
    download_file_and_uncompress("file://" + packed, savename="mine", extrapath="out",
                                 delete_file=True)
    assert (tmp_path / "there" / "out" / "sub" / "data.txt").read_text() == "some data"
    assert sorted(os.listdir(".")) == ["data.txt", "out"]
    with tarfile.open(packed, "w:gz") as archive:
        archive.add("data.txt", "../../evil")
    with pytest.raises(ValueError, match="outside"):
        download_file_and_uncompress("file://" + packed, extrapath="out")
    with pytest.raises(OSError):
        download_file_and_uncompress("file:///no/such.zip", savepath="down")
    assert os.listdir("down") == []
