"""The examples of docstrings: examples/*.txt, run, with what they show.

    ## MODULE: SPELLING       whose names follow, and how an example spells the module
    import ...                the lines down to the first empty one begin every example
    name = ...                lines of a group: those that a call needs stand before it
    - call(arguments)         the example of `call`
    = NAME                    a longer one, its lines as they are; `= A B`: of several names
    # skip: WHY               the first line of one that cannot run in a test

What an expression gives is not written down here: rendering runs the example, and a test runs the
docstrings again. Each runs in programs, names, a scope and a folder of its own."""
import ast
import builtins
import contextlib
import glob
import io
import os
import re
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# What an object of these classes shows of itself.
SHOWN = {"Variable": "shape", "Parameter": "shape", "LayerOutput": "size"}


def names_in(source):
    """The names that some lines read, and those that they set."""
    read, written = set(), set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else written).add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            written.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            written.update((a.asname or a.name.split(".")[0]) for a in node.names)
    return read, written


def needed(lines, source):
    """Of some statements those whose names the source needs, in their order."""
    wanted, kept = names_in(source)[0], []
    for line in reversed(lines):
        read, written = names_in(line)
        if written & wanted or "*" in written:
            kept.insert(0, line)
            wanted |= read
    return kept


class Example:
    def __init__(self, full, imports, source, call=None):
        self.full, self.imports, self.source, self.call = full, imports, source, call

    def statements(self):
        """The whole example, statement by statement."""
        source = "\n".join(self.source)
        parts = needed(self.imports, source)
        tree = ast.parse(source)
        lines = source.split("\n")
        return parts + ["\n".join(lines[node.lineno - 1 - len(getattr(node, "decorator_list", ())):
                                        node.end_lineno]) for node in tree.body]


def parse(text):
    """The examples of one file."""
    found = []
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        head, _, body = section.partition("\n")
        module, _, spelling = head.partition(":")
        spelling = spelling.strip()
        imports, _, body = body.partition("\n\n")
        imports = imports.split("\n")
        for group in body.strip().split("\n\n"):
            lines = group.split("\n")
            if lines[0].startswith("= "):
                found += [Example("%s.%s" % (module, name), imports, lines[1:])
                          for name in lines[0][2:].split()]
                continue
            setup = [line for line in lines if not line.startswith("- ")]
            for line in lines:
                if line.startswith("- "):
                    call = (spelling + "." if spelling else "") + line[2:]
                    name = re.match(r"\w+", line[2:])[0]
                    found.append(Example("%s.%s" % (module, name), imports,
                                         needed(setup, call), call))
    return found


def load():
    """{full name: Example}"""
    found = {}
    for path in sorted(glob.glob(os.path.join(HERE, "examples", "*.txt"))):
        with open(path, encoding="utf-8") as f:
            for example in parse(f.read()):
                if example.full in found:
                    raise SystemExit("%s: two examples of %s" % (path, example.full))
                found[example.full] = example
    return found


@contextlib.contextmanager
def apart():
    """Fresh programs, names, a scope and a folder: nothing of one example is seen by the next."""
    import paddle.fluid as fluid
    from paddle.trainer_config_helpers.graph import Graph, use_graph
    here = os.getcwd()
    os.environ["PADDLE_DATASET"] = "synthetic"
    with tempfile.TemporaryDirectory() as folder, fluid.scope_guard(fluid.Scope()), \
            use_graph(Graph(one_network=False)), \
            fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(here)


def shown(value):
    """How a call's value is shown: an expression over `out`, or None where it says nothing."""
    kind = type(value).__name__
    if kind in SHOWN:
        return "out." + SHOWN[kind]
    if isinstance(value, (list, tuple)) and value and all(type(v).__name__ in SHOWN for v in value):
        return "[v.%s for v in out]" % SHOWN[type(value[0]).__name__]
    return None


def is_plain(value):
    return isinstance(value, (bool, int, float, str, tuple, list, dict, bytes)) and \
        len(repr(value)) < 200 and " at 0x" not in repr(value)


def wrapped(statement):
    """Long calls over several lines, so that a page of 100 columns has them."""
    if len(statement) <= 92 or "\n" in statement:
        return statement
    depth, quoted, cuts = 0, False, []
    for i, c in enumerate(statement):
        quoted ^= c == '"'
        depth += (c in "([{") - (c in ")]}")
        if c == "," and not quoted and depth == 1:
            cuts.append(i + 1)
    if not cuts:
        return statement
    indent = " " * (statement.index("(") + 1)
    lines, at = [], 0
    for cut in cuts + [len(statement)]:
        part = statement[at:cut].strip()
        if lines and len(lines[-1]) + len(part) < 92:
            lines[-1] += " " + part
        else:
            lines.append((indent if lines else "") + part)
        at = cut
    return "\n".join(lines)


def prompt(statement):
    first, *more = wrapped(statement).split("\n")
    lines = [">>> " + first] + ["... " + line for line in more]
    if more and re.match(r"(with|for|def|class|if|while|try|@)\b", first):
        lines.append("...")
    return lines


def render(example):
    """The example's lines as a session of Python, with what it showed."""
    lines, space = [], {}
    if "".join(example.source[:1]).startswith("# skip: "):
        statements = example.source[1:]
        return ["# " + example.source[0][8:]] + [
            line + "  # doctest: +SKIP" for s in needed(example.imports, "\n".join(statements)) +
            statements for line in prompt(s)]
    with apart():
        statements = example.statements()
        if example.call:
            call = example.call
            statements = needed(example.imports, "\n".join(example.source + [call])) + \
                example.source
            for statement in statements:
                exec(statement, space)
                lines += prompt(statement)
            out = space["out"] = eval(call, space)
            how = shown(out)
            if how is None and is_plain(out):
                lines += prompt(call) + [repr(out)]
            else:
                lines += prompt("out = " + call)
                if how:
                    lines += prompt(how) + [repr(eval(how, space))]
            return lines
        for statement in statements:
            lines += prompt(statement)
            told = io.StringIO()
            with contextlib.redirect_stdout(told):
                # "single": an expression's value is printed as a session prints it
                exec(compile(statement + "\n", "<%s>" % example.full, "single"), space)
            builtins._ = None
            if " at 0x" in told.getvalue():
                raise ValueError("it shows an address: %r" % told.getvalue())
            lines += told.getvalue().rstrip("\n").split("\n") if told.getvalue() else []
    return ["<BLANKLINE>" if line == "" else line for line in lines]
