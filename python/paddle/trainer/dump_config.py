"""`paddle dump_config CONFIG [CONFIG_ARGS] [--whole] [--binary]`: what a config declares, as the
text of its protobuf message."""
import sys

from ..trainer_config_helpers.graph import ConfigError
from .config_parser import parse_config
from .describe import model_message, network_of, trainer_message

_USAGE = """usage: paddle dump_config CONFIG [CONFIG_ARGS] [--whole] [--binary]
Prints the model of a config (CONFIG_ARGS: name=value,name=value).
  --whole   with its settings and data sources
  --binary  as bytes"""


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    options = {a for a in arguments if a.startswith("-")}
    names = [a for a in arguments if not a.startswith("-")]
    if options & {"-h", "--help"} or not 1 <= len(names) <= 2:
        print(_USAGE, file=sys.stderr)
        return 0 if options & {"-h", "--help"} else 2
    unknown = sorted(options - {"--whole", "--binary"})
    if unknown:
        print("paddle dump_config: there is no option %s\n%s" % (unknown[0], _USAGE),
              file=sys.stderr)
        return 2
    try:
        config = parse_config(*names)
        if not config.outputs:
            raise ConfigError("%s declares no outputs" % names[0])
        network = network_of(config)
        message = (trainer_message if "--whole" in options else model_message)(config, network)
    except (ConfigError, OSError) as error:
        print("paddle dump_config: %s" % error, file=sys.stderr)
        return 1
    if "--binary" in options:
        sys.stdout.buffer.write(message.to_bytes())
    else:
        sys.stdout.write(message.text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
