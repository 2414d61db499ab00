"""The names of PaddlePaddle 1.8.5 that are not here: importing them works, using them says what
they are and what to use instead.

names.txt lists real Paddle's modules and their names. A module of the package that is asked for a
name which it does not have looks there: what another module defines is taken from that; what is
not implemented comes as a class that refuses to be used, so that a script may import it, or derive
from it, and run as long as it does not use it. A module that is not here at all is made of such
names. docs/not-supported.md is the list, made by tools/not_supported.py."""
import os
import sys
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader

from . import _help, _older

__all__ = ["NotSupported", "install", "missing", "refused", "why"]

_tables = None


class NotSupported(NotImplementedError, AttributeError):
    """Raised by what real Paddle has and Regatta has not."""


_DYGRAPH = ("Regatta runs programs, and has no dygraph (eager) mode; build the model with "
            "fluid.layers and run it with fluid.Executor")
_FLOAT = "programs run in floating point"
_CORE = ("it is of Paddle's C++ core; programs are built and run with fluid.Program and "
         "fluid.Executor")
_INSIDE = "it is a part of Paddle's own workings that has no counterpart here"
_SERVERS = ("servers, and what is exchanged with them, are made by fluid.DistributeTranspiler or "
            "fleet")
_TRAINER = "exe.train_from_dataset() chooses its trainer by itself"

# The longest beginning of a full name decides.
_WHY = {
    "paddle": _INSIDE,
    "paddle.common_ops_import": _INSIDE,
    "paddle.complex": "there are no complex numbers",
    "paddle.distributed.fs_wrapper": "use paddle.fluid.incubate.fleet.utils.hdfs",
    "paddle.fluid.ComplexVariable": "there are no complex numbers",
    "paddle.fluid.contrib.layers": "build it of fluid.layers",
    "paddle.fluid.contrib.memory_usage_calc":
        "variables share memory here, so their sizes do not add up",
    "paddle.fluid.contrib.mixed_precision.fp16_utils":
        "use fluid.contrib.mixed_precision.decorate",
    "paddle.fluid.contrib.model_stat": "count op.type and shapes over the program's blocks",
    "paddle.fluid.contrib.op_frequence": "count op.type over the program's blocks",
    "paddle.fluid.contrib.quantize": _FLOAT,
    "paddle.fluid.contrib.slim": _FLOAT + ", and models are not compressed",
    "paddle.fluid.contrib.utils.lookup_table_utils":
        "a lookup table on servers is saved with fluid.io.save_persistables",
    "paddle.fluid.core": _CORE,
    "paddle.fluid.core.BackwardStrategy": _DYGRAPH,
    "paddle.fluid.core.Layer": _DYGRAPH,
    "paddle.fluid.core.Tracer": _DYGRAPH,
    "paddle.fluid.core.VarBase": _DYGRAPH,
    "paddle.fluid.core.from_dlpack": "tensors are exchanged as numpy arrays: numpy.array(tensor)",
    "paddle.fluid.dataloader": "make batches with fluid.io.DataLoader.from_generator",
    "paddle.fluid.device_worker": _TRAINER,
    "paddle.fluid.distributed": "use paddle.fluid.incubate.fleet.parameter_server",
    "paddle.fluid.dygraph": _DYGRAPH,
    "paddle.fluid.dygraph_utils": _DYGRAPH,
    "paddle.fluid.framework.ComplexVariable": "there are no complex numbers",
    "paddle.fluid.framework.Ir": "there is no graph beside the program; walk Program.blocks",
    "paddle.fluid.framework.ParamBase": _DYGRAPH,
    "paddle.fluid.framework._dygraph": _DYGRAPH,
    "paddle.fluid.framework._varbase_creator": _DYGRAPH,
    "paddle.fluid.framework._var_base_to_np": _DYGRAPH,
    "paddle.fluid.graphviz": "fluid.debugger.draw_block_graphviz draws a program",
    "paddle.fluid.net_drawer": "fluid.debugger.draw_block_graphviz draws a program",
    "paddle.fluid.incubate.fleet.parameter_server.pslib":
        "the library pslib is not in Regatta; its tables are those of distribute_transpiler",
    "paddle.fluid.layers": "`paddle ops` lists the ops that are",
    "paddle.fluid.layers.io.BlockGuardServ": _SERVERS,
    "paddle.fluid.layers.io.ListenAndServ": _SERVERS,
    "paddle.fluid.layers.io.Recv": _SERVERS,
    "paddle.fluid.layers.io.Send": _SERVERS,
    "paddle.fluid.multiprocess_utils": _INSIDE,
    "paddle.fluid.reader.DygraphGeneratorLoader": _DYGRAPH,
    "paddle.fluid.trainer_desc": _TRAINER,
    "paddle.fluid.trainer_factory": _TRAINER,
    "paddle.incubate.hapi": _DYGRAPH,
}
# Layers made of several ops, and one of those that the core refuses.
_LAYERS = ("paddle.fluid.layers", "paddle.fluid.contrib.layers")
_OPS_OF = {"deformable_roi_pooling": "deformable_psroi_pooling", "detection_output":
           "multiclass_nms", "multi_box_head": "prior_box", "ssd_loss": "mine_hard_examples"}
