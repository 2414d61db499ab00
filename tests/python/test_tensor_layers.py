"""What the layers that make, move, save and load tensors compute."""
import numpy as np
import pytest

def _run(build, feed=None, scope=None):
    """What the variables that build() returns hold after a run."""
    import paddle.fluid as fluid
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        wanted = build()
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(scope or fluid.core.Scope()):
        exe.run(startup)
        return exe.run(main, feed=feed or {}, fetch_list=list(wanted))


def _data(name, shape):
    from paddle.fluid import layers
    return layers.data(name, shape, stop_gradient=False)


def test_numbers_in_order():
    from paddle.fluid import layers
    a, b, c, d = _run(lambda: (
        layers.range(2, 9, 3, "int64"), layers.linspace(0, 1, 5, "float32"),
        layers.range(0, layers.fill_constant([1], "int64", 3), 1, "float32"),
        layers.arange(0, 2, 0.5)))
    assert a.tolist() == [2, 5, 8] and a.dtype == np.int64
    assert b.tolist() == [0, .25, .5, .75, 1]
    assert c.tolist() == [0, 1, 2] and c.dtype == np.float32
    assert d.tolist() == [0, .5, 1, 1.5]


def test_constants():
    from paddle.fluid import layers
    side = 3
    out = _run(lambda: (
        layers.full([2], 7, dtype="int64"), layers.full_like(layers.ones([2, 2], "float32"), 3),
        layers.fill_constant([2, layers.fill_constant([1], "int32", side)], "float32", 1.5),
        layers.fill_constant(layers.assign(np.array([1, 2], "int32")), "int32", 4),
        layers.fill_constant([1], "float32", layers.fill_constant([1], "float32", 2.5)),
        layers.eye(2, 3, [2]), layers.diag(np.array([1, 2], "int32")), layers.rank(
            layers.ones([2, 2], "float32"))))
    assert [o.shape for o in out[:4]] == [(2,), (2, 2), (2, side), (1, 2)]
    assert [o.ravel()[0] for o in out[:5]] == [7, 3, 1.5, 4, 2.5]
    assert out[5].tolist() == [[[1, 0, 0], [0, 1, 0]]] * 2
    assert out[6].tolist() == [[1, 0], [0, 2]] and out[7].ravel().tolist() == [2]


@pytest.mark.parametrize("array", [
    np.array([[1.5, -2.0]], "float32"), np.array([2 ** 40, -1], "int64"),
    np.array([3, -4], "int32"), np.array([True, False, True])], ids=lambda a: str(a.dtype))
def test_assigned_arrays(array):
    from paddle.fluid import layers
    out, = _run(lambda: [layers.assign(array)])
    assert out.dtype == array.dtype and out.tolist() == array.tolist()


def test_full_writes_where_it_is_told():
    from paddle.fluid import layers

    def build():
        out = layers.create_tensor("float32")
        assert layers.full([2], 3, out=out) is out
        return [out]
    assert _run(build)[0].tolist() == [3, 3]


def _array(layers, *parts):
    array = None
    for i, part in enumerate(parts):
        array = layers.array_write(part, layers.fill_constant([1], "int64", i), array=array)
    return array


def test_arrays_become_tensors():
    from paddle.fluid import layers
    x = np.arange(6, dtype="float32").reshape(2, 3)
    y = -np.ones([2, 1], "float32")

    def build():
        a, b = _data("x", [3]), _data("y", [1])
        joined, sizes = layers.tensor_array_to_tensor(_array(layers, a, b), axis=1)
        stacked, _ = layers.tensor_array_to_tensor(_array(layers, a, a), axis=-1, use_stack=True)
        return (joined, sizes, stacked, layers.concat(_array(layers, a, b), -1),
                layers.stack(_array(layers, a, a), 1))
    out = _run(build, {"x": x, "y": y})
    assert np.array_equal(out[0], np.concatenate([x, y], 1)) and out[1].tolist() == [3, 1]
    assert np.array_equal(out[2], np.stack([x, x], -1))
    assert np.array_equal(out[3], out[0]) and np.array_equal(out[4], np.stack([x, x], 1))


@pytest.mark.parametrize("stack", [False, True])
def test_gradients_through_arrays(stack):
    import paddle.fluid as fluid
    from paddle.fluid import layers
    x = np.arange(6, dtype="float32").reshape(2, 3)
    weight = np.arange(12, dtype="float32").reshape((2, 2, 3) if stack else (2, 6))

    def build():
        a, b = _data("x", [3]), _data("y", [3])
        joined, _ = layers.tensor_array_to_tensor(_array(layers, a, b), axis=1, use_stack=stack)
        loss = layers.reduce_sum(layers.elementwise_mul(joined, layers.assign(weight)))
        return fluid.gradients(loss, [a, b])
    da, db = _run(build, {"x": x, "y": x})
    parts = (weight[:, 0], weight[:, 1]) if stack else (weight[:, :3], weight[:, 3:])
    assert np.array_equal(da, parts[0]) and np.array_equal(db, parts[1])


