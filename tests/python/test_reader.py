"""paddle.reader and paddle.batch: what they yield, and that threads and processes end."""
import os
import random
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import paddle
from paddle import reader as R
from paddle.reader import creator


def count(n):
    return lambda: iter(range(n))


def pairs():
    return iter([(1, 2), (3, 4)])


class Boom(Exception):
    pass


class Unpicklable(Exception):
    def __init__(self, one, two):
        super().__init__("not %s %s" % (one, two))


def boom(after, error=Boom("the file is broken")):
    def reader():
        for i in range(after):
            yield i
        raise error
    return reader


def wait_for(condition, seconds=5):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture(autouse=True)
def nothing_stays_behind():
    """After each test: as many threads as before, and no children."""
    import multiprocessing
    before = threading.active_count()
    yield
    wait_for(lambda: threading.active_count() <= before)
    assert multiprocessing.active_children() == []


# ---- without threads ----

def test_map_readers_ends_with_the_shortest():
    assert list(R.map_readers(lambda a, b: a + b, count(3), count(5))()) == [0, 2, 4]
    assert list(R.map_readers(lambda a: a * 2, count(3))()) == [0, 2, 4]


def test_chain():
    chained = R.chain(count(3), pairs, count(0))
    assert list(chained()) == [0, 1, 2, (1, 2), (3, 4)] == list(chained())


def test_compose_flattens_tuples():
    assert list(R.compose(count(2), pairs, count(2))()) == [(0, 1, 2, 0), (1, 3, 4, 1)]
    assert list(R.compose(pairs)()) == [(1, 2), (3, 4)]


def test_compose_keeps_none_and_lists():
    assert list(R.compose(lambda: iter([None, [1]]), count(2))()) == [(None, 0), ([1], 1)]


def test_compose_refuses_unequal_lengths():
    composed = R.compose(count(3), count(5))()
    assert [next(composed) for _ in range(3)] == [(0, 0), (1, 1), (2, 2)]
    with pytest.raises(R.ComposeNotAligned, match="reader 1 of 2"):
        next(composed)
    assert issubclass(R.ComposeNotAligned, ValueError)
    assert list(R.compose(count(3), count(2), check_alignment=False)()) == [(0, 0), (1, 1)]


def test_compose_refuses_unknown_arguments():
    with pytest.raises(TypeError, match="chek"):
        R.compose(count(1), chek_alignment=False)


def test_shuffle_within_the_buffer():
    random.seed(4)
    # What Paddle 1.8.5 yields after the same random.seed(4).
    assert list(R.shuffle(count(20), 8)()) == [1, 6, 5, 4, 7, 0, 2, 3, 15, 13, 14, 10, 12, 11, 8,
                                               9, 19, 16, 17, 18]
    assert sorted(R.shuffle(count(20), 100)()) == list(range(20))
    assert list(R.shuffle(count(20), 0)()) == list(range(20))
    with pytest.raises(ValueError, match="buf_size"):
        R.shuffle(count(3), -1)


def test_firstn():
    assert list(R.firstn(count(5), 2)()) == [0, 1]
    assert list(R.firstn(count(5), 0)()) == []
    assert list(R.firstn(count(5), 9)()) == list(range(5))
    assert list(R.firstn(count(5), -1)()) == list(range(5))


def test_cache_reads_once():
    calls = []

    def reader():
        calls.append(1)
        yield from range(4)
    cached = R.cache(reader)
    assert list(cached()) == list(cached()) == [0, 1, 2, 3]
    assert next(cached()) == 0
    assert len(calls) == 1


def test_cache_shows_the_error():
    with pytest.raises(Boom):
        R.cache(boom(2))


def test_batch():
    assert list(paddle.batch(count(5), 2)()) == [[0, 1], [2, 3], [4]]
    assert list(paddle.batch(count(5), 2, drop_last=True)()) == [[0, 1], [2, 3]]
    assert list(paddle.batch(count(4), batch_size=2)()) == [[0, 1], [2, 3]]
    assert list(paddle.batch(count(0), 2)()) == []
    for bad in (0, -1):
        with pytest.raises(ValueError, match="batch_size"):
            paddle.batch(count(5), bad)


def test_creators(tmp_path):
    assert [list(r) for r in creator.np_array(np.arange(4).reshape(2, 2))()] == [[0, 1], [2, 3]]
    assert list(creator.np_array(np.arange(3))()) == [0, 1, 2]
    assert [float(v) for v in creator.np_array(np.array(2.5))()] == [2.5]
    path = tmp_path / "lines.txt"
    path.write_text("a b\n\nc\u00e9 ", encoding="utf-8")
    assert list(creator.text_file(str(path))()) == ["a b", "", "c\u00e9 "]
    with pytest.raises(NotImplementedError, match="recordio"):
        creator.recordio("a.recordio")


