"""Executor.train_from_dataset and infer_from_dataset: threads, what they print, what they keep."""
import os
import re
import subprocess
import sys

import numpy as np
import pytest

from ctr_data import SMALL_JOB, environment, planted_lines
import paddle.fluid as fluid

ROWS = 3000


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("text")
    for part in range(3):
        (folder / ("part-%d" % part)).write_text("".join(planted_lines(ROWS // 3, part)))
    return [str(folder / ("part-%d" % part)) for part in range(3)]


class Job:
    """A small CTR model in programs and a scope of its own."""

    def __init__(self, files, kind="QueueDataset", optimizer=None, batch=50):
        self.main, self.startup, self.scope = fluid.Program(), fluid.Program(), fluid.Scope()
        self.main.random_seed = self.startup.random_seed = 3
        with fluid.program_guard(self.main, self.startup), fluid.unique_name.guard():
            self.d = fluid.layers.data("d", [2])
            self.slots = [fluid.layers.data("s%d" % i, [1], dtype="int64", lod_level=1)
                          for i in range(3)]
            label = fluid.layers.data("label", [1], dtype="int64")
            rows = [fluid.layers.embedding(s, [120, 4], is_sparse=True, param_attr="table")
                    for s in self.slots]
            hidden = fluid.layers.fc(fluid.layers.concat(rows + [self.d], axis=1), 16, act="relu")
            self.predict = fluid.layers.fc(hidden, 2, act="softmax")
            self.loss = fluid.layers.mean(fluid.layers.cross_entropy(self.predict, label))
            self.auc, _, self.stats = fluid.layers.auc(self.predict, label)
            (optimizer or fluid.optimizer.Adam(0.02)).minimize(self.loss)
        self.exe = fluid.Executor(fluid.CPUPlace())
        self.exe.run(self.startup, scope=self.scope)
        self.dataset = fluid.DatasetFactory().create_dataset(kind)
        self.dataset.set_use_var([self.d] + self.slots + [label])
        self.dataset.set_batch_size(batch)
        self.dataset.set_filelist(files)
        if kind == "InMemoryDataset":
            self.dataset.load_into_memory()

    def train(self, **more):
        self.exe.train_from_dataset(self.main, self.dataset, scope=self.scope, **more)
        return self

    def counted(self):
        """Examples in the counters of the global AUC."""
        return sum(int(np.array(self.scope.find_var(v.name).get_tensor()).sum())
                   for v in self.stats[2:])

    def parameters(self):
        return {v.name: np.array(self.scope.find_var(v.name).get_tensor())
                for v in self.main.list_vars()
                if v.persistable and v.dtype == fluid.core.VarDesc.VarType.FP32}


def aucs(text):
    return [float(x) for x in re.findall(r"^auc\t\S+\t\t.*\n.*\n.*\n\tdtype: double\n"
                                         r"\tdata: \[([0-9.e-]+)\]\n\t\n", text, re.MULTILINE)]


@pytest.mark.parametrize("kind", ["QueueDataset", "InMemoryDataset"])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_auc_counts_every_example_once(kind, threads, files, capfd):
    job = Job(files, kind).train(thread=threads)
    assert job.counted() == ROWS
    job.train(thread=threads, fetch_list=[job.auc], fetch_info=["auc"], print_period=1)
    assert job.counted() == 2 * ROWS
    seen = aucs(capfd.readouterr().out)
    assert len(seen) == -(-ROWS // 50 // threads) and seen[-1] > 0.7


@pytest.mark.parametrize("kind", ["QueueDataset", "InMemoryDataset"])
def test_one_thread_repeats_bit_by_bit(kind, files):
    first, second = [Job(files, kind).train(thread=1).train(thread=1).parameters()
                     for _ in range(2)]
    assert first.keys() == second.keys() and len(first) > 5
    for name in first:
        assert first[name].tobytes() == second[name].tobytes(), name


def test_a_dataset_trains_as_run_does(files):
    """The same batches, fed by hand."""
    job, other = Job(files[:1]).train(), Job(files[:1])
    lines = [line.split() for line in open(files[0])]
    for at in range(0, len(lines), 50):
        part = lines[at:at + 50]
        feed = {"d": np.array([row[1:3] for row in part], "float32"),
                "label": np.array([row[-1] for row in part], "int64").reshape(-1, 1)}
        for i in range(3):
            ids = np.array([row[4 + 2 * i] for row in part], "int64").reshape(-1, 1)
            feed["s%d" % i] = fluid.create_lod_tensor(ids, [[1] * len(ids)], fluid.CPUPlace())
        other.exe.run(other.main, feed=feed, fetch_list=[other.loss], scope=other.scope)
    theirs = other.parameters()
    for name, value in job.parameters().items():
        np.testing.assert_array_equal(value, theirs[name], err_msg=name)


def test_fetched_variables_are_lines_as_paddle_writes_them(files, capfd):
    job = Job(files[:1], batch=400)
    job.train(fetch_list=[job.auc, job.slots[0]], fetch_info=["auc", "first ids"], print_period=2)
    out = capfd.readouterr().out
    assert out.count("auc\tauc_0.tmp_0\t\tlod: {}\n\tdim: 1\n\tlayout: NCHW\n\tdtype: double\n"
                     "\tdata: [") == 2  # of batches 0 and 2
    offsets = ", ".join(map(str, range(201)))
    assert "first ids\ts0\t\tlod: {{%s}}\n\tdim: 200, 1\n" % offsets in out
    assert "\tdtype: int64_t\n" in out
    job.train(fetch_list=[job.auc], print_period=1)
    out = capfd.readouterr().out
    assert out.count("auc_0.tmp_0\tauc_0.tmp_0\t\t") == 3  # under its name
    job.train()
    assert capfd.readouterr().out == ""


def test_arguments_that_do_not_fit_are_refused(files):
    job = Job(files)
    with pytest.raises(ValueError, match="fetch_info has 2 texts for the 1 variables"):
        job.train(fetch_list=[job.auc], fetch_info=["a", "b"])
    with pytest.raises(ValueError, match="print_period"):
        job.train(print_period=0)
    with pytest.raises(RuntimeError, match="dataset is need"):
        job.exe.train_from_dataset(job.main)
    with pytest.raises(TypeError, match="FetchHandler"):
        job.train(fetch_handler=print)
    with pytest.raises(Exception, match="nowhere"):
        job.train(fetch_list=["nowhere"])
    with pytest.raises(ValueError, match="threads"):
        job.train(thread=100000)
    job.train()  # and it still works
    assert job.counted() == ROWS


def test_a_fetch_handler_is_shown_variables(files):
    job, seen = Job(files), []

    class Watch(fluid.executor.FetchHandler):
        def handler(self, shown):
            seen.append(shown)
    job.dataset.set_pipe_command("cat; sleep 1")
    job.train(fetch_handler=Watch({"the auc": job.auc, "ids": job.slots[0]}, period_secs=0.3))
    assert len(seen) >= 2
    assert set(seen[0]) == {"the auc", "ids"} and seen[0]["ids"].dtype == np.int64
    assert 0 <= seen[-1]["the auc"][0] <= 1


@pytest.mark.parametrize("return_np", [True, False])
def test_a_fetch_handler_of_1_7_is_shown_a_list(files, return_np):
    job, seen = Job(files), []

    class Watch(fluid.executor.FetchHandler):
        def handler(self, fetch_target_vars):
            seen.append(fetch_target_vars)
    job.dataset.set_pipe_command("cat; sleep 1")
    job.train(fetch_handler=Watch([job.auc.name, job.slots[0].name], 0.3, return_np))
    assert len(seen) >= 2 and len(seen[0]) == 2
    assert all(isinstance(value, np.ndarray if return_np else fluid.LoDTensor)
               for value in seen[0])
    assert 0 <= np.array(seen[-1][0])[0] <= 1


def test_handlers_of_both_releases():
    handler = fluid.executor.FetchHandler
    assert handler(fetch_target_names=["a", "b"]).fetch_target_names == ["a", "b"]
    assert handler({"x": "a"}, 3).period_secs == 3
    for wrong in (lambda: handler(), lambda: handler("a"), lambda: handler({"x": "a"}, 3, False),
                  lambda: handler({"x": "a"}, fetch_target_names=["a"])):
        with pytest.raises(TypeError, match="FetchHandler"):
            wrong()


def test_an_exception_in_a_handler_ends_the_run(files):
    job = Job(files)

    class Broken(fluid.executor.FetchHandler):
        def handler(self, shown):
            raise KeyError("of the handler")
    job.dataset.set_pipe_command("cat; sleep 100")
    with pytest.raises(KeyError, match="of the handler"):
        job.train(fetch_handler=Broken({"auc": job.auc}, period_secs=0.1))


def test_inference_changes_no_parameter(files, capfd):
    job = Job(files).train()
    before, counted = job.parameters(), job.counted()
    job.exe.infer_from_dataset(job.main, job.dataset, scope=job.scope, thread=2,
                               fetch_list=[job.auc], fetch_info=["auc"], print_period=1)
    after = job.parameters()
    for name in before:
        np.testing.assert_array_equal(before[name], after[name], err_msg=name)
    assert job.counted() == counted + ROWS  # the metric goes on counting
    assert aucs(capfd.readouterr().out)


def test_debug_prints_the_times_of_the_ops(files, capfd):
    Job(files).train(debug=True)
    out = capfd.readouterr().out
    assert "Profiling Report" in out and "lookup_table" in out and "adam" in out


def test_a_compiled_program_trains_too(files):
    job = Job(files)
    job.exe.train_from_dataset(fluid.CompiledProgram(job.main), job.dataset, scope=job.scope)
    assert job.counted() == ROWS


def run_job(files, **env):
    job = SMALL_JOB % {"kind": "QueueDataset", "pipe": "cat", "files": files}
    return subprocess.run([sys.executable, "-c", job], capture_output=True, text=True, timeout=60,
                          env=environment(**env))


def test_progress_is_a_bar_or_lines_or_nothing(files):
    lines = run_job(files)
    assert re.search(r"^20\d\d-\d\d-\d\dT[\d:.]+Z train: 100% 3/3 files, 3000 examples "
                     r"\[00:0\d, \S+ examples/s, "
                     r"loss=0\.\d+, auc=0\.\d+\]$", lines.stderr, re.MULTILINE)
    assert run_job(files, FLAGS_progress="lines").stderr.count("train: 100%") == 1
    bar = run_job(files, FLAGS_progress="bar")
    # Blanks cover what was there of a longer drawing before.
    assert "\ntrain: 100%|\u2588" in bar.stderr and re.search(r"\] *\n$", bar.stderr)
    for value in "off", "0":
        assert run_job(files, FLAGS_progress=value).stderr == ""
    bad = run_job(files, FLAGS_progress="maybe")
    assert bad.returncode == 1
    assert "FLAGS_progress is 'maybe', and may be auto, bar, lines or off" in bad.stderr


@pytest.mark.parametrize("optimizer", [
    lambda: fluid.optimizer.SGD(0.5), lambda: fluid.optimizer.Momentum(0.1, 0.9),
    lambda: fluid.optimizer.Adagrad(0.1), lambda: fluid.optimizer.Adam(0.02, lazy_mode=True),
    lambda: fluid.optimizer.RMSProp(0.01), lambda: fluid.optimizer.Ftrl(0.5),
    lambda: fluid.optimizer.SGD(0.5, regularization=fluid.regularizer.L2Decay(1e-5)),
    lambda: fluid.optimizer.SGD(0.5, grad_clip=fluid.clip.GradientClipByGlobalNorm(1.0)),
    lambda: fluid.optimizer.DecayedAdagrad(0.01), lambda: fluid.optimizer.Adamax(0.02),
])
def test_every_optimizer_learns_from_sparse_gradients_on_two_threads(optimizer, files, capfd):
    with fluid.unique_name.guard():
        job = Job(files, "InMemoryDataset", optimizer())
    for _ in range(8):
        job.train(thread=2)
    capfd.readouterr()
    for op in job.main.global_block().ops:
        if op.type == "auc":
            for slot in "StatPos", "StatNeg":
                tensor = job.scope.find_var(op.input(slot)[0]).get_tensor()
                tensor.set(np.zeros(tensor.shape(), "int64"), fluid.CPUPlace())
    job.exe.infer_from_dataset(job.main, job.dataset, scope=job.scope, fetch_list=[job.auc],
                               fetch_info=["auc"], print_period=1)
    assert aucs(capfd.readouterr().out)[-1] > 0.75
