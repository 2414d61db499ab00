"""Programs for the eye: as text, and as graphs for Graphviz."""
import re

from .framework import Parameter, Program

__all__ = ["draw_block_graphviz", "pprint_program_codes", "pprint_block_codes"]

_BACKWARD, _OPTIMIZE = 1, 2  # bits of op_role
_HIDDEN = ("op_role", "op_role_var", "op_namescope", "op_callstack", "op_device")


def _dtype(var):
    try:
        return var.dtype.name.lower()
    except Exception:  # readers and feed lists have none
        return ""


def _var_text(var):
    words = [var.type.name, _dtype(var)]
    if words[1]:
        words.append(str(list(var.shape)))
    if var.persistable:
        words.append("persistable")
    return "%s: %s" % (var.name, " ".join(w for w in words if w))


def _op_text(op):
    def args(names, get):
        return ", ".join("%s=[%s]" % (slot, ", ".join(get(slot))) for slot in names if get(slot))
    attrs = {name: value for name, value in sorted(op.all_attrs().items())
             if name not in _HIDDEN}
    return "{%s} = %s(%s) %s" % (args(op.output_names, op.output), op.type,
                                 args(op.input_names, op.input), attrs or "")


def _is_backward(op):
    role = op.attr("op_role") if "op_role" in op.attr_names else 0
    return bool(role & (_BACKWARD | _OPTIMIZE))


def _block_lines(block, show_backward):
    yield "block %d, inside %d {" % (block.idx, block.parent_idx) if block.parent_idx >= 0 \
        else "block %d {" % block.idx
    for var in block.vars.values():
        if show_backward or not var.name.endswith("@GRAD"):
            yield "    " + _var_text(var)
    yield ""
    for op in block.ops:
        if show_backward or not _is_backward(op):
            yield ("    " + _op_text(op)).rstrip()
    yield "}"


def pprint_block_codes(block_desc, show_backward=False):
    """Print a block: its variables, and its ops without gradients and updates, or with them."""
    print("\n".join(_block_lines(block_desc, show_backward)))


def pprint_program_codes(program_desc):
    """Print a program's blocks, with all their ops."""
    if not isinstance(program_desc, Program):
        raise TypeError("pprint_program_codes takes a Program, not %s" % type(program_desc))
    for idx in range(program_desc.num_blocks):
        pprint_block_codes(program_desc.block(idx), show_backward=True)


def _quoted(text):
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


class _Graph:
    """Lines of a .dot file."""

    def __init__(self, highlights):
        self.patterns = [re.compile(h) for h in highlights or ()]
        self.lines = ["digraph G {", "rankdir=TB;", "node [fontname=Arial, style=filled];"]
        self.vars = {}

    def colour(self, name, plain):
        return "orange" if any(p.match(name) for p in self.patterns) else plain

    def var(self, block, name):
        """The node of a variable; made at its first use."""
        if name not in self.vars:
            node = self.vars[name] = "var_%d" % len(self.vars)
            var = block._find_var_recursive(name)
            text = name if var is None else _var_text(var)
            shape, plain = ("box", "#7fc5cc") if isinstance(var, Parameter) else \
                ("ellipse", "#dddddd")
            self.lines.append("%s [label=%s, shape=%s, color=%s];" % (
                node, _quoted(text.replace(": ", "\n", 1)), shape,
                _quoted(self.colour(name, plain))))
        return self.vars[name]

    def op(self, block, number, op):
        node = "op_%d" % number
        self.lines.append("%s [label=%s, shape=box, color=%s, fontcolor=white];" % (
            node, _quoted(op.type), _quoted(self.colour(op.type, "#303a3a"))))
        for names, get, arrow in ((op.input_names, op.input, "%(var)s -> %(op)s"),
                                  (op.output_names, op.output, "%(op)s -> %(var)s")):
            for slot in names:
                for name in get(slot):
                    self.lines.append(arrow % {"var": self.var(block, name), "op": node} +
                                      " [label=%s];" % _quoted(slot))


def draw_block_graphviz(block, highlights=None, path="./temp.dot"):
    """Write the graph of a block for Graphviz (dot -Tpdf FILE). highlights: patterns of names of
    variables and ops that are drawn in orange."""
    graph = _Graph(highlights)
    for number, op in enumerate(block.ops):
        graph.op(block, number, op)
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(graph.lines + ["}", ""]))
