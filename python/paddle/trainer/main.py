"""`paddle train`: reads a config, opens its data, and trains, tests, times or checks it."""
import os
import signal
import sys
import time

from ..fluid.core import EnforceNotMet
from ..trainer_config_helpers.graph import ConfigError
from .flags import FlagError, read_flags
from .log import Log
from .model_dir import ModelError
from .PyDataProvider2 import ProviderError

__all__ = ["main"]


def config_args_of(flags):
    """What get_config_arg() finds: what was given, after what the trainer knows itself."""
    known = {"trainer_id": flags.trainer_id, "local": int(flags.local),
             "with_cost": int(flags.with_cost), "use_gpu": int(flags.use_gpu),
             "parallel_nn": int(flags.parallel_nn)}
    return ",".join(["%s=%s" % pair for pair in known.items()] +
                    ([flags.config_args] if flags.config_args else []))


class _Terminated(KeyboardInterrupt):
    """SIGTERM, which ends a job as Ctrl+C does."""


def _terminate(number, frame):
    raise _Terminated


def _settle_seed(flags):
    return flags.seed if flags.seed else int(time.time()) % 2 ** 31


def run_job(flags, log):
    from . import jobs
    from .config_parser import parse_config
    if not flags.config:
        raise FlagError("--config=FILE is wanted: the config to train")
    if flags.python_path:
        sys.path[:0] = [p for p in flags.python_path.split(":") if p]
    flags.seed = _settle_seed(flags)
    config = parse_config(flags.config, config_args_of(flags))
    if not config.outputs:
        raise ConfigError("%s declares no outputs: call outputs(cost)" % flags.config)
    if not config.settings:
        raise ConfigError("%s has no settings(batch_size=..., ...)" % flags.config)
    return {"train": jobs.train, "test": jobs.test, "time": jobs.measure,
            "checkgrad": jobs.check_gradients}[flags.job](config, flags, log)


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        flags = read_flags(arguments)
        log = Log()
        log.take_logging()
    except FlagError as error:
        print("paddle train: %s" % error, file=sys.stderr)
        return 2
    except OSError as error:
        print("paddle train: the log cannot be written (GLOG_log_dir=%s): %s"
              % (os.environ.get("GLOG_log_dir", ""), error), file=sys.stderr)
        return 1
    log.info("commandline: paddle train %s" % " ".join(
        "--%s=%s" % pair for pair in flags.given.items()))
    signal.signal(signal.SIGTERM, _terminate)
    try:
        return run_job(flags, log) or 0
    except _Terminated:
        log.error("stopped by SIGTERM")
        return 128 + signal.SIGTERM
    except KeyboardInterrupt:
        log.error("stopped by Ctrl+C")
        return 130
    except FlagError as error:
        log.error("paddle train: %s" % error)
        return 2
    except (ConfigError, ProviderError, ModelError, OSError) as error:
        log.end_dots()
        _show_cause(error)
        log.error("paddle train: %s" % error)
        return 1
    except (EnforceNotMet, NotImplementedError) as error:
        log.error("paddle train: %s%s" % (error, _servers_of(flags, error)))
        return 1


def _servers_of(flags, error):
    """For a server that was not found: which flags said where it is."""
    if "connecting to" not in str(error):
        return ""
    return " (--pservers=%s --port=%d --ports_num=%d --ports_num_for_sparse=%d; the ports must " \
        "be those of `paddle pserver`)" % (flags.pservers, flags.port, flags.ports_num,
                                           flags.ports_num_for_sparse)


def _show_cause(error):
    """What the user's own code raised, with its lines, before our one line about it."""
    import traceback
    cause = error.__cause__
    if cause is None or isinstance(cause, (ConfigError, ProviderError)):
        return
    ours = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    frames = [frame for frame in traceback.extract_tb(cause.__traceback__)
              if not os.path.abspath(frame.filename).startswith(ours)
              and not frame.filename.startswith("<")]
    if frames:
        print("Traceback (most recent call last):", file=sys.stderr)
        sys.stderr.writelines(traceback.format_list(frames))
        sys.stderr.writelines(traceback.format_exception_only(type(cause), cause))


if __name__ == "__main__":
    sys.exit(main())
