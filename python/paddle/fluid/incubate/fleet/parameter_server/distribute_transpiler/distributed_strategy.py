"""How a fleet over parameter servers trains: sync, async, half_async or geo, and its settings."""
import os

from paddle import _core
from paddle.fluid.communicator import default_settings
from paddle.fluid.compiler import BuildStrategy, ExecutionStrategy
from paddle.fluid.transpiler.distribute_transpiler import (DistributedMode,
                                                           DistributeTranspilerConfig,
                                                           ServerRuntimeConfig)

__all__ = ["TrainerRuntimeConfig", "DistributedStrategy", "SyncStrategy", "AsyncStrategy",
           "HalfAsyncStrategy", "GeoStrategy", "StrategyFactory"]

_BY_BARRIER = ("communicator_max_merge_var_num", "communicator_send_wait_times",
               "communicator_thread_pool_size", "communicator_send_queue_size")


class TrainerRuntimeConfig(object):
    """How a trainer talks to servers. A setting starts as its FLAGS_ variable says."""

    def __init__(self):
        self.mode = None
        self.runtime_configs = {name: os.environ.get("FLAGS_" + name, value)
                                for name, value in default_settings().items()}

    def _force_threads(self):
        """Where threads wait for each other, each gives one gradient to a send."""
        threads = os.environ.get("CPU_NUM", "1")
        for name in ("communicator_max_merge_var_num", "communicator_send_queue_size"):
            if self.runtime_configs[name] != threads:
                print("WARNING: in sync and half_async mode %s is CPU_NUM = %s, not %s"
                      % (name, threads, self.runtime_configs[name]))
                self.runtime_configs[name] = threads

    def get_communicator_flags(self):
        """The settings that mean something in this mode."""
        names = list(self.runtime_configs)
        if self.mode in (DistributedMode.SYNC, DistributedMode.HALF_ASYNC):
            self._force_threads()
            names = _BY_BARRIER
        elif self.mode == DistributedMode.GEO:
            names = ("communicator_thread_pool_size", "communicator_send_wait_times")
        return {name: self.runtime_configs[name] for name in names}

    def display(self, configs):
        """The settings as a table."""
        width = max(len(name) for name in configs) + 3 if configs else 40
        line = "%%-%ds%%s" % width
        rule = "=" * (width + 8)
        return "\n".join(["", rule, line % ("TrainerRuntimeConfig Overview", "Value"),
                          "-" * (width + 8)] +
                         [line % item for item in sorted(configs.items())] + [rule, ""])

    def __repr__(self):
        return self.display(self.get_communicator_flags())


_DEBUG = {"dump_slot": False, "dump_converter": "", "dump_fields": [], "dump_file_num": 16,
          "dump_fields_path": "", "dump_param": []}


class DistributedStrategy(object):
    """Settings of programs, trainers, servers and threads. Each is set by an object of its class
    or a dict of what changes; check_*() puts right what the strategy itself decides."""
    _mode = None
    _barrier = False  # a trainer's threads wait for each other

    def __init__(self):
        self._program_config = DistributeTranspilerConfig()
        self._trainer_runtime_config = TrainerRuntimeConfig()
        self._server_runtime_config = ServerRuntimeConfig()
        self._execute_strategy = ExecutionStrategy()
        self._build_strategy = BuildStrategy()
        self.debug_opt = {}
        self._execute_strategy.num_threads = int(os.environ.get("CPU_NUM", "1"))
        self._trainer_runtime_config.mode = self._mode
        for check in (self.check_program_config, self.check_trainer_runtime_config,
                      self.check_server_runtime_config, self.check_execute_strategy,
                      self.check_build_strategy):
            check()

    def _set(self, what, cls, config, names, put):
        """config: of class cls, or a dict of some of `names`. The object to use."""
        old = getattr(self, "_" + what)
        if isinstance(config, cls):
            return config
        if not isinstance(config, dict):
            raise TypeError("%s only accept input type: dict or %s" % (what, cls.__name__))
        for key in config:
            if key not in names:
                raise ValueError("%s doesn't have key: %s" % (cls.__name__, key))
        for key, value in config.items():
            put(old, key, value)
        return old

    def get_program_config(self):
        return self._program_config

    def set_program_config(self, config):
        names = [n for n in dir(DistributeTranspilerConfig) if not n.startswith("_")]
        self._program_config = self._set("program_config", DistributeTranspilerConfig, config,
                                         names, setattr)
        self.check_program_config()

    def check_program_config(self):
        raise NotImplementedError("check_program_config() is for a subclass to define")

    def get_trainer_runtime_config(self):
        return self._trainer_runtime_config

    def set_trainer_runtime_config(self, config):
        self._trainer_runtime_config = self._set(
            "trainer_runtime_config", TrainerRuntimeConfig, config,
            self._trainer_runtime_config.runtime_configs,
            lambda old, key, value: old.runtime_configs.__setitem__(key, str(value)))
        self.check_trainer_runtime_config()

    def check_trainer_runtime_config(self):
        self._trainer_runtime_config.mode = self._mode

    def get_server_runtime_config(self):
        return self._server_runtime_config

    def set_server_runtime_config(self, config):
        names = ["%srpc_%s_thread_num" % (dash, what) for dash in ("", "_")
                 for what in ("send", "get", "prefetch")]
        tables = ["table_memory", "table_evict", "table_disk"]

        def put(old, key, value):
            if key in tables:
                setattr(old, key, value)
            else:
                setattr(old, "_" + key.lstrip("_"), int(value))
        self._server_runtime_config = self._set("server_runtime_config", ServerRuntimeConfig,
                                                config, names + tables, put)
        self.check_server_runtime_config()

    def check_server_runtime_config(self):
        config = self._server_runtime_config
        _core.check_table_memory(*[
            str(value) if value is not None else os.environ.get("FLAGS_ps_" + name, "")
            for name, value in (("table_memory", config.table_memory),
                                ("table_evict", config.table_evict),
                                ("table_disk", config.table_disk))])
        for name, value in vars(config).items():
            if name.endswith("_thread_num") and value < 1:
                raise ValueError("%s is %d, and must be at least 1" % (name.lstrip("_"), value))

    def get_execute_strategy(self):
        return self._execute_strategy

    def set_execute_strategy(self, config):
        self._execute_strategy = self._set("execute_strategy", ExecutionStrategy, config,
                                           ExecutionStrategy._defaults, setattr)
        self.check_execute_strategy()

    def check_execute_strategy(self):
        self._execute_strategy.use_thread_barrier = self._barrier

    def get_build_strategy(self):
        return self._build_strategy

    def set_build_strategy(self, config):
        self._build_strategy = self._set("build_strategy", BuildStrategy, config,
                                         BuildStrategy._defaults, setattr)
        self.check_build_strategy()

    def check_build_strategy(self):
        self._build_strategy.async_mode = True

    def get_debug_opt(self):
        return self.debug_opt

    def set_debug_opt(self, opt_info):
        """Of variables that are written to files while a model trains: nothing but "none" is
        implemented."""
        if not isinstance(opt_info, dict) or not opt_info:
            return
        for name, value in opt_info.items():
            if name in _DEBUG and value and value != _DEBUG[name]:
                raise NotImplementedError("%s = %r: variables are not dumped while a model trains; "
                                          "use a FetchHandler" % (name, value))
        self.debug_opt = dict(_DEBUG)


