"""The data sources of a config, opened: file lists are read, providers imported and made."""
import importlib
import os

from ..trainer_config_helpers.graph import ConfigError
from .config_parser import told
from .pool import SampleSource
from .PyDataProvider2 import ProviderError

__all__ = ["open_source"]


def _at(source):
    return source.where + ": " if source.where else ""


def read_file_list(source, which):
    """The data files of a source."""
    if isinstance(source.files, (list, tuple)):
        return list(source.files)
    try:
        with open(source.files) as f:
            files = [line.strip() for line in f if line.strip()]
    except FileNotFoundError:
        raise ConfigError(
            "%sthere is no file list %s (in %s); it is the %s_list of define_py_data_sources2, a "
            "text file that names one data file a line"
            % (_at(source), source.files, os.getcwd(), which)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError("%sthe file list %s cannot be read: %s"
                          % (_at(source), source.files, error)) from None
    if not files:
        raise ConfigError("%sthe file list %s is empty; it names one data file a line"
                          % (_at(source), source.files))
    return files


def _find_provider(source):
    try:
        module = importlib.import_module(source.module)
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and error.name == source.module:
            raise ConfigError("%sthere is no module %s for the data provider; it is looked for in "
                              "%s and PYTHONPATH" % (_at(source), source.module, os.getcwd())
                              ) from None
        raise ConfigError("%sthe module %s of the data provider cannot be imported: %s"
                          % (_at(source), source.module, told(error, source.module + ".py"))
                          ) from error
    found = getattr(module, source.obj, None)
    if found is None:
        raise ConfigError("%s%s has no %s; obj is the name of its provider"
                          % (_at(source), module.__file__, source.obj))
    if not hasattr(found, "samples"):
        raise ConfigError("%s%s of %s is no data provider: decorate it with @provider of "
                          "paddle.trainer.PyDataProvider2" % (_at(source), source.obj,
                                                              module.__file__))
    return found


def open_source(config, which, batch_size, seed=0, optional=False):
    """The samples of "train" or "test" in batches; None where there is none and none is needed."""
    source = config.data_sources.get(which)
    if source is None:
        if optional:
            return None
        raise ConfigError("%s: no data to %s: call define_py_data_sources2(%s_list, ...)"
                          % (config.path or "config", which, which))
    files = read_file_list(source, which)
    provider = _find_provider(source)(files, is_train=which == "train",
                                      input_order=config.input_layer_names, **source.args)
    if len(provider.slots) != len(config.input_layer_names):
        raise ProviderError(
            "%sthe provider %s has %d input types, and the network %d data layers: %s"
            % (_at(source), source.obj, len(provider.slots), len(config.input_layer_names),
               ", ".join(config.input_layer_names)))
    return SampleSource(provider, batch_size, seed)
