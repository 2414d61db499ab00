"""What may be fed and fetched, and what is said where it is wrong: the variable, what was got and
what was wanted."""
import gc
import threading
import warnings
import weakref

import numpy as np
import pytest

import paddle.fluid as fluid

layers = fluid.layers
X = np.arange(6, dtype="float32").reshape(2, 3)


class Model:
    """A checked input of two kinds, an unchecked one, a table."""

    def __init__(self):
        self.main, self.startup = fluid.Program(), fluid.Program()
        self.scope = fluid.Scope()
        with fluid.program_guard(self.main, self.startup), fluid.unique_name.guard():
            self.x = fluid.data("x", [None, 3])
            self.ids = fluid.data("ids", [None, 1], "int64")
            self.loose = layers.data("loose", [4])
            self.double = layers.scale(self.x, 2.0)
            self.rows = layers.embedding(self.ids, [5, 2])
            self.fc = layers.fc(self.loose, 2)
        self.exe = fluid.Executor()
        self.exe.run(self.startup, scope=self.scope)

    def run(self, feed, fetch, **options):
        return self.exe.run(self.main, feed=feed, fetch_list=fetch, scope=self.scope, **options)

    def one(self, feed, fetch, **options):
        return self.run(feed, [fetch], **options)[0]


@pytest.fixture
def model():
    return Model()


# ---- what is taken ----

@pytest.mark.parametrize("value", [
    X, X.tolist(), tuple(X.tolist()), list(X), X.astype(">f4"), np.asfortranarray(X), X[::-1][::-1],
    np.ascontiguousarray(X.T).T, fluid.create_lod_tensor(X, [[2]], fluid.CPUPlace()),
    [[0, 1, 2], [3, 4, 5]],
], ids=["array", "list", "tuple", "list of arrays", "big-endian", "column-major", "strides",
        "transposed", "LoDTensor", "list of ints"])
def test_kinds_of_values(model, value):
    got = model.one({"x": value}, model.double, return_numpy=False)
    np.testing.assert_array_equal(np.array(got), 2 * X)


def test_a_tensor_of_the_scope_and_a_batch_of_none(model):
    tensor = fluid.LoDTensor()
    tensor.set(X, fluid.CPUPlace())
    np.testing.assert_array_equal(model.one({"x": tensor}, model.double), 2 * X)
    assert model.one({"x": X[:0]}, model.double).shape == (0, 3)


def test_what_was_fed_is_not_kept(model):
    mine = X.copy()
    first = model.one({"x": mine}, model.double)
    mine[:] = 7
    np.testing.assert_array_equal(first, 2 * X)
    np.testing.assert_array_equal(mine, np.full((2, 3), 7, "float32"))
    second = model.one({"x": mine}, model.double)
    np.testing.assert_array_equal(first, 2 * X)  # nor overwritten by the next run
    np.testing.assert_array_equal(second, np.full((2, 3), 14))


def test_batches_of_changing_size(model):
    for n in (1, 5, 2, 0, 1000, 3):
        batch = np.full((n, 3), n, "float32")
        np.testing.assert_array_equal(model.one({"x": batch}, model.double), 2 * batch)


def test_ids_as_a_list(model):
    assert model.one({"ids": [[1], [4]]}, model.rows).shape == (2, 2)


@pytest.mark.parametrize("value", [3, 3.0, np.float32(3), np.int64(3), np.float64(3)])
@pytest.mark.parametrize("make", [lambda: fluid.data("x", [1], "float32"),
                                  lambda: fluid.layers.data("x", [1], append_batch_size=False)])
def test_a_number_is_fed_to_a_variable_of_one_element(make, value):
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        double = fluid.layers.scale(make(), 2.0)
    got, = fluid.Executor().run(main, feed={"x": value}, fetch_list=[double])
    assert got.dtype == np.float32 and got.shape == (1,) and got[0] == 6
    compiled = fluid.CompiledProgram(main)
    assert fluid.Executor().run(compiled, feed={"x": value}, fetch_list=[double])[0][0] == 6


