"""Python 2 source to code that Python 3 runs.

Two steps: fissix rewrites the syntax (print, except, raise, exec, backticks, octals), and a walk
over the tree replaces what still parses and meant something else: `/`, methods of dicts, text
that was bytes. What those are replaced by is in meaning.py, which the code sees as __py2__. What
fissix made is kept below ~/.cache/paddle/python2, by a hash of the source."""
import ast
import hashlib
import itertools
import os
import pathlib
import re
import sys
import tempfile
import tokenize

__all__ = ["code_of", "compile_text", "may_be_python2", "python2_line", "read"]

_VERSION = b"2"  # of what fissix is asked to do: part of the key of what is kept
_FIXES = ["except", "exec", "funcattrs", "metaclass", "methodattrs", "ne", "numliterals", "paren",
          "print", "raise", "repr", "sys_exc", "throw", "tuple_params"]

_tool = None
_judged = {}  # (path, size, time) -> the line that is no Python 3, or None


def read(path):
    """The text of a source, and its encoding by its coding line."""
    with open(path, "rb") as f:
        data = f.read()
    lines = iter(data.splitlines(True))
    encoding, _ = tokenize.detect_encoding(lambda: next(lines, b""))
    text = data.decode(encoding)
    # As Python's own reader has it: lines end in \n, and the last one does.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return (text if text.endswith("\n") else text + "\n"), encoding


def _make_tool(name):
    try:
        import fissix
    except ImportError:
        raise ImportError("%s is Python 2, and fissix, which translates it, is not installed: "
                          "pip install fissix" % name) from None
    import logging
    logging.getLogger("RefactoringTool").setLevel(logging.WARNING)
    with tempfile.TemporaryDirectory() as folder:
        try:  # it keeps its grammar in a folder, which it must have
            fissix.CACHE_DIR.mkdir(parents=True, exist_ok=True)
            writable = os.access(fissix.CACHE_DIR, os.W_OK)
        except OSError:
            writable = False
        if not writable:
            fissix.CACHE_DIR = pathlib.Path(folder)
        from fissix import refactor

        class Tool(refactor.RefactoringTool):
            def log_error(self, msg, *args, **kwds):
                raise _unreadable(msg % args, *args[::2])
        return Tool(["fissix.fixes.fix_" + fix for fix in _FIXES] +
                    ["paddle.python2.fix_lambda_params"])


def _unreadable(message, name=None, error=None):
    """The SyntaxError for what fissix has failed to read, with the line where it stopped."""
    place = getattr(error, "context", None)
    if not place:
        return SyntaxError(message)
    line, column = place[1]
    return SyntaxError("this is neither Python 3 nor Python 2: %s %r" % (error.msg, error.value),
                       (name, line, column + 1, None))


def _refactor(text, name):
    """fissix over a text; a SyntaxError says that it is no Python 2 either."""
    global _tool
    if _tool is None:
        _tool = _make_tool(name)
    try:
        return str(_tool.refactor_string(text, name))
    except (SyntaxError, ValueError):
        raise
    except Exception as error:  # fissix's own ParseError, which it shows in its words
        raise SyntaxError("%s is neither Python 3 nor Python 2: %s" % (name, error)) from None


def _parses(text, path):
    """None, or the line at which Python 3 stops."""
    try:
        ast.parse(text, path)
    except SyntaxError as error:
        return error.lineno or 1
    except ValueError:  # a NUL
        return 1
    return None


# What fails in Python 3 whenever it is reached, though it parses.
_OLD_MODULES = {"ConfigParser", "Queue", "StringIO", "UserDict", "__builtin__", "cPickle",
                "cStringIO", "commands", "httplib", "md5", "urllib2", "urlparse"}
_OLD_NAMES = {"basestring", "cmp", "execfile", "file", "long", "raw_input", "reduce", "reload",
              "unichr", "unicode", "xrange"}
