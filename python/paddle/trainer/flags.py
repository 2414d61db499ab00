"""The flags of `paddle train` as Python sees them: --name=value each, of which the command
(src/cli/python.c, which has the table) has given all and refused what is wrong."""

__all__ = ["FlagError", "Flags", "read_flags"]


class FlagError(Exception):
    """Flags that do not go together."""


_DEFAULTS = {
    "config": "", "config_args": "", "job": "train", "save_dir": "", "init_model_path": "",
    "load_missing_parameter_strategy": "fail", "start_pass": 0, "num_passes": 100,
    "saving_period": 1, "saving_period_by_batches": 0, "save_only_one": False, "log_period": 100,
    "dot_period": 1, "test_period": 0, "test_pass": -1, "test_wait": 0, "model_list": "",
    "predict_output_dir": "", "show_parameter_stats_period": 0, "trainer_count": 1,
    "local": True, "trainer_id": 0, "num_gradient_servers": 1, "pservers": "127.0.0.1",
    "port": 7164, "ports_num": 1, "ports_num_for_sparse": 1, "nics": "", "start_pserver": False,
    "seed": 1, "checkgrad_eps": 1e-5, "with_cost": True, "feed_data": False, "python_path": "",
    "use_gpu": False, "gpu_id": 0, "parallel_nn": False,
    "log_clipping": False, "log_error_clipping": False,
}


class Flags:
    """The values, as attributes; given: those that are not the defaults."""

    def __init__(self, values):
        self.__dict__.update(_DEFAULTS)
        self.__dict__.update(values)
        self.given = {name: value for name, value in values.items() if value != _DEFAULTS[name]}


def _read(name, text):
    kind = type(_DEFAULTS[name])
    try:
        return text.lower() in ("1", "true") if kind is bool else kind(text)
    except ValueError:
        raise FlagError("--%s=%s: start `paddle train`, which checks flags"
                        % (name, text)) from None


def read_flags(arguments):
    values = {}
    for argument in arguments:
        name, equals, text = argument.partition("=")
        if not name.startswith("--") or not equals:
            raise FlagError("%s: start `paddle train`, which writes flags as --name=value"
                            % argument)
        if name[2:] in _DEFAULTS:  # what else there is means nothing here
            values[name[2:]] = _read(name[2:], text)
    flags = Flags(values)
    if flags.use_gpu:
        from . import device
        try:
            device.use(flags.gpu_id)
            device.check_threads(flags.trainer_count)
        except (RuntimeError, ValueError) as error:
            raise FlagError("--use_gpu=true cannot be had: %s" % error) from None
    elif flags.gpu_id:
        raise FlagError("--gpu_id=%d goes with --use_gpu" % flags.gpu_id)
    if not flags.local:
        _check_job(flags)
    elif flags.start_pserver:
        raise FlagError("--start_pserver goes with --local=0: a trainer alone uses no server")
    return flags


def _check_job(flags):
    if flags.trainer_id >= flags.num_gradient_servers:
        raise FlagError("--trainer_id=%d: there are %d trainers (--num_gradient_servers), so it is "
                        "0 to %d" % (flags.trainer_id, flags.num_gradient_servers,
                                     flags.num_gradient_servers - 1))
    last = flags.port + flags.ports_num + flags.ports_num_for_sparse - 1
    if last > 65535:
        raise FlagError("--port=%d: with --ports_num=%d and --ports_num_for_sparse=%d the last is "
                        "%d, and ports end at 65535" % (flags.port, flags.ports_num,
                                                        flags.ports_num_for_sparse, last))
