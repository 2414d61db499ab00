import numpy as np
from opcase import case, check, rand, Rows

STATE = {"ParamOut": "Param", "Moment1Out": "Moment1", "Moment2Out": "Moment2",
         "Beta1PowOut": "Beta1Pow", "Beta2PowOut": "Beta2Pow"}


def inputs(grad, shape=(6, 3)):
    return {"Param": rand(*shape), "Grad": grad, "LearningRate": np.array([0.1], "float32"),
            "Moment1": rand(*shape), "Moment2": rand(*shape, low=0.0, high=1.0),
            "Beta1Pow": np.array([0.9 ** 3], "float32"),
            "Beta2Pow": np.array([0.999 ** 3], "float32")}


CASES = [
    case("dense", "adam", inputs(rand(6, 3)), outputs=list(STATE), inplace=STATE),
    case("other betas", "adam", inputs(rand(6, 3)),
         {"beta1": 0.8, "beta2": 0.9, "epsilon": 1e-3}, outputs=list(STATE), inplace=STATE),
    case("sparse", "adam", inputs(Rows([4, 1, 4], 6, rand(3, 3))), outputs=list(STATE),
         inplace=STATE),
    case("sparse lazy", "adam", inputs(Rows([4, 1, 4], 6, rand(3, 3))), {"lazy_mode": True},
         outputs=list(STATE), inplace=STATE),
    case("sparse in order", "adam", inputs(Rows([0, 5], 6, rand(2, 3))), outputs=list(STATE),
         inplace=STATE),
    # Powers of beta that are not advanced in place are used as they were.
    case("apart", "adam", inputs(rand(6, 3)), outputs=list(STATE)),
    case("sparse apart", "adam", inputs(Rows([4, 1, 4], 6, rand(3, 3))), outputs=list(STATE)),
    case("sparse, powers apart", "adam", inputs(Rows([4, 1, 4], 6, rand(3, 3))),
         outputs=list(STATE), inplace={k: v for k, v in STATE.items() if "Beta" not in k}),
]
test = check(__file__, CASES)
