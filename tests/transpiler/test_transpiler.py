"""Calling DistributeTranspiler: forms, orders, options, refusals."""
import inspect
import socket
import warnings

import jobs
import pytest

import paddle.fluid as fluid
from paddle.fluid import layers
from paddle.fluid.transpiler import HashName, RoundRobin

PSERVERS = ",".join(jobs.ENDPOINTS)


def build(model=jobs.fit_a_line):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        out = model(lambda optimizer: optimizer)
    return main, startup, out


def types(program, block=0):
    return [op.type for op in program.block(block).ops]


def make(model=jobs.fit_a_line, trainer_id=0, trainers=2, sync_mode=True, **fields):
    main, startup, _ = build(model)
    config = fluid.DistributeTranspilerConfig()
    for name in sorted(fields, reverse=True):  # sync_mode before runtime_split_send_recv
        setattr(config, name, fields[name])
    t = fluid.DistributeTranspiler(config)
    t.transpile(trainer_id, program=main, pservers=PSERVERS, trainers=trainers,
                sync_mode=sync_mode, startup_program=startup)
    return t, main, startup


# ---- forms of the call ----

def linear():
    x, y = layers.data("x", [13]), layers.data("y", [1])
    cost = layers.mean(layers.square_error_cost(layers.fc(x, 1), y))
    return fluid.optimizer.SGD(0.001).minimize(cost)


@pytest.mark.parametrize("call", [
    lambda t, ops, grads, p: t.transpile(1, pservers=PSERVERS, trainers=2),
    lambda t, ops, grads, p: t.transpile(1, p, PSERVERS, 2),
    lambda t, ops, grads, p: t.transpile(trainer_id=1, pservers=PSERVERS, trainers=2),
    lambda t, ops, grads, p: t.transpile(ops, grads, 1, pservers=PSERVERS, trainers=2),
    lambda t, ops, grads, p: t.transpile(ops, grads, 1, p, PSERVERS, 2),
    lambda t, ops, grads, p: t.transpile(optimize_ops=ops, params_grads=grads, trainer_id=1,
                                         pservers=PSERVERS, trainers=2),
    lambda t, ops, grads, p: t.transpile(ops, grads, 1, pservers=PSERVERS, trainers=2,
                                         split_method=RoundRobin)])
def test_old_and_new_calls_make_the_same(call):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        ops, grads = linear()
        t = fluid.DistributeTranspiler()
        call(t, ops, grads, main)
    told = jobs.tell(t.get_trainer_program(wait_port=False))
    other, _, _ = make(trainer_id=1)
    assert told == jobs.tell(other.get_trainer_program(wait_port=False))
    for endpoint in jobs.ENDPOINTS:
        assert jobs.tell(t.get_pserver_program(endpoint)) == jobs.tell(
            other.get_pserver_program(endpoint))


@pytest.mark.parametrize("args", [(), (None,)])
def test_the_oldest_call_has_no_trainer_id(args, monkeypatch):
    monkeypatch.delenv("PADDLE_TRAINER_ID", raising=False)
    monkeypatch.delenv("PADDLE_INIT_TRAINER_ID", raising=False)

    def transpiled():
        main, startup = fluid.Program(), fluid.Program()
        with fluid.program_guard(main, startup), fluid.unique_name.guard():
            ops, grads = linear()
            t = fluid.DistributeTranspiler()
            t.transpile(ops, grads, *args, pservers=PSERVERS, trainers=2)
        return [op for op in main.global_block().ops if op.type == "send"]
    # The servers number the trainers: gradients go by their plain names.
    assert [op.attr("trainer_id") for op in transpiled()] == [-1, -1]
    assert transpiled()[0].input("X") == ["fc_0.b_0@GRAD"]
    monkeypatch.setenv("PADDLE_TRAINER_ID", "1")
    assert transpiled()[0].input("X") == ["fc_0.b_0@GRAD.trainer_1"]


