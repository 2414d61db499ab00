"""Ops that update a parameter, dense and sparse. Momentum, rmsprop and lamb move every row
under a sparse gradient, adagrad only those with one; the others take dense gradients alone."""
import numpy as np
from opcase import case, check, rand, Rows

rate = np.array([0.1], "float32")
SHAPE = (6, 3)


def state(shape=SHAPE):
    return rand(*shape)


def positive(shape=SHAPE):
    return rand(*shape, low=0.1, high=1.0)


def number(value):
    return np.array([value], "float32")


class Op:
    """An op with its state: {slot: (how to make it, the output that takes it back)}."""

    def __init__(self, type, attrs, state, rate=True, numbers=None):
        self.type, self.attrs, self.state, self.rate = type, attrs, state, rate
        self.numbers = numbers or {}

    def case(self, name, grad=None, attrs=None, shape=SHAPE, dtype="float32", **given):
        inputs = {"Param": rand(*shape)}
        inplace = {"ParamOut": "Param"}
        inputs["Grad"] = rand(*shape) if grad is None else grad
        if self.rate:
            inputs["LearningRate"] = rate
        for slot, (make, out) in self.state.items():
            inputs[slot] = make(shape)
            inplace[out] = slot
        inputs.update({slot: number(value) for slot, value in self.numbers.items()})
        inputs.update(given)
        if dtype != "float32":
            inputs = {k: Rows(v.rows, v.height, v.array.astype(dtype)) if isinstance(v, Rows)
                      else v.astype(dtype) for k, v in inputs.items()}
        return case("%s %s" % (self.type, name), self.type, inputs,
                    dict(self.attrs, **(attrs or {})), outputs=list(inplace), inplace=inplace,
                    atol=1e-6, rtol=2e-6)


MOMENTUM = Op("momentum", {"mu": 0.9}, {"Velocity": (state, "VelocityOut")})
LARS = Op("lars_momentum", {"mu": 0.9}, {"Velocity": (state, "VelocityOut")})
ADAGRAD = Op("adagrad", {}, {"Moment": (positive, "MomentOut")})
DECAYED = Op("decayed_adagrad", {}, {"Moment": (positive, "MomentOut")})
ADAMAX = Op("adamax", {}, {"Moment": (state, "MomentOut"), "InfNorm": (positive, "InfNormOut")},
            numbers={"Beta1Pow": 0.9 ** 3})
ADADELTA = Op("adadelta", {}, {"AvgSquaredGrad": (positive, "AvgSquaredGradOut"),
                               "AvgSquaredUpdate": (positive, "AvgSquaredUpdateOut")}, rate=False)
RMSPROP = Op("rmsprop", {}, {"MeanSquare": (lambda s: rand(*s, low=1.0, high=2.0),
                                            "MeanSquareOut"),
                             "MeanGrad": (state, "MeanGradOut"), "Moment": (state, "MomentOut")})
FTRL = Op("ftrl", {}, {"SquaredAccumulator": (positive, "SquaredAccumOut"),
                       "LinearAccumulator": (state, "LinearAccumOut")})
LAMB = Op("lamb", {"weight_decay": 0.01}, {"Moment1": (state, "Moment1Out"),
                                           "Moment2": (positive, "Moment2Out")},
          numbers={"Beta1Pow": 0.9 ** 3, "Beta2Pow": 0.999 ** 3})
DPSGD = Op("dpsgd", {"batch_size": 1e30}, {})  # the noise is divided away
PROXIMAL = Op("proximal_gd", {}, {})
PROXIMAL_ADAGRAD = Op("proximal_adagrad", {}, {"Moment": (positive, "MomentOut")})
OPS = [MOMENTUM, LARS, ADAGRAD, DECAYED, ADAMAX, ADADELTA, RMSPROP, FTRL, LAMB, DPSGD, PROXIMAL,
       PROXIMAL_ADAGRAD]
SPARSE = [MOMENTUM, ADAGRAD, RMSPROP, LAMB]

zero = np.zeros(SHAPE, "float32")
CASES = []
for op in OPS:
    CASES += [op.case("dense"), op.case("large", shape=(41, 27)), op.case("rank 1", shape=(7,)),
              op.case("no gradient", zero)]
for op in SPARSE:
    CASES += [
        op.case("sparse", Rows([4, 1, 4], 6, rand(3, 3))),
        op.case("sparse in order", Rows([0, 1, 5], 6, rand(3, 3))),
        # Rows far enough apart that those between them come in several pieces.
        op.case("sparse gaps", Rows([299, 3, 299, 250, 4], 300, rand(5, 7)), shape=(300, 7)),
    ]
for op in [MOMENTUM, LARS, ADAGRAD, ADAMAX, ADADELTA, LAMB, DPSGD]:  # real Paddle has no others
    CASES.append(op.case("float64", dtype="float64"))
