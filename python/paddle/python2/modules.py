"""The library of Python 2 as its modules find it: names that moved, and implicit relative
imports. A module that changed is seen through one that has the old names as well."""
import builtins
import collections
import importlib
import sys
import types

from . import text

__all__ = ["import_module"]


class _Seen(types.ModuleType):
    """A module with names added; all others are the real one's, also to set them."""

    def __init__(self, name, real, names):
        types.ModuleType.__init__(self, name)
        self.__dict__.update(names)
        self.__dict__["__real__"] = real
        self.__dict__["__doc__"] = real.__doc__
        self.__dict__["__names__"] = frozenset(names)

    def __getattr__(self, name):
        return getattr(self.__dict__["__real__"], name)

    def __setattr__(self, name, value):
        if name in self.__names__:
            self.__dict__[name] = value
        else:
            setattr(self.__dict__["__real__"], name, value)

    def __dir__(self):
        return sorted(set(dir(self.__real__)) | self.__names__)

    @property
    def __all__(self):
        public = getattr(self.__real__, "__all__", None) or \
            [n for n in dir(self.__real__) if not n.startswith("_")]
        return sorted(set(public) | {n for n in self.__names__ if not n.startswith("_")})


_RENAMED = {
    "BaseHTTPServer": "http.server", "ConfigParser": "configparser", "Cookie": "http.cookies",
    "HTMLParser": "html.parser", "Image": "PIL.Image", "ImageDraw": "PIL.ImageDraw",
    "Queue": "queue", "SimpleHTTPServer": "http.server",
    "SocketServer": "socketserver", "Tkinter": "tkinter", "__builtin__": "builtins",
    "anydbm": "dbm", "cookielib": "http.cookiejar", "copy_reg": "copyreg",
    "dummy_thread": "_thread", "exceptions": "builtins", "htmlentitydefs": "html.entities",
    "httplib": "http.client", "repr": "reprlib", "robotparser": "urllib.robotparser",
    "thread": "_thread", "urlparse": "urllib.parse", "xmlrpclib": "xmlrpc.client",
}


def _pickle():
    from . import pickles
    return "pickle", vars(pickles)


def _string():
    import string
    old = {"letters": string.ascii_letters, "lowercase": string.ascii_lowercase,
           "uppercase": string.ascii_uppercase, "maketrans": str.maketrans,
           "join": lambda parts, sep=" ": text.join(sep, parts), "joinfields": text.join,
           "atoi": int, "atof": float, "atol": int}
    for name in ("split", "strip", "lstrip", "rstrip", "replace", "find", "rfind", "upper",
                 "lower", "count", "zfill", "ljust", "rjust"):
        old[name] = lambda value, *a, _name=name: getattr(text.text(value), _name)(*a)
    return "string", old


def _itertools():
    import itertools
    return "itertools", {"izip": zip, "imap": map, "ifilter": filter,
                         "izip_longest": itertools.zip_longest,
                         "ifilterfalse": itertools.filterfalse}


def _sys():
    return "sys", {"maxint": sys.maxsize, "setdefaultencoding": lambda name: None,
                   "exc_clear": lambda: None}


def _os():
    import os
    return "os", {"getcwdu": os.getcwd, "errno": importlib.import_module("errno")}


def _types():
    from .meaning import long, unicode
    return "types", {
        "StringType": str, "UnicodeType": unicode, "StringTypes": (str, bytes), "IntType": int,
        "LongType": long, "FloatType": float, "BooleanType": bool, "ListType": list,
        "TupleType": tuple, "DictType": dict, "DictionaryType": dict, "NoneType": type(None),
        "FileType": text.File, "ObjectType": object, "TypeType": type, "ClassType": type,
        "InstanceType": object}


def _urllib():
    import urllib.parse
    import urllib.request
    names = {n: getattr(urllib.parse, n) for n in ("quote", "quote_plus", "unquote",
                                                   "unquote_plus", "urlencode")}
    for name in ("urlopen", "urlretrieve", "urlcleanup", "pathname2url", "url2pathname"):
        names[name] = getattr(urllib.request, name)
    return "urllib", names


def _urllib2():
    import urllib.error
    import urllib.request
    return "urllib.request", {"HTTPError": urllib.error.HTTPError,
                              "URLError": urllib.error.URLError}


def _collections():
    import collections.abc as abc
    return "collections", {n: getattr(abc, n) for n in abc.__all__}


def _time():
    import time
    return "time", {"clock": time.process_time}


def _struct():
    return "struct", {"pack": text.pack, "unpack": text.unpack}


def _hash_of(name):
    import hashlib
    return lambda data=b"", **options: _Hash(getattr(hashlib, name)(**options), data)


class _Hash:
    def __init__(self, made, data):
        self._made = made
        self.update(data)

    def update(self, data):
        self._made.update(text.as_bytes(data) if isinstance(data, str) else data)

    def digest(self):
        return text.Bytes(self._made.digest())

    def __getattr__(self, name):
        return getattr(self._made, name)


def _hashlib():
    return "hashlib", {n: _hash_of(n) for n in ("md5", "sha1", "sha224", "sha256", "sha384",
                                                "sha512")}


def _of_bytes(name):
    """A module whose functions take and give bytes."""
    def mixed(function):
        def call(*arguments, **options):
            given = [text.as_bytes(a) if isinstance(a, str) else a for a in arguments]
            return text.text(function(*given, **options))
        return call

    def make():
        real = importlib.import_module(name)
        return name, {n: mixed(f) for n, f in vars(real).items()
                      if not n.startswith("_") and callable(f) and not isinstance(f, type)}
    return make


