"""SelectedRows as input, output or parameter, in the ops that take them in Fluid. Rows may be
there several times, and in any order."""
import numpy as np
from opcase import case, check, rand, refused, Rows

GRAD = Rows([4, 1, 4], 6, rand(3, 3))
POSITIVE = Rows([4, 1, 4], 6, rand(3, 3, low=0.1))
TABLE = Rows([5, 1, 0, 4], 6, rand(4, 3))  # two rows are not there
IDS = np.array([[1], [4], [0], [4]], "int64")
RATE = np.array([0.5], "float32")


def rows(name, op, x, attrs=None, **kw):
    return case(name, op, {"X": x}, attrs, sparse=["Out"], **kw)


def stepped(table, grad):
    """What sgd makes of a table; real Paddle does not find rows that Python gave it."""
    out = table.array.copy()
    for row, value in zip(grad.rows, grad.array):
        out[table.rows.index(row)] -= RATE * value
    return out


def sgd(name, param, grad, **kw):
    return case(name, "sgd", {"Param": param, "Grad": grad, "LearningRate": RATE},
                outputs=["ParamOut"], **kw)


CASES = [
    rows("square", "square", GRAD),
    rows("abs", "abs", GRAD),
    rows("sqrt", "sqrt", POSITIVE),
    rows("assign", "assign", GRAD),
    rows("clip", "clip", GRAD, {"min": -0.4, "max": 0.4}),
    rows("clip_by_norm", "clip_by_norm", GRAD, {"max_norm": 0.5}),
    rows("merge", "merge_selected_rows", GRAD),
    case("values", "get_tensor_from_selected_rows", {"X": GRAD}),
    case("zeros", "fill_zeros_like", {"X": GRAD}),
    case("mul", "elementwise_mul", {"X": GRAD, "Y": RATE}, sparse=["Out"]),
    # A sum has each row once.
    rows("sum", "sum", [GRAD, Rows([0, 1], 6, rand(2, 3))]),
    rows("sum of one", "sum", [GRAD]),
    case("sum, dense", "sum", {"X": [GRAD, rand(6, 3)]}),
    case("table", "lookup_table", {"W": TABLE, "Ids": IDS}),
    case("table, padding", "lookup_table", {"W": TABLE, "Ids": IDS}, {"padding_idx": 4}),
    case("table v2", "lookup_table_v2", {"W": TABLE, "Ids": IDS[:, 0]}),
    sgd("sgd", TABLE, Rows([4, 1, 4], 6, GRAD.array), inplace={"ParamOut": "Param"},
        expect={"ParamOut": stepped(TABLE, GRAD)}),
    sgd("sgd apart", TABLE, GRAD, sparse=["ParamOut"],
        expect={"ParamOut": stepped(TABLE, GRAD)}),
]
test = check(__file__, CASES)

test_what_does_not_fit_is_refused = refused(
    ("id 3 at element 0, which is not among the 4 rows of W",
     case("missing", "lookup_table", {"W": TABLE, "Ids": IDS + 2})),
    ("Grad names row 2, which is not among the 4 of Param",
     sgd("missing", TABLE, Rows([2], 6, rand(1, 3)), inplace={"ParamOut": "Param"})),
    ("Param is SelectedRows, and Grad must be too",
     sgd("dense", TABLE, rand(6, 3), inplace={"ParamOut": "Param"})),
    ("X is a SELECTED_ROWS, and relu takes tensors there", rows("relu", "relu", GRAD)),
)


def test_an_array_is_refused_by_ops_of_tensors_and_selected_rows():
    import paddle.fluid as fluid
    import pytest
    layers = fluid.layers
    for layer in (layers.scale, layers.square, layers.abs, lambda x: layers.clip(x, 0.0, 1.0),
                  lambda x: layers.clip_by_norm(x, 1.0), layers.isfinite, layers.zeros_like,
                  lambda x: layers.elementwise_mul(x, x)):
        with fluid.program_guard(fluid.Program(), fluid.Program()):
            array = layers.array_write(layers.data("x", [4]), layers.fill_constant([1], "int64", 0))
            with pytest.raises(fluid.core.EnforceNotMet,
                               match="X is a LOD_TENSOR_ARRAY, and .* takes tensors and Selected"):
                layer(array)


def test_a_sum_is_of_one_type_and_of_arrays_or_none():
    import paddle.fluid as fluid
    import pytest
    layers = fluid.layers
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        total = layers.sums([layers.data("x", [4]), layers.data("y", [4])])
        whole, real = np.full((2, 4), 3, "int64"), np.full((2, 4), 2, "float32")
        for x, y in (whole, real), (real, whole):
            with pytest.raises(fluid.core.EnforceNotMet, match="must be of one type"):
                exe.run(feed={"x": x, "y": y}, fetch_list=[total])
        got, = exe.run(feed={"x": whole, "y": whole}, fetch_list=[total])
        assert (got == 6).all()
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x = layers.data("x", [4])
        array = layers.array_write(x, layers.fill_constant([1], "int64", 0))
        with pytest.raises(fluid.core.EnforceNotMet, match="cannot be added"):
            layers.sums([array, x])
