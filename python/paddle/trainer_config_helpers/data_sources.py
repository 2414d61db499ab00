"""Where a v1 config's data come from: file lists, and the data provider that reads the files."""
from .graph import ConfigError, current_graph, layer_function, script_line

__all__ = ["define_py_data_sources2", "define_py_data_sources", "define_py_data_source"]


class DataSource:
    """One provider over one list of files. files: a path to a list (one file a line), or a list
    of names. where: the line of the config that said so."""

    def __init__(self, files, module, obj, args, where):
        self.files, self.module, self.obj = files, module, obj
        self.args = args
        self.where = where


def _pair(value, what):
    """One value for both train and test, or a pair."""
    if isinstance(value, (list, tuple)):
        if len(value) != 2:
            raise ConfigError("define_py_data_sources2: %s is %r: one for both training and test, "
                              "or a pair" % (what, value))
        return tuple(value)
    return value, value


def _source(files, module, obj, args):
    if files is None:
        return None
    if not isinstance(files, (str, list, tuple)):
        raise ConfigError("define_py_data_sources2: a file list is the path of one, or a list of "
                          "file names, not %r" % (files,))
    if not isinstance(module, str) or not isinstance(obj, str):
        raise ConfigError("define_py_data_sources2: module and obj are names (of a module, and of "
                          "the provider in it), not %r and %r" % (module, obj))
    if args is not None and not isinstance(args, dict):
        raise ConfigError("define_py_data_sources2: args is a dict (the keywords of init_hook), "
                          "not %r" % (args,))
    return DataSource(files, module, obj, dict(args or {}), script_line())


@layer_function
def define_py_data_sources2(train_list, test_list, module, obj, args=None):
    """The data of training and test; either list may be None. module, obj and args may be pairs,
    the first for training."""
    modules, objects = _pair(module, "module"), _pair(obj, "obj")
    all_args = _pair(args, "args") if not isinstance(args, dict) else (args, args)
    sources = current_graph().data_sources
    sources["train"] = _source(train_list, modules[0], objects[0], all_args[0])
    sources["test"] = _source(test_list, modules[1], objects[1], all_args[1])


@layer_function
def define_py_data_sources(train_list, test_list, module, obj, args=None, train_async=False,
                           data_cls=None):
    """As define_py_data_sources2, which it was before; its providers are those of PyDataProvider2.
    train_async is how data were loaded, and data_cls another kind of provider."""
    if data_cls is not None:
        raise ConfigError("define_py_data_sources: data_cls is not supported; write the provider "
                          "with paddle.trainer.PyDataProvider2")
    define_py_data_sources2(train_list, test_list, module, obj, args)


@layer_function
def define_py_data_source(file_list, cls, module, obj, args=None, async_=False, data_cls=None):
    """One of the two: cls is 'train' or 'test' (or TrainData, TestData)."""
    which = {"train": "train", "TrainData": "train", "test": "test", "TestData": "test"}.get(
        getattr(cls, "__name__", cls))
    if which is None or data_cls is not None:
        raise ConfigError("define_py_data_source: cls is 'train' or 'test', and data_cls is not "
                          "supported; write the provider with paddle.trainer.PyDataProvider2")
    current_graph().data_sources[which] = _source(file_list, module, obj, args)
