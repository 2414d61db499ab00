"""CompiledProgram.with_data_parallel and ParallelExecutor: two and four threads give the numbers
of one, to rounding; fetches are joined; what cannot be cut is refused."""
import numpy as np
import pytest

import paddle.fluid as fluid

layers = fluid.layers
BATCH, STEPS = 16, 5


def rows(step, seed=3):
    rng = np.random.RandomState(100 * seed + step)
    x = rng.uniform(-1, 1, (BATCH, 6)).astype("float32")
    return {"x": x, "label": (x.sum(1, keepdims=True) > 0).astype("int64")}


def mlp(optimizer, sparse=False):
    def build():
        x = fluid.data("x", [None, 6])
        label = fluid.data("label", [None, 1], "int64")
        hidden = layers.fc(x, 8, act="relu")
        if sparse:
            vector = layers.embedding(label, [2, 4], is_sparse=True)
            hidden = layers.concat([hidden, vector], axis=1)
        predicted = layers.fc(hidden, 2, act="softmax")
        loss = layers.mean(layers.cross_entropy(predicted, label))
        optimizer().minimize(loss)
        return loss, predicted
    return build


def with_auc(slide_steps=1):
    """The area of all batches and that of the last ones: what is counted once is not of a part."""
    def build():
        loss, predicted = mlp(lambda: fluid.optimizer.SGD(0.1))()
        label = fluid.default_main_program().global_block().var("label")
        layers.auc(predicted, label, slide_steps=slide_steps)
        return loss, predicted
    return build


def decayed():
    rate = layers.exponential_decay(0.1, 2, 0.5, staircase=True)
    return mlp(lambda: fluid.optimizer.Momentum(
        rate, 0.9, regularization=fluid.regularizer.L2Decay(0.01)))()


def normalised():
    x = fluid.data("x", [None, 6])
    label = fluid.data("label", [None, 1], "int64")
    hidden = layers.batch_norm(layers.fc(x, 8), act="relu", momentum=0.5,
                               moving_mean_name="mean", moving_variance_name="variance")
    predicted = layers.fc(hidden, 2, act="softmax")
    loss = layers.mean(layers.cross_entropy(predicted, label))
    fluid.optimizer.SGD(0.1).minimize(loss)
    return loss, predicted


MODELS = {
    "sgd": mlp(lambda: fluid.optimizer.SGD(0.1)),
    "sgd, sparse": mlp(lambda: fluid.optimizer.SGD(0.1), sparse=True),
    "adam": mlp(lambda: fluid.optimizer.Adam(0.01)),
    "adam, sparse": mlp(lambda: fluid.optimizer.Adam(0.01), sparse=True),
    "adagrad": mlp(lambda: fluid.optimizer.Adagrad(0.1)),
    "clip": mlp(lambda: fluid.optimizer.SGD(
        0.1, grad_clip=fluid.clip.GradientClipByGlobalNorm(0.2))),
    "momentum, decay, schedule": decayed,
}


class Trained:
    """A program after STEPS steps on `threads` threads; 0: a plain Program."""

    def __init__(self, build, threads, monkeypatch, feeds=rows, older=False, steps=STEPS):
        self.main, startup, self.scope = fluid.Program(), fluid.Program(), fluid.Scope()
        self.main.random_seed = startup.random_seed = 5
        with fluid.program_guard(self.main, startup), fluid.unique_name.guard(), \
                fluid.scope_guard(self.scope):
            self.fetch = list(build())
            self.exe = fluid.Executor(fluid.CPUPlace())
            self.exe.run(startup)
            self.program = self.main
            if threads:
                monkeypatch.setenv("CPU_NUM", str(threads))
                if older:
                    self.parallel = fluid.ParallelExecutor(False, self.fetch[0].name,
                                                           main_program=self.main)
                else:
                    self.program = fluid.CompiledProgram(self.main).with_data_parallel(
                        loss_name=self.fetch[0].name)
            self.older = older
            self.values = [self.step(feeds(i)) for i in range(steps)]
            self.state = {v.name: np.array(self.scope.find_var(v.name).get_tensor())
                          for v in self.main.list_vars() if v.persistable}

    def step(self, feed, fetch=None, **options):
        fetch = self.fetch if fetch is None else fetch
        with fluid.scope_guard(self.scope):
            if self.older:
                return self.parallel.run([f.name for f in fetch], feed=feed, **options)
            return self.exe.run(self.program, feed=feed, fetch_list=fetch, **options)


