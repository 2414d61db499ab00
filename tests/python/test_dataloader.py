"""DataLoader, PyReader and py_reader: feeds of generators, and programs that read for themselves."""
import threading
import time

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid


@pytest.fixture(autouse=True)
def program():
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()), fluid.unique_name.guard(), \
            fluid.scope_guard(fluid.Scope()):
        yield main


def variables():
    return [fluid.layers.data("x", [2]), fluid.layers.data("y", [1], dtype="int64"),
            fluid.layers.data("s", [1], dtype="int64", lod_level=1)]


def samples(n=7):
    def reader():
        for i in range(n):
            yield np.array([i, i], "float32"), np.array([i]), [i] * (i % 3 + 1)
    return reader


def batch_arrays(n=3):
    def reader():
        for i in range(n):
            yield np.full((2, 2), i, "float32"), np.full((2, 1), i, "int64")
    return reader


def shapes(feeds):
    return [[tuple(part[name].shape()) for name in "xys"] for part in feeds]


def test_an_iterable_loader_gives_a_feed_for_each_place():
    loader = fluid.io.DataLoader.from_generator(variables(), capacity=3)
    loader.set_sample_list_generator(paddle.batch(samples(), 3), fluid.cpu_places(1))
    for _ in range(2):
        assert [shapes(feeds) for feeds in loader()] == [
            [[(3, 2), (3, 1), (6, 1)]], [[(3, 2), (3, 1), (6, 1)]], [[(1, 2), (1, 1), (1, 1)]]]
    loader.set_sample_list_generator(paddle.batch(samples(), 3), fluid.cpu_places(2))
    assert [len(feeds) for feeds in loader] == [2]
    keep = fluid.io.DataLoader.from_generator(variables(), capacity=3, drop_last=False)
    keep.set_sample_list_generator(paddle.batch(samples(), 3), fluid.cpu_places(2))
    assert [len(feeds) for feeds in keep] == [2, 1]


def test_samples_are_batched_and_the_short_batch_is_dropped_unless_kept():
    x, y, _ = variables()
    loader = fluid.io.DataLoader.from_generator([x, y], capacity=3)

    def pairs():
        for i in range(7):
            yield [i, i], i
    loader.set_sample_generator(pairs, 3, places=fluid.CPUPlace())
    assert [np.array(feed["y"]).ravel().tolist() for (feed,) in loader] == [[0, 1, 2], [3, 4, 5]]
    loader.set_sample_generator(pairs, 3, drop_last=False, places=fluid.CPUPlace())
    assert [np.array(feed["x"]).shape for (feed,) in loader] == [(3, 2), (3, 2), (1, 2)]


def test_lists_come_when_they_are_asked_for():
    x, y, _ = variables()
    loader = fluid.io.DataLoader.from_generator([x, y], capacity=3, return_list=True)
    loader.set_batch_generator(batch_arrays(), fluid.cpu_places(1))
    (first,), *rest = loader
    assert len(rest) == 2 and [t.shape() for t in first] == [[2, 2], [2, 1]]


def test_the_executor_takes_what_a_loader_gives():
    x, y, _ = variables()
    total = fluid.layers.reduce_sum(x)
    loader = fluid.io.DataLoader.from_generator([x, y], capacity=3)
    loader.set_batch_generator(batch_arrays(), fluid.CPUPlace())
    exe = fluid.Executor()
    compiled = fluid.CompiledProgram(fluid.default_main_program())
    for program in None, compiled:
        assert [float(exe.run(program, feed=feed, fetch_list=[total])[0][0])
                for feed in loader()] == [0, 4, 8]


def test_a_program_reads_for_itself_until_the_end(program):
    x, y, _ = variables()
    loader = fluid.io.DataLoader.from_generator([x, y], capacity=2, iterable=False)
    loader.set_batch_generator(batch_arrays())
    total = fluid.layers.reduce_sum(x)
    exe = fluid.Executor()
    with pytest.raises(RuntimeError, match="has not been started"):
        exe.run(program, fetch_list=[total])
    for _ in range(2):
        loader.start()
        seen = []
        with pytest.raises(fluid.core.EOFException):
            while True:
                seen.append(float(exe.run(program, fetch_list=[total])[0][0]))
        assert seen == [0, 4, 8]
        loader.reset()
    loader.start()
    exe.run(program, fetch_list=[total])
    loader.reset()  # in the middle
    loader.start()
    assert float(exe.run(fetch_list=total)[0][0]) == 0
    with pytest.raises(RuntimeError, match="has been started"):
        loader.start()
    loader.reset()
    # A feed of one's own takes the reader's place; a clone for test does not read.
    feed = {"x": np.ones((1, 2), "float32"), "y": np.ones((1, 1), "int64")}
    assert float(exe.run(program, feed=feed, fetch_list=[total])[0][0]) == 2
    test = program.clone(for_test=True)
    assert float(exe.run(test, feed=feed, fetch_list=[total.name])[0][0]) == 2


