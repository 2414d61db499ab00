"""Record the names and signatures of real Paddle's fleets over parameter servers.

    python3.7 -m venv v && v/bin/pip install paddlepaddle==1.8.5 'protobuf<3.21'
    v/bin/python tests/python/golden/record_fleet.py
"""
import importlib
import inspect
import json
import os

FLEET = "paddle.fluid.incubate.fleet."
CLASSES = {
    "parameter_server.distribute_transpiler": ["DistributedTranspiler", "TranspilerOptimizer"],
    "parameter_server.distribute_transpiler.distributed_strategy": [
        "TrainerRuntimeConfig", "DistributedStrategy", "SyncStrategy", "AsyncStrategy",
        "HalfAsyncStrategy", "GeoStrategy", "StrategyFactory"],
    "parameter_server.pslib": ["PSLib", "DownpourOptimizer"],
    "utils.fleet_util": ["FleetUtil"],
}


def _signature(function):
    """With the name of a default's class where it prints by its address."""
    parameters = [p.replace(default=type(p.default).__name__) if " at 0x" in repr(p.default) else p
                  for p in inspect.signature(function).parameters.values()]
    return str(inspect.Signature(parameters))


def signatures():
    """{"pslib.PSLib.init": "(self, role_maker=None)", ...} of what does not begin with _."""
    out = {}
    for module, names in CLASSES.items():
        for name in names:
            cls = getattr(importlib.import_module(FLEET + module), name)
            for method, function in inspect.getmembers(cls, inspect.isfunction):
                if not method.startswith("_") or method == "__init__":
                    out["%s.%s.%s" % (module, name, method)] = _signature(function)
    from paddle.fluid.communicator import Communicator
    for method, function in inspect.getmembers(Communicator, inspect.isfunction):
        out["Communicator." + method] = _signature(function)
    return out


def strategies():
    """What each strategy decides."""
    module = importlib.import_module(
        FLEET + "parameter_server.distribute_transpiler.distributed_strategy")
    out = {}
    for name in ("SyncStrategy", "AsyncStrategy", "HalfAsyncStrategy", "GeoStrategy"):
        strategy = getattr(module, name)()
        program = strategy.get_program_config()
        execute = strategy.get_execute_strategy()
        out[name] = {
            "program": {key: getattr(program, key) for key in (
                "sync_mode", "runtime_split_send_recv", "half_async", "completely_not_async",
                "geo_sgd_mode", "geo_sgd_need_push_nums", "slice_var_up", "min_block_size")},
            "mode": strategy.get_trainer_runtime_config().mode,
            "flags": strategy.get_trainer_runtime_config().get_communicator_flags(),
            "all": strategy.get_trainer_runtime_config().runtime_configs,
            "server": vars(strategy.get_server_runtime_config()),
            "execute": {key: getattr(execute, key) for key in ("num_threads",
                                                               "use_thread_barrier")},
            "async_mode": strategy.get_build_strategy().async_mode,
        }
    return out


def main():
    import paddle
    assert paddle.__version__ == "1.8.5", "signatures come from Paddle 1.8.5"
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "fleet.json"), "w") as f:
        json.dump({"signatures": signatures(), "strategies": strategies()}, f, indent=0,
                  sort_keys=True)
        f.write("\n")


if __name__ == "__main__":
    main()
