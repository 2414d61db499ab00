"""What notebooks show: programs, variables and datasets as tables, a bar where there is no terminal,
and a word where a cell that is run again adds its layers a second time.

Nothing here is imported before it is asked for, but for rerun(), which costs a look into sys.modules
outside of notebooks."""
import os
import sys
import warnings
from html import escape

__all__ = []

OPS, FILES, LINES, LINE, ROWS = 300, 10, 3, 200, 5  # how much is shown
STYLE = "text-align:left;vertical-align:top"


def in_notebook():
    """Whether this process is the kernel of a notebook."""
    return "ipykernel" in sys.modules and _shell() is not None


def _shell():
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell if shell is not None and hasattr(shell, "kernel") else None


# ---- tables ----

def _table(title, head, rows, more=""):
    """Everything but `title` and `more` is text of others, and escaped."""
    def cells(tag, row):
        return "".join("<%s style='%s'>%s</%s>" % (tag, STYLE, escape(str(c)), tag) for c in row)
    return "<div><p>%s</p><table><thead><tr>%s</tr></thead><tbody>%s</tbody></table>%s</div>" % (
        title, cells("th", head), "".join("<tr>%s</tr>" % cells("td", row) for row in rows), more)


def _plural(n, what):
    return "%d %s%s" % (n, what, "" if n == 1 else "s")


def _shape(var):
    return "" if var is None else "[%s]" % ", ".join("?" if d == -1 else str(d) for d in var.shape)


def _arguments(block, op, names, arguments_of):
    """X=name [shape], a line for each slot."""
    lines = []
    for slot in names:
        found = [(name, block._find_var_recursive(name)) for name in arguments_of(slot)]
        if found:
            lines.append("%s = %s" % (slot, ", ".join(
                ("%s %s" % (name, _shape(var))).rstrip() for name, var in found)))
    return "; ".join(lines)


def program_html(program):
    parts, shown = [], 0
    for block in program.blocks:
        rows = []
        for i, op in enumerate(block.ops[:max(0, OPS - shown)]):
            rows.append((i, op.type, _arguments(block, op, op.input_names, op.input),
                         _arguments(block, op, op.output_names, op.output)))
        shown += len(rows)
        left = len(block.ops) - len(rows)
        parts.append(_table("Block %d: %s, %s" % (block.idx, _plural(len(block.ops), "op"),
                                                  _plural(len(block.vars), "variable")),
                            ("", "op", "inputs", "outputs"), rows,
                            "<p>and %s more</p>" % _plural(left, "op") if left else ""))
    parameters = [(p.name, _shape(p), _dtype(p)) for p in program.all_parameters()]
    if parameters:
        parts.append(_table(_plural(len(parameters), "parameter"), ("name", "shape", "type"),
                            parameters))
    return "".join(parts)


def _dtype(var):
    from .data_feeder import convert_dtype
    try:
        return convert_dtype(var.dtype)
    except (KeyError, TypeError, ValueError):
        return str(var.dtype)


def _value_of(var):
    """The first rows that the scope has of it, as text; None: there is no value, or it is no tensor."""
    from .executor import global_scope
    held = global_scope().find_var(var.name)
    try:
        tensor = held.get_tensor() if held is not None else None
        if tensor is None or not tensor._is_initialized():
            return None
        import numpy
        return numpy.array2string(numpy.asarray(tensor)[:ROWS] if tensor.shape() else
                                  numpy.asarray(tensor), precision=5, threshold=60)
    except Exception:  # a table that shows itself must not fail for what it cannot show
        return None


def variable_html(var):
    rows = [("shape", _shape(var)), ("type", _dtype(var)), ("lod_level", var.lod_level),
            ("persistable", var.persistable)]
    if hasattr(var, "trainable"):
        rows.append(("trainable", var.trainable))
    value = _value_of(var) if var.persistable else None
    more = ""
    if value is not None:
        more = "<p>the first rows in fluid.global_scope():</p><pre>%s</pre>" % escape(value)
    return _table("<b>%s</b>" % escape(var.name), ("", ""), rows, more)


def _first_lines(path):
    """What a text file begins with; [] where it cannot be read as text here."""
    try:
        with open(path, "rb") as file:
            begin = file.read(LINES * 65536)
    except OSError:
        return []
    if b"\0" in begin:
        return []
    return [line[:LINE].decode("utf-8", "replace") + ("..." if len(line) > LINE else "")
            for line in begin.split(b"\n")[:LINES] if line]


def dataset_html(dataset):
    described = dataset.proto_desc
    files = list(dataset.filelist)
    rows = [(path, "%d bytes" % os.path.getsize(path) if os.path.isfile(path) else "not here")
            for path in files[:FILES]]
    left = len(files) - len(rows)
    parts = [_table("<b>%s</b>: batches of %d, %s, read through <code>%s</code>" % (
        escape(type(dataset).__name__), described.batch_size or 1,
        _plural(dataset.thread_num, "thread"), escape(described.pipe_command)),
        (_plural(len(files), "file"), "size"), rows,
        "<p>and %s more</p>" % _plural(left, "file") if left else "")]
    slots = [(var.name, _dtype(var), "sequence" if var.lod_level else "dense", _shape(var))
             for var in dataset.use_vars]
    parts.append(_table("Slots of a line, in order", ("slot", "type", "kind", "shape"), slots))
    lines = _first_lines(files[0]) if files else []
    if lines:
        before = "" if described.pipe_command == "cat" else ", before the pipe command"
        parts.append("<div><p>The first lines of %s%s:</p><pre>%s</pre></div>" % (
            escape(str(files[0])), before, escape("\n".join(lines))))
    return "".join(parts)


# ---- progress ----

def draw_bars():
    """A cell's output takes a line that is drawn again, as a terminal does: train_from_dataset has a
    bar there, unless FLAGS_progress says otherwise."""
    from .framework import get_flags, set_flags
    if in_notebook() and get_flags("FLAGS_progress")["FLAGS_progress"] == "auto":
        set_flags({"FLAGS_progress": "bar"})


# ---- a cell that is run again ----

_cells = {}  # a cell -> the count of the run in which it last added ops to the default program
_warned = False


def _cell(shell):
    """Which cell runs: by the front end's id, or by its text; None: that is not known."""
    try:
        asked = shell.kernel.get_parent("shell")
        number = asked.get("metadata", {}).get("cellId")
        return number or asked["content"]["code"]
    except Exception:  # kernels differ: a word that is not said does no harm
        return None


def rerun(program):
    """An op is added to a program. In a notebook, where the program is the default one and the same
    cell has added ops to it before, the model is in it twice: said once."""
    global _warned
    if _warned or "ipykernel" not in sys.modules:
        return
    from . import framework
    shell = _shell()
    if shell is None or program is not framework._first_programs[0]:
        return
    cell, count = _cell(shell), shell.execution_count
    if cell is None or _cells.setdefault(cell, count) == count:
        return
    _warned = True
    warnings.warn(
        "this cell was run before, and has added its layers to fluid.default_main_program() then: "
        "now they are in it twice. Give each run programs of its own: "
        "main, startup = fluid.Program(), fluid.Program(), and build inside of "
        "`with fluid.program_guard(main, startup), fluid.unique_name.guard():`; "
        "or restart the kernel", stacklevel=5)
