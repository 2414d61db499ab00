"""`paddle make_diagram CONFIG OUT [CONFIG_ARGS]`: the layers of a config as a picture.

OUT.dot is text for Graphviz; of another ending (png, svg, pdf) it is drawn by `dot`, which must be
installed."""
import os
import shutil
import subprocess
import sys

from ..trainer_config_helpers.graph import ConfigError
from .config_parser import parse_config

_USAGE = """usage: paddle make_diagram CONFIG OUT [CONFIG_ARGS]
Draws the layers of a config: OUT ends in .dot (text), .png, .svg or .pdf (drawn by Graphviz)."""


def _quoted(text):
    return '"%s"' % str(text).replace("\\", "\\\\").replace('"', '\\"')


def diagram(config):
    """The layers that the outputs need, as a graph in the language of Graphviz."""
    lines, seen, pending = [], set(), list(config.outputs)
    edges = []
    while pending:
        layer = pending.pop(0)
        if layer.name in seen:
            continue
        seen.add(layer.name)
        label = "%s\\n%s" % (layer.name, layer.layer_type)
        if layer.size:
            label += "  %d" % layer.size
        if layer.activation.name:
            label += "\\n%s" % layer.activation.name
        style = ", style=filled, fillcolor=lightgrey" if layer.layer_type == "data" else \
            ", shape=doubleoctagon" if layer in config.outputs else ""
        lines.append('  %s [label="%s"%s];' % (_quoted(layer.name), label.replace('"', '\\"'),
                                               style))
        for parent in layer.parents:
            edges.append("  %s -> %s;" % (_quoted(parent.name), _quoted(layer.name)))
            pending.append(parent)
    return "digraph model {\n  rankdir=BT;\n  node [shape=box];\n%s\n}\n" % "\n".join(lines + edges)


def write(text, out):
    kind = os.path.splitext(out)[1][1:]
    if kind in ("dot", "gv", ""):
        with open(out, "w") as f:
            f.write(text)
        return
    dot = shutil.which("dot")
    if dot is None:
        raise ConfigError("a .%s is drawn by dot of Graphviz, which is not installed (apt-get "
                          "install graphviz); an OUT that ends in .dot needs it not" % kind)
    done = subprocess.run([dot, "-T" + kind, "-o", out], input=text.encode(),
                          stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise ConfigError("dot failed: %s" % done.stderr.decode(errors="replace").strip())


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    if not 2 <= len(arguments) <= 3 or arguments[0] in ("-h", "--help"):
        print(_USAGE, file=sys.stderr)
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    try:
        config = parse_config(arguments[0], arguments[2] if len(arguments) > 2 else "")
        if not config.outputs:
            raise ConfigError("%s declares no outputs" % arguments[0])
        write(diagram(config), arguments[1])
    except (ConfigError, OSError) as error:
        print("paddle make_diagram: %s" % error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
