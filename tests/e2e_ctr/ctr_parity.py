"""One epoch of CTR-DNN on one thread from given parameters: run alike by Paddle 1.8.5, which
records, and by Regatta.

    PADDLE-1.8.5-PYTHON ctr_parity.py OUT.npz           the small model, to be kept
    PYTHON ctr_parity.py OUT.npz ROWS FILE...           the model of the guide, on these files"""
import os
import sys
import tempfile

import numpy as np
import paddle.fluid as fluid

SMALL = dict(rows=300, width=4, layers=(16, 16))
GUIDE = dict(rows=1000001, width=10, layers=(400, 400, 400))


def build(rows, width, layers, optimizer):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        dense = fluid.layers.data("dense_input", [13])
        slots = [fluid.layers.data("C%d" % i, [1], dtype="int64", lod_level=1)
                 for i in range(1, 27)]
        label = fluid.layers.data("label", [1], dtype="int64")
        hidden = fluid.layers.concat(
            [fluid.layers.embedding(s, [rows, width], is_sparse=True, param_attr="table")
             for s in slots] + [dense], axis=1)
        for size in layers:
            hidden = fluid.layers.fc(hidden, size, act="relu")
        predict = fluid.layers.fc(hidden, 2, act="softmax")
        loss = fluid.layers.reduce_sum(fluid.layers.cross_entropy(predict, label))
        fluid.layers.auc(predict, label, num_thresholds=2 ** 12, slide_steps=20)
        optimizer().minimize(loss)
    return main, startup, [dense] + slots + [label]


def parameters(main):
    return sorted(p.name for p in main.global_block().all_parameters())


def begin(main, scope):
    """Parameters that both sides can make."""
    rng = np.random.RandomState(5)
    for name in parameters(main):
        tensor = scope.find_var(name).get_tensor()
        shape = tensor.shape()
        value = rng.uniform(-1, 1, shape) / np.sqrt(shape[0] if name != "table" else 1)
        tensor.set(value.astype("float32"), fluid.CPUPlace())


def auc(main, scope):
    op = [op for op in main.global_block().ops
          if op.type == "auc" and op.attr("slide_steps") == 0][0]
    positive, negative = [np.array(scope.find_var(op.input(slot)[0]).get_tensor()).ravel()[::-1]
                          for slot in ("StatPos", "StatNeg")]
    above, below = np.cumsum(positive), np.cumsum(negative)
    area = float(np.sum((2 * above - positive) * negative)) / 2
    return area / (float(above[-1]) * float(below[-1]))


def run(size, optimizer, files, batch):
    """What the epoch leaves: parameters by name, "auc"."""
    main, startup, slots = build(optimizer=optimizer, **size)
    scope, exe = fluid.Scope(), fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(scope):
        exe.run(startup)
        begin(main, scope)
        dataset = fluid.DatasetFactory().create_dataset()
        dataset.set_use_var(slots)
        dataset.set_batch_size(batch)
        dataset.set_filelist(files)
        exe.train_from_dataset(main, dataset, thread=1)
        out = {name: np.array(scope.find_var(name).get_tensor()) for name in parameters(main)}
        out["auc"] = np.array(auc(main, scope))
    return out


def lines(n):
    """Multi-slot text of a planted model: a few ids are common, most are rare."""
    truth = np.random.RandomState(1).randn(SMALL["rows"])
    rng = np.random.RandomState(2)
    for _ in range(n):
        dense = rng.rand(13)
        ids = (SMALL["rows"] * rng.rand(26) ** 3).astype("int64")
        label = int(rng.rand() < 1 / (1 + np.exp(-truth[ids].sum() / 2 - dense[0])))
        yield "13 %s %s 1 %d\n" % (" ".join("%.4f" % x for x in dense),
                                   " ".join("1 %d" % i for i in ids), label)


OPTIMIZERS = {"sgd": lambda: fluid.optimizer.SGD(1e-2), "adam": lambda: fluid.optimizer.Adam(2e-3)}


def run_small():
    out = {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "part-0")
        with open(path, "w") as text:
            text.writelines(lines(4000))
        for name, optimizer in OPTIMIZERS.items():
            for key, value in run(SMALL, optimizer, [path], 40).items():
                out[name + "." + key] = value
    return out


if __name__ == "__main__":
    if len(sys.argv) == 2:  # Paddle's Adam sometimes makes gradients up: what most runs say
        runs = [run_small() for _ in range(7)]
        np.savez_compressed(sys.argv[1], **{name: np.median([r[name] for r in runs], axis=0)
                                            for name in runs[0]})
    else:
        GUIDE["rows"] = int(sys.argv[2])
        np.savez(sys.argv[1], **run(GUIDE, lambda: fluid.optimizer.SGD(1e-4), sys.argv[3:], 512))
