"""HDFSClient over a `hadoop` command, and what FleetUtil does with it. The command of these tests
is a small one that keeps its files in a folder."""
import os
from xml.etree import ElementTree

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid.incubate.fleet.base import role_maker as R
from paddle.fluid.incubate.fleet.base.fleet_base import Fleet, Mode
from paddle.fluid.incubate.fleet.utils.fleet_util import FleetUtil
from paddle.fluid.incubate.fleet.utils.hdfs import HDFSClient

HADOOP = r"""#!/bin/sh
# hadoop fs -Dname=value... -command paths...
root=${0%/*}/../store
echo "$*" >> "$root/../calls"
shift
env > "$root/../environment"
if [ "$1" = -conf ]; then ls -l "$2" >> "$root/../conf"; cat "$2" >> "$root/../conf"; shift 2; fi
while case $1 in -D*) true;; *) false;; esac; do shift; done
command=$1
shift
list() { # FOLDER: lines as hadoop writes them
    for f in "$root$1"/*; do
        [ -e "$f" ] || continue
        if [ -d "$f" ]; then kind=d; else kind=-; fi
        echo "${kind}rw-r--r--   3 user group 12 2020-01-01 10:00 ${f#"$root"}"
        if [ -d "$f" ] && [ "$2" = all ]; then list "${f#"$root"}" all; fi
    done
}
case $command in
-test) test "$1" "$root$2" ;;
-ls) echo "Found some items"; list "$1" ;;
-lsr) list "$1" all ;;
-cat) cat "$root$1" ;;
-mkdir) if [ "$1" = -p ]; then mkdir -p "$root$2"; else mkdir "$root$1" 2>/dev/null; fi ;;
-rm) rm "$root$1" ;;
-rmr) rm -r "$root$1" ;;
-mv) mv "$root$1" "$root$2" ;;
-put)
    if [ -e "$root$2/${1##*/}" ]; then echo "put: File exists" >&2; exit 1; fi
    cp -r "$1" "$root$2" ;;
-get) cp "$root$1" "$2" ;;
*) echo "unknown command $command" >&2; exit 255 ;;
esac
"""


@pytest.fixture
def home(tmp_path):
    for folder in ("bin", "store"):
        (tmp_path / "home" / folder).mkdir(parents=True)
    command = tmp_path / "home" / "bin" / "hadoop"
    command.write_text(HADOOP)
    command.chmod(0o755)
    return tmp_path / "home"


@pytest.fixture
def client(home):
    return HDFSClient(str(home), {"fs.default.name": "hdfs://x:1", "hadoop.job.ugi": "u,p"})


@pytest.fixture
def store(home):
    store = home / "store"
    (store / "d" / "sub").mkdir(parents=True)
    (store / "d" / "a b").write_text("hello\n")
    (store / "d" / "sub" / "c").write_text("deep\n")
    return store


def test_the_command_line_has_no_password(home, store, monkeypatch, capfd):
    """As 1.8.5 makes it, but for what is secret: that is in a file for this user alone, which goes
    afterwards."""
    monkeypatch.setenv("REGATTA_JOB_KEY", "k" * 64)
    client = HDFSClient(str(home), {"fs.default.name": "hdfs://x:1",
                                    "hadoop.job.ugi": "me,pass<word>&"})
    assert client.is_exist("/d")
    words = (home / "calls").read_text().split()
    assert words[:2] == ["fs", "-conf"] and words[3:] == ["-Dfs.default.name=hdfs://x:1", "-test",
                                                          "-e", "/d"]
    assert not os.path.exists(words[2])
    mode, *lines = (home / "conf").read_text().splitlines()
    assert mode.startswith("-rw------- ")
    (prop,) = ElementTree.fromstring("".join(lines[1:]))
    assert prop.find("name").text == "hadoop.job.ugi" and prop.find("value").text == "me,pass<word>&"
    assert "REGATTA_JOB_KEY" not in (home / "environment").read_text()
    (home / "bin" / "hadoop").write_text("#!/bin/sh\necho 'user me,pass<word>& is not known' >&2; exit 1\n")
    assert not client._done(["-rm", "/d"], 0)
    said = capfd.readouterr().err
    assert "is not known" in said and "pass" not in said


