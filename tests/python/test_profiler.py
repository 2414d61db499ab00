"""fluid.profiler, install_check, debugger, log_helper and dygraph."""
import gc
import json
import logging
import subprocess
import sys

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from paddle import _core
from paddle.fluid import debugger, log_helper, profiler


@pytest.fixture(autouse=True)
def fresh():
    """Ops as they are written: a plan that fuses shows what it made of them."""
    fluid.set_flags({"FLAGS_fuse": 0})
    yield
    fluid.set_flags({"FLAGS_fuse": 1})
    profiler._running = False
    _core.profile_stop()
    _core.profile_reset()


class Model:
    def __init__(self):
        self.main, self.startup, self.scope = fluid.Program(), fluid.Program(), fluid.Scope()
        with fluid.program_guard(self.main, self.startup), fluid.unique_name.guard():
            x = fluid.layers.data("x", [3])
            self.loss = fluid.layers.mean(fluid.layers.fc(x, 2, act="relu"))
            fluid.optimizer.SGD(0.1).minimize(self.loss)
        self.exe = fluid.Executor(fluid.CPUPlace())
        self.exe.run(self.startup, scope=self.scope)

    def run(self, n=1):
        for _ in range(n):
            self.exe.run(self.main, feed={"x": np.ones((2, 3), "float32")},
                         fetch_list=[self.loss], scope=self.scope)


def rows(text):
    """op -> (calls, total, min, max, ave)"""
    lines = text.split("Event", 1)[1].splitlines()[1:]
    return {line.split()[0]: [float(v) for v in line.split()[1:6]] for line in lines if line}


# ---- the profiler ----

def test_a_fused_op_is_shown_by_its_own_name(capfd):
    fluid.set_flags({"FLAGS_fuse": 1})
    model = Model()
    with profiler.profiler("CPU", "total", None):
        model.run(5)
    table = rows(capfd.readouterr().out)
    assert table["fused_fc"][0] == 5 and table["fused_fc_grad"][0] == 5 and "mul" not in table


def test_table_and_trace(tmp_path, capfd):
    model = Model()
    path = str(tmp_path / "profile")
    with profiler.profiler("CPU", "total", path):
        model.run(5)
    table = rows(capfd.readouterr().out)
    assert table["mul"][0] == 5 and table["sgd"][0] == 10
    totals = [row[1] for row in table.values()]
    assert totals == sorted(totals, reverse=True)
    for calls, total, least, most, average in table.values():
        assert least <= average <= most <= total and average == pytest.approx(total / calls, 1e-3)
    with open(path) as f:
        trace = json.load(f)
    events = [e for e in trace["traceEvents"] if e.get("cat") == "op"]
    assert len(events) == sum(row[0] for row in table.values())
    assert [e["name"] for e in events[:2]] == ["mul", "elementwise_add"]
    assert all(e["ph"] == "X" and e["dur"] >= 0 and e["ts"] >= 0 for e in events)


@pytest.mark.parametrize("key, column", [("calls", 0), ("total", 1), ("min", 2), ("max", 3),
                                         ("ave", 4)])
def test_sorted_keys(tmp_path, capfd, key, column):
    model = Model()
    with profiler.profiler("All", key, str(tmp_path / "p")):
        model.run(3)
    values = [row[column] for row in rows(capfd.readouterr().out).values()]
    assert values == sorted(values, reverse=True)


def test_the_default_order_is_of_first_use(tmp_path, capfd):
    model = Model()
    with profiler.profiler("CPU", profile_path=str(tmp_path / "p")):
        model.run()
    assert list(rows(capfd.readouterr().out))[:4] == ["mul", "elementwise_add", "relu", "mean"]


def test_start_reset_stop(tmp_path, capfd):
    model = Model()
    model.run()  # before: not counted
    profiler.start_profiler("CPU")
    profiler.start_profiler("CPU")
    model.run(3)
    profiler.reset_profiler()
    model.run(2)
    profiler.stop_profiler("calls", str(tmp_path / "p"))
    model.run()  # after: not counted
    assert rows(capfd.readouterr().out)["mul"][0] == 2
    profiler.stop_profiler()  # nothing runs: nothing is said or written
    assert capfd.readouterr().out == ""
    with profiler.profiler("CPU", profile_path=str(tmp_path / "p")):
        model.run()
    assert rows(capfd.readouterr().out)["mul"][0] == 1  # the old times are gone


