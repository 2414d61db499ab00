"""A program that trains, in a file: made by one and run by both.

    python exchange_training.py save FOLDER    makes it, with the parameters it starts with
    python exchange_training.py run FOLDER     trains with what is there, and prints the losses"""
import os
import sys

import numpy as np

import paddle.fluid as fluid


def save(folder):
    layers = fluid.layers
    number, words = layers.data("number", [5]), layers.data("words", [1], dtype="int64",
                                                            lod_level=1)
    read = layers.sequence_pool(layers.embedding(words, [6, 4], is_sparse=True), "sum")
    hidden = layers.layer_norm(layers.fc([number, read], 4, act="tanh"))
    picture = layers.reshape(layers.concat([hidden, number], 1), [-1, 1, 3, 3])
    seen = layers.batch_norm(layers.conv2d(picture, 2, 2, act="relu"))
    out = layers.softmax(layers.fc(layers.pool2d(seen, 2, "avg"), 3))
    loss = layers.mean(layers.log(layers.reduce_max(out, dim=1)))
    fluid.optimizer.Adam(0.05).minimize(loss)
    exe, main = fluid.Executor(fluid.CPUPlace()), fluid.default_main_program()
    exe.run(fluid.default_startup_program())
    fluid.io.save_persistables(exe, os.path.join(folder, "model"), main)
    with open(os.path.join(folder, "program"), "wb") as file:
        file.write(main.desc.serialize_to_string())
    with open(os.path.join(folder, "loss"), "w") as file:
        file.write(loss.name)


def run(folder):
    with open(os.path.join(folder, "program"), "rb") as file:
        program = fluid.Program.parse_from_string(file.read())
    with open(os.path.join(folder, "loss")) as file:
        loss = file.read()
    exe = fluid.Executor(fluid.CPUPlace())
    fluid.io.load_persistables(exe, os.path.join(folder, "model"), program)
    rng = np.random.RandomState(8)
    words = fluid.create_lod_tensor(np.array([[1], [4], [2], [2], [0], [5]]), [[2, 1, 3]],
                                    fluid.CPUPlace())
    number = rng.uniform(-1, 1, (3, 5)).astype("float32")
    return [float(exe.run(program, feed={"number": number, "words": words},
                          fetch_list=[loss])[0][0]) for _ in range(5)]


if __name__ == "__main__":
    if sys.argv[1] == "save":
        save(sys.argv[2])
    else:
        print(" ".join(map(repr, run(sys.argv[2]))))