def test_a_compiled_program_reads_a_batch_for_each_thread(program):
    x, y, _ = variables()
    loss = fluid.layers.mean(fluid.layers.fc(x, 1))
    fluid.optimizer.SGD(0.1).minimize(loss)
    loader = fluid.io.DataLoader.from_generator([x, y], capacity=2, iterable=False)
    loader.set_batch_generator(batch_arrays(4))
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    compiled = fluid.CompiledProgram(program).with_data_parallel(
        loss_name=loss.name, places=fluid.cpu_places(2))
    loader.start()
    for _ in range(2):
        assert exe.run(compiled, fetch_list=[loss])[0].shape == (2,)
    with pytest.raises(fluid.core.EOFException):
        exe.run(compiled, fetch_list=[loss])
    loader.reset()


def test_py_reader_and_read_file(program):
    reader = fluid.layers.py_reader(capacity=4, shapes=[(-1, 2), (-1, 1)],
                                    dtypes=["float32", "int64"], name="train")
    x, y = fluid.layers.read_file(fluid.layers.double_buffer(reader))
    assert (x.name, y.name) == ("read_file_0.tmp_0", "read_file_0.tmp_1")
    assert x.shape == (-1, 2) and y.dtype == fluid.core.VarDesc.VarType.INT64
    total = fluid.layers.reduce_sum(x)
    exe = fluid.Executor()

    def run_all():
        reader.start()
        seen = []
        try:
            while True:
                seen.append(float(exe.run(fetch_list=[total])[0][0]))
        except fluid.core.EOFException:
            reader.reset()
        return seen
    reader.decorate_tensor_provider(batch_arrays())
    assert run_all() == [0, 4, 8]
    reader.decorate_paddle_reader(
        paddle.batch(lambda: (([i, i], i) for i in range(5)), 2))
    assert run_all() == [2, 10, 8]
    with pytest.raises(TypeError, match="read_file takes what py_reader"):
        fluid.layers.read_file(x)
    with pytest.raises(ValueError, match="2 shapes, 1 dtypes"):
        fluid.layers.py_reader(4, [(-1, 2), (-1, 1)], ["float32"])


def test_create_py_reader_by_data():
    x = fluid.layers.data("x", [2])
    reader = fluid.layers.create_py_reader_by_data(4, [x])
    reader.decorate_batch_generator(lambda: ([np.full((1, 2), i, "float32")] for i in range(2)))
    like_x = fluid.layers.read_file(reader)
    assert like_x.name == "read_file_0.tmp_0" and like_x.shape == x.shape
    total = fluid.layers.reduce_sum(like_x)
    reader.start()
    exe = fluid.Executor()
    assert [float(exe.run(fetch_list=[total])[0][0]) for _ in range(2)] == [0, 2]
    with pytest.raises(fluid.core.EOFException):
        exe.run(fetch_list=[total])


def test_py_reader_class():
    x, y, _ = variables()
    reader = fluid.io.PyReader(feed_list=[x, y], capacity=2, iterable=True)
    reader.decorate_batch_generator(batch_arrays(), fluid.cpu_places(1))
    assert len(list(reader())) == 3
    assert len(list(reader())) == 3
    other = fluid.io.PyReader(feed_list=[x, y], capacity=2, iterable=False)
    other.decorate_sample_list_generator(paddle.batch(lambda: iter([([1, 2], 3)]), 1))
    other.start()
    assert float(fluid.Executor().run(fetch_list=[fluid.layers.reduce_sum(x)])[0][0]) == 3
    other.reset()


def test_a_failing_generator_is_named_where_the_batch_is_taken():
    x, y, _ = variables()
    loader = fluid.io.DataLoader.from_generator([x, y], capacity=3)

    def broken():
        yield np.zeros((2, 2), "float32"), np.zeros((2, 1), "int64")
        raise KeyError("boom")
    loader.set_batch_generator(broken, fluid.CPUPlace())
    taken = []
    with pytest.raises(fluid.core.EnforceNotMet, match="has raised KeyError: 'boom'"):
        for feed in loader:
            taken.append(feed)
    assert len(taken) == 1
    loader.set_batch_generator(lambda: iter([[np.zeros(2)]]), fluid.CPUPlace())
    with pytest.raises(fluid.core.EnforceNotMet, match="a batch has 1 parts"):
        list(loader)


