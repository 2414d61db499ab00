"""The fleet for large sparse models, on Regatta's own tables: asynchronous, with tables that
grow. What its options would say to another server is refused, each by name."""
from paddle.fluid import communicator, io
from paddle.fluid.optimizer import Optimizer
from ...base.fleet_base import DistributedOptimizer, Mode, ProgramOptimizer
from ..distribute_transpiler import DistributedTranspiler, _check_executor
from ..distribute_transpiler.distributed_strategy import AsyncStrategy

_OPTIMIZER = "it is the accessor's; here the optimizer that is given trains tables and the rest"
_SIZE = "tables grow by rows, and each has as many columns as its embedding"
_FILES = "models are written to folders; HDFSClient moves them"
_CACHE = "there is no cache of frequent rows: every row is in memory"

# Options that cannot be honoured, by how their names start: (values that change nothing, why).
_REFUSED = (
    ("sparse_table_class", ("DownpourSparseTable",), "there is one kind of table"),
    ("sparse_accessor_class", ("DownpourCtrAccessor", "DownpourSparseValueAccessor",
                               "DownpourUnitAccessor"), _OPTIMIZER),
    ("sparse_shard_num", (), "rows are dealt to servers by their number"),
    ("sparse_embedx_dim", (), _SIZE), ("sparse_embedx_threshold", (), _SIZE),
    ("sparse_enable_cache", (False,), _CACHE), ("sparse_cache_", (), _CACHE),
    ("sparse_ssd_", (), "every row is in memory"),
    ("sparse_compress_in_save", (False,), "files are those that Paddle can read"),
    ("sparse_", (), _OPTIMIZER), ("dense_", (), _OPTIMIZER), ("datanorm_", (), _OPTIMIZER),
    ("use_cvm", (False,), "counts of shows and clicks are not kept in rows"),
    ("scale_datanorm", (-1,), "data_norm's sums are trained as the layer says"),
    ("fs_", ("",), _FILES),
    ("dump_", (False, "", [], 16), "variables are not dumped while a model trains"),
    ("opt_dump_", (), "variables are not dumped while a model trains"),
    ("check_nan_var_names", ([],), "set FLAGS_check_nan_inf"),
    ("loss_names", ([],), "set FLAGS_check_nan_inf"),
    ("stat_var_names", ([],), "statistics of variables are not kept"),
    ("no_cvm", (True,), "counts of shows and clicks are not kept in rows"),
    ("copy_table", ({},), "there is no copy of a table"),
    ("adjust_ins_weight", ({},), "examples have no weights"),
)
_HONOURED = {
    "device_worker": ("DownpourSGD", "DownpourSGDOPT", "Hogwild"),
    "trainer": ("DistMultiTrainer", "MultiTrainer"),
}


def _refuse(name, value):
    for begin, harmless, why in _REFUSED:
        if name.startswith(begin):
            if any(value is same or (type(value) is type(same) and value == same)
                   for same in harmless):
                return
            raise ValueError("pslib: %s = %r is not supported: %s" % (name, value, why))
    raise ValueError("pslib: there is no option %r" % name)


def check_strategy(strategy):
    """Refuse by name what cannot be honoured. A dict inside is of one table."""
    if not isinstance(strategy, dict):
        raise TypeError("pslib: strategy is %s, and must be a dict" % type(strategy))
    for name, value in strategy.items():
        if name in _HONOURED:
            if value not in _HONOURED[name]:
                raise ValueError("pslib: %s = %r; it may be %s"
                                 % (name, value, ", ".join(_HONOURED[name])))
        elif isinstance(value, dict) and not any(name.startswith(r[0]) for r in _REFUSED):
            for key, one in value.items():
                _refuse(key, one)
        else:
            _refuse(name, value)