def test_signature():
    assert str(inspect.signature(fluid.DistributeTranspiler.transpile)) == (
        "(self, trainer_id, program=None, pservers='127.0.0.1:6174', trainers=1, sync_mode=True, "
        "startup_program=None, current_endpoint='127.0.0.1:6174')")


# ---- orders ----

def test_programs_in_any_order_and_often():
    t, main, _ = make(jobs.two_tables)
    trainer = t.get_trainer_program(wait_port=False)
    told = jobs.tell(trainer)
    first = [jobs.tell(p) for e in jobs.ENDPOINTS for p in t.get_pserver_programs(e)]
    assert t.get_trainer_program(wait_port=False) is trainer is main
    again = [jobs.tell(p) for e in jobs.ENDPOINTS
             for p in (t.get_pserver_program(e), t.get_startup_program(e))]
    assert again == first
    assert jobs.tell(trainer) == told


def test_programs_are_written_and_read():
    t, main, startup = make(jobs.two_tables)
    for program in (main, startup) + t.get_pserver_programs(jobs.ENDPOINTS[0]):
        copy = fluid.Program.parse_from_string(program.serialize_to_string())
        assert copy.serialize_to_string() == program.serialize_to_string()
        assert types(copy) == types(program)


def test_waiting_is_done_once(capfd, monkeypatch):
    from paddle.fluid.transpiler import details
    late = socket.socket()
    late.bind(("127.0.0.1", 0))
    port = late.getsockname()[1]
    slept = []

    def sleep(seconds):
        slept.append(seconds)
        if sum(slept) > 4:
            late.listen(1)
    monkeypatch.setattr(details.time, "sleep", sleep)
    monkeypatch.setattr(details.time, "monotonic", lambda: sum(slept))
    main, startup, _ = build()
    t = fluid.DistributeTranspiler()
    t.transpile(0, program=main, pservers="127.0.0.1:%d" % port, startup_program=startup)
    assert t.get_trainer_program() is main
    late.close()
    assert t.get_trainer_program() is main  # nobody listens any more, and it does not matter
    assert capfd.readouterr().err == (
        "server not ready, wait 3 sec to retry...\n"
        "not ready endpoints:['127.0.0.1:%d']\n" % port)


@pytest.mark.parametrize("fields", [{}, dict(sync_mode=False, geo_sgd_mode=True)])
def test_a_program_for_tests_talks_to_no_server_but_for_rows(fields):
    main = make(jobs.ctr_sgd, **fields)[1]
    talk = {"send", "recv", "send_barrier", "fetch_barrier", "concat", "split_byref"}
    assert talk & set(types(main))
    assert not talk & set(types(main.clone(for_test=True)))


# ---- slices and where they go ----

def slices(t):
    return [s[:7] for s in t.get_trainer_program(wait_port=False)._parameters_on_pservers.slices]


def test_the_config_tells_how_variables_are_dealt_out():
    assert fluid.DistributeTranspiler().config.split_method is RoundRobin
    config = fluid.DistributeTranspilerConfig()
    config.split_method = HashName
    assert fluid.DistributeTranspiler(config=config).config.split_method is HashName


def test_slices():
    t, main, _ = make(jobs.ctr_sgd)
    a, b = jobs.ENDPOINTS
    assert slices(t) == [
        ("fc_0.b_0", "fc_0.b_0", "fc_0.b_0@GRAD", a, 0, 3000, 3000),
        ("fc_0.w_0", "fc_0.w_0.block0", "fc_0.w_0@GRAD.block0", b, 0, 4, 8),
        ("fc_0.w_0", "fc_0.w_0.block1", "fc_0.w_0@GRAD.block1", a, 4, 4, 8),
        ("fc_1.b_0", "fc_1.b_0", "fc_1.b_0@GRAD", b, 0, 2, 2),
        ("fc_1.w_0", "fc_1.w_0", "fc_1.w_0@GRAD", a, 0, 3000, 3000),
        ("table", "table.block0", "table@GRAD.block0", b, 0, 5001, 10001),
        ("table", "table.block1", "table@GRAD.block1", a, 5001, 5000, 10001)]
    assert main._is_distributed and main._is_chief