def test_loaders_refuse_what_they_cannot_do():
    x, y, _ = variables()
    with pytest.raises(ValueError, match="capacity"):
        fluid.io.DataLoader.from_generator([x, y])
    loader = fluid.io.DataLoader.from_generator([x, y], capacity=3)
    with pytest.raises(AssertionError, match="Places cannot be None"):
        loader.set_batch_generator(batch_arrays())
    with pytest.raises(AssertionError, match="start"):
        loader.start()
    other = fluid.io.DataLoader.from_generator([x, y], capacity=3, iterable=False)
    with pytest.raises(AssertionError, match="not iterable"):
        iter(other)


def test_use_multiprocess_is_of_dygraph_and_changes_nothing():
    x, y, _ = variables()
    with pytest.warns(UserWarning, match="use_multiprocess does nothing in a program"):
        loader = fluid.io.DataLoader.from_generator([x, y], capacity=3, use_multiprocess=True)
    loader.set_batch_generator(batch_arrays(), fluid.CPUPlace())
    assert len(list(loader)) == len(list(batch_arrays()()))


def test_a_pass_left_in_the_middle_ends_its_thread():
    x, y, _ = variables()
    loader = fluid.io.DataLoader.from_generator([x, y], capacity=1)
    loader.set_batch_generator(batch_arrays(1000), fluid.CPUPlace())
    before = threading.active_count()
    for _ in range(5):
        next(iter(loader))
    del loader
    for _ in range(200):
        if threading.active_count() <= before:
            break
        time.sleep(0.05)
    assert threading.active_count() <= before


def test_a_map_style_dataset():
    x, y, _ = variables()

    class Squares:
        def __len__(self):
            return 5

        def __getitem__(self, i):
            return np.array([i, i * i], "float32"), np.array([i])
    loader = fluid.io.DataLoader(Squares(), feed_list=[x, y], places=fluid.cpu_places(1),
                                 batch_size=2)
    assert len(loader) == 3
    assert [np.array(feed["y"]).ravel().tolist() for (feed,) in loader] == [[0, 1], [2, 3], [4]]
    with pytest.raises(NotImplementedError, match="num_workers"):
        fluid.io.DataLoader(Squares(), [x, y], fluid.cpu_places(1), num_workers=2)


def test_reader_decorators_are_in_fluid_io():
    reader = fluid.io.firstn(fluid.io.shuffle(lambda: iter(range(10)), 5), 4)
    assert len(list(reader())) == 4
    for name in ("cache", "map_readers", "buffered", "compose", "chain", "xmap_readers",
                 "multiprocess_reader", "ComposeNotAligned"):
        assert getattr(fluid.io, name) is getattr(paddle.reader, name)


# ---- what scripts do with loaders that are not iterable ----

def _kinds():
    """name -> (x, a loader of one variable whose batches come from batches())"""
    def py_reader(batches):
        reader = fluid.layers.py_reader(4, [[-1, 1]], ["float32"])
        reader.decorate_tensor_provider(batches)
        return fluid.layers.read_file(reader), reader

    def py_reader_class(batches):
        x = fluid.data("x", [None, 1], "float32")
        reader = fluid.io.PyReader([x], 4, iterable=False)
        reader.decorate_batch_generator(batches)
        return x, reader

    def data_loader(batches):
        x = fluid.data("x", [None, 1], "float32")
        return x, fluid.io.DataLoader.from_generator(
            [x], 4, iterable=False).set_batch_generator(batches)
    return [py_reader, py_reader_class, data_loader]


def fives():
    for i in range(5):
        yield [np.full((2, 1), i, "float32")]


@pytest.fixture(params=_kinds(), ids=lambda kind: kind.__name__)
def reading(request):
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()), fluid.unique_name.guard():
        x, reader = request.param(fives)
        total = fluid.layers.reduce_sum(x)
    return main, reader, x, total


def _until_the_end(exe, program, fetch):
    got = []
    try:
        while True:
            got.append(exe.run(program, fetch_list=[fetch])[0].sum())
    except fluid.core.EOFException:
        return got


def test_a_clone_for_testing_reads_too(reading):
    main, reader, x, total = reading
    test = main.clone(for_test=True)
    exe = fluid.Executor()
    reader.start()
    assert exe.run(main, fetch_list=[total])[0] == 0
    assert exe.run(test, fetch_list=[total.name])[0] == 2
    assert _until_the_end(exe, test, total.name) == [4, 6, 8]
    reader.reset()
    assert exe.run(test, feed={x.name: np.ones((3, 1), "float32")}, fetch_list=[total.name])[0] == 3


