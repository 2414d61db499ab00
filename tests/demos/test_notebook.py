"""The notebook of the demos, run as a person runs it, and what cells show."""
import os
import sys

import nbclient
import nbformat
import pytest

import paddle.fluid as fluid
from built import ROOT
from paddle.fluid import notebook

SECONDS = 60


def execute(cells, folder, monkeypatch):
    """The cells with their outputs."""
    if isinstance(cells, list):
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    else:
        book = nbformat.read(cells, 4)
    # The kernel finds `paddle` beside its Python, and no connection file of others.
    monkeypatch.setenv("PATH", os.path.dirname(sys.executable) + ":" + os.environ["PATH"])
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(folder / "runtime"))
    monkeypatch.setenv("IPYTHONDIR", str(folder / "ipython"))
    monkeypatch.delenv("PYTEST_CURRENT_TEST")  # with it kernels do not show what C code writes
    nbclient.NotebookClient(book, timeout=SECONDS, kernel_name="python3",
                            resources={"metadata": {"path": str(folder)}}).execute()
    return [cell for cell in book.cells if cell.cell_type == "code"]


def html_of(cell):
    return "".join(o["data"].get("text/html", "") for o in cell.outputs
                   if o.output_type == "execute_result")


def text_of(cell, name):
    return "".join(o.text for o in cell.outputs if o.output_type == "stream" and o.name == name)


def test_the_demo(tmp_path, monkeypatch):
    cells = execute(os.path.join(ROOT, "demo", "notebook", "ctr.ipynb"), tmp_path, monkeypatch)
    program, dataset, training, table, last = (html_of(cells[1]), html_of(cells[2]), cells[3],
                                               html_of(cells[4]), cells[5])
    assert "lookup_table_v2" in program and "W = table [100, 8]" in program
    assert "clicks" in dataset and ">ids<" in dataset and "sequence" in dataset
    assert "trainable" in table and "fluid.global_scope()" in table and "[[" in table
    # The bar, drawn over and over in one place; the model has learnt.
    shown = text_of(training, "stderr")
    assert "\r" in shown and "100%" in shown and "2000 examples" in shown and "auc=0.9" in shown
    assert "a guess: [" in text_of(training, "stdout")
    assert "nearest to id 1, by the cosine:" in text_of(last, "stdout")


LAYERS = """
import paddle.fluid as fluid
x = fluid.data("x", [None, 3])
for _ in range(2):
    y = fluid.layers.fc(x, 2)
"""


def test_a_cell_that_is_run_again_is_warned_of_once(tmp_path, monkeypatch):
    guarded = LAYERS.replace("\nx =", "\nwith fluid.program_guard(fluid.Program()):\n  x =").replace(
        "\nfor", "\n  for").replace("    y", "      y")
    cells = execute([LAYERS, guarded, guarded, "fluid.layers.fc(fluid.data('z', [None, 3]), 1)", LAYERS,
                     LAYERS],
                    tmp_path, monkeypatch)
    said = [text_of(cell, "stderr") for cell in cells]
    assert [bool(text) for text in said] == [False, False, False, False, True, False]
    assert "fluid.program_guard(main, startup)" in said[4] and said[4].count("run before") == 1


# ---- what is shown, without a notebook ----

@pytest.fixture
def model():
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.data("x<b>", [None, 3])
        label = fluid.data("label", [None, 1], "int64", lod_level=1)
        fluid.layers.fc(x, 2, param_attr="w&v")
    return main, startup, x, label


def test_names_are_escaped_and_values_are_those_of_the_scope(model):
    main, startup, x, _ = model
    assert "x&lt;b&gt; [?, 3]" in main._repr_html_() and "<b>" not in main._repr_html_()
    weight = main.global_block().var("w&v")
    with fluid.scope_guard(fluid.Scope()):
        assert "<b>w&amp;v</b>" in weight._repr_html_() and "<pre>" not in weight._repr_html_()
        fluid.Executor().run(startup)
        assert "<pre>[[" in weight._repr_html_() and ">[3, 2]<" in weight._repr_html_()
    assert "persistable" in x._repr_html_() and ">float32<" in x._repr_html_()
    assert not notebook.in_notebook()


def test_long_programs_and_datasets_are_cut(model, tmp_path):
    main, _, x, label = model
    with fluid.program_guard(main):
        for _ in range(notebook.OPS):
            x = fluid.layers.scale(x, 1.0)
    assert main._repr_html_().count("<td") < 4 * notebook.OPS + 20
    assert "and 2 ops more" in main._repr_html_()
    dataset = fluid.DatasetFactory().create_dataset("InMemoryDataset")
    assert "0 files" in dataset._repr_html_()
    (tmp_path / "0").write_text("1 <i>\n" + "2 " * 1000 + "\n")
    (tmp_path / "1").write_bytes(b"\0\1")
    dataset.set_use_var([label])
    dataset.set_filelist([str(tmp_path / str(i % 2)) for i in range(12)] + ["gone"])
    dataset.set_pipe_command("sort | uniq")
    shown = dataset._repr_html_()
    assert "13 files" in shown and "and 3 files more" in shown and "1 &lt;i&gt;" in shown
    assert "before the pipe command" in shown and len(shown) < 5000
    dataset.set_filelist([str(tmp_path / "1"), "gone"])
    assert "The first lines" not in dataset._repr_html_() and "not here" in dataset._repr_html_()