# Used as decorators where functions are defined, not where they are called.
_DECORATORS = ("no_grad", "declarative", "dygraph_to_static_func", "dygraph_only",
               "_dygraph_only_", "_dygraph_not_support_", "_fake_interface_only_")


class _Refused(type):
    """The class of what is not supported: to be named, not to be used."""

    def __call__(cls, *args, **kwargs):
        name = cls.__mro__[-2].__name__
        if name in _DECORATORS and len(args) == 1 and callable(args[0]) and not kwargs:
            return refused(args[0].__name__, cls._why, cls._full)
        raise NotSupported("%s is not implemented: %s" % (cls._full, cls._why))

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError("type object %r has no attribute %r" % (cls.__name__, name))
        raise NotSupported("%s.%s is not implemented: %s" % (cls._full, name, cls._why))

    def __repr__(cls):
        return "<%s, not implemented: %s>" % (cls._full, cls._why)


def refused(name, reason, full=None):
    """A class that may be imported, derived from and asked for by isinstance(), and no more."""
    full = full or name
    module = full.rpartition(".")[0] or __name__
    return _Refused(name, (), {"__doc__": "Not implemented: %s." % reason, "__module__": module,
                               "_full": full, "_why": reason})


def why(full):
    """The reason and what to use instead, of a full name: of layers what the core says of the op."""
    module, _, name = full.rpartition(".")
    if module.startswith(_LAYERS):
        from . import _core
        refusal = _core.op_refusal(_OPS_OF.get(name, name))
        if refusal is not None:
            return "it " + refusal
    best = max((start for start in _WHY if full.startswith(start)), key=len)
    return _WHY[best]


def tables():
    """{module: ({names it defines}, {name: (module it comes from, name there or None)})}"""
    global _tables
    if _tables is None:
        _tables = {}
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "names.txt")) as f:
            text = f.read().replace("\n    ", " ")
        for paragraph in text.split("\n\n")[1:]:
            module, *lines = paragraph.strip().split("\n")
            own, taken = set(), {}
            for line in lines:
                where, names = line.strip().split(": ")
                for item in names.split():
                    name, _, there = item.partition("=")
                    if where == "own":
                        own.add(name)
                    elif where == "modules":
                        taken[name.rsplit(".", 1)[-1]] = (there or name, None)
                    else:
                        taken[name] = (where, there or name)
            _tables[module] = (own, taken)
    return _tables


def _imported(name):
    __import__(name)
    return sys.modules[name]


def _from_above(module, name):
    """A name that real Paddle defines in `module`: from a package above, where it may stand
    here, or refused."""
    package = "" if module == "paddle.fluid.core" else module  # C++ has classes of such names too
    while "." in package:
        package = package.rpartition(".")[0]
        value = vars(_imported(package)).get(name)
        if value is not None and not isinstance(value, type(sys)):
            return value
    full = "%s.%s" % (module, name)
    return refused(name, why(full), full)


def _is_submodule(module, name):
    """Whether there is a file for it: `from package import name` asks for the attribute first."""
    path = vars(sys.modules[module]).get("__path__")
    spec = PathFinder.find_spec("%s.%s" % (module, name), path) if path else None
    return spec is not None and spec.origin is not None