_OLD_PARTS = {  # of modules that are there still
    "itertools": {"ifilter", "ifilterfalse", "imap", "izip", "izip_longest"},
    "os": {"getcwdu"},
    "string": {"atof", "atoi", "atol", "find", "join", "joinfields", "letters", "lower",
               "lowercase", "lstrip", "maketrans", "replace", "rstrip", "split", "strip", "upper",
               "uppercase", "zfill"},
    "sys": {"exc_clear", "maxint", "setdefaultencoding"},
    "types": {"BooleanType", "ClassType", "DictType", "FileType", "FloatType", "IntType",
              "ListType", "LongType", "StringType", "StringTypes", "TupleType", "UnicodeType"},
    "urllib": {"quote", "quote_plus", "unquote", "unquote_plus", "urlencode", "urlopen",
               "urlretrieve"},
}
# Methods of dicts, and with how many arguments; other classes may have some of that name.
_OLD_METHODS = {"has_key": 1, "iteritems": 0, "iterkeys": 0, "itervalues": 0}
# What these make had next() in Python 2 alone.
_MAKE_ITERATORS = {"csv.DictReader", "csv.reader", "enumerate", "gzip.open", "io.open", "iter",
                   "open"}


def _is_old_print(node):
    """print >>f, x"""
    value = node.value.elts[0] if isinstance(node.value, ast.Tuple) and node.value.elts \
        else node.value
    return isinstance(value, ast.BinOp) and isinstance(value.op, ast.RShift) and \
        isinstance(value.left, ast.Name) and value.left.id == "print"


def _asks_version(node):
    """Does it try what may not be there, or ask which Python this is?"""
    if isinstance(node, ast.Try):
        return any(handler.type is None or any(
            isinstance(name, ast.Name) and name.id in ("NameError", "ImportError", "AttributeError",
                                                       "ModuleNotFoundError", "Exception")
            for name in ast.walk(handler.type)) for handler in node.handlers)
    if not isinstance(node, (ast.If, ast.IfExp)):
        return False
    words = {getattr(part, "id", None) or getattr(part, "attr", None)
             for part in ast.walk(node.test)}
    return any(word and ("version" in word.lower() or word in ("PY2", "PY3", "six", "hasattr"))
               for word in words)


class _Bound:
    """What the names of a file are bound to, wherever in it that is."""

    def __init__(self, tree):
        self.names = set()
        self.stars = False  # there are names that cannot be seen
        self._modules = {}  # name -> the modules that it is imported as
        self._made = {}  # name -> what it is made by: "open", "csv.reader"; "" for anything else
        others, calls = set(), []
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    name = alias.asname or alias.name.split(".")[0]
                    self._modules.setdefault(name, set()).add(
                        alias.name if alias.asname else name)
            elif isinstance(node, ast.ImportFrom):
                self.stars = self.stars or (node.names[0].name == "*" and
                                            not (node.module or "").startswith("paddle."))
                others.update(alias.asname or alias.name for alias in node.names)
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.ExceptHandler)):
                others.add(node.name)
            elif isinstance(node, ast.arg):
                others.add(node.arg)
            elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                self._made.setdefault(node.id, []).append("")
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                calls.append((node.targets[0].id, node.value))
            elif isinstance(node, ast.withitem) and isinstance(node.optional_vars, ast.Name):
                calls.append((node.optional_vars.id, node.context_expr))
        self.names = others.union(self._modules, self._made)
        for name in others:
            self._made.pop(name, None)
            self._modules.pop(name, None)
        for name, value in calls:
            if name in self._made and self.maker(value):
                self._made[name].remove("")
                self._made[name].append(self.maker(value))

    def module(self, node):
        """The module that an expression is for sure, or None."""
        found = self._modules.get(getattr(node, "id", None), ()) \
            if getattr(node, "id", None) not in self._made else ()
        return next(iter(found)) if len(found) == 1 else None

    def modules(self):
        return set().union(*self._modules.values())

    def is_imported(self, node):
        return isinstance(node, ast.Name) and node.id in self._modules

    def maker(self, node):
        """The function of Python that a value is a call of, as csv.reader; or ""."""
        function = getattr(node, "func", None)
        if isinstance(function, ast.Name) and function.id not in self.names and not self.stars:
            return function.id
        if isinstance(function, ast.Attribute) and self.module(function.value):
            return "%s.%s" % (self.module(function.value), function.attr)
        return ""

    def is_iterator(self, node):
        """Is it what had next() in Python 2, and has it no longer?"""
        made = self._made.get(node.id, ()) if isinstance(node, ast.Name) else [self.maker(node)]
        return bool(made) and _MAKE_ITERATORS.issuperset(made)


