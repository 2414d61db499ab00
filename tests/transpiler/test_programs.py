"""The programs of trainers and servers, against those of real Paddle 1.8.5.

They are compared op by op: types, slots, variables and the attributes that real Paddle
writes. DIFFERENCES lists where we differ on purpose; each changes the golden program into
what is wanted here."""
import copy
import json
import os

import jobs
import pytest

HERE = os.path.dirname(os.path.abspath(__file__))


def _ops(programs, *types):
    for program in programs.values():
        for block in program["blocks"]:
            for op in block["ops"]:
                if not types or op["type"] in types:
                    yield op


def _drop(program, wanted):
    for block in program["blocks"]:
        block["ops"] = [op for op in block["ops"] if wanted(op)]


def trainer_ids(name, role, golden):
    """send carries the trainer's id too; real Paddle leaves it at 0 and sends another one."""
    for op in _ops(golden, "send"):
        op["attrs"]["trainer_id"] = jobs.JOBS[name][2] - 1


def modes(name, role, golden):
    """half_async is told as such; real Paddle's servers run it as async."""
    if jobs.JOBS[name][1] is jobs.half_async:
        for op in _ops(golden, "listen_and_serv"):
            op["attrs"]["distributed_mode"] = 2


def server_numbers(name, role, golden):
    """Geo servers know their number too."""
    for op in _ops(golden, "listen_and_serv"):
        op["attrs"]["pserver_id"] = jobs.ENDPOINTS.index(role)


def sparse_gradients(name, role, golden):
    """sparse_grad_to_param is filled in: real Paddle leaves it empty."""
    geo = jobs.JOBS[name][1] is jobs.geo
    for op in _ops(golden, "listen_and_serv"):
        op["attrs"]["sparse_grad_to_param"] = [
            "%s:%s" % (grad, grad.replace(".delta", "") if geo else grad.replace("@GRAD", ""))
            for grad in (pair.split(":")[0] for pair in op["attrs"]["grad_to_block_id"])
            if grad.split(".")[0].split("@")[0] in ("table", "large", "small")]


def role_variables(name, role, golden):
    """op_role_var is compared for the communication ops of trainers: a server's ops name
    variables of the trainer that asked, and which gradient op of a shared table has it is
    not the transpiler's doing."""
    for op in _ops(golden):
        if op["type"] not in ("send", "recv"):
            op["attrs"].pop("op_role_var", None)


def order_of_tables(name, role, golden):
    """Real Paddle goes through tables in any order."""
    if role == "trainer":
        golden["startup"]["blocks"][0]["ops"].sort(
            key=lambda op: op["outputs"]["Out"] if op["type"] == "fake_init" else [""])


def counters(name, role, golden):
    """Without barriers servers count steps as the sum of what trainers count. The sum must
    begin where the counter would alone: real Paddle begins at the number of trainers. A
    trainer has its own counter alone, and none where the servers count."""
    startup = golden["startup"]
    if role == "trainer":
        mine = "@LR_DECAY_COUNTER@.trainer_1"
        _drop(startup, lambda op: op["type"] != "fill_constant" or op["outputs"]["Out"][0] == mine
              or not op["outputs"]["Out"][0].startswith("@LR_DECAY_COUNTER@"))
        return
    total, alone = None, []
    for op in _ops({"startup": startup}, "fill_constant"):
        out = op["outputs"]["Out"][0]
        if out == "@LR_DECAY_COUNTER@":
            total = op
        elif out.startswith("@LR_DECAY_COUNTER@"):
            alone.append(op)
    if alone:
        total["attrs"]["value"] = -1.0
        alone.sort(key=lambda op: op["outputs"]["Out"][0])
        for i, op in enumerate(alone):
            op["attrs"]["value"] = -1.0 if i == 0 else 0.0
        _drop(startup, lambda op: op not in alone)
        startup["blocks"][0]["ops"].extend(alone)


def tables(name, role, golden):
    """Rows of a table come to be when they are first touched: the server's startup program
    gives it, and what its optimizer keeps for each row, a shape and no memory; the
    initialisers are in a block of their own."""
    listen = [op for op in _ops({"main": golden["main"]}, "listen_and_serv")]
    if not listen or name.startswith("ctr-"):  # there weight decay touches every row
        return
    rows = {n for n in golden["startup"]["blocks"][0]["vars"]
            if n.split(".block")[0].split("_moment")[0] in ("table", "large", "small")}
    born = [op for op in _ops({"startup": golden["startup"]})
            if op["outputs"]["Out"][0] in rows]
    if not born:
        return
    _drop(golden["startup"], lambda op: op not in born)
    listen[0]["attrs"]["table_init_block_id"] = len(golden["main"]["blocks"])
    golden["main"]["blocks"].append({"parent": 0, "ops": copy.deepcopy(born), "vars": {}})
    order = {n: i for i, n in enumerate(
        x for p in ("large", "small", "table")
        for x in sorted(rows) if x.startswith(p))}
    born.sort(key=lambda op: order[op["outputs"]["Out"][0]])
    for op in born:
        golden["startup"]["blocks"][0]["ops"].append(
            {"type": "fake_init", "inputs": {}, "outputs": op["outputs"],
             "attrs": {"shape": op["attrs"]["shape"], "op_role": 0}})


