"""What Python 2 meant: the builtins of its modules, and the functions that translated code calls
as __py2__ in place of operators and methods that changed."""
import builtins
import functools
import itertools
import operator
import re
import sys

from .text import File, as_bytes, as_text, decode, encode, join, text, translate  # noqa: F401

_DICT_VIEWS = (type({}.keys()), type({}.values()), type({}.items()))


def _is_integer(value):
    if isinstance(value, int):
        return True
    dtype = getattr(value, "dtype", None)
    return dtype is not None and getattr(dtype, "kind", "") in "iub"


def div(a, b):
    """a / b: of two integers, rounded down."""
    if _is_integer(a) and _is_integer(b):
        return a // b
    return a / b


class By:
    """The right side of `/=`."""
    def __init__(self, value):
        self.value = value

    def __rtruediv__(self, left):
        return div(left, self.value)

    def __array_ufunc__(self, divide, method, *inputs, **options):
        """An array is divided, in place."""
        import numpy
        inputs = [i.value if i is self else i for i in inputs]
        if all(map(_is_integer, inputs)):
            divide = numpy.floor_divide
        return getattr(divide, method)(*inputs, **options)


def _listed(value):
    return list(value) if isinstance(value, _DICT_VIEWS) else value


def keys(value, *arguments, **keywords):
    return _listed(value.keys(*arguments, **keywords))


def values(value, *arguments, **keywords):
    return _listed(value.values(*arguments, **keywords))


def items(value, *arguments, **keywords):
    return _listed(value.items(*arguments, **keywords))


def _iterator(old, new):
    def method(value, *arguments, **keywords):
        if hasattr(value, old):
            return getattr(value, old)(*arguments, **keywords)
        return iter(getattr(value, new)(*arguments, **keywords))
    return method


iterkeys = _iterator("iterkeys", "keys")
itervalues = _iterator("itervalues", "values")
iteritems = _iterator("iteritems", "items")


def _view(old, new):
    def method(value, *arguments, **keywords):
        return getattr(value, old if hasattr(value, old) else new)(*arguments, **keywords)
    return method


viewkeys = _view("viewkeys", "keys")
viewvalues = _view("viewvalues", "values")
viewitems = _view("viewitems", "items")


def has_key(value, *arguments, **keywords):
    if hasattr(value, "has_key"):
        return value.has_key(*arguments, **keywords)
    return arguments[0] in value


def next(value, *arguments, **keywords):
    if hasattr(value, "next"):
        return value.next(*arguments, **keywords)
    return builtins.next(value, *arguments, **keywords)


def _of_pattern(name):
    """A method of patterns, or function of re, that is given bytes as text."""
    def method(value, *arguments, **keywords):
        if value is re or isinstance(value, re.Pattern) and isinstance(value.pattern, str):
            arguments = [as_text(a) if isinstance(a, bytes) else a for a in arguments]
        return getattr(value, name)(*arguments, **keywords)
    return method


findall, finditer, fullmatch, match, search, sub, subn = map(_of_pattern, (
    "findall", "finditer", "fullmatch", "match", "search", "sub", "subn"))


def tostring(value, *arguments, **keywords):
    """Of arrays: their bytes."""
    if hasattr(value, "tostring") and not hasattr(value, "tobytes"):
        return value.tostring(*arguments, **keywords)
    return text(value.tobytes(*arguments, **keywords))


def _rank(value):
    """Values that Python 3 cannot compare: None before numbers, those before all others, which go
    by the names of their types."""
    if value is None:
        return 0, ""
    if isinstance(value, (int, float)):
        return 1, ""
    return 2, type(value).__name__.replace("Bytes", "str")


def cmp(a, b):
    try:
        return (a > b) - (a < b)
    except TypeError:
        if type(a) is type(b) and isinstance(a, (list, tuple)):
            parts = (cmp(x, y) for x, y in zip(a, b))
            return builtins.next((part for part in parts if part), cmp(len(a), len(b)))
        a, b = _rank(a), _rank(b)
        return (a > b) - (a < b)


def _comparison(compare):
    def method(a, b):
        try:
            return compare(a, b)
        except TypeError:
            if _rank(a) == _rank(b) and not isinstance(a, (list, tuple)):
                raise
            return compare(cmp(a, b), 0)
    return method


lt, le = _comparison(operator.lt), _comparison(operator.le)
gt, ge = _comparison(operator.gt), _comparison(operator.ge)


def _sort_key(compare, key):
    """The arguments of Python 3's sort for those of Python 2's."""
    if compare is None:
        return key
    order = functools.cmp_to_key(compare)
    return order if key is None else lambda item: order(key(item))


def sort(value, *arguments, **keywords):
    if not isinstance(value, list):
        return value.sort(*arguments, **keywords)

    def in_place(cmp=None, key=None, reverse=False):
        value[:] = _sorted(value, cmp, key, reverse)
    return in_place(*arguments, **keywords)


def ordered(cls):
    """A class with __cmp__ is compared by it."""
    def by(test):
        return lambda self, other: test(self.__cmp__(other))
    for name, test in (("__lt__", lambda c: c < 0), ("__gt__", lambda c: c > 0),
                       ("__le__", lambda c: c <= 0), ("__ge__", lambda c: c >= 0),
                       ("__eq__", lambda c: c == 0), ("__ne__", lambda c: c != 0)):
        if name not in cls.__dict__:
            setattr(cls, name, by(test))
    if cls.__dict__.get("__hash__") is None:
        cls.__hash__ = object.__hash__
    return cls


