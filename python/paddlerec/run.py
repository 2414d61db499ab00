"""Run what a config.yaml describes:

    python -m paddlerec.run -m config.yaml [-b backend.yaml]
    python -m paddlerec.run -m paddlerec.models.rank.dnn

Every runner named in `mode` is run, one after the other. With -b the job is handed to a cluster;
there, with PADDLE_PADDLEREC_ROLE=WORKER, the same command trains in place. A configuration that
cannot run is refused before anything starts, with all that is wrong with it; the status is 2."""
import argparse
import os
import sys

from paddlerec.core import refused
from paddlerec.core.utils import envs

__all__ = ["main"]


def get_abs_model(model):
    """The path of a config.yaml, also where `paddlerec.models.x.y` names it."""
    if model.startswith("paddlerec."):
        return os.path.join(envs.paddlerec_adapter(model), "config.yaml")
    return model


def get_modes(running_config):
    modes = running_config["mode"]
    return [modes] if isinstance(modes, str) else list(modes)


def load(path, submits):
    """A checked Config, or the end with status 2."""
    from paddlerec.core import check
    from paddlerec.core.config import ConfigError, override, read, refuse
    try:
        config = read(path)
    except ConfigError as e:
        refuse(e.problems)
    override(config)
    check.check(config, submits)
    for note in config.notes:
        sys.stderr.write("paddlerec: note: %s\n" % note)
    if config.problems:
        refuse(config.problems)
    return config


def _runner(config, mode):
    return next(r for r in config.data["runner"] if str(r["name"]) == str(mode))


def _phases(config, runner):
    names = runner.get("phases")
    names = [names] if isinstance(names, str) else names
    return [p for p in config.data["phase"] if names is None or p["name"] in names]


def _told(config, runner, engine, executor="train"):
    """What every process of a run is told."""
    mode = str(runner.get("fleet_mode") or "ps")
    return {"train.trainer.trainer": envs.workspace_adapter_by_specific(
                runner.get("trainer_class") or "GeneralTrainer", config.data["workspace"]),
            # In a cluster classes of the user's know it as PS or COLLECTIVE.
            "fleet_mode": mode if engine == "single" else mode.upper(),
            "train.trainer.executor_mode": executor, "train.trainer.threads": "2",
            "train.trainer.platform": envs.get_platform(), "train.trainer.engine": engine}


def _worker_num(config, runner):
    """No more workers than there are files to read."""
    from paddlerec.core.utils import util
    wanted = int(runner.get("worker_num") or 1)
    phase = _phases(config, runner)[0]
    dataset = next(d for d in config.data["dataset"] if d["name"] == phase["dataset_name"])
    path = envs.workspace_adapter_by_specific(dataset["data_path"], config.data["workspace"])
    if path.startswith("paddlerec::"):
        path = os.path.join(envs.package_base(), path.split("::", 1)[1])
    files = len(util.check_filelist([], [], path)[1])
    if files < wanted:
        print("phases do not have enough datas for training, set worker/gpu cards num from {} "
              "to {}".format(wanted, files))
    return min(wanted, files)


def _cards(runner):
    """The GPUs of a runner, as texts; [] where it computes on the CPU."""
    if str(runner.get("device") or "cpu").lower() != "gpu":
        return []
    return [c.strip() for c in str(runner.get("selected_gpus", "0")).split(",") if c.strip()]


def _pod_cards():
    """Of a node with several cards, a worker is started for each."""
    count = os.environ.get("TRAINER_GPU_CARD_COUNT", "1")
    return [str(i) for i in range(int(count))] if count.isdigit() and int(count) > 1 else []


def _long_job(runner):
    """What a runner says of processes that die, in launch_ps's words."""
    said = dict(runner, journal="off" if runner.get("journal") is False else runner.get("journal"))
    return ["--%s=%s" % (key, said[key])
            for key in ("restarts", "journal", "journal_dir", "min_trainers", "resume", "grace")
            if said.get(key)]