def _no_mode(call, kwargs):
    """save and load have modes: 0 is everything, which is what is done here."""
    mode = kwargs.pop("mode", 0)
    if mode != 0:
        raise ValueError("pslib: %s(mode=%r): a save has everything (mode 0); what has changed "
                         "since the last one is not kept apart" % (call, mode))
    kwargs.pop("prefix", None)
    if kwargs:
        raise ValueError("pslib: %s has no setting %r" % (call, sorted(kwargs)[0]))


class PSLib(DistributedTranspiler):
    """Tables are numbered as their parameters come in the program."""

    def __init__(self):
        super(PSLib, self).__init__()
        self._mode = Mode.PSLIB
        self._main_programs, self._scopes = [], []

    def init(self, role_maker=None):
        super(PSLib, self).init(role_maker)
        self._main_programs, self._scopes = [], []

    def distributed_optimizer(self, optimizer, strategy={}):
        if not isinstance(optimizer, Optimizer):
            raise ValueError("optimizer must be an instance of Optimizer")
        if not self._is_initialized:
            raise ValueError("use fleet.init(role) to initialize the role of current node before "
                             "optimizer.minimize(loss)")
        self._optimizer = DownpourOptimizer(optimizer, strategy)
        return self._optimizer

    def init_server(self, model_dir=None, **kwargs):
        _no_mode("init_server", kwargs)
        super(PSLib, self).init_server(model_dir)

    # ---- models ----

    def save_persistables(self, executor, dirname, main_program=None, **kwargs):
        _no_mode("save_persistables", kwargs)
        if executor is not None:
            _check_executor(executor, "save_persistables")
        self._strategy("save_persistables")
        io.save_persistables(executor, dirname, main_program or self.main_program)

    def save_inference_model(self, executor, dirname, feeded_var_names=None, target_vars=None,
                             main_program=None, export_for_deployment=True):
        """Without targets: the parameters alone, as for serving the tables."""
        if target_vars is None:
            self._strategy("save_inference_model")
            io.save_params(executor, dirname, main_program or self.main_program)
            return
        super(PSLib, self).save_inference_model(executor, dirname, feeded_var_names, target_vars,
                                                main_program, export_for_deployment)

    def save_model(self, model_dir=None, **kwargs):
        self.save_persistables(None, model_dir, **kwargs)

    def load_model(self, model_dir=None, **kwargs):
        _no_mode("load_model", kwargs)
        self._strategy("load_model")
        io.load_persistables(self._executor, model_dir, self.main_program)

    # ---- tables ----

    def _layout(self, call):
        self._strategy(call)
        return self.main_program._parameters_on_pservers

    def _tables(self):
        layout = self._layout("tables")
        return [name for name in layout.parts if name in layout.tables]

    def _table(self, table_id):
        names = self._tables()
        if not isinstance(table_id, int) or not 0 <= table_id < len(names):
            raise ValueError("pslib: there is no table %r; there are %d (%s)"
                             % (table_id, len(names), ", ".join(names)))
        return names[table_id]

    def save_one_table(self, table_id, model_dir, **kwargs):
        _no_mode("save_one_table", kwargs)
        io.save_vars(None, model_dir, self.main_program, [self._table(table_id)])

    def load_one_table(self, table_id, model_path, **kwargs):
        """model_path: a folder that holds the table's file."""
        from paddle.fluid import dist_io
        _no_mode("load_one_table", kwargs)
        if self.is_first_worker():
            dist_io.push_file(self.main_program, model_path, self._table(table_id))

    def clear_one_table(self, table_id):
        name = self._table(table_id)
        if self.is_first_worker():
            communicator.clear(self.main_program._parameters_on_pservers.parts[name])

    def clear_model(self):
        for table_id in range(len(self._tables())):
            self.clear_one_table(table_id)

    def shrink_sparse_table(self):
        """Drop rows that nobody looked up since the last call."""
        return self.shrink(unseen=1)

    def shrink_dense_table(self, decay, emb_dim=11, scope=None, table_id=None):
        """Multiply the sums of data_norm layers by `decay`, on the servers; worker 0 does."""
        if not 0.0 < float(decay) <= 1.0:
            raise ValueError("shrink_dense_table: decay is %r, and must be in (0, 1]" % (decay,))
        if table_id is not None:
            raise ValueError("shrink_dense_table: table_id has no meaning here: dense parameters "
                             "are no table")
        from paddle.fluid import dist_io
        layout = self._layout("shrink_dense_table")
        names = [n for n in layout.parts if n.endswith((".batch_size", ".batch_sum",
                                                        ".batch_square_sum"))]
        if self.is_first_worker():
            for name in names:
                dist_io.scale(self.main_program, name, float(decay))

    def print_table_stat(self, table_id):
        """Where the table is, on worker 0."""
        name = self._table(table_id)
        if self.is_first_worker():
            for part in self.main_program._parameters_on_pservers.parts[name]:
                print("table %d %s: rows from %d, %s, as %s at %s"
                      % (table_id, name, part.begin,
                         "all" if part.rows is None else part.rows, part.remote, part.endpoint))

    # ---- what another server has and this one does not ----

    def _not_here(self, call, why):
        raise NotImplementedError("pslib: fleet.%s(): %s" % (call, why))

    def save_cache_model(self, executor, dirname, main_program=None, **kwargs):
        self._not_here("save_cache_model", _CACHE)

    def save_model_with_whitelist(self, executor, dirname, whitelist_path, main_program=None,
                                  **kwargs):
        self._not_here("save_model_with_whitelist", "a save has every row")

    def load_pslib_whitelist(self, table_id, model_path, **kwargs):
        self._not_here("load_pslib_whitelist", "a save has every row")

    def confirm(self):
        self._not_here("confirm", "updates cannot be taken back")

    def revert(self):
        self._not_here("revert", "updates cannot be taken back")

    def set_pull_local_thread_num(self, thread_num):
        self._not_here("set_pull_local_thread_num", "rows are fetched by the trainer's threads")

    def _set_client_communication_config(self, request_timeout_ms, connect_timeout_ms, max_retry):
        """The deadline and the retries of requests; a connection is tried until the deadline."""
        from paddle import _core
        _core.set_flag("rpc_deadline", str(int(request_timeout_ms)))
        _core.set_flag("rpc_retry_times", str(int(max_retry)))