class SyncStrategy(DistributedStrategy):
    """Every step waits for the gradients of all trainers, and takes their mean."""
    _mode, _barrier = DistributedMode.SYNC, True

    def check_program_config(self):
        config = self._program_config
        config.sync_mode = False
        config.runtime_split_send_recv = True
        config.half_async = True
        config.completely_not_async = True


class AsyncStrategy(DistributedStrategy):
    """Gradients are applied when they come; parameters are fetched in the background."""
    _mode = DistributedMode.ASYNC

    def check_program_config(self):
        config = self._program_config
        config.sync_mode = False
        config.runtime_split_send_recv = True


class HalfAsyncStrategy(DistributedStrategy):
    """As async, but a trainer's own threads make each step together."""
    _mode, _barrier = DistributedMode.HALF_ASYNC, True

    def check_program_config(self):
        config = self._program_config
        config.sync_mode = False
        config.runtime_split_send_recv = True
        config.half_async = True


class GeoStrategy(DistributedStrategy):
    """Each trainer trains a model of its own, and every update_frequency steps sends how far it
    has come and takes what the others have learned."""
    _mode = DistributedMode.GEO

    def __init__(self, update_frequency=100):
        if int(update_frequency) < 1:
            raise ValueError("update_frequency is %r, and must be at least 1"
                             % (update_frequency,))
        self._frequency = int(update_frequency)
        super(GeoStrategy, self).__init__()
        self._program_config.geo_sgd_need_push_nums = self._frequency

    def check_program_config(self):
        config = self._program_config
        config.sync_mode = False
        config.runtime_split_send_recv = True
        config.geo_sgd_mode = True


class StrategyFactory(object):
    @staticmethod
    def create_sync_strategy():
        return SyncStrategy()

    @staticmethod
    def create_half_async_strategy():
        return HalfAsyncStrategy()

    @staticmethod
    def create_async_strategy():
        return AsyncStrategy()

    @staticmethod
    def create_geo_strategy(update_frequency=100):
        return GeoStrategy(update_frequency)


def of_config(config):
    """The strategy that a DistributeTranspilerConfig asks for. sync_mode = False alone is async,
    as the text says that tells scripts to set it; half_async is asked for by its flag."""
    if config.geo_sgd_mode:
        strategy = GeoStrategy(config.geo_sgd_need_push_nums)
    elif config.sync_mode or config.completely_not_async:
        strategy = SyncStrategy()
    else:
        strategy = HalfAsyncStrategy() if config.half_async else AsyncStrategy()
    own = strategy._program_config
    for name in ("slice_var_up", "split_method", "min_block_size", "enable_dc_asgd", "mode",
                 "print_log", "wait_port", "nccl_comm_num", "use_hierarchical_allreduce",
                 "hierarchical_allreduce_inter_nranks", "collective_mode"):
        setattr(own, name, getattr(config, name))
    return strategy