# ---- threads ----

def test_buffered_keeps_the_order_and_can_be_read_again():
    ahead = R.buffered(count(1000), 10)
    assert list(ahead()) == list(range(1000)) == list(ahead())
    assert list(R.buffered(count(0), 1)()) == []
    assert list(R.buffered(lambda: iter([None, 1]), 1)()) == [None, 1]


def test_buffered_reads_ahead_and_no_further():
    read = []

    def reader():
        for i in range(100):
            read.append(i)
            yield i
    samples = R.buffered(reader, 5)()
    assert next(samples) == 0
    wait_for(lambda: len(read) == 7)  # one out, five in the queue, one in the thread's hand
    time.sleep(0.05)
    assert len(read) == 7
    samples.close()


def test_buffered_shows_the_error_after_the_samples():
    got = []
    with pytest.raises(Boom, match="the file is broken") as caught:
        for sample in R.buffered(boom(3), 2)():
            got.append(sample)
    assert got == [0, 1, 2]
    assert any(entry.name == "reader" for entry in caught.traceback)  # the reader's own frames


def test_buffered_thread_ends_when_the_consumer_goes():
    closed = []

    def endless():
        try:
            while True:
                yield 1
        finally:
            closed.append(True)
    for sample in R.buffered(endless, 3)():
        break
    wait_for(lambda: closed == [True])


@pytest.mark.parametrize("size", [0, -1, 2.5, "3", True])
def test_buffered_refuses_sizes(size):
    with pytest.raises(ValueError, match="size"):
        R.buffered(count(3), size)


@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize("buffer_size", [1, 10])
def test_xmap_readers(workers, buffer_size):
    def slow(x):
        if x % 7 == 0:
            time.sleep(0.002)
        return x * 2
    want = [2 * i for i in range(100)]
    in_order = R.xmap_readers(slow, count(100), workers, buffer_size, order=True)
    assert list(in_order()) == want == list(in_order())
    assert sorted(R.xmap_readers(slow, count(100), workers, buffer_size)()) == want
    assert list(R.xmap_readers(slow, count(0), workers, buffer_size)()) == []
    assert list(R.xmap_readers(slow, count(0), workers, buffer_size, order=True)()) == []


@pytest.mark.parametrize("order", [False, True])
def test_xmap_shows_the_errors_of_mapper_and_reader(order):
    def mapper(x):
        if x == 5:
            raise Boom("sample 5")
        return x
    with pytest.raises(Boom, match="sample 5"):
        list(R.xmap_readers(mapper, count(100), 3, 4, order)())
    got = []
    with pytest.raises(Boom, match="the file is broken"):
        for sample in R.xmap_readers(lambda x: x, boom(4), 3, 4, order)():
            got.append(sample)
    if order:
        assert got == [0, 1, 2, 3]


@pytest.mark.parametrize("order", [False, True])
def test_xmap_works_in_parallel(order):
    together = threading.Barrier(3, timeout=5)
    done = list(R.xmap_readers(lambda x: together.wait() and x, count(3), 3, 3, order)())
    assert len(done) == 3


@pytest.mark.parametrize("order", [False, True])
def test_xmap_threads_end_when_the_consumer_goes(order):
    for sample in R.xmap_readers(lambda x: x, lambda: iter(int, 1), 4, 2, order)():
        break  # the fixture counts the threads


def test_a_script_ends_with_threads_still_at_work():
    script = ("import paddle\n"
              "r = paddle.reader.buffered(lambda: iter(int, 1), 3)()\n"
              "x = paddle.reader.xmap_readers(str, lambda: iter(int, 1), 2, 3)()\n"
              "print(next(r), next(x))\n")
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=20)
    assert (out.returncode, out.stdout, out.stderr) == (0, b"0 0\n", b"")


# ---- processes ----

def pid_reader(n):
    def reader():
        for i in range(n):
            yield os.getpid(), i
    return reader


@pytest.mark.parametrize("use_pipe", [True, False])
def test_multiprocess_reader_merges(use_pipe):
    merged = R.multiprocess_reader([pid_reader(5), pid_reader(50), pid_reader(0)], use_pipe)
    got = list(merged())
    by_pid = {}
    for pid, i in got:
        by_pid.setdefault(pid, []).append(i)
    assert os.getpid() not in by_pid
    assert sorted(by_pid.values(), key=len) == [list(range(5)), list(range(50))]
    assert len(list(merged())) == 55  # and again


