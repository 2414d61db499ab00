"""A table and nothing else: y = the sum of row `id`, loss = (y - label)^2. One worker trains on the
lines of lines.txt, one a batch, evaluates, and saves; it prints what evaluating gave."""
import sys

import paddle.fluid as fluid
import paddle.fluid.incubate.fleet.base.role_maker as role_maker
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import fleet
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy \
    import StrategyFactory

ROWS, WIDTH, RATE = 7, 3, 0.05


def main(mode, kind):
    slot = fluid.layers.data("id", [1], dtype="int64", lod_level=1)
    label = fluid.layers.data("label", [1])
    row = fluid.layers.embedding(slot, [ROWS, WIDTH], is_sparse=True, param_attr=fluid.ParamAttr(
        "table", initializer=fluid.initializer.Constant(0.5)))
    y = fluid.layers.reduce_sum(row, 1, keep_dim=True)
    loss = fluid.layers.mean(fluid.layers.square_error_cost(y, label))
    fleet.init(role_maker.PaddleCloudRoleMaker())
    strategy = {"async": StrategyFactory.create_async_strategy,
                "sync": StrategyFactory.create_sync_strategy}[mode]()
    fleet.distributed_optimizer(fluid.optimizer.SGD(RATE), strategy).minimize(loss)
    if fleet.is_server():
        fleet.init_server()
        fleet.run_server()
        return
    fleet.init_worker()
    exe = fluid.Executor()
    exe.run(fleet.startup_program)
    dataset = fluid.DatasetFactory().create_dataset(kind)
    dataset.set_use_var([slot, label])
    dataset.set_batch_size(1)
    dataset.set_thread(1)
    dataset.set_filelist(["lines.txt"])
    if kind == "InMemoryDataset":
        dataset.load_into_memory()
    exe.train_from_dataset(fleet.main_program, dataset)
    exe.infer_from_dataset(fleet.main_program, dataset, fetch_list=[loss], fetch_info=["eval"],
                           print_period=1)
    fleet.save_persistables(exe, "saved")
    fleet.stop_worker()


main(*sys.argv[1:])