def test_whole_parameters_and_larger_blocks():
    assert [s[1] for s in slices(make(jobs.ctr_sgd, slice_var_up=False)[0])] == [
        "fc_0.b_0", "fc_0.w_0", "fc_1.b_0", "fc_1.w_0", "table"]
    assert [s[1] for s in slices(make(jobs.ctr_sgd, min_block_size=20000)[0])] == [
        "fc_0.b_0", "fc_0.w_0", "fc_1.b_0", "fc_1.w_0", "table.block0", "table.block1"]


def test_arguments_of_older_scripts_are_the_configs():
    """transpile(slice_var_up=, split_method=), as the guides of 0.13 to 1.4 have it."""
    def dealt(**options):
        main, startup, _ = build(jobs.ctr_sgd)
        config = fluid.DistributeTranspilerConfig()
        t = fluid.DistributeTranspiler(config)
        t.transpile(trainer_id=0, program=main, startup_program=startup,
                    pservers=",".join(jobs.ENDPOINTS), trainers=2, **options)
        assert config.slice_var_up and config.split_method in (None, RoundRobin)
        return slices(t)

    assert dealt(slice_var_up=False) == slices(make(jobs.ctr_sgd, slice_var_up=False)[0])
    assert dealt(slice_var_up=True, split_method=HashName) == slices(
        make(jobs.ctr_sgd, split_method=HashName)[0])
    assert dealt(slice_var_up=None) == slices(make(jobs.ctr_sgd)[0])


def test_hash_name_is_the_same_everywhere():
    t, _, _ = make(jobs.ctr_sgd, split_method=HashName)
    dealt = slices(t)
    wanted = HashName(jobs.ENDPOINTS).dispatch([s[1] for s in dealt])
    assert [s[3] for s in dealt] == wanted
    assert RoundRobin(jobs.ENDPOINTS).dispatch(["a", "b", "c"]) == (
        jobs.ENDPOINTS + jobs.ENDPOINTS[:1])


def test_two_slices_of_one_parameter_on_one_server():
    """Then each has its own optimizer state."""
    endpoints = ["127.0.0.1:%d" % port for port in range(17174, 17178)]
    main, startup, _ = build(jobs.two_tables)
    config = fluid.DistributeTranspilerConfig()
    config.split_method = HashName
    t = fluid.DistributeTranspiler(config)
    t.transpile(0, program=main, pservers=",".join(endpoints), startup_program=startup)
    by_server = {}
    for s in slices(t):
        by_server.setdefault((s[3], s[0]), []).append(s)
    shared = [v for v in by_server.values() if len(v) > 1]
    assert shared, "the names of the test hash apart: take other ones"
    program = t.get_pserver_program(shared[0][0][3])
    moments = {op.input("Moment")[0] for block in program.blocks for op in block.ops
               if op.type == "adagrad" and op.input("Param")[0].startswith(shared[0][0][0])}
    assert len(moments) == len(shared[0])
    program._serialize()


# ---- tables ----

def listen(t, endpoint):
    return [op for op in t.get_pserver_program(endpoint).global_block().ops
            if op.type == "listen_and_serv"][0]


def test_servers_know_their_rows():
    t, _, _ = make(jobs.two_tables)
    op = listen(t, jobs.ENDPOINTS[1])
    assert op.attr("tables") == ["large.block1"]
    assert op.attr("table_grows") == [0]
    assert list(zip(op.attr("slices"), op.attr("slice_origins"), op.attr("slice_begins"),
                    op.attr("slice_heights"))) == [
        ("large.block1", "large", 2000, 4000), ("large_moment_0", "large_moment_0", 2000, 4000)]
    program = t.get_pserver_program(jobs.ENDPOINTS[1])
    init = {o.output("Out")[0]: o for o in program.block(op.attr("table_init_block_id")).ops}
    assert init["large.block1"].attr("slice_of") == "large"
    assert init["large.block1"].attr("slice_begin") == 2000 * 16
    assert init["large_moment_0"].type == "fill_constant"


