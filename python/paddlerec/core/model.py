"""ModelBase: what the class Model of a model.py is derived from."""
import os

import paddle.fluid as fluid
from paddle.fluid.framework import Variable

from paddlerec.core.metric import Metric
from paddlerec.core.utils import envs

__all__ = ["ModelBase"]

_OPTIMIZERS = {
    "SGD": lambda lr: fluid.optimizer.SGD(lr),
    "ADAM": lambda lr: fluid.optimizer.Adam(lr, lazy_mode=True),
    "ADAGRAD": lambda lr: fluid.optimizer.Adagrad(lr),
}


def split_slots(text):
    """The names in sparse_slots or dense_slots; "", "#" and "?" are none."""
    text = (text or "").strip()
    return [] if text in ("", "#", "?") else text.split()


def dense_slot(text):
    """(name, shape) of `name:13` or `name:[3,4]`."""
    name, colon, shape = text.partition(":")
    try:
        dims = [int(n) for n in shape.strip("[]").split(",")]
    except ValueError:
        dims = []
    if not colon or not name or not dims or min(dims) < 1:
        raise ValueError("dense slot %r: wanted name:width or name:[d1,d2]" % text)
    return name, dims


class ModelBase(object):
    """A model overrides net() and, as it needs, _init_hyper_parameters, input_data, optimizer."""

    def __init__(self, config):
        self._cost = None
        self._metrics, self._infer_results = {}, {}
        self._data_var, self._infer_data_var = [], []
        self._data_loader = self._infer_data_loader = None
        self._fetch_interval = 20
        self._platform = envs.get_platform()
        self._env = config
        self._slot_inited, self._clear_metrics = False, None
        self._init_hyper_parameters()

    def _init_hyper_parameters(self):
        """Read hyper_parameters.* with envs.get_global_env()."""

    # ---- data ----

    def _slot_vars(self, dataset_name):
        name = "dataset.%s." % dataset_name
        sparse = split_slots(envs.get_global_env(name + "sparse_slots", ""))
        dense = split_slots(envs.get_global_env(name + "dense_slots", ""))
        self._dense_data_var_map, self._sparse_data_var_map = {}, {}
        for text in dense:
            slot, shape = dense_slot(text)
            self._dense_data_var_map[slot] = fluid.layers.data(name=slot, shape=shape,
                                                               dtype="float32")
        for slot in sparse:
            self._sparse_data_var_map[slot] = fluid.layers.data(name=slot, shape=[1], lod_level=1,
                                                                dtype="int64")
        self._dense_data_var = list(self._dense_data_var_map.values())
        self._sparse_data_var = list(self._sparse_data_var_map.values())
        return self._dense_data_var + self._sparse_data_var

    def input_data(self, is_infer=False, **kwargs):
        """The data layers: of the dataset's slots, dense ones first. None where it has none."""
        return self._slot_vars(kwargs.get("dataset_name")) or None

    def _init_slots(self, **kargs):
        """Data layers and loader of the phase kargs["name"], for models that ask for them."""
        if self._slot_inited:
            return
        self._slot_inited = True
        dataset = next(phase["dataset_name"] for phase in self._env["phase"]
                       if phase["name"] == kargs["name"])
        self._data_var.extend(self._slot_vars(dataset))
        if envs.get_global_env("dataset.%s.type" % dataset) == "DataLoader":
            self._init_dataloader()

    def _init_dataloader(self, is_infer=False):
        self._data_loader = fluid.io.DataLoader.from_generator(
            feed_list=self._infer_data_var if is_infer else self._data_var, capacity=64,
            use_double_buffer=False, iterable=False)

    def get_inputs(self):
        return self._data_var

    def get_infer_inputs(self):
        return self._infer_data_var

    # ---- results ----

    @staticmethod
    def _variables(results):
        variables = {}
        for name, item in results.items():
            if isinstance(item, Metric):
                variables.update(item.get_result())
            elif isinstance(item, Variable):
                variables[name] = item
        return variables

    def get_metrics(self):
        """Name -> Variable, of all that training shows."""
        return self._variables(self._metrics)

    def get_infer_results(self):
        return self._variables(self._infer_results)

    def get_clear_metrics(self):
        """The metrics that begin anew with each set of parameters that is judged."""
        if self._clear_metrics is None:
            self._clear_metrics = [m for m in self._infer_results.values()
                                   if isinstance(m, Metric)]
        return self._clear_metrics

    def get_avg_cost(self):
        return self._cost

    def get_fetch_period(self):
        return self._fetch_interval

    # ---- optimizer ----

    def _build_optimizer(self, name, lr, strategy=None):
        """By name: SGD, Adam (its rows alone, for tables) or Adagrad."""
        if not isinstance(name, str) or name.upper() not in _OPTIMIZERS:
            raise ValueError("configured optimizer can only supported SGD/Adam/Adagrad, not %r"
                             % (name,))
        os.environ["FLAGS_communicator_is_sgd_optimizer"] = "1" if name.upper() == "SGD" else "0"
        return _OPTIMIZERS[name.upper()](lr)

    def optimizer(self):
        """As hyper_parameters.optimizer says."""
        key = "hyper_parameters.optimizer."
        name, rate = envs.get_global_env(key + "class"), envs.get_global_env(key + "learning_rate")
        if name is None or rate is None:
            raise ValueError("%s%s is not in the configuration, and this model has no optimizer "
                             "of its own" % (key, "class" if name is None else "learning_rate"))
        if not isinstance(rate, (float, Variable)):
            try:
                rate = float(rate)
            except (TypeError, ValueError):
                raise ValueError("%slearning_rate is %r, and must be a number such as 0.001 or "
                                 "1e-3" % (key, rate)) from None
        return self._build_optimizer(name, rate, envs.get_global_env(key + "strategy"))

    # ---- the net ----

    def net(self, is_infer=False):
        """Called as net(inputs, is_infer): sets _cost and _metrics, or _infer_results."""
        return None

    def train_net(self):
        """The older name, for models that call it themselves."""

    def infer_net(self):
        """The older name, for models that call it themselves."""