def _is_old_part(node, bound):
    """sys.maxint, from itertools import izip, f.next()"""
    if isinstance(node, ast.ImportFrom):
        return not node.level and bool(_OLD_PARTS.get(node.module, set()).intersection(
            alias.name for alias in node.names))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr == "next" and not node.args and bound.is_iterator(node.func.value)
    return isinstance(node, ast.Attribute) and \
        node.attr in _OLD_PARTS.get(bound.module(node.value), ())


def _is_old_method(node, bound):
    """d.iteritems(). pandas had it too, and what a class has from elsewhere is not seen."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or \
            len(node.args) != _OLD_METHODS.get(node.func.attr) or node.keywords:
        return False
    return getattr(node.func.value, "id", None) not in ("self", "cls") and \
        not bound.is_imported(node.func.value) and "pandas" not in bound.modules()


def _has_own(methods, path, beside):
    """Does a source of this workspace define a method of such a name for itself?"""
    own = re.compile(r"def\s+(%s)\s*\(" % "|".join(methods))
    for source in itertools.chain([path], beside):
        try:
            if own.search(read(source)[0]):
                return True
        except (OSError, SyntaxError, UnicodeDecodeError, LookupError):
            pass
    return False


def _old_line(text, path, beside):
    """The first line that parses as Python 3 and can only be Python 2, or None."""
    says = re.match(r"#!.*python([23])", text)
    if says:
        return 1 if says.group(1) == "2" else None
    tree = ast.parse(text, path)
    guarded = {id(inner) for node in ast.walk(tree) if _asks_version(node)
               for inner in ast.walk(node)}
    bound, found, methods = _Bound(tree), [], []
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and _is_old_print(node):
            found.append(node.lineno)
        if id(node) in guarded:
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)) and not getattr(node, "level", 0):
            modules = [node.module] if isinstance(node, ast.ImportFrom) else \
                [alias.name for alias in node.names]
            if _OLD_MODULES.intersection(modules):
                found.append(node.lineno)
        elif isinstance(node, ast.Name) and node.id in _OLD_NAMES - bound.names and \
                not bound.stars:
            found.append(node.lineno)
        if _is_old_part(node, bound):
            found.append(node.lineno)
        elif _is_old_method(node, bound):
            methods.append(node)
    if methods and not found and \
            not _has_own({node.func.attr for node in methods}, path, beside):
        found = [node.lineno for node in methods]
    return min(found) if found else None


def python2_line(path, beside=()):
    """None if a file is Python 3 (or neither), else the first line that can only be Python 2.
    beside: the sources of its workspace, which are looked at where that hangs on a method."""
    try:
        status = os.stat(path)
        key = (path, status.st_size, status.st_mtime_ns)
        if key not in _judged:
            text, _ = read(path)
            line = _parses(text, path)
            if line is None and os.path.basename(path) != "six.py":  # which is both
                line = _old_line(text, path, beside)
            elif not _is_python2(text, path):
                line = None
            _judged[key] = line
        return _judged[key]
    except (OSError, SyntaxError, UnicodeDecodeError, LookupError):
        return None


def _is_python2(text, path):
    try:
        _parse(_syntax(text, path), path)
    except SyntaxError:
        return False
    return True


def may_be_python2(path):
    """Could a file of a Python 2 workspace be of it? Not one that says it is Python 3, or that
    only Python 3 has words for."""
    try:
        text, _ = read(path)
    except (OSError, SyntaxError, UnicodeDecodeError, LookupError):
        return False
    if re.match(r"#!.*python3", text):
        return False
    if _parses(text, path) is not None:
        return True
    tree = ast.parse(text, path)
    only3 = (ast.AsyncFunctionDef, ast.AnnAssign, ast.Nonlocal, ast.YieldFrom, ast.JoinedStr,
             ast.Starred, ast.NamedExpr)
    for node in ast.walk(tree):
        if isinstance(node, only3) and not (isinstance(node, ast.Starred) and
                                            not isinstance(node.ctx, ast.Store)):
            return False
        if isinstance(node, ast.FunctionDef) and (node.returns or node.args.kwonlyargs):
            return False
        if isinstance(node, ast.arg) and node.annotation:
            return False
        if isinstance(node, ast.Raise) and node.cause:
            return False
    return True


def _even_tabs(text):
    """A tab reaches to the next eighth column, as it did in Python 2."""
    if "\t" not in text:
        return text
    from fissix.pgen2 import tokenize as tokens
    lines = text.splitlines(True)
    inside = set()
    source = iter(lines)
    try:
        for _, string, (first, _), (last, _), _ in tokens.generate_tokens(
                lambda: next(source, "")):
            if last > first and string.strip()[-1:] in "\"'":
                inside.update(range(first + 1, last + 1))
    except Exception:  # said better by the translation itself
        return text
    for number, line in enumerate(lines, 1):
        blank = line[:len(line) - len(line.lstrip(" \t"))]
        if number not in inside and "\t" in blank:
            lines[number - 1] = blank.expandtabs(8) + line[len(blank):]
    return "".join(lines)


def _cache_file(text):
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    key = hashlib.sha256(_VERSION + b"\0" + text.encode("utf-8", "surrogatepass")).hexdigest()
    return os.path.join(home, "paddle", "python2", key + ".py")


def _syntax(text, path):
    """The text with its syntax made Python 3's, from the cache where it is there."""
    kept = _cache_file(text)
    try:
        with open(kept, encoding="utf-8", newline="") as f:
            return f.read()
    except (OSError, UnicodeDecodeError):
        pass
    made = _refactor(_even_tabs(text), path)
    temporary = None
    try:
        os.makedirs(os.path.dirname(kept), exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(kept))
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as f:
            f.write(made)
        os.replace(temporary, kept)
    except (OSError, UnicodeEncodeError):  # it is only quicker with it
        if temporary is not None and os.path.exists(temporary):
            os.unlink(temporary)
    return made


