"""`paddle merge_model`: a config and a model folder as one file.

The file is v1's: int64 length of the config's message, the message, then each parameter in the
order of the network as in its own file."""
import os
import struct
import sys

import numpy as np

from ..trainer_config_helpers.graph import ConfigError
from . import model_dir
from .config_parser import parse_config
from .describe import network_of, trainer_message

_USAGE = """usage: paddle merge_model --model_dir=DIR --model_file=FILE [--config_file=CONFIG]
                          [--config_args=name=value,...]
Writes the config (that of the folder, unless given) and the parameters of DIR into FILE."""
_FLAGS = ("model_dir", "model_file", "config_file", "config_args")


def _read_flags(arguments):
    given, pending = dict.fromkeys(_FLAGS, ""), list(arguments)
    while pending:
        name, equals, value = pending.pop(0).lstrip("-").partition("=")
        if name not in given:
            raise ValueError("there is no flag --%s" % name)
        if not equals and not pending:
            raise ValueError("--%s wants a value" % name)
        given[name] = value if equals else pending.pop(0)
    for name in ("model_dir", "model_file"):
        if not given[name]:
            raise ValueError("--%s is wanted" % name)
    return given


def _config_of(flags):
    if flags["config_file"]:
        return flags["config_file"]
    note = os.path.join(flags["model_dir"], "path.txt")
    try:
        with open(note) as f:
            return os.path.join(flags["model_dir"], f.readline().strip())
    except FileNotFoundError:
        raise ConfigError("%s has no config (no path.txt): give --config_file=CONFIG"
                          % flags["model_dir"]) from None


def merge(flags):
    config = parse_config(_config_of(flags), flags["config_args"])
    if not config.outputs:
        raise ConfigError("%s declares no outputs" % config.path)
    network = network_of(config)
    sizes = {name: int(np.prod(each.shape)) for name, each in network.parameters.items()}
    values = model_dir.load(flags["model_dir"], sizes)
    message = trainer_message(config, network).to_bytes()
    target = os.path.abspath(flags["model_file"])
    aside = os.path.join(os.path.dirname(target), ".%s.merging" % os.path.basename(target))
    try:
        with open(aside, "wb") as f:
            f.write(struct.pack("<q", len(message)) + message)
            for name in network.parameters:
                model_dir.write_parameter(f, values[name])
            f.flush()
            os.fsync(f.fileno())
        os.replace(aside, target)
    except BaseException:
        if os.path.exists(aside):
            os.unlink(aside)
        raise
    print("%s: %d parameters of %s" % (flags["model_file"], len(values), flags["model_dir"]))


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    if "-h" in arguments or "--help" in arguments:
        print(_USAGE)
        return 0
    try:
        merge(_read_flags(arguments))
    except ValueError as error:
        if isinstance(error, ConfigError):
            print("paddle merge_model: %s" % error, file=sys.stderr)
            return 1
        print("paddle merge_model: %s\n%s" % (error, _USAGE), file=sys.stderr)
        return 2
    except (model_dir.ModelError, OSError) as error:
        print("paddle merge_model: %s" % error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