# --- builtins -------------------------------------------------------------------------------

def _map(function, first, *more):
    if not more:
        return list(first) if function is None else [function(item) for item in first]
    rows = itertools.zip_longest(first, *more)
    return list(rows) if function is None else [function(*row) for row in rows]


def _filter(function, values):
    kept = [v for v in values if (v if function is None else function(v))]
    if isinstance(values, str):
        return "".join(kept)
    return tuple(kept) if isinstance(values, tuple) else kept


def _zip(*sequences):
    return list(zip(*sequences))


def _range(*arguments):
    return list(range(*map(int, arguments)))


def _round(number, digits=0):
    """Half away from zero, and always a float."""
    from decimal import ROUND_HALF_UP, Decimal
    if not isinstance(number, (int, float)):
        return builtins.round(number, digits)
    value = float(number)
    if value in (float("inf"), float("-inf")) or value != value:
        return value
    return float(Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)) \
        if abs(value) < 1e15 else value


def _sorted(values, cmp=None, key=None, reverse=False):
    values = list(values)
    try:
        return builtins.sorted(values, key=_sort_key(cmp, key), reverse=bool(reverse))
    except TypeError:
        if cmp is not None:
            raise
        by = _sort_key(globals()["cmp"], key)  # values of several kinds
        return builtins.sorted(values, key=by, reverse=bool(reverse))


class _Kind(type):
    """unicode and basestring: every string is one."""

    def __instancecheck__(cls, value):
        return isinstance(value, cls.kinds)

    def __subclasscheck__(cls, other):
        return issubclass(other, cls.kinds)


class unicode(metaclass=_Kind):
    kinds = (str,)

    def __new__(cls, value="", encoding=None, errors="strict"):
        if encoding is not None:
            return decode(value, encoding, errors)
        return as_text(value) if isinstance(value, bytes) else str(value)


class basestring(metaclass=_Kind):
    kinds = (str, bytes)


class _Long(type(int)):
    def __instancecheck__(cls, value):
        return isinstance(value, int)


def _long(value=0, *base):
    if isinstance(value, str):
        value = value.rstrip("lL")
    return int(value, *base)


class long(int, metaclass=_Long):
    def __new__(cls, *arguments):
        return _long(*arguments)


def _open(name, mode="r", buffering=-1):
    return File(name, mode, buffering)


def _oct(value):
    return builtins.oct(value).replace("0o", "0" if value else "")


def _ord(value):
    return builtins.ord(value) if not isinstance(value, str) or len(value) == 1 else \
        builtins.ord(as_bytes(value))


def _chr(value):
    return as_text(bytes((value,)))


def _caller(given, depth=2):
    """The namespaces of who called, where none were given."""
    frame = sys._getframe(depth)
    spaces = [frame.f_globals, frame.f_locals]
    for at, space in enumerate(given):
        if space is not None:
            spaces[at:] = [space] if at else [space, space]
    return spaces


def _code(source, mode):
    from .translate import compile_text
    if not isinstance(source, (str, bytes)):
        return source
    source = as_text(source)
    return compile_text(source.strip() if mode == "eval" else source + "\n", "<string>", mode)


def _exec(source, *spaces):
    if isinstance(source, tuple):  # exec(code, globals) was a form of the statement
        source, spaces = source[0], source[1:]
    spaces = _caller(spaces)
    spaces[0].setdefault("__builtins__", BUILTINS)
    if hasattr(source, "read"):
        source = source.read()
    builtins.exec(_code(source, "exec"), *spaces)


def _eval(source, *spaces):
    spaces = _caller(spaces)
    spaces[0].setdefault("__builtins__", BUILTINS)
    return builtins.eval(_code(source, "eval"), *spaces)


def _execfile(path, *spaces):
    from .translate import code_of
    spaces = _caller(spaces)
    spaces[0].setdefault("__builtins__", BUILTINS)
    builtins.exec(code_of(path), *spaces)


def _input(prompt=""):
    frame = sys._getframe(1)
    return builtins.eval(_code(input(prompt), "eval"), frame.f_globals, frame.f_locals)


def _reload(module):
    import importlib
    real = getattr(module, "__real__", module)
    if real is sys:  # reload(sys) brought setdefaultencoding back, which is there
        return module
    return importlib.reload(real)


def _apply(function, arguments=(), keywords=None):
    return function(*arguments, **(keywords or {}))


def _import(name, globals=None, locals=None, fromlist=(), level=-1):
    from .modules import import_module
    return import_module(name, globals, locals, fromlist, level)


BUILTINS = dict(vars(builtins))
BUILTINS.update(
    __import__=_import, __py2__=sys.modules[__name__], apply=_apply, basestring=basestring,
    buffer=memoryview, chr=_chr, cmp=cmp, eval=_eval, exec=_exec, execfile=_execfile, file=File,
    filter=_filter, input=_input, intern=sys.intern, long=long, map=_map, oct=_oct, open=_open,
    ord=_ord, range=_range, raw_input=input, reduce=functools.reduce, reload=_reload, round=_round,
    sorted=_sorted, unichr=chr, unicode=unicode, xrange=range, zip=_zip,
    StandardError=Exception)


def execute(code, namespace):
    """Run translated code in a module's namespace, which gets Python 2's builtins."""
    namespace["__builtins__"] = BUILTINS
    builtins.exec(code, namespace)


def execute_as_is(code, namespace):
    """Run code of Python 3."""
    builtins.exec(code, namespace)