def _parse(made, path, mode="exec"):
    if made.startswith("\ufeff"):
        made = made[1:]
    return ast.parse(re.sub(r"(?<![\w'\"])[uU]([rR]['\"])", r"\1", made), path, mode)


def compile_text(text, path, mode="exec", encoding="utf-8"):
    """Code of a Python 2 text. A piece that is Python 3 as it stands needs fissix not."""
    made = text
    if _parses(text, path) is not None or mode == "exec":
        made = _syntax(text, path)
    tree = _parse(made, path, mode)
    tree = ast.fix_missing_locations(_Meaning(made, tree, encoding).visit(tree))
    return compile(tree, path, mode, dont_inherit=True)


def code_of(path):
    """The code of a Python 2 file."""
    text, encoding = read(path)
    try:
        return compile_text(text, path, encoding=encoding)
    except SyntaxError as error:
        if error.filename is None:
            error.filename = path
        raise


# Calls of these methods become calls of functions of meaning.py, with the object first.
_METHODS = {"decode", "encode", "findall", "finditer", "fullmatch", "has_key", "iteritems",
            "iterkeys", "itervalues", "join", "keys", "values", "items", "match", "next", "search",
            "sort", "sub", "subn", "tostring", "translate", "viewitems", "viewkeys", "viewvalues"}
# Before these the object is asked whether it is bytes, which then behave as text.
_TEXT = {"split", "rsplit", "strip", "lstrip", "rstrip", "startswith", "endswith", "find", "rfind",
         "replace", "index", "count", "partition", "rpartition", "splitlines", "lower", "upper"}
_ORDER = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}
_ALIASES = {"next": "__next__", "__nonzero__": "__bool__", "__div__": "__truediv__",
            "__rdiv__": "__rtruediv__", "__idiv__": "__itruediv__"}