def test_no_trace_without_a_path(tmp_path, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with profiler.profiler("CPU", profile_path=None):
        Model().run()
    assert "mul" in rows(capfd.readouterr().out) and list(tmp_path.iterdir()) == []


def test_an_exception_in_the_block_goes_on(tmp_path, capfd):
    with pytest.raises(KeyError):
        with profiler.profiler("CPU", profile_path=str(tmp_path / "p")):
            raise KeyError("x")
    assert "Profiling Report" in capfd.readouterr().out and not profiler._running


def test_a_path_that_cannot_be_written(tmp_path):
    with pytest.raises(Exception, match="nowhere"):
        with profiler.profiler("CPU", profile_path=str(tmp_path / "nowhere" / "p")):
            Model().run()
    assert not profiler._running


def test_refusals():
    for args in (("TPU",), ("cpu",), ("CPU", "Other"), (None,)):
        with pytest.raises(ValueError):
            profiler.start_profiler(*args)
    for option in ("OpDetail", "AllOpDetail"):
        with pytest.raises(NotImplementedError, match=option):
            profiler.start_profiler("CPU", option)
    with pytest.raises(ValueError, match="sorted_key"):
        with profiler.profiler("CPU", "bad"):
            pass
    assert not profiler._running
    profiler.start_profiler("CPU")
    with pytest.raises(ValueError, match="sorted_key"):
        profiler.stop_profiler("bad")
    assert profiler._running  # and can be stopped rightly
    with pytest.raises(RuntimeError, match="no GPU"):
        with profiler.cuda_profiler("out"):
            pass


def test_times_outlive_their_programs():
    """Names in the table are the registry's: not of a program that has been freed."""
    _core.profile_start()
    model = Model()
    model.run()
    model.exe.close()
    del model
    gc.collect()
    filler = [b"Z" * n for n in range(20, 4000, 16) for _ in range(20)]
    assert {"mul", "relu", "mean", "sgd"} < set(rows(_core.profile_table(None)))
    del filler


# ---- install_check ----

def test_run_check_leaves_nothing_behind(capsys):
    before = str(fluid.default_main_program()), fluid.unique_name.generate("probe")
    with fluid.scope_guard(fluid.Scope()):
        fluid.install_check.run_check()
        assert fluid.global_scope().find_var("w") is None
    assert "installed successfully" in capsys.readouterr().out
    assert str(fluid.default_main_program()) == before[0]


def test_run_check_fails_when_numbers_are_wrong(monkeypatch):
    from paddle.fluid import optimizer
    monkeypatch.setattr(optimizer, "SGD", lambda learning_rate: optimizer.SGDOptimizer(0.2))
    with pytest.raises(RuntimeError, match="weight is .* instead of"):
        fluid.install_check.run_check()


# ---- debugger ----

def test_pprint(capsys):
    model = Model()
    debugger.pprint_program_codes(model.main)
    out = capsys.readouterr().out
    assert "{Out=[fc_0.tmp_0]} = mul(X=[x], Y=[fc_0.w_0]) " \
        "{'x_num_col_dims': 1, 'y_num_col_dims': 1}" in out
    assert "mul_grad" in out and "sgd(" in out
    assert "fc_0.w_0: LOD_TENSOR fp32 [3, 2] persistable" in out
    debugger.pprint_block_codes(model.main.global_block())
    out = capsys.readouterr().out
    assert "mul(" in out and "mul_grad" not in out and "sgd(" not in out and "@GRAD" not in out
    debugger.pprint_block_codes(model.main.global_block(), show_backward=True)
    assert "mul_grad" in capsys.readouterr().out
    with pytest.raises(TypeError, match="Program"):
        debugger.pprint_program_codes("x")


def test_draw_block_graphviz(tmp_path):
    model = Model()
    path = tmp_path / "g.dot"
    debugger.draw_block_graphviz(model.main.global_block(), ["fc.*w", "sgd"], str(path))
    lines = path.read_text().splitlines()
    assert lines[0] == "digraph G {" and lines[-1] == "}"
    ops = [line for line in lines if line.startswith("op_") and "label" in line and
           "->" not in line]
    assert len(ops) == len(model.main.global_block().ops)
    weight, = [line for line in lines if 'label="fc_0.w_0\\n' in line]
    assert '"orange"' in weight and "shape=box" in weight
    bias, = [line for line in lines if 'label="fc_0.b_0\\n' in line]
    assert "orange" not in bias
    assert sum('label="sgd"' in line and "orange" in line for line in lines) == 2
    node = weight.split()[0]
    assert '%s -> op_0 [label="Y"];' % node in lines
    assert any(line.endswith('-> %s [label="ParamOut"];' % node) for line in lines)


def test_names_are_quoted_in_graphs():
    assert debugger._quoted('a"b\\c\nd') == '"a\\"b\\\\c\\nd"'


# ---- log_helper ----

def test_get_logger(capsys):
    logger = log_helper.get_logger("regatta.test", logging.INFO, fmt="<%(message)s>")
    assert log_helper.get_logger("regatta.test", logging.INFO) is logger
    assert len(logger.handlers) == 1 and not logger.propagate
    logger.handlers[0].stream = sys.stdout
    logger.info("hello")
    logger.debug("not this")
    assert capsys.readouterr().out == "<hello>\n"


# ---- dygraph ----

@pytest.mark.parametrize("use", [
    lambda: fluid.dygraph.guard(), lambda: fluid.dygraph.to_variable([1]),
    lambda: fluid.dygraph.nn.Conv2D(1, 2, 3), lambda: fluid.enable_dygraph(),
    lambda: fluid.enable_imperative(), lambda: fluid.framework._dygraph_guard(None),
    lambda: fluid.dygraph.ProgramTranslator.get_instance(), lambda: fluid.Layer(),
    # from MODULE import NAME
    lambda: __import__("paddle.fluid.dygraph.nn", fromlist=["Conv2D"]).Conv2D(),
    lambda: __import__("paddle.fluid.dygraph.base", fromlist=["to_variable"]).to_variable([1])])
def test_dygraph_is_refused_with_one_message(use):
    with pytest.raises(NotImplementedError, match="Regatta runs programs, and has no dygraph"):
        use()


def test_dygraph_is_off():
    fluid.disable_dygraph()
    fluid.disable_imperative()
    assert fluid.dygraph.enabled() is False and fluid.in_dygraph_mode() is False
    assert not hasattr(fluid.dygraph, "__nothing__")


# ---- utils ----

def test_ploter_takes_points_without_drawing(monkeypatch, tmp_path):
    monkeypatch.setenv("DISABLE_PLOT", "True")
    ploter = paddle.utils.Ploter("train", "test")
    ploter.append("train", 1, 2.0)
    ploter.plot(str(tmp_path / "x.png"))
    ploter.reset()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(AssertionError, match="other"):
        ploter.append("other", 1, 2.0)


def test_ploter_draws(monkeypatch, tmp_path):
    """With a stand-in for Matplotlib."""
    drawn = []

    class Plt:
        __path__ = []

        def __getattr__(self, name):
            def call(*args, **kwargs):
                drawn.append((name, args))
                return self
            return call
    plt = Plt()
    plt.pyplot = plt
    monkeypatch.setitem(sys.modules, "matplotlib", plt)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", plt)
    monkeypatch.delenv("DISABLE_PLOT", raising=False)
    ploter = paddle.utils.Ploter("train", "test")
    ploter.append("train", 1, 2.0)
    ploter.append("train", 2, 1.5)
    ploter.plot("x.png")
    assert ("plot", ([1, 2], [2.0, 1.5])) in drawn and ("savefig", ("x.png",)) in drawn
    assert ("legend", (["train"],)) in drawn


def test_ploter_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delenv("DISABLE_PLOT", raising=False)
    with pytest.raises(ImportError, match="DISABLE_PLOT"):
        paddle.utils.Ploter("a")


def test_the_module_is_lazy():
    out = subprocess.run([sys.executable, "-c", "import sys, paddle.fluid as f\n"
                          "print('paddle.fluid.profiler' in sys.modules, end=' ')\n"
                          "f.profiler.profiler\n"
                          "print('paddle.fluid.profiler' in sys.modules)"],
                         capture_output=True, text=True, check=True)
    assert out.stdout == "False True\n"