def geo_send(name, role, golden):
    """The send of geo mode says itself where slices go, and has the role of other sends; real
    Paddle tells its communicator from Python."""
    if jobs.JOBS[name][1] is jobs.geo and role == "trainer":
        for op in _ops(golden, "send"):
            del op["attrs"]["epmap"]
            op["attrs"]["op_role"] = 4


def one_trainer(name, role, golden):
    """There is nothing to add up and to divide where there is one trainer; real Paddle's
    server waits for gradients under a name that no trainer sends."""
    if jobs.JOBS[name][2] > 1 or role == "trainer":
        return
    _drop(golden["main"], lambda op: op["type"] not in ("sum", "scale"))
    for op in _ops(golden, "listen_and_serv"):
        op["inputs"]["X"] = [n.replace(".trainer_0", "") for n in op["inputs"]["X"]]


def blocks_of_a_schedule(name, role, golden):
    """A schedule that has blocks of its own leaves them behind in real Paddle's trainer; we
    leave them empty. On servers real Paddle hangs the optimizer's blocks on the last of them."""
    if jobs.JOBS[name][0] is not jobs.momentum_piecewise:
        return
    if role == "trainer":
        for block in golden["main"]["blocks"][1:]:
            block["ops"] = []
    for op in _ops(golden, "listen_and_serv"):
        for i in op["attrs"]["optimize_blocks"][1:]:
            golden["main"]["blocks"][i]["parent"] = op["attrs"]["lr_decay_block_id"]


DIFFERENCES = [trainer_ids, modes, server_numbers, sparse_gradients, role_variables, counters,
               tables, geo_send, one_trainer, order_of_tables,
               blocks_of_a_schedule]


# ---- comparing ----

def _number(attrs, name):
    return float("%.5g" % attrs[name]) if isinstance(attrs[name], float) else attrs[name]


def _same_op(mine, theirs, where):
    where = "%s, op %s" % (where, theirs["type"])
    assert mine["inputs"] == theirs["inputs"], where
    for slot in set(mine["outputs"]) | set(theirs["outputs"]):
        if slot != "MaxIndex":
            assert mine["outputs"].get(slot) == theirs["outputs"].get(slot), where
    for name in theirs["attrs"]:
        value = _number(theirs["attrs"], name)
        if name not in mine["attrs"]:
            assert value in ([], "", False, None, 0, 1.0), "%s: no %s=%r" % (where, name, value)
            continue
        ours = _number(mine["attrs"], name)
        if name in ("grad_to_block_id", "sparse_grad_to_param"):  # in any order
            ours, value = sorted(ours), sorted(value)
        assert ours == value, "%s, attribute %s" % (where, name)


def _same_program(mine, theirs, where):
    assert mine["seed"] == theirs["seed"], where
    assert ([[op["type"] for op in block["ops"]] for block in mine["blocks"]]
            == [[op["type"] for op in block["ops"]] for block in theirs["blocks"]]), where
    for i, (ours, golden) in enumerate(zip(mine["blocks"], theirs["blocks"])):
        at = "%s block %d" % (where, i)
        assert ours["parent"] == golden["parent"], at
        for op, wanted in zip(ours["ops"], golden["ops"]):
            _same_op(op, wanted, at)
        used = {n for op in _ops({"p": theirs}) for slots in (op["inputs"], op["outputs"])
                for args in slots.values() for n in args}
        for name, var in golden["vars"].items():
            if name in used and i == 0:
                assert ours["vars"].get(name) == var, "%s, variable %s" % (at, name)


@pytest.mark.parametrize("role", jobs.ROLES)
@pytest.mark.parametrize("name", sorted(jobs.JOBS))
def test_programs(name, role):
    with open(os.path.join(HERE, "golden", name + ".json")) as f:
        golden = json.load(f)[role]
    for differ in DIFFERENCES:
        differ(name, role, golden)
    mine = jobs.describe(name, role)
    for op in _ops(mine, "send"):
        if jobs.JOBS[name][1] is jobs.geo:
            op["attrs"].pop("epmap")
    for op in _ops(mine):
        if op["type"] not in ("send", "recv"):
            op["attrs"].pop("op_role_var", None)
    for which in ("startup", "main"):
        _same_program(mine[which], golden[which], "%s %s" % (role, which))
