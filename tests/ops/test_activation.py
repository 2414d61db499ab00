import numpy as np
from opcase import apart, case, check, ints, rand

SMOOTH = "sigmoid tanh exp sin cos atan erf softplus logsigmoid tanh_shrink square swish gelu " \
         "stanh".split()
KINKED = "relu abs softsign leaky_relu relu6 elu selu brelu soft_relu hard_sigmoid hard_swish " \
         "hard_shrink softshrink thresholded_relu".split()
POSITIVE = "log sqrt rsqrt reciprocal".split()
STEPS = "ceil floor round".split()
NEAR_0 = np.array([1e-9, -3e-8, 4e-7, 0, 1e-6], "float32")

CASES = [case(op, op, {"X": rand(3, 7, low=-3, high=3)}, grads=["X"]) for op in SMOOTH]
CASES += [case(op, op, {"X": apart(3, 7, span=9)}, grads=["X"]) for op in KINKED]
CASES += [case(op, op, {"X": rand(3, 7, low=0.2, high=3)}, grads=["X"]) for op in POSITIVE]
CASES += [case(op, op, {"X": apart(3, 7, span=9)}, grads=["X"]) for op in STEPS]
CASES += [case(op, op, {"X": rand(3, 7, low=-0.9, high=0.9)}, grads=["X"])
          for op in ("asin", "acos")]
CASES += [
    case("sign", "sign", {"X": apart(3, 7)}, grads=["X"]),
    case("large", "tanh", {"X": rand(31, 33, low=-12, high=12)}, grads=["X"]),
    case("exp wide", "exp", {"X": rand(5, 40, low=-80, high=80)}, rtol=1e-5),
    case("log wide", "log", {"X": rand(5, 40, low=1e-6, high=1e4)}),
    case("sigmoid wide", "sigmoid", {"X": rand(5, 40, low=-60, high=60)}),
    case("leaky", "leaky_relu", {"X": apart(3, 7)}, {"alpha": 0.3}, grads=["X"]),
    case("relu6 of 2", "relu6", {"X": apart(3, 7, span=9)}, {"threshold": 2.0}, grads=["X"]),
    case("elu of 2", "elu", {"X": apart(3, 7)}, {"alpha": 2.0}, grads=["X"]),
    case("brelu 1 to 3", "brelu", {"X": apart(3, 7, span=9)}, {"t_min": 1.0, "t_max": 3.0},
         grads=["X"]),
    case("swish of 2", "swish", {"X": rand(3, 7)}, {"beta": 2.0}, grads=["X"]),
    case("hard_sigmoid steep", "hard_sigmoid", {"X": apart(3, 7, span=4)},
         {"slope": 0.5, "offset": 0.3}, grads=["X"]),
    case("hard_swish other", "hard_swish", {"X": apart(3, 7, span=9)},
         {"threshold": 5.0, "scale": 4.0, "offset": 2.0}, grads=["X"],
         numeric=False),  # above the threshold Paddle's gradient is 1 whatever the scale
    case("stanh other", "stanh", {"X": rand(3, 7)}, {"scale_a": 0.5, "scale_b": 2.0},
         grads=["X"]),
    case("gelu by tanh", "gelu", {"X": rand(3, 7, low=-3, high=3)}, {"approximate": True},
         grads=["X"]),
    case("softshrink of 1", "softshrink", {"X": apart(3, 7, span=5)}, {"lambda": 1.0},
         grads=["X"]),
    case("abs int64", "abs", {"X": ints(3, 4, low=-9)}),
    case("square int64", "square", {"X": ints(3, 4, low=-9)}, golden=False),
    case("mish", "mish", {"X": rand(3, 7, low=-4, high=4)}, grads=["X"]),
    case("mish wide", "mish", {"X": rand(3, 7, low=-60, high=60)}, grads=["X"]),
    case("log1p", "log1p", {"X": rand(3, 7, low=-0.8, high=3)}, grads=["X"]),
    case("log1p near 0", "log1p", {"X": NEAR_0}, atol=1e-12,  # real Paddle rounds 1 + x
         expect={"Out": np.log1p(NEAR_0.astype("float64")).astype("float32")}),
]
test = check(__file__, CASES)
