"""The table of ops (docs/ops.md) is what `paddle ops --markdown` prints, and every op in it is
tried: by a case of tests/ops (values and gradients), by one of tests/layers or tests/transpiler
(as layers and the transpiler add it), or by the test that is named here."""
import glob
import importlib.util
import json
import os
import re
import subprocess
import sys

import pytest

from built import PADDLE, ROOT

TESTS = os.path.join(ROOT, "tests")

pytestmark = pytest.mark.skipif(not os.path.exists(PADDLE), reason="the command is not built here")

# Ops whose effects are on files, other processes or blocks, and the tests that watch them.
ELSEWHERE = {
    "feed": "exec/test_plan.c", "fetch": "exec/test_plan.c",  # no kernels: the plan's own
    "save": "python/test_tensor_layers.py", "load": "python/test_tensor_layers.py",
    "save_combine": "python/test_tensor_layers.py", "load_combine": "python/test_tensor_layers.py",
    "get_places": "python/test_api_names.py", "read": "python/test_reader_ops.py",
    "create_py_reader": "python/test_reader_ops.py",
    "create_double_buffer_reader": "python/test_reader_ops.py",
    "print": "python/test_print.py", "py_func": "python/test_py_func.py",
    "select_output": "ops/test_branch_ops.py", "conditional_block_infer": "ops/test_branch_ops.py",
    **dict.fromkeys(("allreduce", "broadcast", "c_allgather", "c_allreduce_max", "c_allreduce_min",
                     "c_allreduce_prod", "c_allreduce_sum", "c_broadcast", "c_reducescatter",
                     "c_sync_calc_stream", "c_sync_comm_stream"), "e2e_coll/coll_ops.py"),
    "c_comm_init": "transpiler/test_collective.py", "c_gen_nccl_id": "transpiler/test_collective.py",
    "gen_nccl_id": "transpiler/test_collective.py",
    "c_comm_init_all": "python/test_fleet_collective.py",
    "recv_save": "e2e_ps/test_save_ops.py", "checkpoint_notify": "e2e_ps/test_save_ops.py",
    # Each step of v1's rules against NumPy, through a network that is trained.
    "v1_adadelta": "v2/test_rules.py", "v1_adam": "v2/test_rules.py",
    "v1_adamax": "v2/test_rules.py", "v1_decayed_adagrad": "v2/test_rules.py",
    "v1_rmsprop": "v2/test_rules.py", "v1_learning_rate": "ops/test_v1_update.py",
    # Random: their distributions are tested, not their values.
    "shuffle_batch": "ops/test_arrange.py", "truncated_gaussian_random": "ops/test_random_ops.py",
}

# Ops of programs that real Paddle transpiled with is_distributed=True: known by name, refused when
# run.
REFUSED = {"lookup_sparse_table", "prefetch"}


def paddle(*args):
    return subprocess.run([PADDLE] + list(args), capture_output=True, text=True, check=True).stdout


def listed():
    return [line.split()[0] for line in paddle("ops").splitlines()[:-1]]


def types_of_op_cases():
    """The types in CASES of every file of tests/ops."""
    sys.path.insert(0, os.path.join(TESTS, "ops"))
    found = set()
    for path in sorted(glob.glob(os.path.join(TESTS, "ops", "test_*.py"))):
        name = "ops_table_" + os.path.basename(path)[:-3]
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found |= {case.type for case in getattr(module, "CASES", ())}
    return found


def types_in_programs():
    """The types in the recorded programs of layers and of the transpiler."""
    found = set()

    def walk(value):
        if isinstance(value, dict):
            if isinstance(value.get("type"), str) and "inputs" in value:
                found.add(value["type"])
            for item in value.values():
                walk(item)
        elif isinstance(value, list):
            for item in value:
                walk(item)

    for folder in ("layers", "transpiler"):
        for path in glob.glob(os.path.join(TESTS, folder, "golden", "*.json")):
            with open(path) as f:
                walk(json.load(f))
    return found


def test_the_page_is_what_the_command_prints():
    with open(os.path.join(ROOT, "docs", "ops.md")) as f:
        assert f.read() == paddle("ops", "--markdown"), "run tools/ops_page.sh"


def test_every_op_is_on_the_page_and_documented():
    with open(os.path.join(ROOT, "docs", "ops.md")) as f:
        text = f.read()
    rows = re.findall(r"^\| (\S+) \| ([^|]+) \| ((?:[^|]|\\\|)+) \|$", text, re.M)
    rows = [row for row in rows if row[0] not in ("op", "---")]
    assert [row[0] for row in rows] == listed()
    assert all(doc.strip().endswith(".") for _, _, doc in rows)


@pytest.mark.filterwarnings("ignore")
def test_every_op_is_tried():
    tried = types_of_op_cases() | types_in_programs()
    assert len(tried) > 250, "cases were not found"
    untried = [op for op in listed() if op not in tried and op not in ELSEWHERE
               and op not in REFUSED]
    assert untried == []


@pytest.mark.parametrize("op", sorted(ELSEWHERE))
def test_the_named_tests_name_the_op(op):
    assert op in listed(), "%s is no op: take it off the list" % op
    with open(os.path.join(TESTS, ELSEWHERE[op])) as f:
        assert re.search(r"\b%s\b" % op, f.read(), re.I), \
            "%s says nothing of %s" % (ELSEWHERE[op], op)


@pytest.mark.parametrize("op, inputs", [("prefetch", {"X": ["ids"]}),
                                        ("lookup_sparse_table", {"W": ["w"], "Ids": ["ids"]})])
