"""The tests of test_on_gpu.py on an emulated GPU, whose memory the host cannot touch
(tests/gpu/emu/module.c): which op runs where, and every copy between."""
import os
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MODULE = os.path.join(ROOT, "build", "tests", "placed", "libregatta_cuda.so")

pytestmark = pytest.mark.skipif(not os.path.exists(MODULE),
                                reason="the emulated GPU is not built: it needs a C++ compiler")


def run(code, **environ):
    env = dict(os.environ, PYTHONPATH=HERE, **environ)
    done = subprocess.run([sys.executable, "-c", "import placed\n" + code], cwd=ROOT, env=env,
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_all_that_a_gpu_shows():
    out = run("import runpy, sys; sys.argv = ['t']; runpy.run_path('tests/gpu/test_on_gpu.py', "
              "run_name='__main__')", FEWER_ROWS="64")
    assert "FAILED" not in out and out.count("ok ") >= 11


MODEL = """
import numpy as np
import paddle.fluid as fluid
main, startup = fluid.Program(), fluid.Program()
with fluid.program_guard(main, startup):
    ids = [fluid.data("C%d" % i, [None, 1], "int64") for i in range(4)]
    label = fluid.data("label", [None, 1], "int64")
    rows = [fluid.embedding(i, size=[30, 4], is_sparse=True, padding_idx=2 if k == 1 else None,
                            param_attr=fluid.ParamAttr(name="table%d" % (k % 2)))
            for k, i in enumerate(ids)]
    x = fluid.layers.concat([fluid.layers.reshape(r, [-1, 4]) for r in rows], axis=1)
    p = fluid.layers.fc(x, 3, act="softmax")
    loss = fluid.layers.mean(fluid.layers.cross_entropy(p, label))
    fluid.optimizer.SGD(0.5).minimize(loss)
exe = fluid.Executor(fluid.CUDAPlace(0))
exe.run(startup)
"""


def test_look_ups_and_loss_are_one_op_each():
    out = run(MODEL + """
print(exe._core.plan_text(main, dict.fromkeys(["C0", "C1", "C2", "C3", "label"]), [loss.name],
                          fluid.global_scope()))""")
    ops = [line.split("(")[0] for line in out.splitlines() if line.startswith("op ")]
    assert ops == ["op fused_embedding_concat", "op fused_fc_loss", "op fused_embedding_concat_sgd",
                   "op fused_embedding_concat_sgd"]


def test_a_step_without_its_loss_is_fused_too():
    """And what reads the logits as well keeps the layer apart."""
    text = """
print(exe._core.plan_text(main, dict.fromkeys(["C0", "C1", "C2", "C3", "label"]), FETCH,
                          fluid.global_scope()))"""
    assert "op fused_fc_loss" in run(MODEL + text.replace("FETCH", "[]"))
    apart = run(MODEL.replace("    p = fluid.layers.fc(x, 3, act=\"softmax\")",
                              "    z = fluid.layers.fc(x, 3)\n    p = fluid.layers.softmax(z)") +
                text.replace("FETCH", "[z.name]"))
    assert "op fused_fc_loss" not in apart and "op fused_softmax_loss" in apart


def test_many_rows_of_few_ids():
    """Rows are brought together in blocks, and gradients of an id that comes again are summed there;
    tables of an odd width go the other way."""
    code = MODEL.replace("main, startup = fluid.Program(), fluid.Program()",
                         "main, startup = fluid.Program(), fluid.Program()\n"
                         "main.random_seed = startup.random_seed = 3") + """
out = []
for place in (fluid.CPUPlace(), fluid.CUDAPlace(0)):
    rng = np.random.RandomState(0)
    with fluid.scope_guard(fluid.Scope()):
        exe = fluid.Executor(place)
        exe.run(startup)
        for _ in range(2):
            feed = {"C%d" % i: (30 * rng.rand(4100, 1) ** 4).astype("int64") for i in range(4)}
            feed["label"] = (feed["C0"] % 3).astype("int64")
            exe.run(main, feed, [])
        for p in main.all_parameters():
            out.append(np.array(fluid.global_scope().find_var(p.name).get_tensor()).ravel())
half = len(out) // 2
for a, b in zip(out[:half], out[half:]):
    assert np.abs(a - b).max() < 1e-5, np.abs(a - b).max()
"""
    run(code)
    run(code.replace("size=[30, 4]", "size=[30, 3]").replace("[-1, 4]", "[-1, 3]"))


def test_slopes_are_taken_where_gradients_are_made():
    """Whichever activation, with sizes that our tiles take and ones that they do not."""
    code = MODEL.replace("main, startup = fluid.Program(), fluid.Program()",
                         "main, startup = fluid.Program(), fluid.Program()\n"
                         "main.random_seed = startup.random_seed = 3") \
        .replace("    p = fluid.layers.fc(x, 3",
                 "    for act, size in (('relu', 24), ('tanh', 20), ('sigmoid', 18), ('relu', 12)):\n"
                 "        x = fluid.layers.fc(x, size, act=act)\n"
                 "    p = fluid.layers.fc(x, 3") + """
out = []
for place in (fluid.CPUPlace(), fluid.CUDAPlace(0)):
    rng = np.random.RandomState(0)
    with fluid.scope_guard(fluid.Scope()):
        exe = fluid.Executor(place)
        exe.run(startup)
        for _ in range(4):
            feed = {"C%d" % i: rng.randint(0, 30, (70, 1)).astype("int64") for i in range(4)}
            feed["label"] = rng.randint(0, 3, (70, 1)).astype("int64")
            exe.run(main, feed, [])
        for p in main.all_parameters():
            out.append(np.array(fluid.global_scope().find_var(p.name).get_tensor()).ravel())
half = len(out) // 2
for a, b in zip(out[:half], out[half:]):
    assert np.abs(a - b).max() < 1e-5, np.abs(a - b).max()
"""
    run(code)


@pytest.mark.parametrize("rows, steps", [(6, 5), (13001, 2)])
def test_the_fused_ops_give_the_same_numbers_on_the_cpu(rows, steps):
    """device_guard("cpu") keeps ops on the CPU, in a plan of the GPU with its fusions. Of many rows
    a warp has several."""
    code = MODEL.replace("with fluid.program_guard(main, startup):",
                         "main.random_seed = startup.random_seed = 3\n"
                         "with fluid.program_guard(main, startup), GUARD:") + """
rng = np.random.RandomState(0)
for _ in range(STEPS):
    feed = {"C%d" % i: rng.randint(0, 30, (ROWS, 1)).astype("int64") for i in range(4)}
    feed["label"] = rng.randint(0, 3, (ROWS, 1)).astype("int64")
    print(float(exe.run(main, feed, [loss])[0][0]))
print(exe._core.plan_text(main, feed, [loss.name], fluid.global_scope()).count("fused"))
""".replace("ROWS", str(rows)).replace("STEPS", str(steps))
    said = [run(code.replace("GUARD", guard)).split()
            for guard in ("fluid.device_guard('cpu')", "fluid.device_guard(None)")]
    assert said[0][-1] == said[1][-1] == "4"
    assert all(abs(float(a) - float(b)) < 1e-5 for a, b in zip(*said))


def test_rows_are_padded_to_whole_vectors():
    """15 columns become 16, and nothing else changes."""
    code = MODEL.replace("size=[30, 4]", "size=[30, 5]").replace("[-1, 4]", "[-1, 5]") \
        .replace("range(4)", "range(3)") \
        .replace("main, startup = fluid.Program(), fluid.Program()",
                 "main, startup = fluid.Program(), fluid.Program()\n"
                 "main.random_seed = startup.random_seed = 3") \
        .replace("p = fluid.layers.fc(x, 3", "x = fluid.layers.fc(x, 24, act='relu')\n"
                                            "    p = fluid.layers.fc(x, 3") + """
rng = np.random.RandomState(0)
out = []
for place in (fluid.CPUPlace(), fluid.CUDAPlace(0)):
    rng = np.random.RandomState(0)
    with fluid.scope_guard(fluid.Scope()):
        exe = fluid.Executor(place)
        exe.run(startup)
        for _ in range(6):
            feed = {"C%d" % i: rng.randint(0, 30, (6, 1)).astype("int64") for i in range(3)}
            feed["label"] = rng.randint(0, 3, (6, 1)).astype("int64")
            out.append(float(exe.run(main, feed, [loss])[0][0]))
        w = np.array(fluid.global_scope().find_var("fc_0.w_0").get_tensor())
        assert w.shape == (15, 24), w.shape
        out.append(float(w.sum()))
assert np.abs(np.subtract(out[:7], out[7:])).max() < 1e-5, out
"""
    run(code)


TWO_GPUS = """
import numpy as np
import paddle.fluid as fluid
main, startup = fluid.Program(), fluid.Program()
main.random_seed = startup.random_seed = 3
with fluid.program_guard(main, startup):
    ids = [fluid.data("C%d" % i, [None, 1], "int64") for i in range(4)]
    label = fluid.data("label", [None, 1], "int64")
    rows = [fluid.layers.reshape(fluid.embedding(i, size=[30, 8], is_sparse=True), [-1, 8]) for i in ids]
    x = fluid.layers.concat(rows, axis=1)
    x = fluid.layers.fc(fluid.layers.fc(x, 64, act="relu"), 24, act="relu")
    p = fluid.layers.fc(x, 2, act="softmax")
    loss = fluid.layers.mean(fluid.layers.cross_entropy(p, label))
    fluid.optimizer.SGD(0.1).minimize(loss)
rng = np.random.RandomState(0)
feed = {"C%d" % i: rng.randint(0, 30, (40, 1)).astype("int64") for i in range(4)}
feed["label"] = rng.randint(0, 2, (40, 1)).astype("int64")
losses = []
for gpu in (0, 1):
    with fluid.scope_guard(fluid.Scope()):
        exe = fluid.Executor(fluid.CUDAPlace(gpu))
        exe.run(startup)
        losses.append([float(exe.run(main, feed, [loss])[0][0]) for _ in range(2)])
assert losses[0] == losses[1], losses
"""


@pytest.mark.parametrize("way", ["0", "1", "2"])
def test_a_second_gpu_runs_all_that_the_first_does(way):
    """Kernels are allowed more shared memory by each GPU for itself."""
    run(TWO_GPUS, EMU_WAY=way)


@pytest.mark.parametrize("size, rows, way", [(2, 6, 0), (2, 530, 0), (24, 6, 0), (24, 200, 1),
                                             (24, 1100, 1), (24, 6, 15), (24, 6, 16)])
def test_padding_stays_zero_when_a_step_was_not_a_number(size, rows, way):
    """15 columns become 16: what comes to be in the last row, which the weight does not have, would
    outlive parameters that are set anew."""
    run(MODEL.replace("size=[30, 4]", "size=[30, 5]").replace("[-1, 4]", "[-1, 5]")
        .replace("range(4)", "range(3)")
        .replace("p = fluid.layers.fc(x, 3", "x = fluid.layers.fc(x, %d, act='relu')\n"
                                            "    p = fluid.layers.fc(x, 3" % size) + """
rng = np.random.RandomState(0)
feed = {"C%%d" %% i: rng.randint(0, 30, (%d, 1)).astype("int64") for i in range(3)}
feed["label"] = rng.randint(0, 3, (%d, 1)).astype("int64")
tensors = {p.name: fluid.global_scope().find_var(p.name).get_tensor() for p in main.all_parameters()}
good = {name: np.array(tensor) for name, tensor in tensors.items()}
want = exe.run(main, feed, [loss])[0]
for bad in (np.inf, np.nan):
    broken = {name: np.full_like(value, bad) if "w_1" in name or "fc_1" in name else value
              for name, value in good.items()}
    for which in (broken, good):
        for name, tensor in tensors.items():
            tensor.set(which[name], fluid.CUDAPlace(0))
        found = exe.run(main, feed, [loss])[0]
    assert found == want, (found, want)
""" % (rows, rows), EMU_WAY=str(way), FLAGS_enable_tf32="1")


LOOP = """
import numpy as np
import paddle.fluid as fluid
main, startup = fluid.Program(), fluid.Program()
with fluid.program_guard(main, startup):
    x = fluid.data("x", [None, 4], "float32")
    h = fluid.layers.relu(x)
    i = fluid.layers.fill_constant([1], "int64", 0)
    n = fluid.layers.fill_constant([1], "int64", 3)
    kept = fluid.layers.create_array("float32")
    total = fluid.layers.assign(h)
    more = fluid.layers.less_than(i, n)
    loop = fluid.layers.While(more)
    with loop.block():
        fluid.layers.array_write(total, i, kept)
        fluid.layers.assign(fluid.layers.elementwise_add(fluid.layers.relu(total), h), total)
        fluid.layers.increment(i)
        fluid.layers.less_than(i, n, cond=more)
    y = fluid.layers.scale(total, 2.0)
    third = fluid.layers.scale(fluid.layers.array_read(kept, fluid.layers.fill_constant([1], "int64", 2)), 1.0)
    big = fluid.layers.cond(fluid.layers.reduce_sum(y) > 0, lambda: fluid.layers.scale(y, -1.0),
                            lambda: y)
    end = fluid.layers.relu(fluid.layers.scale(big, -1.0))
for place in (fluid.CPUPlace(), fluid.CUDAPlace(0)):
    exe = fluid.Executor(place)
    exe.run(startup)
    for k in range(4):
        out = exe.run(main, {"x": np.arange(8, dtype="f").reshape(2, 4) - 3 - k}, [y, third, end])
        print(*[float(v.sum()) for v in out])
"""


def test_loops_branches_and_arrays():
    lines = run(LOOP).splitlines()
    assert lines[:4] == lines[4:] and len(set(lines)) == 4


def test_what_is_set_and_read_from_outside():
    run(MODEL + """
scope = fluid.global_scope()
tensor = scope.find_var("table0").get_tensor()
feed = {"C%d" % i: np.full((2, 1), 5, "int64") for i in range(4)}
feed["label"] = np.zeros((2, 1), "int64")
for _ in range(3):
    exe.run(main, feed, [])
assert tensor._place().is_gpu_place()
before = np.array(tensor)
tensor.set(np.full(before.shape, 0.25, "float32"), fluid.CPUPlace())
assert tensor._place().is_cpu_place()
probe = exe.run(main, feed, [x])[0]
assert (probe[:, :4] == 0.25).all(), probe
assert tensor._place().is_gpu_place()
import tempfile
with tempfile.TemporaryDirectory() as folder:
    fluid.io.save_persistables(exe, folder, main)
    kept = np.array(tensor)
    exe.run(main, feed, [])
    assert (np.array(tensor) != kept).any()
    fluid.io.load_persistables(exe, folder, main)
    assert (np.array(tensor) == kept).all()
    here = fluid.Executor(fluid.CPUPlace())
    there = exe.run(main.clone(for_test=True), feed, [p])[0]
    assert np.abs(here.run(main.clone(for_test=True), feed, [p])[0] - there).max() < 1e-6
    exe.run(main, feed, [])
""")


def test_training_from_files(tmp_path):
    path = tmp_path / "part-0"
    path.write_text("".join("1 %d 1 %d 1 %d 1 %d 1 %d\n" % (i % 30, i % 7, i % 5, i % 3, i % 3)
                            for i in range(200)))
    code = MODEL.replace("[None, 1], \"int64\")", "[None, 1], \"int64\", lod_level=LOD)") \
        .replace("LOD) for i", "0) for i").replace("LOD", "0") + """
data = fluid.DatasetFactory().create_dataset("InMemoryDataset")
data.set_batch_size(16)
data.set_thread(2)
data.set_filelist([%r])
data.set_use_var(ids + [label])
data.load_into_memory()
feed = {"C%%d" %% i: np.zeros((2, 1), "int64") for i in range(4)}
feed["label"] = np.zeros((2, 1), "int64")
first = float(exe.run(main.clone(for_test=True), feed, [loss])[0][0])
for _ in range(3):
    exe.train_from_dataset(main, data)
assert float(exe.run(main.clone(for_test=True), feed, [loss])[0][0]) != first
""" % str(path)
    run(code)


LAYERS = """
import numpy as np
import paddle.fluid as fluid
main, startup = fluid.Program(), fluid.Program()
with fluid.program_guard(main, startup):
    x = fluid.data("x", [None, 16], "float32")
    loss = fluid.layers.mean(fluid.layers.fc(fluid.layers.fc(x, 12), 12))
    fluid.optimizer.OPTIMIZER(0.01).minimize(loss)
exe = fluid.Executor(fluid.CUDAPlace(0))
exe.run(startup)
for rows in ROWS:
    exe.run(main, {"x": np.ones((rows, 16), "f")}, [])
"""


def ways_of_layers(path, optimizer, rows, **flags):
    """What is found out by trial, a line each: how many ways there are, and which are tried."""
    run(LAYERS.replace("OPTIMIZER", optimizer).replace("ROWS", repr(rows)), EMU_WAYS=str(path), **flags)
    return [[int(word) for word in line.replace(":", "").split()]
            for line in path.read_text().splitlines()]


def test_ways_are_not_tried_again_for_about_as_many_rows(tmp_path):
    """Rows of LoDs vary from step to step."""
    one = ways_of_layers(tmp_path / "one", "SGD", [100])
    many = ways_of_layers(tmp_path / "many", "SGD", list(range(100, 110)))
    assert len(one) < len(many) <= 3 * len(one), (len(one), len(many))


@pytest.mark.parametrize("optimizer", ["SGD", "Adam"])
def test_no_two_questions_have_one_key(tmp_path, optimizer):
    assert ways_of_layers(tmp_path / "ways", optimizer, [40], FLAGS_enable_tf32="1")


@pytest.mark.parametrize("optimizer, graph, half", [("SGD", "1", True), ("Adam", "1", False),
                                                    ("SGD", "0", False)])
def test_gradients_of_weights_have_all_of_the_gpu_where_nothing_runs_beside(tmp_path, optimizer,
                                                                            graph, half):
    """The library's product, the last way, takes all of it."""
    found = ways_of_layers(tmp_path / "ways", optimizer, [2048], FLAGS_enable_tf32="1",
                           FLAGS_gpu_graph=graph)
    of_w = [ways for n, *ways in found if n == 17]
    assert len(of_w) == 2 and any(16 not in ways for ways in of_w) == half, of_w
