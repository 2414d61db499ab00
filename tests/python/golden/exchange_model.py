"""The models that are exchanged with real Paddle: run by both."""
import os

import numpy as np

FEED = {"picture": (3, 2, 8, 8), "number": (3, 5)}
WORDS, LENGTHS = [[1], [4], [2], [2], [0], [5]], [[2, 1, 3]]


def feed(fluid):
    rng = np.random.RandomState(8)
    out = {name: rng.uniform(-1, 1, shape).astype("float32") for name, shape in FEED.items()}
    out["words"] = fluid.create_lod_tensor(np.array(WORDS, "int64"), LENGTHS, fluid.CPUPlace())
    return out


def build(fluid):
    """A bit of everything: convolution, batch norm, sequences, a table, dropout, adam."""
    layers = fluid.layers
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 3
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        picture = layers.data("picture", [2, 8, 8])
        number = layers.data("number", [5])
        words = layers.data("words", [1], dtype="int64", lod_level=1)
        seen = layers.batch_norm(layers.conv2d(picture, 3, 3, act="relu"), act="tanh")
        seen = layers.pool2d(seen, 2, "max", 2)
        read = layers.embedding(words, [6, 4], is_sparse=True, param_attr="table")
        read = fluid.nets.sequence_conv_pool(read, 4, 3, act="sigmoid", pool_type="max")
        counted = layers.layer_norm(layers.dropout(layers.fc(number, 4, act="relu"), 0.3))
        out = layers.fc([seen, read, counted], 3, act="softmax", name="out")
        test = main.clone(for_test=True)
        loss = layers.mean(layers.log(layers.reduce_max(out, dim=1)))
        fluid.optimizer.Adam(0.05).minimize(loss)
    return main, startup, test, out


def trained(fluid):
    main, startup, test, out = build(fluid)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    for _ in range(3):
        exe.run(main, feed=feed(fluid), fetch_list=[])
    return exe, main, test, out


def answer(fluid, exe, program, target):
    return exe.run(program, feed=feed(fluid), fetch_list=[target])[0]


def save_all(fluid, folder):
    """Train, save in every way, and write down what the model answers."""
    with fluid.scope_guard(fluid.Scope()):
        exe, main, test, out = trained(fluid)
        np.save(os.path.join(folder, "answer.npy"), answer(fluid, exe, test, out))
        names = sorted(feed(fluid))
        fluid.io.save_persistables(exe, os.path.join(folder, "persistables"), main)
        fluid.io.save_inference_model(os.path.join(folder, "infer"), names, [out], exe, test)
        fluid.io.save_inference_model(os.path.join(folder, "combined"), names, [out], exe, test,
                                      model_filename="net", params_filename="params")
        fluid.save(main, os.path.join(folder, "saved", "m"))


def load_all(fluid, folder):
    """{way: the answer of the model loaded that way}"""
    exe = fluid.Executor(fluid.CPUPlace())
    answers = {}
    for way, load in (("persistables", lambda main: fluid.io.load_persistables(
            exe, os.path.join(folder, "persistables"), main)),
            ("saved", lambda main: fluid.load(main, os.path.join(folder, "saved", "m"), exe))):
        with fluid.scope_guard(fluid.Scope()):
            main, startup, test, out = build(fluid)
            exe.run(startup)
            load(main)
            answers[way] = answer(fluid, exe, test, out)
    for way, files in (("infer", {}),
                       ("combined", {"model_filename": "net", "params_filename": "params"})):
        with fluid.scope_guard(fluid.Scope()):
            program, _, targets = fluid.io.load_inference_model(os.path.join(folder, way), exe,
                                                                **files)
            answers[way] = answer(fluid, exe, program, targets[0])
    return answers
