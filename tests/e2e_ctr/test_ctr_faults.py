"""What goes wrong with data ends a job at once, with one error that says what and where, and a
status that is not 0. Every case is a process of its own: none may hang."""
import gzip
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from ctr_data import SMALL_JOB, environment, planted_lines

KINDS = ["QueueDataset", "InMemoryDataset"]


@pytest.fixture(scope="module")
def good():
    return "".join(planted_lines(2000, 4))


def start(files, kind="QueueDataset", pipe="cat", **env):
    job = SMALL_JOB % {"kind": kind, "pipe": pipe, "files": [str(f) for f in files]}
    return subprocess.Popen([sys.executable, "-c", job], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env=environment(**env))


def fail(*args, **more):
    """What the job says on stderr when it fails."""
    process = start(*args, **more)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 1, (process.returncode, out, err)
    assert "trained" not in out
    assert err.count("Traceback") == 1, err
    return err


def test_the_job_works_when_nothing_is_wrong(good, tmp_path):
    (tmp_path / "part").write_text(good)
    for kind in KINDS:
        process = start([tmp_path / "part"], kind)
        out, err = process.communicate(timeout=30)
        assert process.returncode == 0 and "trained" in out, err


@pytest.mark.parametrize("kind", KINDS)
def test_a_pipe_command_that_is_killed_midway(kind, good, tmp_path):
    (tmp_path / "part").write_text(good)
    pids = tmp_path / "pid"
    process = start([tmp_path / "part"], kind,
                    "echo $$ > %s.new; mv %s.new %s; head -100; sleep 1000" % (pids, pids, pids))
    for _ in range(600):
        if pids.exists():
            break
        time.sleep(0.05)
    os.kill(int(pids.read_text()), signal.SIGKILL)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 1 and "trained" not in out
    assert "was killed by signal 9" in err and "part was not read whole" in err