def test_a_table_that_grows():
    def model(wrap):
        ids = layers.data("ids", [1], dtype="int64")
        rows = layers.embedding(ids, [4000, 16], is_sparse=True, is_distributed=True)
        fluid.optimizer.SGD(0.1).minimize(layers.mean(rows))
    t, main, startup = make(model)
    assert types(main)[0] == "distributed_lookup_table"
    assert types(startup)[-1] == "fake_init"
    assert [listen(t, e).attr("table_grows") for e in jobs.ENDPOINTS] == [[0], [1]]


def test_look_ups_join_where_they_can():
    def model(wrap):
        ids = layers.data("ids", [1], dtype="int64")
        a = layers.embedding(ids, [4000, 16], is_sparse=True, param_attr="t")
        more = layers.elementwise_add(ids, ids)
        b = layers.embedding(more, [4000, 16], is_sparse=True, param_attr="t")
        c = layers.embedding(ids, [4000, 16], is_sparse=True, param_attr="t", padding_idx=0)
        d = layers.embedding(ids, [4000, 16], is_sparse=True, param_attr="t")
        total = layers.elementwise_add(layers.elementwise_add(a, b), layers.elementwise_add(c, d))
        fluid.optimizer.SGD(0.1).minimize(layers.mean(total))
    _, main, _ = make(model)
    asked = [(op.input("Ids"), op.attr("padding_idx")) for op in main.global_block().ops
             if op.type == "distributed_lookup_table"]
    assert sorted((len(ids), pad) for ids, pad in asked) == [(1, -1), (1, 0), (2, -1)]
    made = set()
    for op in main.global_block().ops:  # each variable is made before it is read
        for name in op.input_arg_names:
            var = main.global_block().var(name)
            assert var.persistable or var.is_data or name in made, name
        made.update(op.output_arg_names)


def test_a_table_that_is_also_multiplied_is_received():
    def model(wrap):
        ids = layers.data("ids", [1], dtype="int64")
        rows = layers.embedding(ids, [4000, 16], is_sparse=True, param_attr="t")
        w = fluid.default_main_program().global_block().var("t")
        total = layers.elementwise_add(layers.mean(rows), layers.mean(w))
        fluid.optimizer.SGD(0.1).minimize(layers.mean(total))
    t, main, startup = make(model)
    assert "distributed_lookup_table" not in types(main)
    assert "recv" in types(main) and "fake_init" not in types(startup)


# ---- what stays on trainers ----

def test_clips_stay_on_trainers():
    """Real Paddle 1.8.5 moves them to servers, which lack what they read."""
    def model(wrap):
        x, y = layers.data("x", [13]), layers.data("y", [1])
        cost = layers.mean(layers.square_error_cost(layers.fc(x, 1), y))
        fluid.optimizer.Momentum(
            0.1, 0.9, regularization=fluid.regularizer.L2Decay(0.1),
            grad_clip=fluid.clip.GradientClipByGlobalNorm(1.0)).minimize(cost)
    t, main, _ = make(model)
    clip = [op for op in main.global_block().ops if op.type == "elementwise_div"]
    assert clip and all(op.attr("op_role") == 1 for op in clip)
    sent = [op.input("X")[0] for op in main.global_block().ops if op.type == "send"]
    made = [name for op in main.global_block().ops for name in op.output_arg_names]
    assert all(name in made and name.endswith(".trainer_0") for name in sent)
    for endpoint in jobs.ENDPOINTS:
        program = t.get_pserver_program(endpoint)
        assert types(program, 1) == ["sum", "scale", "scale", "sum", "momentum"]


def test_averages_follow_the_parameters():
    def model(wrap):
        jobs.fit_a_line(wrap)
        fluid.optimizer.ModelAverage(0.15, min_average_window=2, max_average_window=5)
    _, main, _ = make(model)
    assert types(main)[-2:] == ["average_accumulates"] * 2
    assert "recv" in types(main)[:-2]


