"""Saves a program that reads for itself, under real Paddle 1.8.5: main.pb and startup.pb."""
import os

import paddle.fluid as fluid

HERE = os.path.dirname(os.path.abspath(__file__))
main, startup = fluid.Program(), fluid.Program()
with fluid.program_guard(main, startup), fluid.unique_name.guard():
    reader = fluid.layers.py_reader(capacity=4, shapes=[(-1, 3), (-1, 1)],
                                    dtypes=["float32", "int64"], lod_levels=[0, 0],
                                    name="train_reader")
    x, y = fluid.layers.read_file(reader)
    loss = fluid.layers.mean(fluid.layers.cross_entropy(fluid.layers.fc(x, 2, act="softmax"), y))
    fluid.optimizer.SGD(0.1).minimize(loss)
for name, program in ("main", main), ("startup", startup):
    with open(os.path.join(HERE, name + ".pb"), "wb") as f:
        f.write(program.desc.serialize_to_string())