def test_a_dataset_fetches_without_showing_the_password(home, store, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(home / "bin"), prepend=os.pathsep)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("REGATTA_JOB_KEY", "k" * 64)
    dataset = fluid.DatasetFactory().create_dataset("InMemoryDataset")
    dataset.set_hdfs_config("hdfs://x:1", "me,pass<word>&")
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        dataset.set_use_var([fluid.data("x", [None, 1], "int64")])
    dataset.set_filelist(["hdfs:/d/numbers"])
    with pytest.raises(Exception) as failed:
        dataset.load_into_memory()  # the command of these tests knows no -text
    assert "hadoop fs" in str(failed.value) and "pass" not in str(failed.value)
    calls = (home / "calls").read_text()
    assert "-conf" in calls and "-text hdfs:/d/numbers" in calls and "pass" not in calls
    assert "pass&lt;word>&amp;" in (home / "conf").read_text()
    assert "REGATTA_JOB_KEY" not in (home / "environment").read_text()
    assert not [name for name in os.listdir(str(tmp_path)) if name.startswith("regatta-")]


def test_looking(client, store):
    assert client.is_exist("/d") and not client.is_exist("/no")
    assert client.is_dir("/d") and not client.is_dir("/d/a b") and not client.is_dir("/no")
    assert client.is_file("/d/a b") and not client.is_file("/d") and not client.is_file("/no")
    assert client.cat("/d/a b") == "hello" and client.cat("/d") == client.cat("/no") == ""
    assert client.ls("/d") == ["/d/a b", "/d/sub"] and client.ls("/no") == []
    assert client.lsr("/d") == ["/d/a b", "/d/sub/c"]
    assert client.lsr("/d", excludes=["c"]) == ["/d/a b"]


def test_changing(client, store):
    assert client.makedirs("/x/y/z") and client.makedirs("/x") and (store / "x/y/z").is_dir()
    assert client.rename("/d/a b", "/x/new") and (store / "x/new").read_text() == "hello\n"
    assert not client.rename("/no", "/x/other")
    (store / "e").write_text("e")
    assert not client.rename("/e", "/x/new") and (store / "x/new").read_text() == "hello\n"
    assert client.rename("/e", "/x/new", overwrite=True) and (store / "x/new").read_text() == "e"
    assert client.delete("/x/new") and client.delete("/x") and client.delete("/x")
    assert not (store / "x").exists()


def test_upload_and_download(client, store, tmp_path, capfd):
    local = tmp_path / "local"
    (local / "in").mkdir(parents=True)
    (local / "one").write_text("1")
    (local / "in" / "two").write_text("2")
    assert client.upload("/up", str(local))
    assert (store / "up/one").read_text() == "1" and (store / "up/in/two").read_text() == "2"
    assert not client.upload("/up", str(local), retry_times=0)  # they are there
    assert "put: File exists" in capfd.readouterr().err
    assert client.upload("/up", str(local / "one"), overwrite=True)
    assert sorted(os.listdir(str(store / "up"))) == ["one"]
    assert client.upload_dir("/dirs", str(local)) and (store / "dirs/local/in/two").exists()
    assert not client.upload_dir("/dirs", str(local))
    assert client.upload_dir("/dirs", str(local), overwrite=True)
    with pytest.raises(OSError, match="is not there"):
        client.upload("/up", str(tmp_path / "nothing"))

    target = tmp_path / "target"
    assert client.download("/d", str(target))
    assert (target / "a b").read_text() == "hello\n" and (target / "sub/c").exists()
    (target / "a b").write_text("changed")
    assert client.download("/d", str(target)) and (target / "a b").read_text() == "changed"
    assert client.download("/d", str(target), overwrite=True)
    assert (target / "a b").read_text() == "hello\n"
    assert client.download("/d/a b", str(tmp_path / "single"))
    assert (tmp_path / "single" / "a b").exists()
    assert not client.download("/no", str(target))


