"""Workers that load examples, shuffle them between each other, and say which they have then."""
import os
import sys

import paddle.fluid as fluid
from paddle.fluid.incubate.fleet.base.role_maker import PaddleCloudRoleMaker
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import fleet
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy \
    import StrategyFactory

EXAMPLES = 5000

fleet.init(PaddleCloudRoleMaker())
number = fluid.data("number", [None, 1], "int64")
many = fluid.data("many", [None, 1], "float32", lod_level=1)
loss = fluid.layers.mean(fluid.layers.fc(fluid.layers.sequence_pool(many, "sum"), 1))
shown = fluid.layers.scale(number)
mode = os.environ.get("MODE", "async")
fleet.distributed_optimizer(fluid.optimizer.SGD(0.0), getattr(
    StrategyFactory, "create_%s_strategy" % mode)()).minimize(loss)
if fleet.is_server():
    fleet.init_server()
    fleet.run_server()
    sys.exit()

me = fleet.worker_index()
named = os.environ.get("NAMED") == "1"
with open("part-%d" % me, "w") as file:
    for i in range(EXAMPLES):
        example = me * EXAMPLES + i
        text = "1 %d %d %s\n" % (example, 1 + example % 3, " ".join(["0.5"] * (1 + example % 3)))
        file.write(("1 id-%d " % (example % EXAMPLES) if named else "") + text)

dataset = fluid.DatasetFactory().create_dataset("InMemoryDataset")
dataset.set_use_var([number, many])
dataset.set_batch_size(10 ** 6)
dataset.set_filelist(["part-%d" % me])
dataset.set_fleet_send_batch_size(100)
if named:
    dataset.set_parse_ins_id(True)
exe = fluid.Executor(fluid.CPUPlace())
exe.run(fluid.default_startup_program())
fleet.init_worker()
dataset.load_into_memory()
if me == 1 and os.environ.get("ABSENT") == "1":
    fleet.stop_worker()
    sys.exit()
try:
    for _ in range(2):
        dataset.global_shuffle(fleet)
        if mode == "sync":  # nobody has as many batches as another
            dataset.set_batch_size(100)
            exe.train_from_dataset(fluid.default_main_program(), dataset)
    dataset.set_batch_size(10 ** 6)
except fluid.core.EnforceNotMet as e:
    print("first", e)
    dataset.global_shuffle(fleet)
print("all %d here %d" % (dataset.get_memory_data_size(fleet), dataset.get_memory_data_size()))
exe.infer_from_dataset(fluid.default_main_program(), dataset, fetch_list=[shown],
                       fetch_info=["mine"], print_period=1)
fleet.stop_worker()
