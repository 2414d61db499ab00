"""The flags of `paddle train`: --name=value, --name value, --bool, --nobool.

The command (C) checks them first and hands over a complete set; who starts
`python -m paddle.trainer.main` by hand has them checked here."""
import difflib

__all__ = ["FlagError", "read_flags"]


class FlagError(Exception):
    """A flag that is unknown, wrong or not supported."""


_ANY = object()  # accepted whatever its value is: it changes no result here

# name: (default, what may be given beside it). A tuple is all values there are, _ANY any of the
# default's type; None refuses all but the default, in the words of _WHY.
_FLAGS = {
    "config": ("", _ANY), "config_args": ("", _ANY),
    "job": ("train", ("train", "test", "time", "checkgrad")),
    "save_dir": ("", _ANY), "init_model_path": ("", _ANY),
    "load_missing_parameter_strategy": ("fail", ("fail", "rand", "zero")),
    "start_pass": (0, _ANY), "num_passes": (100, _ANY), "saving_period": (1, _ANY),
    "saving_period_by_batches": (0, _ANY), "save_only_one": (False, _ANY),
    "log_period": (100, _ANY), "dot_period": (1, _ANY), "test_period": (0, _ANY),
    "test_pass": (-1, _ANY), "test_wait": (0, _ANY),
    "test_all_data_in_one_period": (False, _ANY), "model_list": ("", _ANY),
    "show_parameter_stats_period": (0, _ANY), "trainer_count": (1, _ANY), "trainer_id": (0, _ANY),
    "num_gradient_servers": (1, _ANY), "pservers": ("127.0.0.1", _ANY), "port": (7164, _ANY),
    "ports_num": (1, _ANY), "ports_num_for_sparse": (1, _ANY), "nics": ("", _ANY),
    "rdma_tcp": ("tcp", ("tcp",)), "use_gpu": (False, None), "local": (True, _ANY),
    "seed": (1, _ANY), "start_pserver": (False, _ANY), "predict_output_dir": ("", _ANY),
    "checkgrad_eps": (1e-5, _ANY), "with_cost": (True, _ANY), "comment": ("", _ANY),
    "feed_data": (False, _ANY), "python_path": ("", _ANY), "python_bin": ("python2.7", None),
    # How work is divided or sent, which results do not depend on.
    "enable_parallel_vector": (0, _ANY), "enable_grad_share": (104857600, _ANY),
    "grad_share_block_num": (64, _ANY), "rnn_use_batch": (False, _ANY),
    "use_old_updater": (False, _ANY), "thread_local_rand_use_global_seed": (False, _ANY),
    "log_period_server": (500, _ANY), "small_messages": (False, _ANY),
    "sock_send_buf_size": (41943040, _ANY), "sock_recv_buf_size": (41943040, _ANY),
    "sock_listen_queue_size": (1024, _ANY), "parallel_thread_num": (1, _ANY),
    "log_barrier_abstract": (True, _ANY), "log_barrier_lowest_nodes": (5, _ANY),
    "log_barrier_show_log": (False, _ANY), "pserver_num_threads": (1, _ANY),
    # Refused.
    "predict_file": ("", None), "feat_file": ("", None), "distribute_test": (False, None),
    "average_test_period": (0, None), "show_layer_stat": (False, None),
    "prev_batch_state": (False, None), "beam_size": (1, None), "parallel_nn": (False, None),
    "gpu_id": (0, None), "log_clipping": (False, None), "log_error_clipping": (False, None),
    "loadsave_parameters_in_pserver": (False, None), "async_lagged_ratio_min": (1.0, None),
    "async_lagged_ratio_default": (1.5, None),
    "check_sparse_distribution_in_pserver": (False, None),
    "show_check_sparse_distribution_log": (False, None),
    "check_sparse_distribution_batches": (100, None),
    "check_sparse_distribution_ratio": (0.6, None),
    "check_sparse_distribution_unbalance_degree": (2.0, None),
}
_WHY = {
    "use_gpu": "this build trains on CPUs; leave it out",
    "gpu_id": "this build trains on CPUs; leave it out",
    "parallel_nn": "layers are not spread over devices; --trainer_count uses several cores",
    "python_bin": "the trainer runs in the Python that the command belongs to",
    "predict_file": "use --job=test --predict_output_dir=DIR",
    "feat_file": "use --job=test --predict_output_dir=DIR",
    "distribute_test": "each trainer tests the data of its own list",
    "average_test_period": "tests take the averages whenever settings(model_average=) is set",
    "loadsave_parameters_in_pserver": "trainer 0 saves all parameters",
    "beam_size": "it is the beam_size of beam_search() that counts",
    "prev_batch_state": "states are not carried from batch to batch",
}
_TRUE, _FALSE = ("1", "true", "t", "yes", "y"), ("0", "false", "f", "no", "n")