def _numpy():
    """The names that NumPy had then: aliases of Python's own types, and others that went."""
    import numpy
    names = {"bool": bool, "int": int, "float": float, "complex": complex, "object": object,
             "str": str, "long": int, "unicode": str, "NaN": numpy.nan, "NAN": numpy.nan,
             "Inf": numpy.inf, "Infinity": numpy.inf, "infty": numpy.inf, "PINF": numpy.inf,
             "NINF": -numpy.inf, "float_": numpy.float64, "complex_": numpy.complex128,
             "string_": numpy.bytes_, "unicode_": numpy.str_, "product": numpy.prod,
             "cumproduct": numpy.cumprod, "alltrue": numpy.all, "sometrue": numpy.any,
             "asscalar": lambda array: numpy.asarray(array).item(), "row_stack": numpy.vstack,
             "in1d": numpy.isin}

    def fromstring(data, dtype=float, count=-1, sep=""):
        if sep:
            return numpy.fromstring(text.as_text(data), dtype, count, sep=sep)
        return numpy.frombuffer(text.as_bytes(data), dtype, count).copy()
    names["fromstring"] = fromstring
    return "numpy", names


def _gzip():
    import gzip

    def gzip_open(name, mode="rb", level=9):
        return text.File(name, mode if "b" in mode else mode + "b",
                         binary=gzip.open(name, mode.replace("t", ""), level))
    return "gzip", {"open": gzip_open}


def _subprocess():
    import subprocess

    class Popen(subprocess.Popen):
        """Pipes carry strings."""

        def __init__(self, *arguments, **options):
            if not (options.get("universal_newlines") or options.get("encoding") or
                    options.get("text")):
                options.update(encoding="utf-8", errors="surrogateescape")
            subprocess.Popen.__init__(self, *arguments, **options)

    def check_output(*arguments, **options):
        return text.as_text(subprocess.check_output(*arguments, **options))
    return "subprocess", {"Popen": Popen, "check_output": check_output}


def _commands():
    import subprocess
    return "subprocess", {"getoutput": subprocess.getoutput,
                          "getstatusoutput": subprocess.getstatusoutput}


def _codecs():
    import codecs
    return "codecs", {"open": lambda name, mode="r", encoding=None, *rest:
                      codecs.open(name, mode, encoding, *rest) if encoding else
                      text.File(name, mode)}


def _string_io():
    return "io", {"StringIO": text.StringIO}


def _user_dict():
    return "collections", {"UserDict": collections.UserDict, "IterableUserDict":
                           collections.UserDict, "DictMixin": collections.abc.MutableMapping}


def _md5():
    return "hashlib", {"md5": _hash_of("md5"), "new": _hash_of("md5")}


def _config_parser():
    import configparser

    class ConfigParser(configparser.ConfigParser):
        def readfp(self, f, name=None):
            self.read_file(f, name)
    return "configparser", {"SafeConfigParser": ConfigParser, "ConfigParser": ConfigParser,
                            "RawConfigParser": ConfigParser}


_CHANGED = {
    "cPickle": _pickle, "pickle": _pickle, "string": _string, "itertools": _itertools,
    "sys": _sys, "os": _os, "types": _types, "urllib": _urllib, "urllib2": _urllib2,
    "collections": _collections, "time": _time, "struct": _struct, "hashlib": _hashlib,
    "gzip": _gzip, "subprocess": _subprocess, "commands": _commands, "codecs": _codecs,
    "StringIO": _string_io, "cStringIO": _string_io, "UserDict": _user_dict, "md5": _md5,
    "ConfigParser": _config_parser, "base64": _of_bytes("base64"), "zlib": _of_bytes("zlib"),
    "binascii": _of_bytes("binascii"), "numpy": _numpy,
}
_seen = {}


def _library(name):
    """A module of Python 2's library, or None if it is none that changed."""
    if name in _seen:
        return _seen[name]
    if name in _CHANGED:
        real, names = _CHANGED[name]()
        names = {n: v for n, v in names.items() if not n.startswith("__")}
        made = _Seen(name, importlib.import_module(real), names)
    elif name in _RENAMED:
        made = importlib.import_module(_RENAMED[name])
    else:
        return None
    _seen[name] = made
    return made


def _is_package(globals):
    return globals is not None and "__path__" in globals


def import_module(name, globals, locals, fromlist, level):
    """__import__ of a Python 2 module: its own package first, then the library as it was."""
    if level > 0:
        return builtins.__import__(name, globals, locals, fromlist, level)
    package = (globals or {}).get("__package__") or ""
    if not package and _is_package(globals):
        package = globals.get("__name__", "")
    if package and name.split(".")[0] != "__future__":
        head = "%s.%s" % (package, name.split(".")[0])
        if head in sys.modules or importlib.util.find_spec(head) is not None:
            found = importlib.import_module("%s.%s" % (package, name))
            _take_submodules(found, fromlist)
            return found if fromlist else sys.modules[head]
    top = name.split(".")[0]
    library = _library(name) if fromlist or "." not in name else _library(top)
    if library is not None:
        if "." in name and not fromlist:
            importlib.import_module(name)
        return library
    return builtins.__import__(name, globals, locals, fromlist, 0)


def _take_submodules(module, fromlist):
    for name in fromlist or ():
        if name != "*" and not hasattr(module, name) and hasattr(module, "__path__"):
            try:
                importlib.import_module("%s.%s" % (module.__name__, name))
            except ModuleNotFoundError:
                pass  # "cannot import name" follows
