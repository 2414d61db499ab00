"""reshape, squeeze, unsqueeze, flatten, with and without XShape."""
import numpy as np
from opcase import Lod, case, check, ints, rand, refused


def view(name, type, x, attrs, more=None, **kw):
    """The op and the op with XShape, which has no data to compare."""
    inputs = dict({"X": x}, **(more or {}))
    return [case(name, type, inputs, attrs, grads=["X"], **kw),
            case(name + " 2", type + "2", inputs, attrs, outputs=["Out", "XShape"], compare=["Out"],
                 grads=["X"], **kw)]


def int32(*numbers):
    return np.array(numbers, "int32")


BOOLS = ints(6, 4, high=2).astype("bool")
CASES = []
CASES += view("reshape", "reshape", rand(6, 4), {"shape": [3, 8]})
CASES += view("reshape rest", "reshape", rand(6, 4), {"shape": [2, -1, 3]})
CASES += view("reshape copied", "reshape", rand(6, 4, 2), {"shape": [0, 0, 1, -1]})
CASES += view("reshape to one", "reshape", rand(6, 4), {"shape": [-1]})
CASES += view("reshape rows stay", "reshape", Lod(rand(6, 4), [[2, 4]]), {"shape": [-1, 2, 2]})
CASES += view("reshape rows go", "reshape", Lod(rand(6, 4), [[2, 4]]), {"shape": [3, 8]},
              no_lod=["Out"])
CASES += view("squeeze", "squeeze", rand(1, 3, 1, 2), {"axes": [0]})
CASES += view("squeeze two", "squeeze", rand(1, 3, 1, 2), {"axes": [0, -2]})
CASES += view("squeeze all", "squeeze", rand(1, 3, 1, 2), {"axes": []})
CASES += view("squeeze rows stay", "squeeze", Lod(rand(6, 1, 2), [[2, 4]]), {"axes": [1]})
CASES += view("unsqueeze", "unsqueeze", rand(3, 2), {"axes": [1]})
CASES += view("unsqueeze end", "unsqueeze", rand(3, 2), {"axes": [-1]})
CASES += view("unsqueeze several", "unsqueeze", rand(3, 2), {"axes": [0, 2, 2]})
CASES += view("unsqueeze rows stay", "unsqueeze", Lod(rand(6, 2), [[2, 4]]), {"axes": [2]})
CASES += view("unsqueeze rows go", "unsqueeze", Lod(rand(6, 2), [[2, 4]]), {"axes": [0]},
              no_lod=["Out"])
CASES += view("flatten", "flatten", rand(2, 3, 4), {"axis": 1})
CASES += view("flatten none", "flatten", rand(2, 3, 4), {"axis": 0})
CASES += view("flatten two", "flatten", rand(2, 3, 4), {"axis": 2})
CASES += view("flatten every", "flatten", rand(2, 3, 4), {"axis": 3})
CASES += view("flatten rows stay", "flatten", Lod(rand(6, 2, 2), [[2, 4]]), {"axis": 1})
CASES += [
    case("reshape int64", "reshape2", {"X": ints(6, 4)}, {"shape": [3, 8]},
         outputs=["Out", "XShape"], compare=["Out"]),
    case("reshape bool", "reshape2", {"X": BOOLS}, {"shape": [3, 8]}, outputs=["Out", "XShape"],
         expect={"Out": BOOLS.reshape(3, 8)}),
    case("reshape by tensor", "reshape2", {"X": rand(6, 4), "Shape": int32(3, -1)}, {"shape": []},
         outputs=["Out", "XShape"], compare=["Out"], grads=["X"]),
    case("reshape by tensors", "reshape2",
         {"X": rand(6, 4), "ShapeTensor": [int32(0), int32(2), int32(-1)]}, {"shape": [0, -1, -1]},
         outputs=["Out", "XShape"], compare=["Out"], grads=["X"]),
    case("unsqueeze by tensor", "unsqueeze2", {"X": rand(3, 2), "AxesTensor": int32(1, 3)},
         {"axes": []}, outputs=["Out", "XShape"], compare=["Out"], grads=["X"]),
    case("unsqueeze by tensors", "unsqueeze2",
         {"X": rand(3, 2), "AxesTensorList": [int32(0), int32(-1)]}, {"axes": []},
         outputs=["Out", "XShape"], compare=["Out"], grads=["X"]),
]
test = check(__file__, CASES)


