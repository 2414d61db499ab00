"""What is public: the modules that users import, and the functions and classes they name in them.

A name stands in one place, the module that defines it (its home), and may be seen in several
(fluid.layers.fc is paddle.fluid.layers.nn.fc). What is there to refuse (paddle._names) is not
listed: docs/not-supported.md is its page."""
import importlib
import inspect
import os
import sys
import types

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PYTHON = os.path.join(ROOT, "python")
FLEET = "paddle.fluid.incubate.fleet."

# In the order in which a name's address is chosen: fluid.data rather than fluid.data.data.
MODULES = """
    paddle paddle.fluid paddle.fluid.layers paddle.fluid.optimizer paddle.fluid.initializer
    paddle.fluid.regularizer paddle.fluid.clip paddle.fluid.io paddle.fluid.metrics
    paddle.fluid.nets paddle.fluid.evaluator paddle.fluid.profiler paddle.fluid.backward
    paddle.fluid.dataset paddle.fluid.data_feeder paddle.fluid.unique_name paddle.fluid.average
    paddle.fluid.communicator paddle.fluid.debugger paddle.fluid.transpiler
    paddle.fluid.install_check paddle.fluid.param_attr paddle.fluid.executor
    paddle.fluid.framework paddle.fluid.compiler paddle.fluid.contrib
    paddle.fluid.contrib.mixed_precision paddle.fluid.incubate.data_generator
    paddle.fluid.inference paddle.fluid.core
    %(f)sbase.role_maker %(f)sbase.fleet_base %(f)scollective %(f)smetrics
    %(f)sparameter_server.distribute_transpiler
    %(f)sparameter_server.distribute_transpiler.distributed_strategy
    %(f)sutils.fleet_util %(f)sutils.hdfs %(f)sutils.utils
    paddle.reader paddle.reader.creator paddle.distributed paddle.dataset.common
    paddle.dataset.cifar paddle.dataset.conll05 paddle.dataset.flowers paddle.dataset.image
    paddle.dataset.imdb paddle.dataset.imikolov paddle.dataset.mnist paddle.dataset.movielens
    paddle.dataset.mq2007 paddle.dataset.sentiment paddle.dataset.uci_housing
    paddle.dataset.voc2012 paddle.dataset.wmt14 paddle.dataset.wmt16
    paddle.trainer_config_helpers paddle.trainer_config_helpers.layer_math
    paddle.trainer.PyDataProvider2
    paddle.v2 paddle.v2.layer paddle.v2.activation paddle.v2.attr paddle.v2.data_type
    paddle.v2.data_feeder paddle.v2.evaluator paddle.v2.event paddle.v2.inference
    paddle.v2.master paddle.v2.networks paddle.v2.op paddle.v2.optimizer paddle.v2.parameters
    paddle.v2.plot paddle.v2.pooling paddle.v2.topology paddle.v2.trainer
    paddlerec.core.model paddlerec.core.reader paddlerec.core.metric paddlerec.core.metrics
    paddlerec.core.layer paddlerec.run
""" % {"f": FLEET}
MODULES = MODULES.split()


class Entry:
    """A public function or class: `full` is how users reach it, `home` and `qualname` where it is
    defined, `owner` the class of a method."""

    def __init__(self, full, value, home, owner=None, support=False):
        self.full, self.value, self.home, self.owner = full, value, home, owner
        self.support = support  # a base class that is not public itself, but its methods are
        self.name = full.rpartition(".")[2]
        self.qualname = "%s.%s" % (owner.qualname, self.name) if owner else \
            name_at_home(value, home, self.name)
        self.is_class = isinstance(value, type)

    def parameters(self):
        """[(name, default or inspect.Parameter.empty, kind)] without self; None: not known."""
        function = self.value
        if self.is_class:
            if self.value.__module__ == "paddle._core":
                return None
            if self.value.__init__ is object.__init__:
                return []
            function = self.value.__init__
        elif not isinstance(function, (types.FunctionType, types.MethodType)) and \
                getattr(function, "__text_signature__", None) is None:
            return None
        try:
            found = list(inspect.signature(function).parameters.values())
        except (ValueError, TypeError):
            return None
        bound = self.owner is not None and not isinstance(
            inspect.getattr_static(self.owner.value, self.name), (staticmethod, classmethod))
        if (self.is_class or bound) and found and found[0].kind is not inspect.Parameter.VAR_POSITIONAL:
            found = found[1:]
        return found

    def methods(self):
        """The public methods that the class itself defines, and those of bases in C."""
        if not self.is_class:
            return []
        found = {}
        for base in [self.value] + [b for b in self.value.__mro__[1:] if b.__module__ == "paddle._core"]:
            for name in vars(base):
                value = getattr(self.value, name)
                if not name.startswith("_") and callable(value) and not isinstance(value, type):
                    found.setdefault(name, Entry("%s.%s" % (self.full, name), value, self.home, self))
        return list(found.values())

    def properties(self):
        return [] if not self.is_class else [
            name for name, value in vars(self.value).items()
            if not name.startswith("_") and isinstance(
                value, (property, types.GetSetDescriptorType, types.MemberDescriptorType))]


def name_at_home(value, home, name):
    """What it is called where it is defined: fluid.optimizer.SGD is SGDOptimizer there."""
    own = getattr(value, "__name__", name)
    return own if vars(sys.modules[home]).get(own) is value else name


def names_of(module):
    """The public names of a module, as `import *` would give them, and those found on demand."""
    names = list(getattr(module, "__all__", ()))
    names += getattr(module, "_OF_MODULES", ())
    if not hasattr(module, "__all__"):
        package = module.__name__.rpartition(".")[0]
        names += [name for name, value in vars(module).items() if not name.startswith("_")
                  and str(getattr(value, "__module__", "")).startswith((package, "paddle._core"))]
    return list(dict.fromkeys(names))


def home_of(value, module, name):
    """The module whose attribute `name` the value is, and where it was written."""
    home = getattr(value, "__module__", None) or module
    here = sys.modules.get(home)
    if home.startswith(("paddle.", "paddlerec.")) and home != "paddle._core" and \
            vars(here).get(name) is value:
        return home
    return module


def bases_of(found):
    """Base classes of public classes that are not public: their methods are seen all the same."""
    seen, more = {id(entry.value) for entry in found}, []
    for entry in found:
        for base in entry.value.__mro__[1:] if entry.is_class else ():
            if base.__module__.startswith("paddle") and base.__module__ != "paddle._core" and \
                    id(base) not in seen:
                seen.add(id(base))
                more.append(Entry("%s.%s" % (base.__module__, base.__name__), base,
                                  base.__module__, support=True))
    return more


_entries = None


def entries():
    """Every public function and class once, in the order of MODULES."""
    global _entries
    if _entries is not None:
        return _entries
    from paddle import _names
    seen, _entries = {}, []
    for name in MODULES:
        module = importlib.import_module(name)
        for attribute in names_of(module):
            value = getattr(module, attribute)
            if isinstance(value, (types.ModuleType, _names._Refused)) or not callable(value) or \
                    id(value) in seen:
                continue
            own = getattr(value, "__module__", None) or ""
            if not own.startswith(("paddle", "paddlerec")):
                continue
            entry = Entry("%s.%s" % (name, attribute), value, home_of(value, name, attribute))
            seen[id(value)] = entry
            _entries.append(entry)
    _entries += bases_of(_entries)
    return _entries