def test_files_are_split_as_fleet_does():
    files = list("abcde")
    assert [HDFSClient.split_files(files, i, 3) for i in range(3)] == \
        [["a", "b"], ["c", "d"], ["e"]]


def test_the_command_on_path(home, store, monkeypatch):
    monkeypatch.delenv("HADOOP_HOME", raising=False)
    monkeypatch.setenv("PATH", str(home / "bin"), prepend=os.pathsep)
    assert HDFSClient("", {}).is_exist("/d")
    assert HDFSClient("$HADOOP_HOME", None).is_exist("/d")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ValueError, match="no command `hadoop`"):
        HDFSClient("", {})
    with pytest.raises(OSError, match="cannot run /nowhere/bin/hadoop"):
        HDFSClient("/nowhere", {}).is_exist("/d")


@pytest.mark.promise(32)
def test_shell_characters_in_a_path_are_characters(client, store, tmp_path):
    assert not client.is_exist("/d; touch %s" % (tmp_path / "CANARY"))
    assert not (tmp_path / "CANARY").exists()


# ---- FleetUtil ----

@pytest.fixture
def util(monkeypatch):
    fleet = Fleet(Mode.TRANSPILER)
    fleet.init(R.UserDefinedRoleMaker(0, R.Role.WORKER, 1, ["a:1"]))
    monkeypatch.setattr(FleetUtil, "_fleet", fleet)
    return FleetUtil("transpiler")


def put(scope, name, value):
    scope.var(name).get_tensor().set(value, fluid.CPUPlace())


def test_modes():
    with pytest.raises(ValueError, match="Please choose one mode"):
        FleetUtil("x")


def test_rank0(util, capsys):
    util.rank0_print("hello")
    assert capsys.readouterr().out == "hello\n"
    util._fleet._role_maker._current_id = 1
    util.rank0_print("hello")
    assert capsys.readouterr().out == ""


def test_global_metrics_are_those_of_1_8_5(util, capsys):
    scope, rng = fluid.Scope(), np.random.RandomState(0)
    score = rng.randint(0, 1000, 20000)
    label = rng.rand(20000) * 1000 < score * 1.1
    put(scope, "p", np.bincount(score[label], minlength=1001).astype("int64")[None])
    put(scope, "n", np.bincount(score[~label], minlength=1001).astype("int64")[None])
    for name, value in dict(sqrerr=2., abserr=3., prob=4., q=5., pos=4, total=10).items():
        put(scope, name, np.array([value], "float32"))
    assert util.get_global_auc(scope, "p", "n") == pytest.approx(0.8607381067100852, rel=1e-12)
    assert util.get_global_metrics(scope, "p", "n") == pytest.approx(
        [0.8607381067100852, 0.08970296617514334, 0.3, 0.4472135988, 0.4, 0.4, 1.0, 0.5, 10])
    util.print_global_metrics(scope, "p", "n", print_prefix="pre")
    assert capsys.readouterr().out == (
        "pre global AUC=0.860738 BUCKET_ERROR=0.089703 MAE=0.300000 RMSE=0.447214 "
        "Actural_CTR=0.400000 Predicted_CTR=0.400000 COPC=1.000000 MEAN Q_VALUE=0.500000 "
        "Ins number=10\n")
    util.set_zero("p", scope)
    assert not np.array(scope.find_var("p").get_tensor()).any()
    assert util.get_global_auc(scope, "p", "n") == 0.5
    assert util.get_global_auc(scope, "nothing", "n") is None


def test_global_metrics_are_not_those_of_one_worker_of_two(monkeypatch):
    fleet = Fleet(Mode.TRANSPILER)
    fleet.init(R.UserDefinedRoleMaker(0, R.Role.WORKER, 2, ["a:1"]))
    monkeypatch.setattr(FleetUtil, "_fleet", fleet)
    scope = fluid.Scope()
    put(scope, "p", np.ones((1, 4), "int64"))
    with pytest.raises(RuntimeError, match="init_worker"):
        FleetUtil("transpiler").get_global_auc(scope, "p", "p")


