from opcase import apart, case, check, ints, Lod, rand, Rows

CASES = []
for op in ("add", "sub", "mul", "div", "max", "min", "pow"):
    low = 0.5 if op in ("div", "pow") else -1.0
    make = apart if op in ("max", "min") else lambda *s: rand(*s, low=low, high=2.0)
    CASES += [
        case("%s same" % op, "elementwise_" + op, {"X": make(3, 4), "Y": make(3, 4)},
             grads=["X", "Y"]),
        case("%s row" % op, "elementwise_" + op, {"X": make(3, 4), "Y": make(4)},
             grads=["X", "Y"]),
        case("%s column" % op, "elementwise_" + op, {"X": make(3, 4), "Y": make(3)}, {"axis": 0},
             grads=["X", "Y"]),
        case("%s middle" % op, "elementwise_" + op, {"X": make(2, 3, 4, 5), "Y": make(3, 4)},
             {"axis": 1}, grads=["X", "Y"]),
        case("%s number" % op, "elementwise_" + op, {"X": make(3, 4), "Y": make(1)},
             grads=["X", "Y"]),
        case("%s ones" % op, "elementwise_" + op, {"X": make(2, 3, 4), "Y": make(2, 1, 4)},
             grads=["X", "Y"]),
    ]
CASES += [
    case("add trailing ones", "elementwise_add", {"X": rand(2, 3, 4), "Y": rand(3, 1)},
         {"axis": 1}, grads=["X", "Y"]),
    case("add int64", "elementwise_add", {"X": ints(3, 4), "Y": ints(3, 4)}),
    case("sub int32", "elementwise_sub", {"X": ints(3, 4, dtype="int32"),
                                          "Y": ints(4, dtype="int32")}),
    case("mul int64", "elementwise_mul", {"X": ints(3, 4), "Y": ints(3, 4)}),
    case("div int64", "elementwise_div", {"X": ints(3, 4, high=100), "Y": ints(3, 4, low=1)}),
    case("mod int64", "elementwise_mod", {"X": ints(3, 4, low=-50, high=50),
                                          "Y": ints(3, 4, low=1)}),
    case("mod int32", "elementwise_mod", {"X": ints(3, 4, low=-50, high=50, dtype="int32"),
                                          "Y": ints(3, 4, low=1, dtype="int32")}),
    case("mod float", "elementwise_mod", {"X": rand(3, 4, low=-5, high=5),
                                          "Y": rand(3, 4, low=1, high=2)}),
    case("floordiv int64", "elementwise_floordiv", {"X": ints(3, 4, high=100),
                                                    "Y": ints(3, 4, low=1)}),
    case("max int64", "elementwise_max", {"X": ints(3, 4), "Y": ints(3, 4)}),
    case("large", "elementwise_add", {"X": rand(37, 41), "Y": rand(41)}, grads=["X", "Y"]),
    case("mul sparse", "elementwise_mul", {"X": Rows([4, 1, 4], 6, rand(3, 5)), "Y": rand(1)},
         sparse=["Out"]),
    case("mul sparse in place", "elementwise_mul",
         {"X": Rows([4, 1, 4], 6, rand(3, 5)), "Y": rand(1)}, inplace={"Out": "X"}),
]
# Out's LoD is X's, and Y's is nobody's
CASES += [
    case("add sequences", "elementwise_add", {"X": Lod(rand(3, 2), [[1, 2]]),
                                              "Y": Lod(rand(3, 2), [[2, 1]])}),
    case("add Y of sequences", "elementwise_add", {"X": rand(3, 2),
                                                   "Y": Lod(rand(3, 2), [[2, 1]])},
         no_lod=["Out"]),
    case("max Y of sequences", "elementwise_max", {"X": rand(3, 2),
                                                   "Y": Lod(rand(3, 2), [[2, 1]])},
         no_lod=["Out"]),
]
test = check(__file__, CASES)


def test_a_sparse_gradient_is_multiplied_by_one_number_alone():
    import paddle.fluid as fluid
    import pytest
    from opcase import forward
    rows = Rows([4, 1], 6, rand(2, 5))
    for op, x, y, message in [("mul", rows, rand(5), "Y must be a tensor of one number"),
                              ("add", rows, rand(1), "X is a selected_rows"),
                              ("mul", rand(6, 5), rows, "Y is a selected_rows")]:
        bad = case("bad", "elementwise_" + op, {"X": x, "Y": y})
        with pytest.raises(fluid.core.EnforceNotMet, match="(?i)" + message):
            forward(fluid, bad)


def test_an_op_does_not_write_another_size_over_what_it_reads():
    import paddle.fluid as fluid
    import pytest
    from opcase import forward
    for c in (case("over Y", "elementwise_add", {"X": rand(30, 4), "Y": rand(4)},
                   inplace={"Out": "Y"}),
              case("of Y over X", "elementwise_add_grad",
                   {"X": rand(30, 4), "Y": rand(4), "Out@GRAD": rand(30, 4)},
                   outputs=["X@GRAD", "Y@GRAD"], inplace={"Y@GRAD": "X"})):
        with pytest.raises(fluid.core.EnforceNotMet, match="needs a variable of its own"):
            forward(fluid, c)
    same = case("over X", "elementwise_add", {"X": rand(3, 4), "Y": rand(4)}, inplace={"Out": "X"})
    assert (forward(fluid, same).values["Out0"] == same.inputs["X"] + same.inputs["Y"]).all()