@pytest.mark.parametrize("kind", KINDS)
def test_a_pipe_command_that_fails_or_is_not_there(kind, good, tmp_path):
    (tmp_path / "part").write_text(good)
    err = fail([tmp_path / "part"], kind, "head -10; echo broken glass >&2; exit 7")
    assert "ended with status 7" in err and "broken glass" in err
    err = fail([tmp_path / "part"], kind, "no-such-command-here")
    assert "status 127" in err and "no-such-command-here" in err


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.promise(28)
def test_a_gz_that_is_cut_off(kind, good, tmp_path):
    (tmp_path / "part.gz").write_bytes(gzip.compress(good.encode())[:-1000])
    assert "part.gz is cut off" in fail([tmp_path / "part.gz"], kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("line, message", [
    ("2 0.1 0.2 1 5 1 45 1 1\n", r"part:1001: slot 'label' \(5 of 5\): the line ends"),
    ("2 0.1 0.2 1 5 1 45.5 1 85 1 1\n",
     r"part:1001: slot 's1' \(3 of 5\): got '45.5', wanted an id"),
    ("2 0.1 x 1 5 1 45 1 85 1 1\n", r"part:1001: slot 'd' \(1 of 5\)"),
    ("2 0.1 0.2 1 5 1 45 1 85 1 1 9\n", r"part:1001"),
    ("2 0.1 0.2 0 1 45 1 85 1 1\n", r"part:1001: slot 's0' \(2 of 5\)"),
    ("2 0.1 0.2 99999999999 5 1 45 1 85 1 1\n", r"part:1001: slot 's0' \(2 of 5\)"),
])
@pytest.mark.promise(28)
def test_a_line_that_does_not_fit(kind, line, message, good, tmp_path):
    lines = good.splitlines(True)
    (tmp_path / "part").write_text("".join(lines[:1000]) + line + "".join(lines[1000:]))
    assert re.search(message, fail([tmp_path / "part"], kind))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bad", ["120", "9223372036854775807", "18446744073709551615"])
def test_an_id_beyond_the_table(kind, bad, good, tmp_path):
    (tmp_path / "part").write_text(good + "2 0.1 0.2 1 5 1 %s 1 85 1 1\n" % bad)
    err = fail([tmp_path / "part"], kind)
    assert re.search(r"s1 has the id \S+ at element \d+, and the table has 120 rows", err) or (
        "part:2001: slot 's1'" in err)


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_is_missing_or_a_folder(kind, good, tmp_path):
    (tmp_path / "part").write_text(good)
    assert "nowhere: No such file" in fail([tmp_path / "part", tmp_path / "nowhere"], kind)
    assert str(tmp_path) in fail([tmp_path], kind)


def test_a_label_that_is_none(good, tmp_path):
    (tmp_path / "part").write_text(good + "2 0.1 0.2 1 5 1 45 1 85 1 2\n")
    err = fail([tmp_path / "part"])
    assert "cross_entropy" in err and re.search(r"\b2\b", err)


def test_ctrl_c_ends_training_promptly(good, tmp_path):
    fifo, up = tmp_path / "part", tmp_path / "up"
    fifo.write_text(good)
    process = start([fifo], pipe="cat; touch %s; sleep 1000" % up)
    for _ in range(600):
        if up.exists():
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert "KeyboardInterrupt" in err and process.returncode != 0 and "trained" not in out


@pytest.mark.promise(28)
def test_bad_lines_are_put_aside_where_that_is_asked_for(good, tmp_path):
    aside = tmp_path / "aside"
    (tmp_path / "part").write_text(good + "rubbish\n")
    process = start([tmp_path / "part"], FLAGS_data_bad_lines="1",
                    FLAGS_data_bad_lines_file=str(aside))
    out, err = process.communicate(timeout=30)
    assert process.returncode == 0 and "trained" in out, err
    assert "rubbish" in aside.read_text()


# ---- an id that the table has not ----

@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.promise(28)
def test_a_bad_id_names_its_file_and_line(kind, good, tmp_path):
    lines = good.splitlines(True)
    bad = lines[700].split()
    bad[6] = "777777"
    (tmp_path / "a").write_text("".join(lines[:600]))
    (tmp_path / "b").write_text("".join(lines[600:700] + [" ".join(bad) + "\n"] + lines[701:]))
    err = fail([tmp_path / "a", tmp_path / "b"], kind)
    assert "%s:101, slot s1: " % (tmp_path / "b") in err
    assert "777777" in err.splitlines()[-1]


def test_a_bad_id_is_found_in_shuffled_data_and_behind_lines_put_aside(good, tmp_path):
    lines = good.splitlines(True)
    bad = lines[700].split()
    bad[6] = "-3"
    (tmp_path / "a").write_text("".join(lines[:300] + ["no line\n"] + lines[300:700]
                                        + [" ".join(bad) + "\n"] + lines[701:]))
    job = SMALL_JOB.replace("    dataset.load_into_memory()",
                            "    dataset.load_into_memory()\n    dataset.local_shuffle()")
    done = subprocess.run(
        [sys.executable, "-c", job % {"kind": "InMemoryDataset", "pipe": "cat",
                                      "files": [str(tmp_path / "a")]}],
        capture_output=True, text=True, timeout=60,
        env=environment(FLAGS_data_bad_lines="1",
                        FLAGS_data_bad_lines_file=str(tmp_path / "aside")))
    assert done.returncode == 1
    assert "%s:702, slot s1: " % (tmp_path / "a") in done.stderr, done.stderr


NAMES_JOB = """
import paddle.fluid as fluid
movie = fluid.data("movie_id", [None, 1], "int64")
label = fluid.data("label", [None, 1], "int64")
hidden = fluid.layers.reshape(fluid.layers.embedding(movie, [50, 4]), [-1, 4])
loss = fluid.layers.mean(fluid.layers.cross_entropy(
    fluid.layers.fc(hidden, 2, act="softmax"), label))
fluid.optimizer.SGD(0.1).minimize(loss)
exe = fluid.Executor()
exe.run(fluid.default_startup_program())
dataset = fluid.DatasetFactory().create_dataset("QueueDataset")
dataset.set_use_var([movie, label])
dataset.set_batch_size(4)
dataset.set_filelist(["part"])
exe.train_from_dataset(fluid.default_main_program(), dataset)
"""


@pytest.mark.parametrize("line, said", [("1 57 1 0", "part:9, slot movie_id: "),
                                        ("1 3 1 7", "part:9, slot label: ")])
def test_a_slot_may_be_called_id_and_a_label_may_be_bad(line, said, tmp_path):
    """7 is a movie, too, in the batch."""
    (tmp_path / "part").write_text("1 7 1 0\n" * 8 + line + "\n" + "1 7 1 1\n" * 3)
    done = subprocess.run([sys.executable, "-c", NAMES_JOB], cwd=str(tmp_path), text=True,
                          capture_output=True, timeout=60, env=environment())
    assert done.returncode == 1 and said in done.stderr, done.stderr


# ---- what used to be passed over in silence ----

@pytest.mark.parametrize("kind", KINDS)
def test_empty_data_are_said_to_be(kind, good, tmp_path):
    (tmp_path / "empty").write_text("")
    (tmp_path / "good").write_text(good)
    process = start([tmp_path / "empty", tmp_path / "good"], kind)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 0 and "file=%s \"is empty" % (tmp_path / "empty") in err, err
    process = start([tmp_path / "empty"], kind)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 0 and "there was not one example in the data" in err, err
    process = start([], kind)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 0 and "file list is empty" in err, err


def test_a_program_without_an_optimizer_is_said_to_be(good, tmp_path):
    (tmp_path / "part").write_text(good)
    job = SMALL_JOB.replace("fluid.optimizer.Adam(0.02).minimize(loss)", "")
    done = subprocess.run([sys.executable, "-c", job % {"kind": "QueueDataset", "pipe": "cat",
                                                        "files": [str(tmp_path / "part")]}],
                          capture_output=True, text=True, timeout=60, env=environment())
    assert done.returncode == 0 and "nothing is trained" in done.stderr, done.stderr


def test_a_name_in_the_place_of_a_list_of_files_is_refused():
    import paddle.fluid as fluid
    dataset = fluid.DatasetFactory().create_dataset("QueueDataset")
    with pytest.raises(TypeError, match=r"set_filelist\(\['r.txt'\]\)"):
        dataset.set_filelist("r.txt")