def test_items_that_do_not_fit_are_refused():
    import paddle.fluid as fluid
    from paddle.fluid import layers
    with pytest.raises(fluid.core.EnforceNotMet, match="items 0 and 1 .* cannot be joined"):
        _run(lambda: [layers.tensor_array_to_tensor(_array(
            layers, layers.ones([2, 3], "float32"), layers.ones([3, 3], "float32")))[0]])
    with pytest.raises(TypeError, match="must be a tensor array"):
        _run(lambda: [layers.tensor_array_to_tensor(layers.ones([2], "float32"))[0]])


def test_what_assign_cannot_take_is_refused():
    from paddle.fluid import layers
    with pytest.raises(TypeError, match="float64"):
        _run(lambda: [layers.assign(np.zeros(2))])
    with pytest.raises(ValueError, match="1048577 numbers"):
        _run(lambda: [layers.assign(np.zeros(2 ** 20 + 1, "float32"))])


# ---- files ----

def _save(program, op_type, names, path, **attrs):
    program.global_block().append_op(op_type, {"X": names}, {}, dict(attrs, file_path=path))


def test_a_variable_saved_by_an_op_is_loaded_by_a_layer(tmp_path):
    import paddle.fluid as fluid
    from paddle.fluid import layers
    path = str(tmp_path / "made" / "v")

    def save(overwrite=True, value=1.5):
        def build():
            x = layers.fill_constant([2, 3], "float32", value)
            _save(fluid.default_main_program(), "save", x.name, path, overwrite=overwrite)
            return [x]
        return _run(build)

    def load():
        out = layers.create_tensor("float32")
        layers.load(out, path)
        return [out]
    save()
    assert _run(load)[0].tolist() == [[1.5] * 3] * 2
    save(value=2.5)
    assert _run(load)[0].tolist() == [[2.5] * 3] * 2
    with pytest.raises(ValueError, match="exists, and overwrite is false"):
        save(overwrite=False)
    assert [p.name for p in (tmp_path / "made").iterdir()] == ["v"]  # nothing is left aside


def test_a_part_of_a_variable_is_loaded(tmp_path):
    import paddle.fluid as fluid
    from paddle.fluid import layers
    path = str(tmp_path / "v")

    def save():
        x = layers.range(0, 12, 1, "float32")
        _save(fluid.default_main_program(), "save", x.name, path)
        return [x]

    def load():
        out = layers.create_tensor("float32")
        fluid.default_main_program().global_block().append_op(
            "load", {}, {"Out": out}, {"file_path": path, "seek": 4, "shape": [2, 3]})
        return [out]
    _run(save)
    assert _run(load)[0].tolist() == [[4, 5, 6], [7, 8, 9]]


def test_several_variables_in_one_file(tmp_path):
    import paddle.fluid as fluid
    from paddle.fluid import layers
    path = str(tmp_path / "all")

    def save():
        x, y = layers.fill_constant([2], "float32", 1), layers.fill_constant([1, 3], "int64", 7)
        _save(fluid.default_main_program(), "save_combine", [x.name, y.name], path)
        return x, y

    def load(*dtypes):
        def build():
            outs = [layers.create_tensor(dtype) for dtype in dtypes]
            fluid.default_main_program().global_block().append_op(
                "load_combine", {}, {"Out": outs}, {"file_path": path})
            return outs
        return _run(build)
    _run(save)
    assert [v.tolist() for v in load("float32", "int64")] == [[1, 1], [[7, 7, 7]]]
    with pytest.raises(Exception, match="all: .* bytes follow the last of 1 variables"):
        load("float32")
    with pytest.raises(Exception, match="all: create_tensor_2: "):
        load("float32", "int64", "float32")


def test_files_that_cannot_be_loaded_are_named(tmp_path):
    from paddle.fluid import layers

    def load(path, **kwargs):
        def build():
            out = layers.create_tensor("float32")
            layers.load(out, str(path), **kwargs)
            return [out]
        return _run(build)
    with pytest.raises(Exception, match="absent"):
        load(tmp_path / "absent")
    (tmp_path / "rubbish").write_bytes(b"\0" * 9)
    with pytest.raises(Exception, match="rubbish: create_tensor_0: "):
        load(tmp_path / "rubbish")
    with pytest.raises(NotImplementedError, match="load_as_fp16"):
        load(tmp_path / "rubbish", load_as_fp16=True)