class _Meaning(ast.NodeTransformer):
    """Replaces what parses in both and means something else."""

    def __init__(self, source, tree, encoding):
        future = {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and
                  node.module == "__future__" for alias in node.names}
        self._source = source
        self._classic = "division" not in future
        self._bytes = "unicode_literals" not in future
        self._encoding = None if encoding.startswith("utf-8") else encoding

    @staticmethod
    def _call(name, node, *arguments, keywords=()):
        function = ast.Attribute(ast.Name("__py2__", ast.Load()), name, ast.Load())
        made = ast.Call(function, list(arguments), list(keywords))
        ast.copy_location(made, node)
        for part in (function, function.value):
            ast.copy_location(part, node)
        return made

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if self._classic and isinstance(node.op, ast.Div):
            return self._call("div", node, node.left, node.right)
        return node

    def visit_Compare(self, node):
        # None < 3 was true. What is compared with a number that stands there is left as it is.
        self.generic_visit(node)
        name = _ORDER.get(type(node.ops[0]))
        if name is None or len(node.ops) > 1 or any(
                isinstance(side, ast.Constant) and isinstance(side.value, (int, float))
                for side in (node.left, node.comparators[0])):
            return node
        return self._call(name, node, node.left, node.comparators[0])

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        if self._classic and isinstance(node.op, ast.Div):
            node.value = self._call("By", node, node.value)
        return node

    def visit_Call(self, node):
        self.generic_visit(node)
        function = node.func
        if not isinstance(function, ast.Attribute):
            return node
        if function.attr in _METHODS:
            return self._call(function.attr, node, function.value, *node.args,
                              keywords=node.keywords)
        if function.attr in _TEXT:
            function.value = self._call("text", node, function.value)
        return node

    def visit_ClassDef(self, node):
        self.generic_visit(node)
        named = {n.name for n in node.body if isinstance(n, ast.FunctionDef)} | \
            {t.id for n in node.body if isinstance(n, ast.Assign) for t in n.targets
             if isinstance(t, ast.Name)}
        for old, new in _ALIASES.items():
            if old in named and new not in named:
                node.body.append(self._assign(new, ast.Name(old, ast.Load()), node))
        if "__eq__" in named and "__hash__" not in named:
            node.body.append(self._assign("__hash__", ast.Attribute(
                ast.Name("object", ast.Load()), "__hash__", ast.Load()), node))
        if "__cmp__" in named:
            node.decorator_list.append(ast.copy_location(ast.Attribute(
                ast.Name("__py2__", ast.Load()), "ordered", ast.Load()), node))
        return node

    @staticmethod
    def _assign(name, value, node):
        return ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), node)

    def visit_ExceptHandler(self, node):
        # The name of what was caught stays after the block.
        self.generic_visit(node)
        if node.name is not None:
            kept, node.name = node.name, "__caught"
            node.body.insert(0, ast.copy_location(
                self._assign(kept, ast.Name("__caught", ast.Load()), node), node.body[0]))
        return node

    def visit_Constant(self, node):
        if not isinstance(node.value, str) or node.kind == "u" or not self._bytes or \
                node.value.isascii():
            return node
        if self._encoding is not None:
            node.value = self._as_bytes(node, self._encoding)
        elif max(node.value) <= "\xff":
            # '\xe4\xb8\xad' was three bytes, which are one character of UTF-8.
            segment = ast.get_source_segment(self._source, node)
            if segment is not None and segment.isascii():
                node.value = self._as_bytes(node, "latin1")
        return node

    @staticmethod
    def _as_bytes(node, encoding):
        try:
            return node.value.encode(encoding).decode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            return node.value


if sys.version_info < (3, 8):
    raise ImportError("Python 2 sources are translated by Python 3.8 or later")


def tree_of(path):
    """The syntax tree of a source, of Python 3 or of Python 2."""
    text, _ = read(path)
    return _parse(text if _parses(text, path) is None else _syntax(text, path), path)
