"""fluid.DatasetFactory and its datasets: what they read, in which order, and what they refuse."""
import gzip
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import paddle.fluid as fluid

DESC = """name: "%s"
batch_size: 4
multi_slot_desc {
  slots {
    name: "d"
    type: "float"
    is_dense: true
    is_used: true
    shape: -1
    shape: 3
  }
  slots {
    name: "s"
    type: "uint64"
    is_used: true
  }
  slots {
    name: "label"
    type: "uint64"
    is_dense: true
    is_used: true
    shape: -1
    shape: 1
  }
}
pipe_command: "cat"
"""


@pytest.fixture(autouse=True)
def program():
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()), fluid.unique_name.guard():
        yield main


def slots():
    return [fluid.layers.data("d", [3], dtype="float32"),
            fluid.layers.data("s", [1], dtype="int64", lod_level=1),
            fluid.layers.data("label", [1], dtype="int64")]


def line(i):
    return "3 %d 0.5 1e-3 %d %s 1 %d\n" % (
        i, 1 + i % 2, " ".join(str(i * 10 + k) for k in range(1 + i % 2)), i)


def make(kind, files, batch=4, **settings):
    dataset = fluid.DatasetFactory().create_dataset(kind)
    dataset.set_use_var(slots())
    dataset.set_batch_size(batch)
    dataset.set_filelist([str(f) for f in files])
    for name, value in settings.items():
        getattr(dataset, "set_" + name)(value)
    return dataset


def batches(dataset, drop_last=False):
    """[(labels, ids, LoD of the ids)] of the batches."""
    loader = fluid.io.DataLoader.from_dataset(dataset, fluid.cpu_places(1), drop_last=drop_last)
    return [(np.array(feed["label"]).ravel().tolist(), np.array(feed["s"]).ravel().tolist(),
             feed["s"].lod()) for (feed,) in loader()]


def labels(dataset):
    return [label for batch in batches(dataset) for label in batch[0]]


@pytest.fixture
def two_files(tmp_path):
    (tmp_path / "a").write_text("".join(map(line, range(5))))
    (tmp_path / "b").write_text("".join(map(line, range(5, 7))))
    return [tmp_path / "a", tmp_path / "b"]


# As real Paddle 1.8.5 gives them (batches cross files, the short one is kept).
WANTED = [([0, 1, 2, 3], [0, 10, 11, 20, 30, 31], [[0, 1, 3, 4, 6]]),
          ([4, 5, 6], [40, 50, 51, 60], [[0, 1, 3, 4]])]


@pytest.mark.parametrize("kind", ["QueueDataset", "InMemoryDataset"])
def test_batches_are_those_of_paddle(kind, two_files):
    dataset = make(kind, two_files)
    assert dataset.desc() == DESC % ("MultiSlotDataFeed" if kind[0] == "Q"
                                     else "MultiSlotInMemoryDataFeed")
    if kind[0] == "I":
        dataset.load_into_memory()
        assert dataset.get_memory_data_size() == 7 and dataset.get_shuffle_data_size() == 0
    assert batches(dataset) == WANTED
    assert batches(dataset) == WANTED
    assert batches(dataset, drop_last=True) == WANTED[:1]


def test_zeros_are_kept_by_a_queue_and_left_out_in_memory(tmp_path):
    (tmp_path / "z").write_text("3 0 0 0 3 0 7 0 1 0\n3 0 0 0 2 0 0 1 1\n")
    wanted = {"QueueDataset": ([0, 7, 0, 0, 0], [[0, 3, 5]]),
              "InMemoryDataset": ([7, 0], [[0, 1, 2]])}
    for kind, (ids, lod) in wanted.items():
        dataset = make(kind, [tmp_path / "z"])
        if kind[0] == "I":
            dataset.load_into_memory()
        assert batches(dataset) == [([0, 1], ids, lod)]


def test_a_queue_is_what_is_made_when_nothing_is_said():
    assert type(fluid.DatasetFactory().create_dataset()).__name__ == "QueueDataset"
    with pytest.raises(ValueError, match="datafeed class Foo does not exist"):
        fluid.DatasetFactory().create_dataset("Foo")
    for kind in "FileInstantDataset", "BoxPSDataset":
        with pytest.raises(NotImplementedError, match=kind):
            fluid.DatasetFactory().create_dataset(kind)