def _read(name, text):
    default = _FLAGS[name][0]
    try:
        if isinstance(default, bool):
            if text.lower() not in _TRUE + _FALSE:
                raise ValueError
            return text.lower() in _TRUE
        return type(default)(text)
    except ValueError:
        what = {bool: "true or false", int: "an integer", float: "a number"}[type(default)]
        raise FlagError("--%s is %s, not %r" % (name, what, text)) from None


def _unknown(name):
    near = difflib.get_close_matches(name, _FLAGS, 1)
    return FlagError("there is no flag --%s%s" % (
        name, "; did you mean --%s?" % near[0] if near else ""))


class Flags:
    """The values, as attributes."""


def read_flags(arguments):
    """The flags of a command line, all of them: those not given have their defaults."""
    given, pending = {}, list(arguments)
    while pending:
        argument = pending.pop(0)
        if not argument.startswith("-") or argument in ("-", "--"):
            raise FlagError("Unknown commandline argument: %s; flags are --name=value" % argument)
        name, equals, text = argument.lstrip("-").partition("=")
        name = name.replace("-", "_")
        if name not in _FLAGS and name.startswith("no") and \
                isinstance(_FLAGS.get(name[2:], (None,))[0], bool) and not equals:
            given[name[2:]] = False
            continue
        if name not in _FLAGS:
            raise _unknown(name)
        is_bool = isinstance(_FLAGS[name][0], bool)
        if not equals and is_bool:
            text = pending.pop(0) if pending and pending[0].lower() in _TRUE + _FALSE else "true"
        elif not equals:
            if not pending:
                raise FlagError("--%s wants a value" % name)
            text = pending.pop(0)
        given[name] = _read(name, text)
    flags = Flags()
    for name, (default, _) in _FLAGS.items():
        setattr(flags, name, given.get(name, default))
        _check(name, getattr(flags, name))
    _check_numbers(flags)
    return flags


def _check(name, value):
    default, allowed = _FLAGS[name]
    if allowed is None and value != default:
        raise FlagError("--%s=%s is not supported%s" % (name, value, "; " + _WHY[name]
                                                        if name in _WHY else ""))
    if isinstance(allowed, tuple) and value not in allowed:
        raise FlagError("--%s is %s, not %r" % (name, ", ".join(allowed), value))


def _check_numbers(flags):
    least = {"num_passes": 0, "start_pass": 0, "saving_period": 1, "saving_period_by_batches": 0,
             "log_period": 0, "dot_period": 0, "test_period": 0, "test_pass": -1,
             "trainer_count": 1, "trainer_id": 0, "num_gradient_servers": 1, "port": 1,
             "ports_num": 1, "ports_num_for_sparse": 0, "show_parameter_stats_period": 0}
    for name, low in least.items():
        if getattr(flags, name) < low:
            raise FlagError("--%s=%d: it is at least %d" % (name, getattr(flags, name), low))
    if flags.trainer_id >= flags.num_gradient_servers and not flags.local:
        raise FlagError("--trainer_id=%d: there are %d trainers (--num_gradient_servers), so it is "
                        "0 to %d" % (flags.trainer_id, flags.num_gradient_servers,
                                     flags.num_gradient_servers - 1))
    last = flags.port + flags.ports_num + flags.ports_num_for_sparse - 1
    if last > 65535:
        raise FlagError("--port=%d: with --ports_num=%d and --ports_num_for_sparse=%d the last is "
                        "%d, and ports end at 65535" % (flags.port, flags.ports_num,
                                                        flags.ports_num_for_sparse, last))