@pytest.mark.parametrize("use_pipe", [True, False])
def test_multiprocess_reader_carries_arrays_and_none(use_pipe):
    def reader():
        yield np.arange(100000), None
        yield None
    got = list(R.multiprocess_reader([reader], use_pipe, queue_size=1)())
    np.testing.assert_array_equal(got[0][0], np.arange(100000))
    assert got[0][1] is None and got[1] is None


@pytest.mark.parametrize("use_pipe", [True, False])
def test_multiprocess_reader_shows_errors(use_pipe):
    with pytest.raises(Boom, match="the file is broken") as caught:
        list(R.multiprocess_reader([count(3), boom(2)], use_pipe)())
    assert "in reader" in str(caught.value.__cause__)  # the child's traceback
    with pytest.raises(RuntimeError, match="Unpicklable.*not 1 2"):
        list(R.multiprocess_reader([boom(0, Unpicklable(1, 2))], use_pipe)())
    with pytest.raises(Exception, match="lambda|pickle"):
        list(R.multiprocess_reader([lambda: iter([lambda: 0])], use_pipe)())


@pytest.mark.parametrize("use_pipe", [True, False])
def test_multiprocess_reader_notices_a_killed_process(use_pipe):
    def killed():
        yield 1
        time.sleep(0.1)  # let the queue's thread send it
        os.kill(os.getpid(), signal.SIGKILL)
    got = []
    with pytest.raises(RuntimeError, match=r"reader 1 died \(exit code -9\)"):
        for sample in R.multiprocess_reader([count(2), killed], use_pipe)():
            got.append(sample)
    assert sorted(got) == [0, 1, 1]


@pytest.mark.parametrize("use_pipe", [True, False])
def test_multiprocess_reader_ends_when_the_consumer_goes(use_pipe):
    pids = []
    for pid, _ in R.multiprocess_reader([pid_reader(10 ** 9)] * 2, use_pipe, queue_size=2)():
        pids.append(pid)
        break
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)


def test_multiprocess_reader_refuses():
    with pytest.raises(AssertionError):
        R.multiprocess_reader([])
    with pytest.raises(ValueError, match="queue_size"):
        R.multiprocess_reader([count(1)], queue_size=0)


@pytest.mark.parametrize("use_pipe", [True, False])
def test_children_end_when_the_parent_is_killed(use_pipe, tmp_path):
    script = ("import os, paddle, sys\n"
              "def reader():\n"
              "    while True:\n"
              "        yield os.getpid()\n"
              "for pid in paddle.reader.multiprocess_reader([reader], %r, 3)():\n"
              "    print(pid, flush=True)\n"
              "    os.kill(os.getpid(), 9)\n" % use_pipe)
    with open(tmp_path / "err", "w") as err:
        out = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=err,
                             timeout=20)
    pid = int(out.stdout)

    def gone():
        try:
            with open("/proc/%d/stat" % pid) as f:
                return f.read().rsplit(")", 1)[1].split()[0] == "Z"
        except OSError:
            return True
    wait_for(gone)
    assert (tmp_path / "err").read_text() == ""


@pytest.mark.parametrize("file_type,command", [("plain", "cat"), ("gzip", "gzip -c")])
def test_pipe_reader_parses_what_a_command_prints(tmp_path, file_type, command):
    path = tmp_path / "words"
    path.write_text("".join("%d caf\u00e9\n" % i for i in range(5000)) + "last", encoding="utf-8")
    reader = R.pipe_reader("%s %s" % (command, path), str.split, bufsize=100, file_type=file_type)
    for _ in range(2):
        samples = list(reader())
        assert len(samples) == 5001 and samples[4999] == ["4999", "caf\u00e9"]
        assert samples[-1] == ["last"]
    whole = "".join(R.pipe_reader("cat %s" % path, lambda text: text, cut_lines=False)())
    assert whole == path.read_text(encoding="utf-8")


def test_pipe_reader_says_that_a_command_failed_and_ends_it():
    with pytest.raises(RuntimeError, match="'false' ended with status 1"):
        list(R.pipe_reader("false", str.split)())
    lines = R.pipe_reader("yes", str.split)()
    assert next(lines) == ["y"]
    lines.close()  # and does not wait for its end
    with pytest.raises(TypeError, match="file_type is 'zip'"):
        R.pipe_reader("cat", str.split, file_type="zip")
    with pytest.raises(NotImplementedError, match="no master and no etcd"):
        creator.cloud_reader(["a"], "127.0.0.1:2379")