@pytest.mark.parametrize("optimizer", [
    lambda: fluid.optimizer.SGD(0.1), lambda: fluid.optimizer.Momentum(0.1, 0.9),
    lambda: fluid.optimizer.Adagrad(0.1), lambda: fluid.optimizer.Adam(0.1),
    lambda: fluid.optimizer.Adamax(0.1), lambda: fluid.optimizer.DecayedAdagrad(0.1),
    lambda: fluid.optimizer.Adadelta(0.1), lambda: fluid.optimizer.RMSProp(0.1, centered=True),
    lambda: fluid.optimizer.Ftrl(0.1), lambda: fluid.optimizer.Lamb(0.1),
    lambda: fluid.optimizer.LarsMomentum(0.1, 0.9), lambda: fluid.optimizer.Dpsgd(0.1)])
def test_every_optimizer_runs_on_servers(optimizer):
    """Its block runs on a slice, as it is."""
    import numpy as np

    def model(wrap):
        x = layers.data("x", [200])
        optimizer().minimize(layers.mean(layers.fc(x, 100, bias_attr=False)))
    t, _, _ = make(model)
    for endpoint in jobs.ENDPOINTS:
        main, startup = t.get_pserver_programs(endpoint)
        block = main.global_block()
        while types(main)[-1] != "listen_and_serv":
            block._remove_op(len(block.ops) - 1)
        block._remove_op(len(block.ops) - 1)
        for op in main.block(1).ops:  # in the place of listen_and_serv
            block.append_op(op.type, {s: op.input(s) for s in op.input_names},
                            {s: op.output(s) for s in op.output_names},
                            {a: op.attr(a) for a in op.attr_names})
        param = [s[1] for s in slices(t) if s[3] == endpoint][0]
        exe, scope = fluid.Executor(fluid.CPUPlace()), fluid.Scope()
        exe.run(startup, scope=scope)
        before = np.array(scope.find_var(param).get_tensor())
        assert before.shape == (100, 100)
        grad = np.ones([100, 100], "float32")
        name = "fc_0.w_0@GRAD." + param[-6:] + ".trainer_%d"
        exe.run(main, feed={name % 0: grad, name % 1: grad}, scope=scope)
        assert not np.array_equal(before, np.array(scope.find_var(param).get_tensor()))


def test_ops_that_talk_need_servers():
    _, main, startup = make()
    before = fluid.get_flags("FLAGS_rpc_deadline")
    fluid.set_flags({"FLAGS_rpc_deadline": 300})
    try:
        with pytest.raises(Exception, match=r"op recv.*127\.0\.0\.1:1717"):
            fluid.Executor(fluid.CPUPlace()).run(startup, scope=fluid.Scope())
    finally:
        fluid.set_flags(before)


# ---- options ----

def test_sync_mode_of_transpile_alone_means_async():
    t, main, _ = make(sync_mode=False)
    assert listen(t, jobs.ENDPOINTS[0]).attr("distributed_mode") == 1
    assert "send_barrier" not in types(main)


def test_dc_asgd():
    t, _, _ = make(sync_mode=False, enable_dc_asgd=True)
    main, startup = t.get_pserver_programs(jobs.ENDPOINTS[0])
    assert listen(t, jobs.ENDPOINTS[0]).attr("dc_asgd")
    for i in range(2):
        assert main.global_block().var("fc_0.b_0.trainer_%d_bak" % i).persistable
    assert types(startup)[-2:] == ["assign", "assign"]
    with pytest.raises(ValueError, match="enable_dc_asgd"):
        make(enable_dc_asgd=True)
    with pytest.raises(NotImplementedError, match="table has sparse gradients"):
        make(jobs.ctr_sgd, sync_mode=False, enable_dc_asgd=True)


def test_print_log(capsys):
    make(print_log=True)
    assert "fc_0.w_0: rows 0 to 13 of 13 as fc_0.w_0 at " in capsys.readouterr().out


def test_rules_of_the_config():
    config = fluid.DistributeTranspilerConfig()
    with pytest.raises(ValueError, match="runtime_split_send_recv"):
        config.runtime_split_send_recv = True
    config.sync_mode = False
    config.runtime_split_send_recv = True
    with pytest.raises(ValueError, match="sync_mode"):
        config.sync_mode = True
    with pytest.raises(AttributeError, match="slice_vars_up"):
        config.slice_vars_up = False


