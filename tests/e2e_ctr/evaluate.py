"""evaluate.py MODEL TEXT: the AUC and the mean loss of a saved CTR model over multi-slot text,
batch by batch through Executor.run. Runs under Regatta and under Paddle 1.8.5 alike."""
import json
import sys

import numpy as np
import paddle.fluid as fluid

BATCH = 250


def read(path):
    """Columns: dense [n, 13], 26 of ids [n, 1], label [n, 1]."""
    rows = [line.split() for line in open(path)]
    dense = np.array([row[1:14] for row in rows], "float32")
    ids = [np.array([row[15 + 2 * i] for row in rows], "int64").reshape(-1, 1) for i in range(26)]
    label = np.array([row[-1] for row in rows], "int64").reshape(-1, 1)
    return [dense] + ids + [label]


def main(model, path):
    place = fluid.CPUPlace()
    exe = fluid.Executor(place)
    program, feeds, fetches = fluid.io.load_inference_model(model, exe)
    for op in program.global_block().ops:
        if op.type == "auc":  # its counters came with the model
            for slot in "StatPos", "StatNeg":
                tensor = fluid.global_scope().find_var(op.input(slot)[0]).get_tensor()
                tensor.set(np.zeros(tensor.shape(), "int64"), place)
    columns, losses, auc = read(path), [], None
    for at in range(0, len(columns[0]), BATCH):
        feed = {}
        for name, column in zip(feeds, columns):
            part = np.ascontiguousarray(column[at:at + BATCH])
            feed[name] = (fluid.create_lod_tensor(part, [[1] * len(part)], place)
                          if name.startswith("C") else part)
        loss, auc = exe.run(program, feed=feed, fetch_list=fetches)
        losses.append(float(loss[0]))
    print(json.dumps({"auc": float(auc[0]), "loss": sum(losses) / len(columns[0]),
                      "examples": len(columns[0])}))


if __name__ == "__main__":
    main(*sys.argv[1:])
