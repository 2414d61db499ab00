"""The ops of programs that read for themselves: those that layers add, and those of programs that
real Paddle saved (golden/readers/record.py)."""
import os
import threading

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden", "readers")


@pytest.fixture(autouse=True)
def fresh():
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard(), \
            fluid.scope_guard(fluid.Scope()):
        yield


def _types(program):
    return [op.type for op in program.global_block().ops]


def _loaded(name):
    with open(os.path.join(GOLDEN, name + ".pb"), "rb") as f:
        return fluid.Program.parse_from_string(f.read())


def _batches(n=4, rows=2):
    rng = np.random.RandomState(1)
    for _ in range(n):
        yield rng.rand(rows, 3).astype("float32"), rng.randint(0, 2, (rows, 1)).astype("int64")


def _network(x, y):
    loss = fluid.layers.mean(fluid.layers.cross_entropy(fluid.layers.fc(x, 2, act="softmax"), y))
    fluid.optimizer.SGD(0.1).minimize(loss)
    return loss


def _passes(exe, reader, program, loss, n=2):
    """As scripts of 1.8 have it."""
    seen = []
    for _ in range(n):
        reader.start()
        batch = 0
        while True:
            try:
                value, = exe.run(program, fetch_list=[loss.name])
                assert np.isfinite(value).all()
                batch += 1
            except fluid.core.EOFException:
                reader.reset()
                break
        seen.append(batch)
    return seen


# ---- layers ----

def test_py_reader_adds_the_ops_of_real_paddle():
    reader = fluid.layers.py_reader(4, [(-1, 3), (-1, 1)], ["float32", "int64"], name="train_reader")
    x, y = fluid.layers.read_file(reader)
    _network(x, y)
    for ours, theirs in ((fluid.default_main_program(), _loaded("main")),
                         (fluid.default_startup_program(), _loaded("startup"))):
        pairs = list(zip(*[[op for op in program.global_block().ops if "read" in op.type]
                           for program in (ours, theirs)]))
        assert pairs and _types(ours) == _types(theirs)
        for a, b in pairs:
            assert a.type == b.type
            for slot in b.input_names:
                assert a.input(slot) == b.input(slot)
            assert a.output("Out") == b.output("Out")
            for attr in set(b.attr_names) - {"op_callstack", "op_namescope", "op_role",
                                             "op_role_var", "op_device"}:
                assert a.attr(attr) == b.attr(attr), attr
    assert reader.name == "train_reader_double_buffer"


def test_a_script_with_py_reader_runs_to_the_end_of_each_pass():
    reader = fluid.layers.py_reader(4, [(-1, 3), (-1, 1)], ["float32", "int64"],
                                    use_double_buffer=False)
    loss = _network(*fluid.layers.read_file(reader))
    reader.decorate_paddle_reader(paddle.batch(
        lambda: ((x[0], y[0]) for x, y in _batches(7, 1)), 2))
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    assert _passes(exe, reader, fluid.default_main_program(), loss) == [4, 4]
    test = fluid.default_main_program().clone(for_test=True)
    assert "read" in _types(test) and _passes(exe, reader, test, loss, 1) == [4]


def test_py_reader_with_a_parallel_executor_and_a_compiled_program():
    reader = fluid.layers.py_reader(4, [(-1, 3), (-1, 1)], ["float32", "int64"])
    loss = _network(*fluid.layers.read_file(fluid.layers.double_buffer(reader)))
    reader.decorate_tensor_provider(lambda: _batches(6))
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    compiled = fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(
        loss_name=loss.name, places=fluid.cpu_places(2))
    assert _passes(exe, reader, compiled, loss) == [3, 3]

    os.environ["CPU_NUM"] = "2"
    try:
        parallel = fluid.ParallelExecutor(use_cuda=False, loss_name=loss.name)
    finally:
        del os.environ["CPU_NUM"]
    reader.start()
    seen = 0
    try:
        while True:
            parallel.run(fetch_list=[loss.name])
            seen += 1
    except fluid.core.EOFException:
        reader.reset()
    assert seen == 3