def test_files_may_be_packed_and_cut_ones_are_refused(two_files, tmp_path):
    text = "".join(map(line, range(20000))).encode()
    (tmp_path / "w.gz").write_bytes(gzip.compress(text))
    (tmp_path / "two.gz").write_bytes(gzip.compress(text) + gzip.compress(text))
    (tmp_path / "cut.gz").write_bytes(gzip.compress(text)[:-5000])
    assert labels(make("QueueDataset", [tmp_path / "w.gz"])) == list(range(20000))
    assert len(labels(make("QueueDataset", [tmp_path / "two.gz"]))) == 40000
    dataset = make("InMemoryDataset", [two_files[0], tmp_path / "cut.gz"], thread=2)
    with pytest.raises(fluid.core.EnforceNotMet, match="cut.gz is cut off"):
        dataset.load_into_memory()
    assert dataset.get_memory_data_size() == 0


def test_pipes_run_with_a_fixed_hash_seed_unless_it_is_set(two_files, tmp_path, monkeypatch):
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)
    script = tmp_path / "pipe.py"
    script.write_text("import sys\nfor line in sys.stdin:\n"
                      "    print('3 1 1 1 1 %d 1 0' % (hash('x') % 1000003))\n")
    pipe = "%s %s" % (sys.executable, script)
    seen = set()
    for _ in range(3):
        seen.update(batches(make("QueueDataset", two_files, pipe_command=pipe))[0][1])
    wanted = subprocess.run([sys.executable, "-c", "print(hash('x') % 1000003)"], text=True,
                            env=dict(os.environ, PYTHONHASHSEED="0"), capture_output=True)
    assert seen == {int(wanted.stdout)}


@pytest.mark.parametrize("kind", ["QueueDataset", "InMemoryDataset"])
def test_a_pipe_that_fails_shows_its_status_and_its_last_words(kind, two_files, tmp_path):
    script = tmp_path / "pipe.py"
    script.write_text("import sys\nfor i, line in enumerate(sys.stdin):\n"
                      "    if i == 3:\n        print(line[:5], end='')\n        sys.stdout.flush()\n"
                      "        raise KeyError('no such thing')\n    print(line, end='')\n")
    dataset = make(kind, two_files, pipe_command="%s %s" % (sys.executable, script))
    with pytest.raises(OSError) as caught:
        dataset.load_into_memory() if kind[0] == "I" else batches(dataset)
    text = str(caught.value)
    assert "ended with status 1" in text and "KeyError: 'no such thing'" in text
    assert str(two_files[0]) + " was not read whole" in text


def test_a_pipe_of_python_2_is_told_how_to_run(two_files, tmp_path):
    script = tmp_path / "pipe.py"
    script.write_text("import sys\nfor line in sys.stdin:\n    print line.strip()\n")
    with pytest.raises(OSError, match="is Python 2: write `paddle python`"):
        batches(make("QueueDataset", two_files, pipe_command="%s %s" % (sys.executable, script)))
    paddle = os.path.join(os.path.dirname(sys.executable), "paddle")
    told = make("QueueDataset", two_files, pipe_command="%s python %s" % (paddle, script))
    assert batches(told) == WANTED


def test_a_pipe_that_is_killed_is_an_error(two_files):
    dataset = make("QueueDataset", two_files, pipe_command="cat; kill -9 $$")
    with pytest.raises(OSError, match="was killed by signal 9"):
        batches(dataset)


@pytest.mark.parametrize("text, message", [
    ("3 1 2 3 1 5\n", r"part:1: slot 'label' \(3 of 3\): the line ends"),
    ("3 1 2 3 1 0.5 1 0\n", r"part:1: slot 's' \(2 of 3\): got '0.5', wanted an id"),
    (line(0) + "2 1 2 1 5 1 0\n", r"part:2: slot 'd' \(1 of 3\): got 2 values, wanted 3"),
    (line(0) + "\n", r"part:2: slot 'd' \(1 of 3\): the line ends"),
    ("3 1 nan 3 1 5 1 0\n", r"part:1: slot 'd' \(1 of 3\): got 'nan', wanted a finite number"),
    ("3 1 2 -inf 1 5 1 0\n", r"part:1: slot 'd' \(1 of 3\): got '-inf', wanted a finite number"),
    ("3 1 2 Infinity 1 5 1 0\n", r"got 'Infinity', wanted a finite number"),
    ("3 1 2 1e39 1 5 1 0\n", r"got '1e39', wanted a finite number"),
])
@pytest.mark.promise(28)
def test_a_bad_line_names_file_line_and_slot(text, message, tmp_path):
    (tmp_path / "part").write_text(text)
    with pytest.raises(fluid.core.EnforceNotMet, match=message):
        batches(make("QueueDataset", [tmp_path / "part"]))


