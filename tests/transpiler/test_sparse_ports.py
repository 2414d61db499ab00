"""Servers for tables alone, and gradients that are summed: what `paddle pserver` is sent."""
import pytest

import paddle.fluid as fluid

DENSE, SPARSE = ["127.0.0.1:7164", "127.0.0.1:7165"], ["127.0.0.1:7166", "127.0.0.1:7167"]


def transpile(trainers=2, sync_mode=True, trainer_id=0, sparse=SPARSE, geo=False, embedding=True):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        ids = fluid.layers.data("ids", [1], dtype="int64")
        x = (fluid.layers.embedding(ids, size=[20000, 8], is_sparse=True) if embedding
             else fluid.layers.data("x", [8]))
        hidden = fluid.layers.fc(x, 4096, act="tanh")
        loss = fluid.layers.mean(fluid.layers.fc(hidden, 1))
        fluid.optimizer.Adagrad(0.1).minimize(loss)
    config = fluid.DistributeTranspilerConfig()
    config.geo_sgd_mode = geo
    t = fluid.DistributeTranspiler(config)
    t._transpile(trainer_id, main, ",".join(DENSE), trainers, sync_mode, startup,
                 sparse_endpoints=sparse, sum_gradients=True)
    return t


def listen(t, endpoint):
    return t.get_pserver_program(endpoint).global_block().ops[-1]


def test_tables_are_on_sparse_servers_and_nothing_else_is():
    places = {}
    for param, name, _, endpoint, *_ in transpile()._core.slices():
        places.setdefault(param, set()).add(endpoint)
    assert places["embedding_0.w_0"] == set(SPARSE)
    assert all(p <= set(DENSE) for name, p in places.items() if name != "embedding_0.w_0")
    assert places["fc_0.w_0"] == set(DENSE)


def test_without_sparse_servers_tables_are_with_the_rest():
    t = transpile(sparse=[])
    assert {s[3] for s in t._core.slices()} == set(DENSE)


def test_a_server_without_variables_has_a_program():
    t = transpile(embedding=False)
    op = listen(t, SPARSE[0])
    assert op.type == "listen_and_serv" and op.attr("Fanin") == 2
    assert op.attr("grad_to_block_id") == []
    assert t.get_startup_program(SPARSE[0]).global_block().ops == []


def test_a_sum_is_not_divided():
    t = transpile()
    program = t.get_pserver_program(DENSE[0])
    assert listen(t, DENSE[0]).attr("sum_gradients") is True
    types = [op.type for block in program.blocks[1:] for op in block.ops]
    assert "sum" in types and "scale" not in types


@pytest.mark.parametrize("sync_mode", [True, False])
def test_every_trainer_knows_all_servers(sync_mode):
    """Those without variables, too: each server waits until all trainers have left."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        loss = fluid.layers.mean(fluid.layers.fc(fluid.layers.data("x", [3]), 1))
        fluid.optimizer.SGD(0.1).minimize(loss)
    t = fluid.DistributeTranspiler()
    t._transpile(1, main, DENSE[0], 2, sync_mode, startup, sparse_endpoints=SPARSE)
    barrier = [op for op in startup.global_block().ops if op.type == "fetch_barrier"][0]
    assert barrier.attr("endpoints") == DENSE[:1] + SPARSE


def test_geo_has_nothing_to_sum():
    with pytest.raises(ValueError, match="in geo servers get no gradients"):
        transpile(geo=True)


def test_only_trainer_0_sends_programs():
    with pytest.raises(ValueError, match="this is trainer 1, and trainer 0 alone"):
        transpile(trainer_id=1).send_programs()