def test_a_loader_that_is_not_iterable_adds_the_ops_too():
    x = fluid.data("x", [None, 3])
    y = fluid.data("y", [None, 1], dtype="int64")
    fluid.io.DataLoader.from_generator([x, y], capacity=2, iterable=False)
    assert _types(fluid.default_main_program()) == ["create_py_reader",
                                                    "create_double_buffer_reader", "read"]
    ops = fluid.default_main_program().global_block().ops
    assert ops[0].attr("shape_concat") == [-1, 3, -1, 1] and ops[0].attr("dtypes") == [5, 3]
    assert ops[2].output("Out") == ["x", "y"]


def test_a_model_for_inference_has_no_readers(tmp_path):
    reader = fluid.layers.py_reader(4, [(-1, 3)], ["float32"])
    x = fluid.layers.read_file(reader)
    out = fluid.layers.fc(x, 2)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    fluid.io.save_persistables(exe, str(tmp_path / "all"))
    fluid.io.save_inference_model(str(tmp_path / "model"), [x.name], [out], exe)
    program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path / "model"), exe)
    assert not [t for t in _types(program) if "read" in t]
    assert exe.run(program, feed={feeds[0]: np.ones((2, 3), "float32")},
                   fetch_list=fetches)[0].shape == (2, 2)


def test_what_is_not_read_cannot_be_started():
    reader = fluid.layers.py_reader(4, [(-1, 3)], ["float32"])
    with pytest.raises(RuntimeError, match="read_file"):
        reader.start()
    fluid.layers.read_file(reader)
    with pytest.raises(RuntimeError, match="is read already"):
        fluid.layers.read_file(reader)


def test_a_saved_program_reads_from_the_same_queue():
    reader = fluid.layers.py_reader(4, [(-1, 3), (-1, 1)], ["float32", "int64"])
    loss = _network(*fluid.layers.read_file(reader))
    reader.decorate_tensor_provider(lambda: _batches(3))
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    copy = fluid.Program.parse_from_string(fluid.default_main_program().desc.serialize_to_string())
    assert _passes(exe, reader, copy, loss) == [3, 3]


# ---- programs of real Paddle ----

def _loss_of(program):
    return [op for op in program.global_block().ops if op.type == "mean"][0].output("Out")[0]


def test_a_program_of_real_paddle_reads_from_a_queue():
    main, startup = _loaded("main"), _loaded("startup")
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    queue = fluid.core.init_lod_tensor_blocking_queue(
        fluid.global_scope().var("train_reader_queue"), 2, False)

    def fill():
        for batch in _batches(5):
            tensors = fluid.core.LoDTensorArray()
            for array in batch:
                tensor = fluid.LoDTensor()
                tensor.set(array, fluid.CPUPlace())
                tensors.append(tensor)
            queue.push(tensors)
        queue.close()
    for _ in range(2):
        queue.begin()
        thread = threading.Thread(target=fill)
        thread.start()
        losses = []
        with pytest.raises(fluid.core.EOFException):
            while True:
                losses.append(float(exe.run(main, fetch_list=[_loss_of(main)])[0][0]))
        thread.join(60)
        assert len(losses) == 5 and np.isfinite(losses).all()


def test_a_program_of_real_paddle_can_be_fed():
    main, startup = _loaded("main"), _loaded("startup")
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    x, y = next(_batches())
    feed = {"read_file_0.tmp_0": x, "read_file_0.tmp_1": y}
    losses = [float(exe.run(main, feed=feed, fetch_list=[_loss_of(main)])[0][0])
              for _ in range(20)]
    assert losses[-1] < losses[0]


def test_without_a_queue_it_says_what_to_do():
    from paddle.fluid import reader_ops
    main, startup = _loaded("main"), _loaded("startup")
    reader_ops._held.clear()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    with pytest.raises(RuntimeError, match="init_lod_tensor_blocking_queue.*train_reader_queue"):
        exe.run(main, fetch_list=[_loss_of(main)])
    fluid.core.init_lod_tensor_blocking_queue(fluid.global_scope().var("train_reader_queue"), 2,
                                              False)
    with pytest.raises(RuntimeError, match="has not been started"):
        exe.run(main, fetch_list=[_loss_of(main)])