def same_state(got, wanted, but=()):
    assert got.state.keys() == wanted.state.keys()
    for name, value in wanted.state.items():
        if name not in but:
            np.testing.assert_allclose(got.state[name], value, rtol=3e-5, atol=3e-6, err_msg=name)


@pytest.mark.parametrize("older", [False, True], ids=["CompiledProgram", "ParallelExecutor"])
@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("name", MODELS)
def test_threads_give_the_numbers_of_one(name, threads, older, monkeypatch):
    one = Trained(MODELS[name], 0, monkeypatch)
    many = Trained(MODELS[name], threads, monkeypatch, older=older)
    same_state(many, one)
    for (loss, predicted), (wanted, rows_wanted) in zip(many.values, one.values):
        assert loss.shape == (threads,)  # a mean of each thread
        np.testing.assert_allclose(loss.mean(), wanted[0], rtol=3e-5)
        assert predicted.shape == (BATCH, 2)
        np.testing.assert_allclose(predicted, rows_wanted, rtol=3e-5, atol=3e-6)


@pytest.mark.parametrize("slide_steps", [0, 1, 3])
@pytest.mark.parametrize("threads", [2, 4])
def test_auc_counts_every_example_once(threads, slide_steps, monkeypatch):
    one = Trained(with_auc(slide_steps), 0, monkeypatch)
    many = Trained(with_auc(slide_steps), threads, monkeypatch)
    labels = sum(int(rows(i)["label"].sum()) for i in range(STEPS))
    sums = [int(v.sum()) for name, v in many.state.items() if v.shape == (1, 4096)]
    assert sums[-2:] == [labels, STEPS * BATCH - labels]
    same_counts(many, one)


def same_counts(got, wanted):
    """Rounding may move an example to the bin beside its own."""
    counters = [name for name, v in wanted.state.items() if v.dtype == np.int64]
    assert len(counters) >= 4
    for name in counters:
        off = np.cumsum(got.state[name].ravel() - wanted.state[name].ravel())
        assert np.abs(off).max() <= 1 and off[-1] == 0, name
    same_state(got, wanted, but=counters)


@pytest.mark.parametrize("threads", [2, 4])
def test_precision_and_recall_count_every_example_once(threads, monkeypatch):
    def build():
        loss, predicted = mlp(lambda: fluid.optimizer.SGD(0.1))()
        block = fluid.default_main_program().global_block()
        label = layers.cast(block.var("label"), "int32")
        states = layers.create_global_var([2, 4], 0.0, "float32", persistable=True, name="states")
        highest, which = layers.topk(predicted, 1)
        new = lambda dtype: block.create_var(dtype=dtype)
        block.append_op("precision_recall", {
            "MaxProbs": [highest], "Indices": [layers.cast(which, "int32")], "Labels": [label],
            "StatesInfo": [states]}, {"BatchMetrics": [new("float32")],
                                      "AccumMetrics": [new("float32")],
                                      "AccumStatesInfo": [states]}, {"class_number": 2})
        return loss, predicted

    one, many = Trained(build, 0, monkeypatch), Trained(build, threads, monkeypatch)
    assert one.state["states"].sum() == 2 * STEPS * BATCH
    same_state(many, one)


