"""The configuration as flat names (`runner.NAME.epochs`), and the environment of a run."""
import functools
import importlib.util
import os
import platform
import sys

__all__ = []

global_envs = {}
global_envs_flatten = {}
_NAMED = ("dataset", "phase", "runner")
_modules = {}  # file -> module
_FLAGS = ("FLAGS_communicator_", "FLAGS_rpc_")
_given_flags = {name: value for name, value in os.environ.items() if name.startswith(_FLAGS)}


def package_base():
    """The folder of the package paddlerec."""
    return os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


# ---- the process's environment ----

def set_runtime_environs(environs):
    for key, value in environs.items():
        os.environ[key] = str(value)


def get_runtime_environ(key):
    return os.environ.get(key)


def get_trainer():
    return get_runtime_environ("train.trainer.trainer")


def get_fleet_mode():
    return get_runtime_environ("fleet_mode")


def get_platform():
    return {"Linux": "LINUX", "Darwin": "DARWIN", "Windows": "WINDOWS"}.get(platform.system())


def find_free_port():
    """A port that is free now."""
    from paddle.distributed.utils import find_free_ports
    found = find_free_ports(1)
    if not found:
        raise OSError("this host has no free port")
    return found.pop()


def communicator_flags():
    """{name: value} of the FLAGS_communicator_* and FLAGS_rpc_* that this process was started with."""
    return dict(_given_flags)


def forget_flags():
    """Of what models have set since then nothing is for the next run, nor for processes that it starts."""
    for name in [n for n in os.environ if n.startswith(_FLAGS)]:
        del os.environ[name]
    os.environ.update(_given_flags)


# ---- the configuration ----

def load_yaml(config):
    """The configuration in a file, with what the environment overrides."""
    from paddlerec.core.config import override, read
    loaded = read(config)
    override(loaded)
    return loaded.data


def flatten_environs(envs, separator="."):
    """Nested keys as one level of names, their values as text."""
    flat = {}

    def walk(names, value):
        if isinstance(value, dict) and (value or len(names) == 1):
            for key, inner in value.items():
                walk(names + [key], inner)
        else:
            flat[separator.join(names)] = str(value)
    for key, value in envs.items():
        walk([key], value)
    return flat


def set_global_envs(envs):
    """Make this configuration the one that get_global_env() answers from."""
    def walk(names, values):
        for key, value in values.items():
            if isinstance(value, dict):
                walk(names + [key], value)
            elif key in _NAMED and isinstance(value, list):
                for item in value:
                    if item.get("name") is None:
                        raise ValueError("an item of %s has no name: %r" % (key, item))
                    walk(names + [key, str(item["name"])], item)
            else:
                global_envs[".".join(names + [key])] = value
    walk([], envs)
    for name, value in global_envs.items():
        global_envs[name] = _substituted(value)
    _settle_types(envs)


def needs_batches(runner):
    """The key of a runner that only a DataLoader can serve, or None."""
    if runner.get("runner_result_dump_path"):
        return "runner_result_dump_path"
    steps = (whole_number(runner.get("save_step_interval")) or -1) >= 1 and \
        runner.get("save_step_path")
    return "save_step_path" if steps and str(runner.get("class")).lower() != "infer" else None


def whole_number(value):
    """The number that a value of a configuration is, also in quotes; None where it is none."""
    try:
        return None if isinstance(value, (bool, float)) else int(value)
    except (TypeError, ValueError):
        return None


def _settle_types(envs):
    """Each dataset's type as the runner that runs reads it, in one spelling."""
    def items(section):
        found = envs.get(section)
        return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []
    mode = get_runtime_environ("mode")
    batches = any(needs_batches(r) for r in items("runner") if str(r["name"]) == mode)
    for dataset in items("dataset"):
        queue = str(dataset.get("type")).lower() == "queuedataset" and not batches
        global_envs["dataset.%s.type" % dataset["name"]] = "QueueDataset" if queue else "DataLoader"


