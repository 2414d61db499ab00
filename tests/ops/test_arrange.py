"""multiplex, reverse, flip, roll, cumsum, unique, shard_index, tril_triu, diag, diag_embed, eye,
trace, linspace, range, meshgrid, shuffle_batch, isfinite, and sparse gradients as tensors."""
import numpy as np
from opcase import Lod, Rows, case, check, ints, rand, refused


def int32(*numbers):
    return np.array(numbers, "int32")


def int64(*numbers):
    return np.array(numbers, "int64")


def f32(*numbers):
    return np.array(numbers, "float32")


def shard(name, x, num, shards, shard_id, ignored=-1, **kw):
    return case(name, "shard_index", {"X": x},
                {"index_num": num, "nshards": shards, "shard_id": shard_id,
                 "ignore_value": ignored}, **kw)


IDS = int64(1, 6, 12, 20).reshape(4, 1)
ODD = f32(2.5, -0.0, 0.0, 1, 2.5, 7)
CASES = [
    case("multiplex", "multiplex", {"Ids": int32(1, 0, 2, 1).reshape(4, 1),
                                    "X": [rand(4, 3), rand(4, 3), rand(4, 3)]}, grads=["X"]),
    case("multiplex deep", "multiplex", {"Ids": int32(1, 0).reshape(2, 1),
                                         "X": [rand(2, 3, 2), rand(2, 3, 2)]}, grads=["X"]),
    case("reverse rows", "reverse", {"X": rand(3, 4)}, {"axis": [0]}, grads=["X"]),
    case("reverse columns", "reverse", {"X": rand(3, 4)}, {"axis": [1]}, grads=["X"]),
    case("reverse all", "reverse", {"X": rand(3, 4, 2)}, {"axis": [-1, 0, 1]}, grads=["X"]),
    case("reverse int64", "reverse", {"X": ints(5)}, {"axis": [0]}),
    case("reverse sequences", "reverse", {"X": Lod(rand(6, 2), [[2, 4]])}, {"axis": [1]},
         no_lod=["Out"]),
    case("flip", "flip", {"X": rand(3, 4)}, {"dims": [-1, 0]}, grads=["X"]),
    case("roll rows", "roll", {"X": rand(3, 4)}, {"shifts": [1], "dims": [0]}, grads=["X"]),
    case("roll both", "roll", {"X": rand(3, 4)}, {"shifts": [-1, 6], "dims": [0, 1]}, grads=["X"]),
    case("roll last", "roll", {"X": rand(3, 4)}, {"shifts": [3], "dims": [-1]}, grads=["X"]),
    case("roll nothing", "roll", {"X": rand(3, 4)}, {"shifts": [8], "dims": [1]}, grads=["X"]),
    case("roll int64", "roll", {"X": ints(3, 4)}, {"shifts": [1], "dims": [1]}),
    case("cumsum", "cumsum", {"X": rand(3, 4)}, grads=["X"]),
    case("cumsum rows", "cumsum", {"X": rand(3, 4, 2)}, {"axis": 0}, grads=["X"]),
    case("cumsum exclusive", "cumsum", {"X": rand(3, 4)}, {"axis": 1, "exclusive": True},
         grads=["X"]),
    case("cumsum reverse", "cumsum", {"X": rand(3, 4, 2)}, {"axis": 1, "reverse": True},
         grads=["X"]),
    case("cumsum both", "cumsum", {"X": rand(3, 4)},
         {"axis": 0, "exclusive": True, "reverse": True}, grads=["X"]),
    case("cumsum int64", "cumsum", {"X": ints(3, 4)}),
    case("cumsum sequences", "cumsum", {"X": Lod(rand(6, 2), [[2, 4]])}, {"axis": 0}),
    case("unique", "unique", {"X": int64(2, 3, 3, 1, 5, 3)}, {"dtype": 2},
         outputs=["Out", "Index"]),
    case("unique int64", "unique", {"X": ints(100, high=20)}, {"dtype": 3},
         outputs=["Out", "Index"]),
    case("unique int32", "unique", {"X": ints(9, high=4, dtype="int32")}, {"dtype": 3},
         outputs=["Out", "Index"]),
    case("unique floats", "unique", {"X": ODD}, {"dtype": 3}, outputs=["Out", "Index"]),
    case("unique counts", "unique_with_counts", {"X": ints(100, high=20)}, {"dtype": 2},
         outputs=["Out", "Index", "Count"]),
    shard("shard first", IDS, 22, 2, 0),
    shard("shard second", IDS, 21, 2, 1, -7),
    shard("shard sequences", Lod(IDS, [[1, 3]]), 21, 3, 1),
    case("lower", "tril_triu", {"X": rand(3, 4)}, {"lower": True}, grads=["X"]),
    case("upper", "tril_triu", {"X": rand(4, 3)}, {"diagonal": 1, "lower": False}, grads=["X"]),
    case("lower deep", "tril_triu", {"X": rand(2, 3, 3)}, {"diagonal": -1, "lower": True},
         grads=["X"]),
    case("upper far", "tril_triu", {"X": rand(3, 3)}, {"diagonal": -9, "lower": False},
         grads=["X"]),
    case("diag", "diag", {"Diagonal": rand(3)}),
    case("diag int64", "diag", {"Diagonal": ints(3)}),
    case("diag_embed", "diag_embed", {"Input": rand(3, 4)}),
    case("diag_embed off", "diag_embed", {"Input": rand(3, 4)},
         {"offset": 1, "dim1": 0, "dim2": 2}),
    case("diag_embed turned", "diag_embed", {"Input": rand(2, 3, 2)},
         {"offset": -2, "dim1": 2, "dim2": 1}),
    case("eye", "eye", {}, {"dtype": 5, "num_rows": 2, "num_columns": 3}),
    case("eye square", "eye", {}, {"dtype": 3, "num_rows": 3, "num_columns": -1}),
    case("trace", "trace", {"Input": rand(3, 4)}, {"dim1": 0, "dim2": 1}, grads=["Input"]),
    case("trace deep", "trace", {"Input": rand(3, 4, 2)}, {"offset": 1, "dim1": 0, "dim2": 1},
         grads=["Input"]),
    case("trace below", "trace", {"Input": rand(3, 4, 2)}, {"offset": -1, "dim1": 0, "dim2": 2},
         grads=["Input"]),
    case("trace turned", "trace", {"Input": rand(3, 4, 2)}, {"offset": 1, "dim1": 2, "dim2": 0},
         grads=["Input"]),
    case("trace outside", "trace", {"Input": rand(3, 4)}, {"offset": 9, "dim1": 0, "dim2": 1},
         grads=["Input"]),
    case("linspace", "linspace", {"Start": f32(-1), "Stop": f32(10), "Num": int32(7)}),
    case("linspace one", "linspace", {"Start": f32(-1), "Stop": f32(10), "Num": int32(1)}),
    case("range", "range", {"Start": f32(0), "End": f32(1), "Step": f32(0.1)}),
    case("range int64", "range", {"Start": int64(10), "End": int64(-1), "Step": int64(-4)}),
    case("range int32", "range", {"Start": int32(1), "End": int32(10), "Step": int32(3)}),
    case("meshgrid", "meshgrid", {"X": [rand(2), rand(3)]}, grads=["X"], counts={"Out": 2}),
    case("meshgrid three", "meshgrid", {"X": [rand(2), rand(3), rand(4)]}, grads=["X"],
         counts={"Out": 3}),
    case("finite", "isfinite", {"X": rand(3, 4)}),
    case("not finite", "isfinite", {"X": f32(1, np.inf)}),
    case("inf", "isinf", {"X": f32(1, -np.inf)}),
    case("nan is not inf", "isinf", {"X": f32(1, np.nan)}),
    case("nan", "isnan", {"X": f32(1, np.nan)}),
    case("inf is not nan", "isnan", {"X": f32(1, np.inf)}),
    case("finite int64", "isfinite", {"X": ints(3)}),
    case("finite sparse", "isfinite", {"X": Rows([1, 3], 6, rand(2, 2))}),
    case("nan float64", "isnan", {"X": np.array([1, np.nan])}),
    case("merge", "merge_selected_rows", {"X": Rows([3, 1, 3], 6, rand(3, 2))}, sparse=["Out"]),
    case("merge nothing", "merge_selected_rows", {"X": Rows([1, 3], 6, rand(2, 2))},
         sparse=["Out"]),
    case("get", "get_tensor_from_selected_rows", {"X": Rows([3, 1, 3], 6, rand(3, 2))}),
]
test = check(__file__, CASES)