def test_passes_of_a_day(util):
    passes = util.get_online_pass_interval("{20190720..20190729}", "{0..23}", 5, 2, False)
    assert len(passes) == 144 and passes[:2] == [["0000", "0005"], ["0010", "0015"]]
    assert util.get_online_pass_interval("20190720", "22 23", 30, 2, False) == \
        [["2200", "2230"], ["2300", "2330"]]
    assert util.get_online_pass_interval("20190720", "{1..2}", 60, 1, True) == [["01"], ["02"]]
    with pytest.raises(ValueError, match="neither a number nor a range"):
        util.get_online_pass_interval("today", "1", 5, 2, False)


def test_donefiles(util, home, store, capsys):
    args = ("hdfs://x:1", "u,p", str(home))
    (store / "out").mkdir()
    assert util.get_last_save_model("/out", *args)[:3] == [-1, -1, ""]
    util.write_model_donefile("/out", 20190720, 1, 123, *args)
    util.write_model_donefile("/out", 20190720, 2, 456, *args)
    assert util.get_last_save_model("/out", *args) == [20190720, 2, "/out/20190720/2", 456]
    assert len((store / "out/donefile.txt").read_text().splitlines()) == 2
    util.write_model_donefile("/out", 20190720, 2, 456, *args)  # once
    assert len((store / "out/donefile.txt").read_text().splitlines()) == 2


# ---- the older client of fluid.contrib.utils ----

def test_the_client_of_contrib(home, store, tmp_path):
    from paddle.fluid.contrib.utils import HDFSClient as Old, multi_download, multi_upload
    client, local = Old(str(home), {}), tmp_path / "local"
    assert client.lsr("/d") == ["/d/a b", "/d/sub/c"]
    assert client.lsr("/d", only_file=False, sort=False) == ["/d/a b", "/d/sub", "/d/sub/c"]
    assert client.download("/d/a b", str(local)) and (local / "a b").read_text() == "hello\n"
    assert not client.download("/d/a b", str(local)) and not client.download("/no", str(local))
    (local / "a b").write_text("old")
    assert client.download("/d/a b", str(local), True) and (local / "a b").read_text() == "hello\n"
    assert not client.upload("/d", str(local / "a b"))  # it is there
    assert client.upload("/d", str(local / "a b"), True) and client.upload("/new", str(local / "a b"))
    with pytest.raises(ValueError, match="is a folder; use multi_upload"):
        client.upload("/d", str(local))
    shares = [multi_download(client, "/d", str(tmp_path / name), i, 2)
              for i, name in enumerate(("share0", "share1"))]
    assert shares == [[str(tmp_path / "share0" / "a b")], [str(tmp_path / "share1" / "sub" / "c")]]
    assert open(shares[1][0]).read() == "deep\n"
    multi_upload(client, "/all", str(tmp_path / "share1"))
    assert (store / "all" / "sub" / "c").read_text() == "deep\n"
    with pytest.raises(OSError, match="overwrite=True"):
        multi_upload(client, "/all", str(tmp_path / "share1"))
    multi_upload(client, "/all", str(tmp_path / "share1"), overwrite=True)


def test_trainers_wait_for_each_other_by_files(home, store, tmp_path, monkeypatch):
    from paddle.fluid.incubate.fleet.utils import fleet_barrier_util as barrier
    monkeypatch.setenv("HADOOP_HOME", str(home))
    monkeypatch.chdir(tmp_path)
    role = R.UserDefinedRoleMaker(current_id=0, role=R.Role.WORKER, worker_num=2,
                                  server_endpoints=["127.0.0.1:6174"])
    role.generate_role()
    monkeypatch.setattr(barrier.fleet, "_role_maker", role)
    with pytest.raises(RuntimeError, match=r"trainers \[1\] have not come to epoch 3 in /ready"):
        barrier.check_all_trainers_ready("/ready", 3, timeout_s=0.1)
    (store / "ready" / "ready.3.1.done").write_text("")
    barrier.check_all_trainers_ready("/ready", 3, timeout_s=30)
    assert sorted(os.listdir(str(store / "ready"))) == ["ready.3.0.done", "ready.3.1.done"]
