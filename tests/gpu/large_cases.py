"""Cases that take the other way through a kernel: rows too long for a thread, sums that several
blocks share, more parts than a launch takes. What is expected is numpy's."""
import numpy as np

from opcase import Lod, case

RNG = np.random.RandomState(5)


def rand(*shape):
    return (RNG.rand(*shape) * 2 - 1).astype("float32")


def ids(n, high):
    return RNG.randint(0, high, (n, 1)).astype("int64")


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def total(name, x, dims, op="reduce_sum", how=np.sum):
    out = how(x.astype("float64"), axis=tuple(dims)).astype("float32")
    return case(name, op, {"X": x}, {"dim": list(dims), "keep_dim": False},
                expect={"Out": out}, rtol=1e-4, atol=1e-4)


def adam(name, n):
    p, g, m, v = rand(n), rand(n), rand(n), RNG.rand(n).astype("float32")
    one = np.ones(1, "float32")
    m1, v1 = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    rate = 0.01 * np.sqrt(1 - 0.999 ** 2) / (1 - 0.9 ** 2)
    return case(name, "adam",
                {"Param": p, "Grad": g, "Moment1": m, "Moment2": v, "LearningRate": one * 0.01,
                 "Beta1Pow": one * 0.9 ** 2, "Beta2Pow": one * 0.999 ** 2},
                {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8},
                outputs=["ParamOut", "Moment1Out", "Moment2Out", "Beta1PowOut", "Beta2PowOut"],
                expect={"ParamOut": p - rate * m1 / (np.sqrt(v1) + 1e-8), "Moment1Out": m1,
                        "Moment2Out": v1, "Beta1PowOut": one * 0.9 ** 3,
                        "Beta2PowOut": one * 0.999 ** 3}, rtol=1e-3, atol=1e-5)


def lookup(name, rows, width, n):
    table, which = rand(rows, width), ids(n, rows)
    return case(name, "lookup_table", {"W": table, "Ids": which}, {"padding_idx": -1},
                grads=["W"], numeric=False, expect={"Out": table[which[:, 0]]})


def top(name, rows, n, k):
    x = RNG.permutation(rows * n).reshape(rows, n).astype("float32")
    order = np.argsort(-x, axis=1)[:, :k]
    return case(name, "top_k", {"X": x}, {"k": k}, outputs=["Out", "Indices"],
                expect={"Out": np.take_along_axis(x, order, 1), "Indices": order.astype("int64")})


def pooled(name, lengths, width):
    x = rand(sum(lengths), width)
    ends = np.cumsum([0] + lengths)
    sums = np.stack([x[a:b].sum(0) for a, b in zip(ends, ends[1:])])
    return case(name, "sequence_pool", {"X": Lod(x, [lengths])}, {"pooltype": "SUM"},
                outputs=["Out", "MaxIndex"], expect={"Out": sums}, rtol=1e-4, atol=1e-4)


def cases():
    wide, tall, flat = rand(3, 20000), rand(5000, 40), rand(70000)
    cube, logits = rand(7, 90, 33), rand(300, 700)
    many = [rand(6, 3) for _ in range(70)]
    bias = rand(40)
    return [
        total("long rows", wide, [1]),
        total("columns in parts", tall, [0]),
        total("the middle", cube, [1]),
        total("both ends", cube, [0, 2]),
        total("all", flat, [0]),
        total("largest of long rows", wide, [1], "reduce_max", np.max),
        total("smallest of columns", tall, [0], "reduce_min", np.min),
        total("mean of long rows", wide, [1], "reduce_mean", np.mean),
        case("mean", "mean", {"X": flat},
             expect={"Out": flat.astype("float64").mean(keepdims=True).astype("float32")},
             rtol=1e-4, atol=1e-6),
        case("long softmax", "softmax", {"X": logits}, expect={"Out": softmax(logits)}),
        case("softmax within", "softmax", {"X": cube}, {"axis": 1},
             expect={"Out": softmax(cube.transpose(0, 2, 1)).transpose(0, 2, 1)}),
        case("a bias of many rows", "elementwise_add", {"X": tall, "Y": bias}, {"axis": 1},
             expect={"Out": tall + bias}),
        case("70 parts joined", "concat", {"X": many}, {"axis": 1},
             expect={"Out": np.concatenate(many, 1)}),
        case("70 parts added", "sum", {"X": many}, expect={"Out": sum(many)}, atol=1e-4),
        case("layer_norm", "layer_norm", {"X": logits}, {"begin_norm_axis": 1, "epsilon": 0.0},
             outputs=["Y", "Mean", "Variance"], expect={"Y": (logits - logits.mean(1, keepdims=True)) /
                                    logits.std(1, keepdims=True)}, rtol=1e-3, atol=1e-4),
        adam("adam of many", 9000),
        lookup("a lookup of many", 50, 10, 3000),
        top("top 5 of 1000", 20, 1000, 5),
        top("top 16 of 20", 9, 20, 16),
        pooled("pooled", [5, 0, 300, 1, 64], 12),
        case("transposed", "transpose", {"X": cube}, {"axis": [2, 0, 1]},
             expect={"Out": cube.transpose(2, 0, 1)}),
    ]