def grid(*sizes):
    return case("grid", "meshgrid", {"X": [rand(*s) for s in sizes]}, counts={"Out": len(sizes)})


test_refused = refused(
    ("has 3 at element 1, and there are 2 tensors",
     case("ids", "multiplex", {"Ids": int32(1, 3).reshape(2, 1), "X": [rand(2, 3), rand(2, 3)]})),
    ("must be [n, 1]",
     case("ids shape", "multiplex", {"Ids": int32(1, 1), "X": [rand(2, 3), rand(2, 3)]})),
    ("axis 2 of", case("axis", "reverse", {"X": rand(2, 3)}, {"axis": [2]})),
    ("named twice", case("twice", "reverse", {"X": rand(2, 3)}, {"axis": [0, -2]})),
    ("1 shifts for 0 dims", case("shifts", "roll", {"X": rand(2, 3)}, {"shifts": [1]})),
    ("axis 3 of", case("cumsum", "cumsum", {"X": rand(2, 3)}, {"axis": 3})),
    ("X must have 1 dimensions", case("unique", "unique", {"X": ints(2, 3)}, {"dtype": 2},
                                      outputs=["Out", "Index"])),
    ("not in 0 .. 19", shard("ids high", IDS, 20, 2, 0)),
    ("do not go together", shard("shard", IDS, 21, 2, 2)),
    ("X must be [..., 1]", shard("shape", ints(4), 21, 2, 1)),
    ("a triangle has two", case("triangle", "tril_triu", {"X": rand(3)}, {"lower": True})),
    ("both dimension 1", case("dims", "trace", {"Input": rand(2, 3)}, {"dim1": 1, "dim2": -1})),
    ("do not lead", case("range", "range", {"Start": f32(0), "End": f32(1), "Step": f32(-1)})),
    ("do not lead", case("zero", "range", {"Start": int64(0), "End": int64(1), "Step": int64(0)})),
    ("Num is 0", case("none", "linspace", {"Start": f32(0), "Stop": f32(1), "Num": int32(0)})),
    ("must have one dimension", grid((2,), (2, 3))),
    ("must be SELECTED_ROWS", case("dense", "merge_selected_rows", {"X": rand(2, 3)})),
    ("num_rows is -1", case("eye", "eye", {}, {"dtype": 5, "num_rows": -1})),
)