def _engine(config, mode):
    """The engine of a runner's class."""
    from paddlerec.core.engine.engine import SingleEngine
    runner = _runner(config, mode)
    kind = runner["class"].lower()
    cards = _cards(runner)
    if kind == "train" and len(cards) > 1:  # several cards are several processes
        kind, runner = "local_cluster_train", dict(runner, fleet_mode="collective")
    elif "cluster" in kind and cards:
        runner = dict(runner, fleet_mode="collective")
    if kind == "cluster_train" and cards and _pod_cards():
        from paddlerec.core.engine.local_cluster import LocalClusterEngine
        return LocalClusterEngine(
            dict(_told(config, runner, "cluster"), mode=mode, log_dir="logs",
                 PACKAGE_BASE=envs.package_base(), workspace=config.data["workspace"],
                 selected_gpus=",".join(_pod_cards())), config.file)
    if kind in ("train", "infer"):
        return SingleEngine(_told(config, runner, "single", kind), config.file)
    strategy = (runner.get("distribute_strategy") or "async").lower()
    if kind == "local_cluster_train":
        from paddlerec.core.engine.local_cluster import LocalClusterEngine
        threads = max(int(p.get("thread_num") or 1) for p in _phases(config, runner))
        told = dict(_told(config, runner, "local_cluster"), mode=mode, log_dir="logs",
                    PACKAGE_BASE=envs.package_base(), workspace=config.data["workspace"],
                    server_num=str(runner.get("server_num") or 1),
                    worker_num=str(_worker_num(config, runner)), CPU_NUM=str(threads))
        told["train.trainer.strategy"] = strategy
        if told["fleet_mode"] == "COLLECTIVE" and cards:
            told["selected_gpus"] = ",".join(cards)
        engine = LocalClusterEngine(told, config.file)
        engine.options = _long_job(runner)
        return engine
    told = dict(_told(config, runner, "cluster"), engine_role="WORKER", log_dir="logs")
    told["train.trainer.strategy"] = strategy
    told["train.trainer.threads"] = os.environ.get("CPU_NUM", "2")
    return SingleEngine(told, config.file)


def _submit(config, backend):
    """Hand the job over; both are Configs, so that what is wrong with them has its line."""
    from paddlerec import backends
    from paddlerec.core.config import ConfigError, read, refuse
    try:
        backend_config = read(backend)
    except ConfigError as e:
        refuse(e.problems)
    return backends.submit(config, backend_config)


def main(argv=None):
    parser = argparse.ArgumentParser(prog="python -m paddlerec.run", allow_abbrev=False,
                                     description="Run what a config.yaml describes.")
    parser.add_argument("-m", "--model", required=True,
                        help="config.yaml, or paddlerec.models.AREA.MODEL")
    parser.add_argument("-b", "--backend", help="backend.yaml: the cluster that the job goes to")
    args = parser.parse_args(argv)
    envs.set_runtime_environs({"PACKAGE_BASE": envs.package_base()})
    role = os.environ.get("PADDLE_PADDLEREC_ROLE", "MASTER").upper()
    if role not in ("MASTER", "WORKER"):
        parser.error("PADDLE_PADDLEREC_ROLE=%s is neither MASTER nor WORKER" % role)
    submits = bool(args.backend) and role == "MASTER"
    config = load(get_abs_model(args.model), submits)
    if submits:
        return _submit(config, args.backend)
    modes = get_modes(config.data)
    if role == "MASTER":
        for mode in modes:
            if _runner(config, mode)["class"].lower() == "cluster_train":
                parser.error("runner %s is of class cluster_train: name the cluster with "
                             "-b backend.yaml (a node of one has PADDLE_PADDLEREC_ROLE=WORKER)"
                             % mode)
    for mode in modes:
        envs.forget_flags()
        envs.set_runtime_environs({"mode": mode, "workspace": config.data["workspace"]})
        status = _engine(config, mode).run()
        if status:
            return status
    return 0


refused.add(globals(), refused.COMMAND, "cluster_engine", "cluster_mpi_engine", "device",
            "engine_choices", "engine_registry", "engines", "get_all_inters_from_yaml",
            "get_engine", "get_inters_from_yaml", "get_transpiler", "local_cluster_engine",
            "local_mpi_engine", "online_learning", "set_runtime_envs", "single_infer_engine",
            "single_train_engine")

if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.stderr.write("paddlerec: stopped\n")
        sys.exit(130)
