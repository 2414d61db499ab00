"""The second state: the programs of the phases."""
import warnings

import paddle.fluid as fluid

from paddlerec.core.trainers.framework.dataset import DataLoader, QueueDataset
from paddlerec.core.utils import envs

__all__ = ["NetworkBase", "SingleNetwork", "PSNetwork", "PslibNetwork", "FineTuningNetwork",
           "CollectiveNetwork"]


def _is_loader(dataset_name):
    return envs.get_global_env("dataset.%s.type" % dataset_name) == "DataLoader"


def _make_model(context, phase):
    path = envs.os_path_adapter(envs.workspace_adapter(phase["model"]))
    return envs.lazy_instance_by_fliename(path, "Model")(context["env"])


class NetworkBase(object):
    def __init__(self, context):
        pass

    def build_network(self, context):
        """Leaves context["model"][phase] (main_program, startup_program, scope, model ...),
        context["dataset"] and the status startup_pass."""


class SingleNetwork(NetworkBase):
    def build_network(self, context):
        context["model"] = {}
        for phase in context["phases"]:
            self._build(context, phase)
        context["dataset"] = {
            phase["dataset_name"]: QueueDataset(context).create_dataset(phase["dataset_name"],
                                                                        context)
            for phase in context["phases"] if not _is_loader(phase["dataset_name"])}
        context["status"] = "startup_pass"

    def _build(self, context, phase):
        main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
        infer, dataset = context["is_infer"], phase["dataset_name"]
        with fluid.program_guard(main, startup), fluid.unique_name.guard(), \
                fluid.scope_guard(scope):
            model = _make_model(context, phase)
            inputs = model.input_data(is_infer=infer, dataset_name=dataset)
            if infer:
                model._infer_data_var = inputs
            else:
                model._data_var = inputs
            if _is_loader(dataset):
                model._init_dataloader(is_infer=infer)
                DataLoader(context).get_dataloader(context, dataset, model._data_loader)
            model.net(inputs, infer)
            if not infer:
                self._minimize(context, model, main)
        context["model"][phase["name"]] = {
            "main_program": main, "startup_program": startup, "scope": scope, "model": model,
            "default_main_program": main.clone(), "compiled_program": None}

    def _minimize(self, context, model, program):
        model.optimizer().minimize(model._cost)


class FineTuningNetwork(SingleNetwork):
    """The variable of runner.finetuning_aspect_varnames, and all before it, stay as they are."""

    def _minimize(self, context, model, program):
        names = envs.get_global_env("runner.%s.finetuning_aspect_varnames"
                                    % context["runner_name"], [])
        names = [names] if isinstance(names, str) else list(names)
        if len(names) != 1:
            raise ValueError("finetuning_aspect_varnames is %r, and must name one variable" % names)
        variables = program.global_block().vars
        if names[0] not in variables:
            raise ValueError("finetuning_aspect_varnames: %s is not in the model, which has %s"
                             % (names[0], ", ".join(sorted(variables))))
        variables[names[0]].stop_gradient = True
        model.optimizer().minimize(model._cost)


class PSNetwork(NetworkBase):
    """The first phase alone, split between servers and workers. A server stays here until all
    workers have left."""

    def build_network(self, context):
        phase = context["env"]["phase"][0]
        if len(context["env"]["phase"]) > 1:
            warnings.warn("Cluster Train Only Support One Phase.", category=UserWarning,
                          stacklevel=2)
        fleet, dataset = context["fleet"], phase["dataset_name"]
        model = _make_model(context, phase)
        model._data_var = model.input_data(dataset_name=dataset)
        if _is_loader(dataset):
            model._init_dataloader(is_infer=False)
        model.net(model._data_var, False)
        optimizer = fleet.distributed_optimizer(model.optimizer(), self._build_strategy(context))
        optimizer.minimize(model._cost)
        context["model"] = {phase["name"]: {
            "main_program": fleet.main_program, "startup_program": fleet.startup_program,
            "scope": fluid.global_scope(), "model": model,
            "default_main_program": fleet.main_program.clone(), "compiled_program": None}}
        if fleet.is_server():
            self._server(context)
            return
        fleet.init_worker()
        context["dataset"] = {}
        if _is_loader(dataset):
            DataLoader(context).get_dataloader(context, dataset, model._data_loader)
        else:
            context["dataset"][dataset] = QueueDataset(context).create_dataset(dataset, context)
        context["status"] = "startup_pass"

    def _build_strategy(self, context):
        from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.\
            distributed_strategy import StrategyFactory
        mode = envs.get_runtime_environ("train.trainer.strategy")
        if mode == "geo":
            strategy = StrategyFactory.create_geo_strategy(
                int(envs.get_global_env("train.strategy.mode.push_num", 100)))
        elif mode in ("async", "sync", "half_async"):
            strategy = getattr(StrategyFactory, "create_%s_strategy" % mode)()
        else:
            raise ValueError("distribute_strategy is %r, and must be async, sync, half_async or "
                             "geo" % mode)
        # What the job was started with wins over what its model has set.
        known = strategy.get_trainer_runtime_config().runtime_configs
        given = {name[len("FLAGS_"):]: value for name, value in envs.communicator_flags().items()}
        strategy.set_trainer_runtime_config({n: v for n, v in given.items() if n in known})
        context["strategy"] = strategy
        return strategy

    def _server(self, context):
        context["fleet"].init_server(envs.get_global_env(
            "runner.%s.init_model_path" % context["runner_name"]) or None)
        context["fleet"].run_server()
        context["is_exit"] = True


class PslibNetwork(PSNetwork):
    """fleet_mode pslib: as ps."""


class CollectiveNetwork(NetworkBase):
    """The first phase alone, whole on every worker; gradients are added up over workers."""

    def build_network(self, context):
        phase = context["env"]["phase"][0]
        if len(context["env"]["phase"]) > 1:
            warnings.warn("Cluster Train Only Support One Phase.", category=UserWarning,
                          stacklevel=2)
        fleet, dataset = context["fleet"], phase["dataset_name"]
        main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
        with fluid.program_guard(main, startup), fluid.unique_name.guard(), \
                fluid.scope_guard(scope):
            model = _make_model(context, phase)
            model._data_var = model.input_data(dataset_name=dataset)
            if _is_loader(dataset):
                model._init_dataloader(is_infer=False)
                DataLoader(context).get_dataloader(context, dataset, model._data_loader)
            model.net(model._data_var, False)
            optimizer = fleet.distributed_optimizer(model.optimizer(),
                                                    self._build_strategy(context))
            optimizer.minimize(model._cost)
        context["model"] = {phase["name"]: {
            "main_program": main, "startup_program": startup, "scope": scope, "model": model,
            "default_main_program": fleet._origin_program,
            "compiled_program": fleet.main_program}}
        context["dataset"] = {} if _is_loader(dataset) else {
            dataset: QueueDataset(context).create_dataset(dataset, context)}
        context["status"] = "startup_pass"

    def _build_strategy(self, context):
        from paddle.fluid.incubate.fleet.collective import DistributedStrategy
        context["strategy"] = DistributedStrategy()
        return context["strategy"]