def run(build, feed):
    """What a small model gives, started anew."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        fetch = build()
    exe, scope = fluid.Executor(), fluid.Scope()
    exe.run(startup, scope=scope)
    return exe.run(main, feed=feed, fetch_list=fetch, scope=scope)


LABELS = np.array([[0], [2]], "int64")


def _entropy(label, loss=layers.cross_entropy):
    x = layers.data("x", [3])
    rows = layers.fc(x, 3, param_attr=fluid.initializer.Constant(0.1))
    cost = layers.mean(loss(rows if loss is not layers.cross_entropy else layers.softmax(rows),
                            label))
    fluid.optimizer.SGD(0.1).minimize(cost)
    return [cost]


@pytest.mark.parametrize("dtype", ["int64", "int32"])
@pytest.mark.parametrize("build", [
    _entropy,
    lambda label: _entropy(label, layers.softmax_with_cross_entropy),
    lambda label: _entropy(layers.reshape(label, [-1, 1])),
    lambda label: [layers.accuracy(layers.softmax(layers.data("x", [3])), label)],
    lambda label: [layers.cast(label, "float32")],
], ids=["cross_entropy", "softmax_with_cross_entropy", "reshaped", "accuracy", "cast"])
def test_a_label_without_dtype_is_what_it_is_fed(build, dtype):
    feed = {"x": X, "y": LABELS.astype(dtype)}
    loose = run(lambda: build(layers.data("y", [1])), feed)
    declared = run(lambda: build(layers.data("y", [1], dtype=dtype)), feed)
    assert np.array_equal(loose[0], declared[0])


def test_whole_numbers_for_floats_are_refused_by_the_op_that_reads_them():
    with pytest.raises(fluid.core.EnforceNotMet, match="X is int64"):
        run(lambda: [layers.fc(layers.data("x", [3]), 2)], {"x": X.astype("int64")})
    with pytest.raises(fluid.core.EnforceNotMet, match="int64"):
        run(lambda: [layers.square_error_cost(layers.data("x", [3]), layers.data("y", [1]))],
            {"x": X, "y": LABELS})


@pytest.mark.parametrize("make", [lambda: fluid.data("y", [None, 1]),
                                  lambda: layers.fc(layers.data("x", [3]), 1)])
def test_a_label_that_cannot_be_one_is_refused_when_it_is_used(make):
    with pytest.raises(fluid.core.EnforceNotMet, match="Label is float32"):
        run(lambda: _entropy(make()), {})


def test_lists_within_the_fetches_are_taken_apart(model):
    flat = model.run({"x": X, "ids": LABELS}, [model.double, model.rows, model.double])
    nested = model.run({"x": X, "ids": LABELS}, [[model.double, model.rows], "%s"
                                                 % model.double.name])
    assert len(nested) == 3 and all(np.array_equal(a, b) for a, b in zip(flat, nested))


def test_what_is_fed_and_not_read_may_be_fetched(model):
    assert np.array_equal(model.one({"x": X, "loose": X}, "loose"), X)


def test_a_number_is_not_fed_to_more_elements():
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        double = fluid.layers.scale(fluid.data("x", [2], "float32"), 2.0)
    with pytest.raises(ValueError, match=r"feed 'x' has the shape \[1\], and \[2\] is wanted"):
        fluid.Executor().run(main, feed={"x": 3.0}, fetch_list=[double])


@pytest.mark.parametrize("what,again", [
    ("shape", lambda: fluid.data("x", [None, 2], "float32")),
    ("data type", lambda: fluid.data("x", [None, 1], "int64")),
    ("lod_level", lambda: fluid.data("x", [None, 1], "float32", 1)),
    ("shape", lambda: fluid.layers.data("x", [2])),
    ("persistable", lambda: fluid.default_main_program().global_block().create_var(
        name="x", persistable=True)),
    ("type", lambda: fluid.default_main_program().global_block().create_var(
        name="x", type=fluid.core.VarDesc.VarType.SELECTED_ROWS))])
def test_a_variable_is_not_defined_again_as_another(what, again):
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x = fluid.data("x", [None, 1], "float32")
        assert fluid.data("x", [None, 1], "float32").name == "x"
        with pytest.raises(ValueError, match="x has been created before. The previous %s is" % what):
            again()
        assert x.shape == (-1, 1) and str(x.dtype) == "VarType.FP32" and x.lod_level == 0


def test_unchecked_data_may_have_another_rank(model):
    # fluid.layers.data checks nothing when it is fed, and fc flattens.
    assert model.one({"loose": np.ones((3, 2, 2), "float32")}, model.fc).shape == (3, 2)


def test_a_feed_that_the_program_lacks_is_said(model):
    with pytest.warns(UserWarning, match="The variable nonsense is not found in program") as seen:
        model.one({"x": X, "nonsense": X}, model.double)
    assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.one({"x": X}, model.double)


def test_persistable_variables_may_be_fed(model):
    weight = model.main.all_parameters()[1]
    value = np.ones(weight.shape, "float32")
    got = model.one({"loose": np.ones((1, 4), "float32"), weight.name: value}, model.fc)
    assert got.shape == (1, 2)
    np.testing.assert_array_equal(np.array(model.scope.find_var(weight.name).get_tensor()), value)


# ---- what is refused ----

@pytest.mark.parametrize("feed", [None, {}, {"ids": np.ones((1, 1), "int64")}],
                         ids=["None", "nothing", "another"])
def test_a_missing_feed(model, feed):
    with pytest.raises(ValueError, match=r"x \(X\) is not fed; feed=\{'x': \.\.\.\} is wanted") as e:
        model.run(feed, [model.double])
    assert "op scale(X=x [-1, 3] float32)" in str(e.value) and __file__ in str(e.value)


@pytest.mark.parametrize("dtype", ["float64", "float16", "int32", "int64", "bool", "uint8"])
def test_a_wrong_data_type_of_floats(model, dtype):
    with pytest.raises(ValueError, match="^feed 'x' has the data type %s, and float32 is wanted: "
                       r"use .astype\('float32'\)$" % dtype):
        model.run({"x": X.astype(dtype)}, [model.double])


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "uint64", "bool", "float32"])
def test_a_wrong_data_type_of_ids(model, dtype):
    with pytest.raises(ValueError, match="^feed 'ids' has the data type %s, and int64 is wanted: "
                       r"use .astype\('int64'\)$" % dtype):
        model.run({"ids": np.ones((2, 1), dtype)}, [model.rows])


def test_uint16_is_the_bits_of_bfloat16(model):
    with pytest.raises(ValueError, match="^feed 'ids' has the data type bfloat16, and int64"):
        model.run({"ids": np.ones((2, 1), "uint16")}, [model.rows])


@pytest.mark.parametrize("dtype", ["uint32", "complex64", "S3", "U3", "O", "datetime64[s]"])
def test_a_data_type_that_is_no_tensors(model, dtype):
    with pytest.raises(TypeError, match="^feed 'ids': an array of kind .* is not a tensor's type"):
        model.run({"ids": np.zeros((2, 1), dtype)}, [model.rows])


def test_none_is_said_to_be_no_number(model):
    with pytest.raises(TypeError, match="^feed 'x': .*Python objects .None, .*make one of numbers"):
        model.run({"x": None}, [model.double])


def test_a_dimension_that_is_no_number_names_the_shape():
    with pytest.raises(TypeError, match=r"fluid.data: shape is \['a', 4\], and must be of whole"):
        fluid.data("named", ["a", 4])


@pytest.mark.parametrize("width, size", [(None, 3), (4, 0)])
def test_a_layer_whose_size_is_not_known_says_what_to_give(width, size):
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x = fluid.data("x", [None, width])
        with pytest.raises(ValueError, match="size above 0, and its input's dimensions"):
            fluid.layers.fc(x, size)


def test_a_lod_tensor_of_a_wrong_type(model):
    tensor = fluid.create_lod_tensor(X.astype("float64"), [[2]], fluid.CPUPlace())
    with pytest.raises(ValueError, match="^feed 'x' has the data type float64, and float32"):
        model.run({"x": tensor}, [model.double])
    with pytest.raises(ValueError, match="^feed 'x' is a LoDTensor without a value"):
        model.run({"x": fluid.LoDTensor()}, [model.double])


@pytest.mark.parametrize("shape", [(2, 4), (3,), (), (2, 3, 1), (2, 0)])
def test_a_wrong_shape(model, shape):
    text = r"\[%s\]" % ", ".join(map(str, shape))
    with pytest.raises(ValueError, match=r"^feed 'x' has the shape %s, and \[-1, 3\] is wanted$"
                       % text):
        model.run({"x": np.ones(shape, "float32")}, [model.double])


def test_a_wrong_shape_of_unchecked_data_is_the_ops(model):
    with pytest.raises(RuntimeError, match=r"X of shape \[2, 3\] does not fit a weight of shape "
                       r"\[4, 2\]") as e:
        model.run({"loose": X}, [model.fc])
    assert "X=loose" in str(e.value)


@pytest.mark.parametrize("value", [[[1, 2, 3], [4]], "text", None, object(), [[None, 1, 2]],
                                   [["a", "b", "c"]], {"a": 1}],
                         ids=["ragged", "text", "None", "object", "None inside", "texts", "dict"])
def test_what_is_no_array(model, value):
    with pytest.raises((TypeError, ValueError), match="^feed 'x': "):
        model.run({"x": value}, [model.double])


@pytest.mark.parametrize("feed", [[X], "x", 3, [{"x": X}, {"x": X}], {3: X}],
                         ids=["list", "text", "number", "two dicts", "number as a name"])
def test_what_is_no_feed(model, feed):
    with pytest.raises(TypeError):
        model.run(feed, [model.double])


def test_a_failed_run_leaves_the_executor_well(model):
    with pytest.raises(ValueError):
        model.run({"x": X.astype("int32")}, [model.double])
    with pytest.raises(RuntimeError, match="ids has the id 9 at element 1, and the table has 5"):
        model.run({"ids": np.array([[1], [9]])}, [model.rows])
    np.testing.assert_array_equal(model.one({"x": X}, model.double), 2 * X)
    assert model.one({"ids": np.array([[1], [2]])}, model.rows).shape == (2, 2)


# ---- fetching ----

def test_ways_to_name_a_fetch(model):
    for fetch in (model.double, model.double.name, [model.double.name], (model.double,)):
        value, = model.run({"x": X}, fetch)
        np.testing.assert_array_equal(value, 2 * X)
    assert model.run({"x": X}, None) == [] and model.run({"x": X}, []) == []
    a, b, c = model.run({"x": X}, [model.double, model.x, model.double])  # twice; what was fed
    np.testing.assert_array_equal(a, c)
    np.testing.assert_array_equal(b, X)


def test_fetching_a_parameter(model):
    weight = model.main.all_parameters()[0]
    value, = model.run({}, [weight])
    assert value.shape == tuple(weight.shape)


def test_return_numpy_false(model):
    tensor = model.one({"x": fluid.create_lod_tensor(X, [[1, 1]], fluid.CPUPlace())}, model.double,
                       return_numpy=False)
    assert isinstance(tensor, fluid.LoDTensor)
    assert tensor.shape() == [2, 3] and tensor.recursive_sequence_lengths() == [[1, 1]]
    np.testing.assert_array_equal(np.array(tensor), 2 * X)
    model.one({"x": X + 1}, model.double)
    np.testing.assert_array_equal(np.array(tensor), 2 * X)  # it is the caller's


def test_sequences_are_no_numpy_arrays(model):
    with pytest.raises(RuntimeError, match="hold LoD information"):
        model.run({"x": fluid.create_lod_tensor(X, [[1, 1]], fluid.CPUPlace())}, [model.double])


def test_fetches_that_do_not_exist(model):
    with pytest.raises(RuntimeError, match="the program has no variable nothing to fetch"):
        model.run({"x": X}, ["nothing"])
    with pytest.raises(TypeError, match="a variable or its name is wanted, not <class 'int'>"):
        model.run({"x": X}, [3])
    with pytest.raises(ValueError, match="loose"):  # it would have to be fed
        model.run({"x": X}, [model.fc])


def test_use_program_cache(model):
    for _ in range(3):
        value = model.one({"x": X}, model.double, use_program_cache=True)
        np.testing.assert_array_equal(value, 2 * X)
    with fluid.program_guard(model.main):
        more = layers.scale(model.double, 10.0)
    np.testing.assert_array_equal(model.one({"x": X}, more, use_program_cache=True), 20 * X)


def test_a_program_that_changes_is_planned_again(model):
    model.one({"x": X}, model.double)
    op = model.main.global_block().ops[0]
    assert op.type == "scale"
    op._set_attr("scale", 5.0)
    np.testing.assert_array_equal(model.one({"x": X}, model.double), 5 * X)


def test_more_programs_than_an_executor_keeps_plans_of():
    exe, programs = fluid.Executor(), []
    for i in range(100):
        main = fluid.Program()
        with fluid.program_guard(main, fluid.Program()):
            x = fluid.data("x", [None, 3])
            programs.append((main, layers.scale(x, float(i))))
    for _ in range(2):
        for i, (main, out) in enumerate(programs):
            value, = exe.run(main, feed={"x": X}, fetch_list=[out])
            np.testing.assert_array_equal(value, i * X)


def test_a_program_that_was_run_goes_with_its_last_name(model):
    main = model.main.clone(for_test=True)
    model.exe.run(main, feed={"x": X}, fetch_list=[model.double.name], scope=model.scope)
    gone = weakref.ref(main)
    del main
    gc.collect()
    assert gone() is None


def test_a_compiled_program_keeps_no_scope_that_its_script_has_dropped(model):
    compiled = fluid.CompiledProgram(model.main).with_data_parallel(places=fluid.cpu_places(2))
    scopes = [fluid.Scope() for _ in range(3)]
    for scope in scopes + scopes:
        value, = model.exe.run(compiled, feed={"x": X[:2]}, fetch_list=[model.double], scope=scope)
        np.testing.assert_array_equal(value, 2 * X)
    assert len(compiled._plans) == 3
    del scopes[:]
    scope = fluid.Scope()
    model.exe.run(compiled, feed={"x": X[:2]}, fetch_list=[model.double], scope=scope)
    assert [kept for _, kept in compiled._plans.values()] == [scope]


def test_one_executor_in_several_threads(model):
    """Plans come and go under threads that run others: numbers stay right."""
    wrong = []

    def work(number):
        try:
            for i in range(40):
                main = fluid.Program()
                with threads_lock, fluid.program_guard(main, fluid.Program()):
                    x = fluid.data("x", [None, 3])
                    out = layers.scale(x, float(number))
                for _ in range(3):
                    value, = model.exe.run(main, feed={"x": X}, fetch_list=[out],
                                           scope=model.scope)
                    if not np.array_equal(value, number * X):
                        wrong.append(value)
                value = model.one({"x": X}, model.double)  # one plan for all threads
                if not np.array_equal(value, 2 * X):
                    wrong.append(value)
        except Exception as e:
            wrong.append(e)

    threads_lock = threading.Lock()  # programs are built by one thread at a time
    threads = [threading.Thread(target=work, args=(i,)) for i in range(1, 5)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []


def test_a_closed_executor(model):
    model.exe.close()
    with pytest.raises(RuntimeError, match="closed Executor"):
        model.run({"x": X}, [model.double])
    model.exe.close()


def test_without_the_startup_program():
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()), fluid.scope_guard(fluid.Scope()):
        out = layers.fc(fluid.data("x", [None, 3]), 2)
        with pytest.raises((RuntimeError, ValueError), match="startup program"):
            fluid.Executor().run(main, feed={"x": X}, fetch_list=[out])


# ---- FLAGS_check_nan_inf ----

@pytest.fixture
def check_nan():
    fluid.set_flags({"FLAGS_check_nan_inf": True})
    yield
    fluid.set_flags({"FLAGS_check_nan_inf": False})


@pytest.mark.parametrize("value, what", [(-1.0, "a NaN"), (0.0, "an Inf")])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_check_nan_inf_names_the_op(check_nan, value, what, dtype):
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x = fluid.data("x", [None, 3], dtype)
        made = layers.log(layers.scale(x, 1.0))
        out = layers.scale(made, 0.5)
        array = np.ones((2, 3), dtype)
        array[1, 1] = value
        exe = fluid.Executor()
        with pytest.raises(RuntimeError, match=r"op log\(X=.*it made %s at element 4 of its output "
                           r"%s \(Out \[2, 3\]\)" % (what, made.name)) as e:
            exe.run(feed={"x": array}, fetch_list=[out])
        assert __file__ in str(e.value)
        array[1, 1] = 1
        exe.run(feed={"x": array}, fetch_list=[out])


def test_without_the_flag_nan_goes_through():
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        out = layers.log(fluid.data("x", [None, 3]))
        exe = fluid.Executor()
        value, = exe.run(feed={"x": -np.ones((1, 3), "float32")}, fetch_list=[out])
        assert np.isnan(value).all()
        fluid.set_flags({"FLAGS_check_nan_inf": True})  # a plan that is there already obeys
        try:
            with pytest.raises(RuntimeError, match="op log"):
                exe.run(feed={"x": -np.ones((1, 3), "float32")}, fetch_list=[out])
        finally:
            fluid.set_flags({"FLAGS_check_nan_inf": False})