def _substituted(value):
    if isinstance(value, str):
        return os_path_adapter(workspace_adapter(value))
    if isinstance(value, list):
        return [_substituted(item) for item in value]
    return value


def clear_global_envs():
    global_envs.clear()


def get_global_env(env_name, default_value=None, namespace=None):
    """The value of a key by its flat name: get_global_env("hyper_parameters.fc_sizes")."""
    name = env_name if namespace is None else "%s.%s" % (namespace, env_name)
    return global_envs.get(name, default_value)


def get_global_envs():
    return global_envs


def paddlerec_adapter(path):
    """`paddlerec.models.rank.dnn` as the folder of that model in this package."""
    if not path.startswith("paddlerec."):
        return path
    base = get_runtime_environ("PACKAGE_BASE") or package_base()
    return os.path.join(base, *path.split(".")[1:])


def os_path_adapter(value):
    return value.replace("/", "\\") if get_platform() == "WINDOWS" else value.replace("\\", "/")


def workspace_adapter(value):
    return workspace_adapter_by_specific(value, global_envs.get("workspace"))


def workspace_adapter_by_specific(value, workspace):
    """The text with {workspace} replaced."""
    return value.replace("{workspace}", paddlerec_adapter(workspace)) if workspace else value


def reader_adapter():
    """Nothing: a QueueDataset reads as one wherever this runs."""


def pretty_print_envs(envs, header=None):
    """A framed table of two columns."""
    gap, right = " " * 5, 50
    left = max([45] + [len(str(key)) for key in envs])
    border, rule = "=" * (left + 5 + right), "-" * (left + 5 + right)
    title = header or ("paddlerec Global Envs", "Value")
    rows = [border, title[0].center(left) + gap + title[1].ljust(right), rule]
    for key, value in envs.items():
        text = "... " + value[-46:] if isinstance(value, str) and len(value) >= right \
            else str(value)
        rows.append(str(key).ljust(left) + gap + text.ljust(right))
    return "\n%s\n" % "\n".join(rows + [border])


# ---- classes of the user's ----

def lazy_instance_by_package(package, class_name):
    """A class by the name of its module."""
    return _member(importlib.import_module(package), package, class_name)


def lazy_instance_by_fliename(abs, class_name):
    """A class by the file that defines it; the file's folder can be imported from."""
    path = os.path.abspath(abs)
    if path not in _modules:
        if not os.path.isfile(path):
            raise IOError("%s, which should define class %s, is not there" % (abs, class_name))
        folder, name = os.path.split(path)
        if folder not in sys.path:
            sys.path.append(folder)
        # Two models' files may both be called model.py: each is a module of its own, and of no
        # package, as a name with dots would be.
        name = "%s@%s" % (os.path.splitext(name)[0], folder.replace(".", "_"))
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            _run_module(path, spec, module)
        except BaseException:
            del sys.modules[name]
            raise
        _modules[path] = module
    return _member(_modules[path], abs, class_name)


def _run_module(path, spec, module):
    """A file of the user's may be Python 2, as most were, and what it imports from beside it."""
    from paddle import python2
    files = [path] + _python_files()
    if any(map(_needs_python2, files)) and python2.enable(os.path.dirname(path), also=files):
        python2.load(path, module.__dict__)
    else:
        spec.loader.exec_module(module)


def _python_files():
    """The user's own that the configuration names: if one is Python 2, all are, in every process."""
    own = os.path.join(package_base(), "")
    paths = [os.path.abspath(value) for value in global_envs.values()
             if isinstance(value, str) and value.endswith(".py")]
    return [path for path in paths if os.path.isfile(path) and not path.startswith(own)]


@functools.lru_cache(maxsize=None)
def _needs_python2(path):
    from paddle import python2
    return python2.needs(path)


lazy_instance_by_filename = lazy_instance_by_fliename


def _member(module, where, class_name):
    try:
        return getattr(module, class_name)
    except AttributeError:
        raise AttributeError("%s defines no class %s" % (where, class_name)) from None