def shuffle(x, seed, startup=0):
    return case("shuffle", "shuffle_batch", {"X": x, "Seed": int64(seed)},
                {"startup_seed": startup}, outputs=["Out", "ShuffleIdx", "SeedOut"],
                compare=["Out"], grads=["X"])


def test_shuffle_batch_puts_every_row_where_it_says():
    import paddle.fluid as fluid
    from opcase import check_numeric, forward
    x = rand(50, 3)
    values = forward(fluid, shuffle(x, 5)).values
    order = values["ShuffleIdx0"]
    assert sorted(order) == list(range(50)) and list(order) != list(range(50))
    np.testing.assert_array_equal(values["Out0"][order], x)
    np.testing.assert_array_equal(forward(fluid, shuffle(x, 5)).values["ShuffleIdx0"], order)
    other = forward(fluid, shuffle(x, int(values["SeedOut0"][0]))).values["ShuffleIdx0"]
    assert list(other) != list(order)
    check_numeric(fluid, shuffle(rand(2, 3, 4), 7))


def test_shuffle_batch_starts_from_its_attribute_and_goes_on():
    """The seed is a variable that nobody has set before the first run."""
    import paddle.fluid as fluid
    main, scope = fluid.Program(), fluid.core.Scope()
    with fluid.program_guard(main, fluid.Program()):
        x = fluid.layers.data("x", [3])
        block = main.global_block()
        seed = block.create_var(name="seed", dtype="int64", persistable=True)
        out, order = block.create_var(name="out"), block.create_var(name="order", dtype="int64")
        block.append_op("shuffle_batch", {"X": x, "Seed": seed},
                        {"Out": out, "ShuffleIdx": order, "SeedOut": seed}, {"startup_seed": 5})
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(scope):
        runs = [list(exe.run(main, feed={"x": rand(40, 3)}, fetch_list=[order])[0])
                for _ in range(3)]
    assert runs[0] == list(__import__("opcase").forward(fluid, shuffle(rand(40, 3), 5))
                           .values["ShuffleIdx0"])
    assert runs[0] != runs[1] != runs[2] != runs[0]