def test_the_variable_of_a_reader_is_fetched_alone(reading):
    main, reader, x, _ = reading
    reader.start()
    assert _until_the_end(fluid.Executor(), main, x) == [0, 2, 4, 6, 8]
    unread = fluid.Program()
    with fluid.program_guard(unread, fluid.Program()):
        y = fluid.data("y", [None, 1], "float32")  # no op reads it
        fluid.layers.fill_constant([1], "float32", 1)
        loader = fluid.io.DataLoader.from_generator([y], 4, iterable=False)
        loader.set_batch_generator(fives)
    loader.start()
    assert _until_the_end(fluid.Executor(), unread, y) == [0, 2, 4, 6, 8]


def test_a_pruned_program_does_not_read_what_it_does_not_need():
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        x, label = (fluid.data(name, [None, 1], "float32") for name in ("x", "label"))
        loader = fluid.io.DataLoader.from_generator([x, label], 4, iterable=False)
        predict = fluid.layers.scale(x, 2.0)
        fluid.layers.square_error_cost(predict, label)
    feed = {"x": np.ones((2, 1), "float32")}
    exe = fluid.Executor()
    with pytest.raises(RuntimeError, match="has not been started"):
        exe.run(main, feed=feed, fetch_list=[predict])
    for pruned in (main._prune_with_input(["x"], [predict]),
                   main.clone(for_test=True)._prune_with_input(["x"], [predict.name]),
                   main._inference_optimize()):
        assert exe.run(pruned, feed=feed, fetch_list=[predict.name])[0].tolist() == [[2], [2]]
    assert main._prune([predict])._readers == (loader,)


def test_threads_read_too(monkeypatch):
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        x = fluid.data("x", [None, 1], "float32")
        loader = fluid.io.DataLoader.from_generator([x], 4, iterable=False)
        loader.set_batch_generator(fives)
        fluid.layers.reduce_sum(x)
    test = fluid.CompiledProgram(main.clone(for_test=True)).with_data_parallel(
        places=fluid.cpu_places(2))
    loader.start()
    got, = fluid.Executor().run(test, fetch_list=["x"])
    assert got.ravel().tolist() == [0, 0, 1, 1]
    loader.reset()


def test_a_pass_is_started_again_with_and_without_reset(reading):
    main, reader, _, total = reading
    exe = fluid.Executor()
    for epoch in range(3):
        reader.start()
        assert _until_the_end(exe, main, total) == [0, 2, 4, 6, 8]
        if epoch == 0:
            reader.reset()
    reader.start()
    with pytest.raises(RuntimeError, match="has been started"):
        reader.start()
    reader.reset()


def test_scripts_look_into_the_queue(reading):
    main, reader, _, total = reading
    queue = reader.queue
    assert queue.size() == 0 and queue.capacity() == 4
    reader.start()
    deadline = time.monotonic() + 30
    while queue.size() < 4 and time.monotonic() < deadline:
        time.sleep(0.01)
    exe, got = fluid.Executor(), []
    while queue.size():
        got += exe.run(main, fetch_list=[total])[0].tolist()
        if len(got) < 5:
            while queue.size() == 0 and time.monotonic() < deadline:
                time.sleep(0.001)
    assert got == [0, 2, 4, 6, 8] and reader.queue is queue


def test_a_queue_is_filled_by_hand():
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        reader = fluid.layers.py_reader(8, [[-1, 1]], ["float32"])
        total = fluid.layers.reduce_sum(fluid.layers.read_file(reader))
    for batch in fives():
        tensor = fluid.LoDTensor()
        tensor.set(batch[0], fluid.CPUPlace())
        array = fluid.LoDTensorArray()
        array.append(tensor)
        assert reader.queue.push(array)
    reader.queue.close()
    assert not reader.queue.push(array)
    assert _until_the_end(fluid.Executor(), main, total) == [0, 2, 4, 6, 8]


def test_an_iterator_is_gone_over_again_in_the_next_epoch():
    x = fluid.data("x9", [None, 1], "float32")
    loader = fluid.io.DataLoader.from_generator([x], 4).set_batch_generator(fives, fluid.CPUPlace())
    again = iter(loader)
    assert [len(list(again)) for _ in range(3)] == [5, 5, 5]
    next(iter(loader))  # left in the middle
    assert len(list(loader())) == 5