def reject(name, type, shape, attrs, more=None):
    return case(name, type, dict({"X": rand(*shape)}, **(more or {})), attrs,
                outputs=["Out", "XShape"])


test_refused = refused(
    ("cannot take the shape [5, -1]", reject("left over", "reshape2", (6, 4), {"shape": [5, -1]})),
    ("cannot take the shape [5, 5]", reject("too many", "reshape2", (6, 4), {"shape": [5, 5]})),
    ("more than one -1", reject("two rests", "reshape2", (6, 4), {"shape": [-1, -1]})),
    ("dimension -3", reject("negative", "reshape2", (6, 4), {"shape": [-3, 8]})),
    ("0 at 2, and X has 2", reject("copied", "reshape2", (6, 4), {"shape": [6, 4, 0]})),
    ("shape is empty", reject("empty", "reshape2", (6, 4), {"shape": []})),
    ("must be one whole number", reject("two numbers", "reshape2", (6, 4), {"shape": [-1, 8]},
                                        {"ShapeTensor": [int32(1, 2), int32(8)]})),
    ("is not 1", reject("squeeze", "squeeze2", (6, 4), {"axes": [0]})),
    ("axis 5 of", reject("squeeze axis", "squeeze2", (6, 1), {"axes": [5]})),
    ("axis 7 of 2", reject("unsqueeze axis", "unsqueeze2", (6, 4), {"axes": [7]})),
    ("axis 3", reject("flatten axis", "flatten2", (6, 4), {"axis": 3})),
)


def test_a_view_of_what_is_changed_later_keeps_its_values():
    """y shares no memory with a counter that goes on counting."""
    import paddle.fluid as fluid
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        x = fluid.layers.fill_constant([1], "int64", 5)
        block = main.global_block()
        y, shape = block.create_var(name="y", dtype="int64"), block.create_var(name="s")
        block.append_op("reshape2", {"X": x}, {"Out": y, "XShape": shape}, {"shape": [1, 1]})
        fluid.layers.increment(x, value=1, in_place=True)
        both = [fluid.layers.elementwise_add(y, y), fluid.layers.elementwise_add(x, x)]
    exe = fluid.Executor(fluid.CPUPlace())
    for _ in range(3):
        assert [got.tolist() for got in exe.run(main, fetch_list=both)] == [[[10]], [12]]


def test_a_variable_reshaped_in_place_is_computed_anew_in_every_run():
    """The ops before the reshape see the old shape, those behind it the new one."""
    import paddle.fluid as fluid
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        x = fluid.layers.data("x", [4])
        row = fluid.layers.data("row", [4], append_batch_size=False)
        y = fluid.layers.elementwise_add(x, row)
        before = fluid.layers.reduce_sum(y, dim=1)
        block = main.global_block()
        shape = block.create_var(name="shape")
        block.append_op("reshape2", {"X": y}, {"Out": y, "XShape": shape}, {"shape": [-1, 2, 2]})
        behind = fluid.layers.reduce_sum(y, dim=1)
    exe = fluid.Executor(fluid.CPUPlace())
    for rows in (3, 3, 5, 5, 2):
        data = rand(rows, 4)
        got = exe.run(main, feed={"x": data, "row": np.ones(4, "float32")},
                      fetch_list=[before, behind])
        np.testing.assert_allclose(got[0], (data + 1).sum(1), rtol=1e-6)
        np.testing.assert_allclose(got[1], (data + 1).reshape(-1, 2, 2).sum(1), rtol=1e-6)


def test_gradients_flow_through_a_reshape_in_place():
    import paddle.fluid as fluid
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        x = fluid.layers.data("x", [4])
        x.stop_gradient = False
        y = fluid.layers.scale(x, 2.0)
        block = main.global_block()
        shape = block.create_var(name="shape")
        block.append_op("reshape2", {"X": y}, {"Out": y, "XShape": shape}, {"shape": [-1, 2, 2]})
        weights = fluid.layers.data("w", [2, 2], append_batch_size=False)
        loss = fluid.layers.reduce_sum(fluid.layers.elementwise_mul(y, weights))
        dx, = fluid.gradients([loss], [x])
    exe = fluid.Executor(fluid.CPUPlace())
    for rows in (3, 3, 5):
        weights = rand(2, 2)
        got, = exe.run(main, feed={"x": rand(rows, 4), "w": weights}, fetch_list=[dx])
        np.testing.assert_allclose(got, 2 * np.tile(weights.reshape(1, 4), (rows, 1)), rtol=1e-6)