@pytest.mark.promise(28)
@pytest.mark.parametrize("data", [
    b"3 1 2\0 3 1 5 1 0\n", b"\0" * 300, b"-1 1 5 1 0\n", b"99999999999999999999 1\n",
    b"4294967297 1 2 3\n", b"3 1 2 3 9 5 1 0\n", b"3 1 2 3 1 5 1 0 7 7\n", b"\xff\xfe\xfd 1 2\n",
    b"3 1 2 3 1 5 1", b"3 " + b"1" * 5000 + b"\n", b"3 1 2 3 1 -5 1 0 \0\n", b"\r\n", b"nonsense",
])
@pytest.mark.parametrize("kind", ["QueueDataset", "InMemoryDataset"])
def test_bytes_that_are_no_lines_are_refused_with_their_place(kind, data, tmp_path):
    (tmp_path / "part").write_bytes(data)
    with pytest.raises(fluid.core.EnforceNotMet, match="part:1: (after )?slot"):
        dataset = make(kind, [tmp_path / "part"])
        if kind == "InMemoryDataset":
            dataset.load_into_memory()
        batches(dataset)


BOMB = """
import resource, sys
sys.path[:0] = [%r]
import test_fluid_dataset as t
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    t.batches(t.make(sys.argv[1], [sys.argv[2]]))
except Exception as error:
    print("REFUSED", error)
print("MIB", (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
""" % os.path.dirname(os.path.abspath(__file__))