@pytest.mark.parametrize("threads", [2, 4])
def test_batch_norm_uses_each_threads_part_and_keeps_the_first(threads, monkeypatch):
    # Every thread normalises its own part; with equal parts all is as on one thread.
    def repeated(step):
        part = {k: v[:BATCH // threads] for k, v in rows(step).items()}
        return {k: np.concatenate([v] * threads) for k, v in part.items()}

    one = Trained(normalised, 0, monkeypatch, feeds=lambda i: {
        k: v[:BATCH // threads] for k, v in rows(i).items()})
    many = Trained(normalised, threads, monkeypatch, feeds=repeated)
    same_state(many, one)
    # With different parts the running mean is that of the first thread's.
    other = Trained(normalised, threads, monkeypatch, steps=1)
    first = Trained(normalised, 0, monkeypatch, steps=1, feeds=lambda i: {
        k: v[:BATCH // threads] for k, v in rows(i).items()})
    for name in ("mean", "variance"):
        np.testing.assert_allclose(other.state[name], first.state[name], rtol=3e-5, atol=3e-6)


def test_a_run_repeats_bit_by_bit(monkeypatch):
    first = Trained(MODELS["adam, sparse"], 4, monkeypatch)
    again = Trained(MODELS["adam, sparse"], 4, monkeypatch)
    for name, value in first.state.items():
        assert value.tobytes() == again.state[name].tobytes(), name


def test_sequences_are_cut_whole(monkeypatch):
    def build():
        words = fluid.data("words", [None, 1], "int64", lod_level=1)
        vector = layers.sequence_pool(layers.embedding(words, [9, 4], is_sparse=True), "average")
        predicted = layers.fc(vector, 1)
        loss = layers.mean(layers.square_error_cost(predicted, fluid.data("y", [None, 1])))
        fluid.optimizer.SGD(0.5).minimize(loss)
        return loss, predicted

    def feeds(step):
        rng = np.random.RandomState(step)
        lengths = rng.randint(1, 5, 8).tolist()
        return {"words": fluid.create_lod_tensor(
            rng.randint(0, 9, (sum(lengths), 1)).astype("int64"), [lengths], fluid.CPUPlace()),
            "y": rng.randn(8, 1).astype("float32")}

    one, many = Trained(build, 0, monkeypatch, feeds), Trained(build, 4, monkeypatch, feeds)
    same_state(many, one)
    np.testing.assert_allclose(many.values[-1][1], one.values[-1][1], rtol=3e-5, atol=3e-6)
    # A fetched tensor of sequences has all of them.
    fed = feeds(0)
    words, = many.step(fed, ["words"], return_numpy=False)
    assert words.recursive_sequence_lengths() == fed["words"].recursive_sequence_lengths()
    np.testing.assert_array_equal(np.array(words), np.array(fed["words"]))


def test_a_batch_that_does_not_divide(monkeypatch):
    # The last thread has the rest; the mean of the threads' means is what is followed, as in
    # real Paddle.
    many = Trained(MODELS["sgd"], 4, monkeypatch, feeds=lambda i: {
        k: v[:10] for k, v in rows(i).items()})
    loss, predicted = many.values[0]
    assert loss.shape == (4,) and predicted.shape == (10, 2)


def test_a_feed_for_each_thread(monkeypatch):
    def parts(step):
        whole = rows(step)
        return [{k: v[:4] for k, v in whole.items()}, {k: v[4:] for k, v in whole.items()}]

    listed = Trained(MODELS["sgd"], 2, monkeypatch, feeds=parts)
    assert listed.values[0][1].shape == (BATCH, 2)
    with pytest.raises(ValueError, match="feed is a list of 3, and there are 2 threads"):
        listed.step(parts(0) + parts(0)[:1])
    with pytest.raises(ValueError, match="the feed of thread 1 lacks x"):
        listed.step([rows(0), {"label": rows(0)["label"]}])


def test_fetches_apart(monkeypatch):
    many = Trained(MODELS["sgd"], 4, monkeypatch)
    loss, predicted = many.step(rows(0), return_merged=False)
    assert len(loss) == 4 and len(predicted) == 4 and predicted[0].shape == (4, 2)
    tensor, = many.step(rows(0), [many.fetch[1]], return_numpy=False)
    assert isinstance(tensor, fluid.core.LoDTensor) and tensor.shape() == [BATCH, 2]


def test_what_there_is_once_is_fetched_once_for_each_thread(monkeypatch):
    # As 1.8.5 does: its devices have a parameter, and the mean of its gradient, each.
    many = Trained(MODELS["sgd"], 4, monkeypatch)
    weight = many.main.all_parameters()[0]
    value, gradient = many.step(rows(0), [weight, many.main.global_block().var(weight.name + "@GRAD")])
    kept = np.array(many.scope.find_var(weight.name).get_tensor())
    assert value.tobytes() == kept.tobytes() * 4
    assert value.shape == gradient.shape == (4 * kept.shape[0], kept.shape[1])
    parts = many.step(rows(0), [weight], return_merged=False)[0]
    assert [part.shape for part in parts] == [kept.shape] * 4


def test_arrays_and_persistable_temporaries_are_joined(monkeypatch):
    def build():
        x = fluid.data("x", [None, 6])
        fluid.data("label", [None, 1], "int64")
        twice = layers.scale(x, 2.0)
        twice.persistable = True
        sums = layers.create_global_var([6], 0.0, "float32", persistable=True, name="sums")
        layers.assign(layers.reduce_sum(x, dim=0), sums)
        array = layers.array_write(x, layers.fill_constant([1], "int64", 0))
        layers.array_write(twice, layers.fill_constant([1], "int64", 1), array=array)
        fluid.optimizer.SGD(0.1).minimize(layers.mean(layers.fc(twice, 1)))
        return twice, sums, array

    many = Trained(build, 2, monkeypatch, steps=1)
    x = rows(0)["x"]
    twice, sums, array = many.values[0]
    assert twice.tobytes() == (2 * x).tobytes()
    np.testing.assert_allclose(sums, x.reshape(2, BATCH // 2, 6).sum(1).ravel(), rtol=1e-5)
    assert [item.tobytes() for item in array] == [x.tobytes(), (2 * x).tobytes()]
    tensors, = many.step(rows(0), many.fetch[2:], return_numpy=False)
    assert [np.array(item).shape for item in tensors] == [(BATCH, 6)] * 2
    parts, = many.step(rows(0), many.fetch[2:], return_merged=False)
    assert [[item.shape for item in part] for part in parts] == [[(BATCH // 2, 6)] * 2] * 2


def test_a_test_program_on_threads(monkeypatch):
    main, startup = fluid.Program(), fluid.Program()
    monkeypatch.setenv("CPU_NUM", "2")
    with fluid.program_guard(main, startup), fluid.scope_guard(fluid.Scope()):
        loss, predicted = MODELS["sgd"]()
        test = main.clone(for_test=True)
        exe = fluid.Executor()
        exe.run(startup)
        train = fluid.CompiledProgram(main).with_data_parallel(loss_name=loss.name)
        other = fluid.CompiledProgram(test).with_data_parallel(share_vars_from=train)
        before, = exe.run(other, feed=rows(0), fetch_list=[predicted])
        exe.run(train, feed=rows(0), fetch_list=[loss])
        after, = exe.run(other, feed=rows(0), fetch_list=[predicted])
        alone, = exe.run(test, feed=rows(0), fetch_list=[predicted])
        assert np.abs(before - after).max() > 0
        np.testing.assert_allclose(after, alone, rtol=3e-5, atol=3e-6)


def test_gradients_may_be_summed(monkeypatch):
    """GradientScaleStrategy.One: the threads' gradients are added, not averaged."""
    def once(scale):
        main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
        main.random_seed = startup.random_seed = 1
        with fluid.program_guard(main, startup), fluid.unique_name.guard(), \
                fluid.scope_guard(scope):
            loss, _ = MODELS["sgd"]()
            exe = fluid.Executor()
            exe.run(startup)
            name = main.all_parameters()[0].name
            before = np.array(scope.find_var(name).get_tensor())
            strategy = fluid.BuildStrategy()
            strategy.gradient_scale_strategy = scale
            exe.run(fluid.CompiledProgram(main).with_data_parallel(
                loss_name=loss.name, build_strategy=strategy, places=fluid.cpu_places(2)),
                feed=rows(0), fetch_list=[loss])
            return np.array(scope.find_var(name).get_tensor()) - before

    kinds = fluid.BuildStrategy.GradientScaleStrategy
    np.testing.assert_allclose(once(kinds.One), 2 * once(kinds.CoeffNumDevice), rtol=1e-4,
                               atol=1e-7)


def test_one_program_in_several_python_threads(monkeypatch):
    import threading
    many = Trained(MODELS["sgd"], 2, monkeypatch)
    test = fluid.CompiledProgram(many.main.clone(for_test=True)).with_data_parallel()
    wanted, wrong = {}, []

    def run(seed):
        return many.exe.run(test, feed=rows(0, seed), fetch_list=[many.fetch[1]],
                            scope=many.scope)[0]

    def work(seed):
        wrong.extend(seed for _ in range(50) if not np.array_equal(run(seed), wanted[seed]))

    for seed in range(4):
        wanted[seed] = run(seed)
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []


def test_errors(monkeypatch):
    many = Trained(MODELS["sgd"], 4, monkeypatch)
    with pytest.raises(ValueError, match="a batch of 3 cannot be cut into 4 parts"):
        many.step({k: v[:3] for k, v in rows(0).items()})
    with pytest.raises(ValueError, match="feed 'x' has the shape"):
        many.step(dict(rows(0), x=np.zeros((8, 5), "float32")))
    with pytest.raises(ValueError, match="feed 'x' has the data type float64"):
        many.step(dict(rows(0), x=np.zeros((8, 6))))
    with pytest.raises(RuntimeError, match="no variable nothing to fetch"):
        many.step(rows(0), ["nothing"])
    for feed in ([1, 2, 3, 4], [rows(0), 1, 2, 3], 3):
        with pytest.raises(TypeError, match="dict"):
            many.step(feed)
    with pytest.raises(AssertionError, match="Already compiled"):
        many.program.with_data_parallel()
    many.step(rows(0))  # none of it did harm


def test_it_refuses_what_it_does_not_do():
    with pytest.raises(RuntimeError, match="no GPU"):
        fluid.ParallelExecutor(True)
    with pytest.raises(TypeError, match="expected Program"):
        fluid.CompiledProgram(3)
    with pytest.raises(ValueError, match="Customized"):
        strategy = fluid.BuildStrategy()
        strategy.gradient_scale_strategy = fluid.BuildStrategy.GradientScaleStrategy.Customized
        fluid.CompiledProgram(fluid.Program()).with_data_parallel(build_strategy=strategy)
    with pytest.raises(AttributeError, match="no setting 'fuse_everything'"):
        fluid.BuildStrategy().fuse_everything = True


def test_what_is_left_of_the_data_runs_on_fewer_threads(monkeypatch):
    """A loader without drop_last gives fewer feeds than there are places at the end; a program
    that trains needs one for each."""
    monkeypatch.setenv("CPU_NUM", "2")
    for train in (False, True):
        main, startup = fluid.Program(), fluid.Program()
        with fluid.program_guard(main, startup), fluid.scope_guard(fluid.Scope()):
            x = fluid.data("x", [None, 1], "float32")
            y = fluid.layers.fc(x, 1, bias_attr=False, param_attr=fluid.initializer.Constant(1.0))
            if train:
                fluid.optimizer.SGD(1.0).minimize(fluid.layers.mean(y))
            exe = fluid.Executor()
            exe.run(startup)
            compiled = fluid.CompiledProgram(main).with_data_parallel()
            loader = fluid.io.DataLoader.from_generator([x], 4, drop_last=False)
            loader.set_batch_generator(
                lambda: ([np.full((1, 1), i + 1, "float32")] for i in range(3)), fluid.cpu_places())
            got = []
            try:
                for feed in loader():
                    got += exe.run(compiled, feed=feed, fetch_list=[y])[0].ravel().tolist()
                assert not train and got == [1, 2, 3]
            except ValueError as e:
                assert train and "a list of 1, and there are 2 threads" in str(e)


def test_global_seed():
    program = fluid.Program()
    try:
        program.global_seed(102)
        assert program.random_seed == fluid.Program().random_seed == 102
        own = fluid.Program()
        own.random_seed = 5
        assert own.clone().random_seed == 5
    finally:
        program.global_seed(0)
    assert fluid.Program().random_seed == 0


def test_what_the_update_alone_reads_is_that_of_the_first_part():
    main, startup, scope = fluid.Program(), fluid.Program(), fluid.core.Scope()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.data("x", [None, 6])
        rate = fluid.data("rate", [1])
        loss = layers.mean(layers.fc(x, 1, param_attr="w", bias_attr=False))
        fluid.optimizer.SGD(rate).minimize(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup, scope=scope)
    start = np.array(scope.find_var("w").get_tensor())
    program = fluid.CompiledProgram(main).with_data_parallel(
        loss_name=loss.name, places=[fluid.CPUPlace()] * 2)
    ones = np.ones((2, 6), "float32")
    for _ in range(2):
        exe.run(program, feed=[{"x": ones, "rate": np.array([r], "float32")} for r in (0.25, 9.0)],
                fetch_list=[loss], scope=scope)
    np.testing.assert_allclose(np.array(scope.find_var("w").get_tensor()), start - 2 * 0.25,
                               rtol=1e-5)


def test_counters_count_every_example_once(monkeypatch):
    monkeypatch.setenv("CPU_NUM", "4")
    main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
    with fluid.program_guard(main, startup), fluid.scope_guard(scope):
        loss, predicted = mlp(lambda: fluid.optimizer.SGD(0.1))()
        label = layers.cast(main.global_block().var("label"), "float32")
        click = layers.slice(predicted, axes=[1], starts=[1], ends=[2])
        counts = fluid.contrib.layers.ctr_metric_bundle(click, label)
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        program = fluid.CompiledProgram(main).with_data_parallel(loss_name=loss.name)
        clicks = 0
        for step in range(STEPS):
            feed = rows(step)
            clicks += feed["label"].sum()
            exe.run(program, feed=feed, fetch_list=[loss])
        found = [float(np.array(scope.find_var(v.name).get_tensor())[0]) for v in counts[-2:]]
        assert found == [clicks, BATCH * STEPS]


def compiled(build, threads, monkeypatch):
    """What build() makes, once it has started: run(feed, fetch) and get(name)."""
    monkeypatch.setenv("CPU_NUM", str(threads))
    main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
    main.random_seed = startup.random_seed = 3
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        loss = build()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup, scope=scope)
    program = fluid.CompiledProgram(main).with_data_parallel(loss_name=loss.name)

    def run(feed):
        return exe.run(program, feed=feed, fetch_list=[loss], scope=scope)
    return run, lambda name: np.array(scope.find_var(name).get_tensor())


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_counters_of_every_dtype_count_all_threads(dtype, monkeypatch):
    def build():
        x = fluid.layers.data("x", [1])
        total = layers.create_global_var([1], 0, dtype, persistable=True, name="total")
        seen = layers.cast(layers.reduce_sum(x), dtype)
        total.block.append_op("elementwise_add", {"X": [total], "Y": [seen]}, {"Out": [total]})
        loss = layers.mean(layers.fc(x, 1))
        fluid.optimizer.SGD(0.0).minimize(loss)
        return loss
    run, get = compiled(build, 2, monkeypatch)
    for _ in range(3):
        run({"x": np.array([[1], [2], [3], [4]], "float32")})
    assert get("total").tolist() == [30]


def test_sparse_gradients_of_float64_are_those_of_all_threads(monkeypatch):
    def build():
        ids = fluid.layers.data("ids", [1], dtype="int64")
        rows = layers.embedding(ids, [10, 2], is_sparse=True, dtype="float64",
                                param_attr=fluid.ParamAttr(name="table"))
        loss = layers.mean(layers.square(rows))
        fluid.optimizer.SGD(0.5).minimize(loss)
        return loss
    found = []
    for threads in (1, 2):
        run, get = compiled(build, threads, monkeypatch)
        for _ in range(2):
            run({"ids": np.array([[1], [2], [2], [7]], "int64")})
        found.append(get("table"))
    np.testing.assert_allclose(found[1], found[0], rtol=1e-12)


@pytest.mark.parametrize("values, mean", [([2, 4, 6, 8], 10), ([2, 4, 6, 9], None)])
def test_whole_numbers_that_the_update_reads_are_a_mean_or_refused(values, mean, monkeypatch):
    def build():
        x = fluid.layers.data("x", [1], dtype="int64")
        count = layers.reduce_sum(x)
        loss = layers.mean(layers.fc(layers.cast(x, "float32"), 1))
        fluid.optimizer.SGD(0.0).minimize(loss)
        kept = layers.create_global_var([1], 0, "int64", persistable=True, name="kept")
        main = fluid.default_main_program()
        with main._optimized_guard([]):
            main.global_block().append_op("assign", {"X": [count]}, {"Out": [kept]})
        return loss
    run, get = compiled(build, 2, monkeypatch)
    feed = {"x": np.array(values, "int64").reshape(4, 1)}
    if mean is None:
        with pytest.raises(Exception, match="mean over threads of .* int64, is no whole number"):
            run(feed)
    else:
        run(feed)
        assert get("kept").tolist() == [mean]