def test_the_refused_say_what_to_do(op, inputs):
    import paddle.fluid as fluid
    assert op in REFUSED
    program = fluid.Program()
    block = program.global_block()
    for name, kind in ("ids", "int64"), ("w", "float32"), ("out", "float32"):
        block.create_var(name=name, shape=[4, 1], dtype=kind, persistable=True)
    for name, kind in ("ids", "int64"), ("w", "float32"):
        block.append_op("fill_constant", {}, {"Out": [name]}, {
            "shape": [4, 1], "value": 1.0, "dtype": block.var(name).dtype})
    block.append_op(op, inputs, {"Out": ["out"]}, {})
    with fluid.scope_guard(fluid.core.Scope()), pytest.raises(
            Exception, match="op %s is not implemented: transpile the program again" % op):
        fluid.Executor(fluid.CPUPlace()).run(program)


def test_the_command_shows_an_op_and_refuses_another():
    text = paddle("ops", "mul")
    assert "input `X`" in text and "attribute `x_num_col_dims` (INT, 1)" in text
    done = subprocess.run([PADDLE, "ops", "no_such_op"], capture_output=True, text=True)
    assert done.returncode == 2 and "op no_such_op is not implemented" in done.stderr


def test_the_command_knows_layers_by_the_ops_they_are_made_of():
    text = paddle("ops", "fc")
    assert "mul, sum, elementwise_add, the activation" in text
    assert 'python -c "import paddle.fluid as fluid; help(fluid.layers.fc)"' in text
    assert "adds these ops, as its arguments ask: lookup_table." in paddle("ops", "embedding")
    assert "ask: lstm." in paddle("ops", "dynamic_lstm")
    text = paddle("ops", "accuracy")  # an op and a layer of more
    assert "input `Indices`" in text and "ask: accuracy, top_k." in text
    assert "fluid.layers" not in paddle("ops", "relu")
    assert "fluid.layers.data is a function of programs" in paddle("ops", "data")


def test_the_table_of_layers_is_up_to_date():
    done = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "layer_ops.py"), "--check"],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_the_ops_of_layers_are_those_that_programs_get():
    """What the table was read off the source for, seen in programs."""
    import paddle.fluid as fluid
    layers = fluid.layers

    def seen(build):
        program = fluid.Program()
        with fluid.program_guard(program, fluid.Program()):
            build(layers.data("x", [4]), layers.data("i", [1], dtype="int64", lod_level=1))
        return {op.type for op in program.global_block().ops}

    for name, build in {
            "fc": lambda x, i: layers.fc([x, x], 3), "embedding": lambda x, i: layers.embedding(
                i, [5, 2]), "accuracy": lambda x, i: layers.accuracy(x, i),
            "dice_loss": lambda x, i: layers.dice_loss(x, i),
            "topk": lambda x, i: layers.topk(x, 2), "t": lambda x, i: layers.t(x),
            "adaptive_pool2d": lambda x, i: layers.adaptive_pool2d(
                layers.data("image", [1, 4, 4]), 2),
            "resize_nearest": lambda x, i: layers.resize_nearest(
                layers.data("image", [1, 4, 4]), scale=2.0)}.items():
        told = re.search(r"arguments ask: (.*)\.\n", paddle("ops", name)).group(1).split(", ")
        assert seen(build) and seen(build) <= set(told), name


def test_an_attribute_that_the_op_does_not_know_is_kept_and_said(tmp_path):
    """As a script's own note; real Paddle drops it in silence."""
    done = subprocess.run([sys.executable, "-c", """
import numpy as np
import paddle.fluid as fluid
x = fluid.data("x", [2])
block = fluid.default_main_program().global_block()
y = block.create_var(name="y", dtype="float32", shape=[2])
for i in range(2):
    op = block.append_op(type="scale", inputs={"X": x}, outputs={"Out": y},
                         attrs={"scale": 3.0, "my_note": "mine", "owner": object(), "no": None})
    assert op.attr("my_note") == "mine" and not op.has_attr("owner") and not op.has_attr("no")
text = fluid.default_main_program().desc.serialize_to_string()
again = fluid.Program.parse_from_string(text)
assert [op.attr("my_note") for op in again.global_block().ops] == ["mine"] * 2
out, = fluid.Executor().run(again, feed={"x": np.ones(2, "float32")}, fetch_list=["y"])
assert out.tolist() == [3, 3]
"""], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    notes = [line for line in done.stderr.splitlines() if "knows no such attribute" in line]
    assert len(notes) == 2, done.stderr
    assert "op=scale attribute=my_note" in notes[0] and "kept in the program" in notes[0]
    assert "op=scale attribute=owner" in notes[1] and "left out" in notes[1]


def test_the_protocol_lists_the_commands_of_the_server():
    done = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "commands_page.py"),
                           "--check"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_every_op_of_real_paddle_is_here_or_refused_by_name():
    """golden/op_types.txt: fluid.core.get_all_op_protos() of 1.8.5."""
    from paddle import _core
    with open(os.path.join(TESTS, "python", "golden", "op_types.txt")) as f:
        real = f.read().split()
    told = subprocess.run([os.path.join(os.path.dirname(TESTS), "build", "paddle"), "ops",
                           "--refused"], stdout=subprocess.PIPE, universal_newlines=True,
                          check=True, timeout=60).stdout
    refused = {op: line.split("\t")[0] for line in told.splitlines()
               for op in line.split("\t")[1].split()}
    have = set(_core.op_types())
    assert len(real) > 400 and [op for op in real if op not in have and op not in refused] == []
    assert [op for op in refused if op in have] == []
    import paddle.fluid as fluid
    block = fluid.Program().global_block()
    for op in ("yolo_box", "dgc", "fake_quantize_abs_max"):
        with pytest.raises(NotImplementedError) as e:
            block.append_op(type=op, inputs={}, outputs={}, attrs={})
        assert refused[op] in str(e.value)