@pytest.mark.parametrize("fields, error, message", [
    (dict(nccl_comm_num=2), ValueError, "nccl_comm_num"),
    (dict(half_async=True), ValueError, "sync_mode = False"),
    (dict(min_block_size=100), ValueError, "min_block_size is 100, and must be at least 8192"),
    (dict(split_method=sorted), NotImplementedError, "RoundRobin and HashName"),
    (dict(geo_sgd_mode=True, geo_sgd_need_push_nums=0), ValueError, "geo_sgd_need_push_nums"),
    (dict(trainers=0), ValueError, "trainers is 0"),
    (dict(trainer_id=2), ValueError, "trainer_id is 2, and there are 2 trainers"),
    (dict(trainers="a:1,b:1"), TypeError, "how many"),
])
def test_refusals(fields, error, message):
    with pytest.raises(error, match=message):
        make(**fields)


def test_refusals_of_programs():
    main, startup, _ = build()
    t = fluid.DistributeTranspiler()
    for ask in (t.get_trainer_program, lambda: t.get_pserver_program("a:1")):
        with pytest.raises(RuntimeError, match="call transpile"):
            ask()
    with pytest.raises(ValueError, match="names 127.0.0.1:1 twice"):
        t.transpile(0, main, "127.0.0.1:1,127.0.0.1:1", startup_program=startup)
    with pytest.raises(ValueError, match="minimize"):
        t.transpile(0, fluid.Program(), PSERVERS, startup_program=startup)
    t.transpile(0, main, PSERVERS, startup_program=startup)
    with pytest.raises(RuntimeError, match="already"):
        t.transpile(0, main, PSERVERS, startup_program=startup)
    with pytest.raises(Exception, match="127.0.0.1:9 is none of the servers"):
        t.get_pserver_program("127.0.0.1:9")
    other = t.get_pserver_program(jobs.ENDPOINTS[0])
    with pytest.raises(ValueError, match="is that of"):
        t.get_startup_program(jobs.ENDPOINTS[1], other)
    with pytest.raises(ValueError, match="no initialiser for fc_0.b_0"):
        t.get_startup_program(jobs.ENDPOINTS[0], startup_program=fluid.Program())


def test_the_startup_program_of_transpile_may_be_named_again():
    main, startup, loss = build()
    t = fluid.DistributeTranspiler()
    t.transpile(0, main, PSERVERS, startup_program=startup)
    server = t.get_pserver_program(jobs.ENDPOINTS[0])
    again = t.get_startup_program(jobs.ENDPOINTS[0], server, startup_program=startup)
    kinds = [op.type for op in t.get_startup_program(jobs.ENDPOINTS[0], server).global_block().ops]
    assert [op.type for op in again.global_block().ops] == kinds


def test_a_distributed_table_must_be_sparse():
    def model(wrap):
        ids = layers.data("ids", [1], dtype="int64")
        rows = layers.embedding(ids, [4000, 16], is_distributed=True)
        fluid.optimizer.SGD(0.1).minimize(layers.mean(rows))
    with pytest.raises(ValueError, match="needs is_sparse=True"):
        make(model)


def test_memory_optimize_does_nothing():
    main, _, _ = build()
    before = str(main)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        fluid.memory_optimize(main)
        fluid.release_memory(main)
    assert str(main) == before and len(said) == 2


def test_an_optimizer_that_is_not_there_is_named():
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        loss = layers.mean(layers.fc(layers.data("x", [3]), 1))
        fluid.optimizer.SGD(0.1).minimize(loss)
    other = fluid.Program.parse_from_string(
        main.desc.serialize_to_string().replace(b"sgd", b"sgx"))
    with pytest.raises(NotImplementedError, match="op sgx is not implemented"):
        fluid.DistributeTranspiler().transpile(0, program=other, pservers="127.0.0.1:1",
                                               trainers=1, startup_program=startup)
