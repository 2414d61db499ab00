import numpy as np
from opcase import case, check, ints, rand, refused

F32, I32 = 5, 2


def _coalesce(name, *arrays, **kw):
    attrs = {k: kw.pop(k) for k in list(kw) if k not in ("inplace",)}
    return case(name, "coalesce_tensor", {"Input": list(arrays)},
                dict({"dtype": F32 if arrays[0].dtype == "float32" else I32}, **attrs),
                outputs=["Output", "FusedOutput"], counts={"Output": len(arrays)}, **kw)


CASES = [
    _coalesce("copied", rand(3, 5), rand(100), rand(1), copy_data=True),
    _coalesce("more than a page", rand(30, 50), rand(1024), rand(1, 1), copy_data=True),
    _coalesce("a constant", rand(3, 5), rand(2), set_constant=True, constant=2.5),
    _coalesce("both", rand(3, 5), rand(2), set_constant=True, constant=2.5, copy_data=True),
    _coalesce("whole numbers", ints(3, 5, dtype="int32"), ints(600, dtype="int32"), copy_data=True),
    _coalesce("in place", rand(3, 5), rand(4), copy_data=True, check_name=True,
              inplace={"Output": "Input"}),
]
test = check(__file__, CASES)

test_refusals = refused(
    ("check_name is set, and Input Input0 is not Output out_Output0",
     _coalesce("x", rand(2), check_name=True)),
    ("Input1 is of int64, and dtype says float32", _coalesce("x", rand(2), ints(2))))


def _share(persistable):
    import paddle.fluid as fluid
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        block = main.global_block()
        x = [fluid.data("x%d" % i, [None, 3]) for i in range(2)]
        parts = [block.create_var(name="part%d" % i, dtype="float32", persistable=persistable)
                 for i in range(2)]
        whole = block.create_var(name="whole", dtype="float32", persistable=persistable)
        block.append_op(type="coalesce_tensor", inputs={"Input": x},
                        outputs={"Output": parts, "FusedOutput": whole},
                        attrs={"dtype": F32, "copy_data": True})
        block.append_op(type="scale", inputs={"X": whole}, outputs={"Out": whole},
                        attrs={"scale": 2.0})
        block.append_op(type="scale", inputs={"X": parts[1]}, outputs={"Out": parts[1]},
                        attrs={"bias": 1.0})
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()):
        for rows in (2, 1, 700, 2):  # 700 rows are more than a page: all must move
            fed = [np.random.RandomState(rows + i).rand(rows, 3).astype("float32")
                   for i in range(2)]
            got = exe.run(main, feed={"x0": fed[0], "x1": fed[1]}, fetch_list=parts + [whole])
            np.testing.assert_array_equal(got[0], 2 * fed[0])
            np.testing.assert_array_equal(got[1], 2 * fed[1] + 1)
            place = -(-rows * 3 // 1024) * 1024
            assert got[2].shape == (2 * place,)
            np.testing.assert_array_equal(got[2][:rows * 3].reshape(-1, 3), got[0])
            np.testing.assert_array_equal(got[2][place:place + rows * 3].reshape(-1, 3), got[1])


def test_what_is_written_to_one_is_seen_in_the_other():
    _share(persistable=True)


def test_so_it_is_with_variables_of_one_run():
    _share(persistable=False)