@pytest.mark.promise(28)
@pytest.mark.parametrize("name", ["bomb.gz", "long"])
def test_a_line_without_end_takes_no_memory_without_end(name, tmp_path):
    """A packed file of 0.4 MB that is one line of 400 MB, and a line of 100 MB as it is."""
    path = tmp_path / name
    piece = b"1 " * (1 << 19)
    with (gzip.open(path, "wb", 1) if name.endswith(".gz") else open(path, "wb")) as file:
        for _ in range(400 if name.endswith(".gz") else 100):
            file.write(piece)
    done = subprocess.run([sys.executable, "-c", BOMB, "QueueDataset", str(path)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    assert "REFUSED %s:1" % path in done.stdout, done.stdout
    assert int(done.stdout.split("MIB")[1]) < 300, done.stdout


@pytest.mark.promise(28)
def test_bad_lines_can_be_put_aside(tmp_path):
    nan = "3 1 nan 2 1 5 1 1\n"
    (tmp_path / "part").write_text(line(0) + nan + line(1) + "3 1\n" + line(2))
    aside = tmp_path / "aside"
    fluid.set_flags({"FLAGS_data_bad_lines": 2, "FLAGS_data_bad_lines_file": str(aside)})
    try:
        assert labels(make("QueueDataset", [tmp_path / "part"])) == [0, 1, 2]
        kept = [row for row in aside.read_text().splitlines() if not row.startswith("#")]
        assert kept == [nan.strip(), "3 1"]
        fluid.set_flags({"FLAGS_data_bad_lines": 1})
        with pytest.raises(fluid.core.EnforceNotMet, match="part:4"):
            batches(make("QueueDataset", [tmp_path / "part"]))
    finally:
        fluid.set_flags({"FLAGS_data_bad_lines": 0})


@pytest.mark.parametrize("head, words, pipe", [
    (b"\xef\xbb\xbf", "byte order mark", r"sed '1s/^\xEF\xBB\xBF//'"),
    (b"\xff\xfe", "UTF-16", "iconv -f UTF-16 -t UTF-8"),
])
def test_a_file_of_a_windows_editor_is_known_by_its_head(head, words, pipe, tmp_path):
    code = "utf-8" if words[0] == "b" else "utf-16-le"
    (tmp_path / "part").write_bytes(head + (line(0) + line(1)).encode(code))
    with pytest.raises(fluid.core.EnforceNotMet, match="part:1: slot 'd'.*" + words) as caught:
        batches(make("QueueDataset", [tmp_path / "part"]))
    assert pipe in str(caught.value)
    assert labels(make("QueueDataset", [tmp_path / "part"], pipe_command=pipe)) == [0, 1]


def test_settings_of_a_wrong_kind_are_named(two_files):
    dataset = make("QueueDataset", two_files)
    for command in None, 3, ["cat"], b"cat":
        with pytest.raises(TypeError, match="set_pipe_command: pipe_command is .*must be text"):
            dataset.set_pipe_command(command)
    for files, words in ((["a", None], r"filelist\[1\] is None"), ([b"a"], r"filelist\[0\] is b'a'"),
                         (None, "filelist is None, and must be a list"), (3, "filelist is 3")):
        with pytest.raises(TypeError, match="set_filelist: " + words):
            dataset.set_filelist(files)
    with pytest.raises(TypeError, match="set_use_var: 'd' is a str, and must be a variable"):
        dataset.set_use_var(["d"])
    with pytest.raises(TypeError, match="must be one that fluid.DatasetFactory"):
        fluid.Executor().train_from_dataset(dataset=two_files)
    assert len(labels(dataset)) == 7  # what was refused has changed nothing


def test_the_same_variables_may_be_named_again_while_data_is_in_memory(two_files):
    dataset = make("InMemoryDataset", two_files)
    dataset.load_into_memory()
    block = fluid.default_main_program().global_block()
    dataset.set_use_var([block.var(name) for name in ("d", "s", "label")])
    assert batches(dataset) == WANTED
    with pytest.raises(ValueError, match="while data is in memory: release it first"):
        dataset.set_use_var([block.var("d")])


def test_nothing_to_read_is_said(tmp_path, capfd):
    assert batches(make("QueueDataset", [])) == []
    assert "file list is empty" in capfd.readouterr().err
    with pytest.raises(fluid.core.EnforceNotMet, match="nowhere: No such file"):
        batches(make("QueueDataset", [tmp_path / "nowhere"]))
    make("InMemoryDataset", []).load_into_memory()
    assert "file list is empty" in capfd.readouterr().err
    dataset = fluid.DatasetFactory().create_dataset("InMemoryDataset")
    dataset.set_use_var(slots())
    with pytest.raises(ValueError, match="name them with set_filelist"):
        dataset.load_into_memory()
    with pytest.raises(ValueError, match="call load_into_memory first"):
        batches(make("InMemoryDataset", [tmp_path / "x"]))
    dataset = fluid.DatasetFactory().create_dataset()
    for dtype in "float64", "int32":
        with pytest.raises(ValueError, match="only supports dtype=float32 and dtype=int64"):
            dataset.set_use_var([fluid.layers.data(dtype, [1], dtype=dtype)])
    with pytest.raises(ValueError, match=r"has the shape \[-1, -1\]"):
        dataset.set_use_var([fluid.data("wide", [None, None])])


def test_shuffles_repeat_and_lose_nothing(two_files, tmp_path, program):
    (tmp_path / "many").write_text("".join(map(line, range(5000))))
    orders = []
    for seed in 1, 1, 2:
        program.random_seed = seed
        dataset = make("InMemoryDataset", [tmp_path / "many"], thread=3)
        dataset.preload_into_memory(2)
        dataset.wait_preload_done()
        dataset.local_shuffle()
        orders.append(labels(dataset))
        assert sorted(orders[-1]) == list(range(5000)) != orders[-1]
    assert orders[0] == orders[1] != orders[2]
    dataset.global_shuffle()
    assert dataset.get_shuffle_data_size() == 5000
    assert labels(dataset) != orders[2]
    dataset.release_memory()
    assert dataset.get_memory_data_size() == 0
    queue = make("QueueDataset", two_files)
    for name in "local_shuffle", "global_shuffle":
        with pytest.raises(NotImplementedError, match="please use InMemoryDataset"):
            getattr(queue, name)()


def test_slots_shuffle_moves_one_slot(tmp_path):
    (tmp_path / "many").write_text("".join(map(line, range(1000))))
    dataset = make("InMemoryDataset", [tmp_path / "many"], batch=1000)
    dataset.load_into_memory()
    with pytest.raises(RuntimeError, match="set_fea_eval"):
        dataset.slots_shuffle(["s"])
    (_, before, lod), = batches(dataset)
    dataset.set_fea_eval(10000)
    dataset.slots_shuffle({"s"})
    (kept, after, moved), = batches(dataset)
    assert kept == list(range(1000))
    assert sorted(after) == sorted(before) and after != before and moved != lod
    dataset.slots_shuffle([])
    assert batches(dataset)[0][1] == before


def test_instances_are_merged_by_their_ids(tmp_path):
    rows = [("b", line(0)), ("a", line(1)), ("b", line(2)), ("c", line(3)), ("a", line(4))]
    (tmp_path / "ids").write_text("".join("1 %s %s" % row for row in rows))
    dataset = make("InMemoryDataset", [tmp_path / "ids"])
    dataset.set_merge_by_lineid(2)
    dataset.load_into_memory()
    assert dataset.get_memory_data_size() == 5
    dataset.global_shuffle()
    assert dataset.get_memory_data_size() == 2
    (_, ids, _), = batches(dataset)
    assert sorted(ids) == [10, 11, 20, 40]  # the 0 of line(0) held an empty slot's place


def test_merging_is_asked_for_after_loading(tmp_path):
    (tmp_path / "ids").write_text("".join("1 %s %s" % row for row in (
        ("b", line(1)), ("a", line(2)), ("b", line(3)))))
    dataset = make("InMemoryDataset", [tmp_path / "ids"])
    dataset.set_parse_ins_id(True)
    dataset.load_into_memory()
    dataset.set_merge_by_lineid()
    dataset.global_shuffle()
    assert dataset.get_memory_data_size() == 1
    (tmp_path / "plain").write_text(line(1))
    dataset = make("InMemoryDataset", [tmp_path / "plain"])
    dataset.load_into_memory()
    with pytest.raises(RuntimeError, match="read without ids; call set_parse_ins_id"):
        dataset.set_merge_by_lineid()
    assert fluid.InMemoryDataset().__class__ is type(dataset)


def test_settings_are_honoured_or_refused(two_files):
    dataset = make("InMemoryDataset", two_files)
    dataset.set_queue_num(3)
    dataset.set_fleet_send_batch_size(500)
    dataset.set_fleet_send_sleep_seconds(0)
    dataset.set_hdfs_config("hdfs://x", "me,secret")
    dataset.set_feed_type("MultiSlotInMemoryDataFeed")
    for call in (lambda: dataset.set_feed_type("PaddleBoxDataFeed"),
                 lambda: dataset.set_rank_offset("r"), lambda: dataset.set_pv_batch_size(3),
                 lambda: dataset.set_parse_logkey(True), lambda: dataset.get_pv_data_size(),
                 lambda: dataset.set_enable_pv_merge(True),
                 lambda: dataset.set_generate_unique_feasigns(True, 3)):
        with pytest.raises(NotImplementedError):
            call()
    with pytest.raises(ValueError, match="a batch size of 0"):
        dataset.set_batch_size(0)
    with pytest.raises(ValueError, match="threads"):
        dataset.set_thread(0)
    dataset.load_into_memory()
    with pytest.raises(ValueError, match="release_memory"):
        dataset.set_use_var(slots()[:1])


def test_remote_files_come_through_a_command(two_files, tmp_path):
    fetch = tmp_path / "fetch"
    fetch.write_text("#!/bin/sh\ntest \"$1\" = hdfs:/x/a && exec cat %s\n" % two_files[0])
    fetch.chmod(0o755)
    dataset = make("QueueDataset", ["hdfs:/x/a"], download_cmd=str(fetch))
    assert labels(dataset) == list(range(5))
    dataset.set_filelist(["hdfs:/x/b"])
    with pytest.raises(OSError, match="hdfs:/x/b was not read whole"):
        batches(dataset)


def test_ctrl_c_ends_a_load_that_hangs(two_files, tmp_path):
    code = ("import paddle.fluid as fluid\n"
            "d = fluid.DatasetFactory().create_dataset('InMemoryDataset')\n"
            "d.set_use_var([fluid.layers.data('x', [1])])\n"
            "d.set_filelist([%r]); d.set_pipe_command('touch %s; sleep 1000')\n"
            "try:\n    d.load_into_memory()\n"
            "except KeyboardInterrupt:\n    print('interrupted', flush=True)\n"
            % (str(two_files[0]), tmp_path / "up"))
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    while not (tmp_path / "up").exists():
        assert child.poll() is None
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    assert child.communicate(timeout=60)[0] == "interrupted\n"


def test_desc_of_a_file(tmp_path):
    path = tmp_path / "data.proto"
    path.write_text("""name: "MultiSlotDataFeed"  # how it is read
batch_size: 2
multi_slot_desc {
  slots { name: "words" type: "uint64" is_dense: false is_used: false }
  slots: { name: 'label', type: "uint64" }
}
""")
    desc = fluid.DataFeedDesc(str(path))
    desc.set_batch_size(128)
    desc.set_use_slots(["words"])
    desc.set_dense_slots(["label"])
    assert desc.desc() == """name: "MultiSlotDataFeed"
batch_size: 128
multi_slot_desc {
  slots {
    name: "words"
    type: "uint64"
    is_dense: false
    is_used: true
  }
  slots {
    name: "label"
    type: "uint64"
    is_dense: true
  }
}
pipe_command: "cat"
"""
    with pytest.raises(ValueError, match="there is no slot 'nope'"):
        desc.set_use_slots(["nope"])
    path.write_text('name: "MultiSlotDataFeed" multi_slot_desc <slots <name: "a" type: "float" '
                    'is_dense: false is_used: false> slots {name: "b"}>')
    desc = fluid.DataFeedDesc(str(path))
    desc.set_use_slots(["a"])
    assert "    is_dense: false\n    is_used: true\n" in desc.desc()  # as protobuf: what was set
    assert desc.desc().count("is_dense") == 1
    path.write_text("name: \"x\"\nbatch_size 3\n")
    with pytest.raises(ValueError, match="data.proto:2: a ':' or '{' is wanted"):
        fluid.DataFeedDesc(str(path))


@pytest.mark.parametrize("pipe", ["cat", "sed s/7/7/"])
@pytest.mark.parametrize("kind", ["InMemoryDataset", "QueueDataset"])
def test_a_data_file_that_is_a_pipe(kind, pipe, program, tmp_path):
    """Nobody writes to it: it is refused by name, not waited for."""
    os.mkfifo(tmp_path / "part-0")
    dataset = fluid.DatasetFactory().create_dataset(kind)
    dataset.set_use_var(slots())
    dataset.set_pipe_command(pipe)
    dataset.set_filelist([str(tmp_path / "part-0")])
    with pytest.raises((RuntimeError, OSError), match="part-0: it is a named pipe"):
        if kind == "InMemoryDataset":
            dataset.load_into_memory()
        else:
            fluid.Executor().train_from_dataset(program, dataset)


@pytest.mark.parametrize("infer", [False, True])
def test_each_pass_draws_numbers_of_its_own_and_a_script_repeats_them(infer, program, tmp_path):
    (tmp_path / "part-0").write_text("1 0.5\n1 0.5\n")
    layers = fluid.layers
    x = fluid.data("x", [None, 1])
    kept = layers.create_global_var([8], 0.0, "float32", persistable=True, name="kept")
    layers.assign(layers.dropout(layers.fill_constant([8], "float32", 1.0), 0.5)
                  + layers.gaussian_random([8]), kept)
    program.random_seed = 7
    dataset = fluid.DatasetFactory().create_dataset("QueueDataset")
    dataset.set_use_var([x])
    dataset.set_filelist([str(tmp_path / "part-0")])

    def drawn():
        exe, seen = fluid.Executor(), []
        with fluid.scope_guard(fluid.Scope()):
            for _ in range(3):
                run = exe.infer_from_dataset if infer else exe.train_from_dataset
                run(program, dataset)
                value = fluid.global_scope().find_var("kept").get_tensor()
                seen.append(np.array(value).tolist())
        return seen

    first = drawn()
    assert first[0] != first[1] != first[2] != first[0]
    assert drawn() == first