for op in [MOMENTUM, ADAGRAD, LAMB]:
    CASES.append(op.case("sparse float64", Rows([2, 1, 2], 6, rand(3, 3)), dtype="float64"))
CASES += [
    MOMENTUM.case("nesterov", attrs={"use_nesterov": True}),
    MOMENTUM.case("nesterov sparse", Rows([4, 1, 4], 6, rand(3, 3)), {"use_nesterov": True}),
    LARS.case("coefficients", attrs={"lars_coeff": 0.3, "lars_weight_decay": 0.1}),
    LARS.case("no parameter", Param=zero),
    ADAGRAD.case("epsilon", attrs={"epsilon": 0.1}),
    ADAGRAD.case("from nothing", Moment=zero),
    DECAYED.case("decay", attrs={"decay": 0.5, "epsilon": 0.1}),
    ADAMAX.case("betas", attrs={"beta1": 0.5, "beta2": 0.7, "epsilon": 0.1}),
    ADADELTA.case("rho", attrs={"rho": 0.5, "epsilon": 0.01}),
    RMSPROP.case("momentum", attrs={"momentum": 0.9, "epsilon": 0.1, "decay": 0.5}),
    RMSPROP.case("centered", attrs={"centered": True, "momentum": 0.5}),
    RMSPROP.case("centered sparse", Rows([4, 1, 4], 6, rand(3, 3)),
                 {"centered": True, "momentum": 0.5}),
    FTRL.case("l1 l2", attrs={"l1": 0.4, "l2": 0.3}),
    FTRL.case("power", attrs={"l1": 0.1, "l2": 0.3, "lr_power": -0.3}),
    FTRL.case("from nothing", SquaredAccumulator=zero, LinearAccumulator=zero),
    LAMB.case("attributes", attrs={"weight_decay": 0.2, "beta1": 0.5, "beta2": 0.7,
                                   "epsilon": 0.1}),
    LAMB.case("no parameter", Param=zero),
    LAMB.case("nothing at all", zero, Param=zero, Moment1=zero, Moment2=zero),
    DPSGD.case("clipped", attrs={"clip": 0.3}),
    PROXIMAL.case("l1", attrs={"l1": 2.0}),
    PROXIMAL.case("l1 l2", attrs={"l1": 1.0, "l2": 0.5}),
    PROXIMAL.case("l2", attrs={"l2": 0.5}),
    PROXIMAL_ADAGRAD.case("l1 l2", attrs={"l1": 1.0, "l2": 0.5}),
    PROXIMAL_ADAGRAD.case("l2", attrs={"l2": 0.5}),
]

SUMS = ["in_sum_1", "in_sum_2", "in_sum_3"]
COUNTS = ["in_num_accumulates", "in_old_num_accumulates", "in_num_updates"]


def average(name, num, old, updates, dtype="float32", **attrs):
    inputs = {"param": rand(*SHAPE, dtype=dtype)}
    inputs.update({slot: rand(*SHAPE, dtype=dtype) for slot in SUMS})
    inputs.update({slot: np.array([n], "int64") for slot, n in zip(COUNTS, (num, old, updates))})
    inplace = {slot.replace("in_", "out_", 1): slot for slot in SUMS + COUNTS}
    return case("average " + name, "average_accumulates", inputs, attrs, outputs=list(inplace),
                inplace=inplace, atol=1e-6)


CASES += [
    average("goes on", 3, 5, 8, average_window=0.5, min_average_window=10, max_average_window=20),
    average("window ends", 9, 5, 14, average_window=0.5, min_average_window=10,
            max_average_window=20),
    average("below the share", 9, 5, 99, average_window=0.5, min_average_window=5,
            max_average_window=20),
    average("at the largest", 19, 5, 99, average_window=0.5, min_average_window=5,
            max_average_window=20),
    average("share rounded down", 2, 2, 6, average_window=0.5, min_average_window=2,
            max_average_window=4),
    average("folds", 100, 5, 16383, average_window=1.0, min_average_window=10000,
            max_average_window=20000),
    average("folds and ends", 9999, 5, 16383, average_window=0.1, min_average_window=10000,
            max_average_window=20000),
    average("float64", 9, 5, 14, dtype="float64", average_window=0.5, min_average_window=10,
            max_average_window=20),
]
# Outputs that are variables of their own; real Paddle refuses it of rmsprop and of sparse adagrad.
for op in OPS:
    if op is not RMSPROP:
        CASES.append(op.case("apart"))
        CASES[-1].inplace = {}
for op in [MOMENTUM, LAMB]:
    CASES.append(op.case("sparse apart", Rows([4, 1, 4], 6, rand(3, 3))))
    CASES[-1].inplace = {}
test = check(__file__, CASES)