# Parts of Paddle 2 that scripts name first. paddle check says them by this list, too.
_PADDLE_2 = {"Model", "Tensor", "amp", "autograd", "disable_static", "enable_static", "grad", "io",
             "jit", "metric", "nn", "no_grad", "optimizer", "randn", "save", "load", "seed",
             "set_device", "static", "summary", "to_tensor", "vision"}


def is_of_paddle2(full):
    return full.startswith("paddle.") and full.split(".")[1] in _PADDLE_2


def _nothing(module, name):
    """The error for a name that is nowhere: of Paddle 2, or a slip."""
    text = "module %r has no attribute %r" % (module, name)
    if is_of_paddle2("%s.%s" % (module, name)):
        return AttributeError(text + ": it is of Paddle 2, and this is the API of 1.8: build "
                              "programs with paddle.fluid (`paddle check FILE` lists all such "
                              "names of a script)")
    import difflib
    here = {n for n in dir(sys.modules[module]) if not n.startswith("_")}
    near = difflib.get_close_matches(name, here, 1, 0.8)
    return AttributeError(text + ("; did you mean %s?" % near[0] if near else ""))


def _of_older(module, name):
    """A name of an older Fluid: from where it is now, or refused."""
    full = "%s.%s" % (module, name)
    if name in _older.TAKEN.get(module, ()):
        return getattr(_imported(_older.TAKEN[module][name]), name)
    if full in _older.MOVED:
        return _imported(full)
    if full in _older.REMOVED:
        return refused(name, _older.REMOVED[full], full)
    raise _nothing(module, name)


def missing(module, name):
    """What stands for a name that a module here does not have; AttributeError for one that real
    Paddle's has not either."""
    if name.startswith("__"):
        raise AttributeError("module %r has no attribute %r" % (module, name))
    if _is_submodule(module, name):
        return _imported("%s.%s" % (module, name))
    own, taken = tables().get(module, ((), {}))
    if name in own:
        value = _from_above(module, name)
    elif name in taken:
        where, there = taken[name]
        value = _imported(where)
        if there is not None:
            value = getattr(value, there)
    elif "%s.%s" % (module, name) in tables():
        value = _imported("%s.%s" % (module, name))
    else:
        value = _of_older(module, name)
    setattr(sys.modules[module], name, value)
    return value


class _Module(SourceFileLoader):
    """Loads a module of the package, and has it look for the names that it lacks, and for its
    docstrings."""

    def exec_module(self, module):
        super().exec_module(module)
        _help.attach(module)
        if module.__name__.startswith("paddle."):
            module.__dict__.setdefault("__getattr__",
                                       lambda name, here=module.__name__: missing(here, name))


class _Absent:
    """Loads a module of real Paddle that is not here."""

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        name = module.__name__
        module.__doc__ = "Not implemented: %s." % why(name)
        module.__all__ = sorted(n for n in tables()[name][0] if not n.startswith("_"))
        module.__getattr__ = lambda attr: missing(name, attr)

    def get_code(self, name):
        """python -m asks for it."""
        raise ImportError("not implemented: %s" % why(name))


class _Moved:
    """Loads a module under the name that it had once: the same module, never a second copy."""

    def __init__(self, name):
        self.name = name

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        sys.modules[module.__name__] = _imported(self.name)


def _moved(name):
    """The name that a module has now; None where it never had another."""
    for old, new in _older.MOVED.items():
        if name == old or name.startswith(old + "."):
            return new + name[len(old):]
    return None


class _Finder:
    """Finds the modules of the package, and of real Paddle's."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if not name.startswith(("paddle.", "paddlerec.")):
            return None
        if _moved(name) is not None:
            return ModuleSpec(name, _Moved(_moved(name)))
        if name in _older.REMOVED:
            raise ModuleNotFoundError("No module named %r: %s" % (name, _older.REMOVED[name]),
                                      name=name)
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _Module(spec.loader.name, spec.loader.path)
            return spec
        if (spec is not None and spec.origin is not None) or name not in tables():
            return spec  # the extension, or a folder without __init__.py
        return ModuleSpec(name, _Absent(), is_package=any(
            other.startswith(name + ".") for other in tables()))


def install():
    if not any(isinstance(finder, type) and finder.__name__ == "_Finder" and
               finder.__module__ == __name__ for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder)
