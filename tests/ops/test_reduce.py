from opcase import apart, case, check, ints, rand

CASES = []
for op in ("sum", "mean", "max", "min", "prod"):
    make = apart if op in ("max", "min") else (lambda *s: rand(*s, low=0.5, high=1.5))
    name = "reduce_" + op
    CASES += [
        case("%s first" % op, name, {"X": make(3, 4)}, grads=["X"]),
        case("%s last" % op, name, {"X": make(3, 4, 5)}, {"dim": [-1]}, grads=["X"]),
        case("%s middle" % op, name, {"X": make(2, 3, 4)}, {"dim": [1]}, grads=["X"]),
        case("%s kept" % op, name, {"X": make(2, 3, 4)}, {"dim": [1], "keep_dim": True},
             grads=["X"]),
        case("%s all" % op, name, {"X": make(2, 3, 4)}, {"reduce_all": True}, grads=["X"]),
        case("%s all kept" % op, name, {"X": make(2, 3)}, {"reduce_all": True, "keep_dim": True},
             grads=["X"], golden_grads=False),  # real Paddle: wrong, or an error
    ]
    if op != "prod":
        CASES += [
            case("%s two" % op, name, {"X": make(2, 3, 4, 2)}, {"dim": [0, 2]}, grads=["X"],
                 golden=op in ("sum", "mean")),
            case("%s int64" % op, name, {"X": ints(3, 4)}, golden=op != "mean"),
        ]
CASES += [
    case("all", "reduce_all", {"X": ints(3, 4, high=2).astype("bool")}, {"dim": [1]}),
    case("any", "reduce_any", {"X": ints(3, 4, high=2).astype("bool")}, {"dim": [0]}),
    case("any everything", "reduce_any", {"X": ints(3, 4, high=2).astype("bool")},
         {"reduce_all": True}),
    case("sum large", "reduce_sum", {"X": rand(67, 35)}, {"dim": [1]}, grads=["X"]),
]
test = check(__file__, CASES)