class DownpourOptimizer(ProgramOptimizer):
    """Trains asynchronously, with the optimizer that is given."""

    def __init__(self, optimizer, strategy=None):
        super(DownpourOptimizer, self).__init__(optimizer, strategy)
        check_strategy(strategy or {})

    def minimize(self, losses, scopes=None, startup_programs=None, parameter_list=None,
                 no_grad_set=None):
        """losses: one, or a list of one."""
        def one(things, what):
            if isinstance(things, (list, tuple)):
                if len(things) != 1:
                    raise ValueError("pslib: minimize() takes one %s, and was given %d"
                                     % (what, len(things)))
                return things[0]
            return things
        loss, startup = one(losses, "loss"), one(startup_programs, "startup program")
        if scopes is not None:
            fleet._scopes = [one(scopes, "scope")]
        result = self._optimizer.minimize(loss, startup, parameter_list, no_grad_set)
        program = loss.block.program
        program._fleet_opt = {"trainer": "DistMultiTrainer", "device_worker": "DownpourSGD"}
        fleet._transpile(AsyncStrategy(), program, startup)
        fleet._main_programs = [program]
        return list(result) + [program._fleet_opt]


class fleet_embedding(object):
    """Inside it, pslib scales gradients of embeddings by the clicks of an example."""

    def __init__(self, click_name, scale_sparse_grad=True):
        raise NotImplementedError("pslib: fleet_embedding: rows do not count shows and clicks; "
                                  "use layers.embedding(is_sparse=True)")


fleet = PSLib()
