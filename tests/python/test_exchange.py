"""Models go both ways between Regatta and real Paddle 1.8.5, in every way of saving, with answers
that differ by less than 1e-5.

golden/exchange.zip holds what 1.8.5 saved (golden/record_exchange.py makes it). The other way is
tried where REGATTA_PADDLE_185 names a Python that has paddlepaddle 1.8.5, and with 2.6 where
REGATTA_PADDLE_26 names one (bench/peers.sh makes such environments)."""
import os
import subprocess
import sys
import zipfile

import numpy as np
import pytest

import paddle.fluid as fluid

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, "golden")
SCRIPTS = os.path.join(os.path.dirname(HERE), "e2e", "scripts")
sys.path.insert(0, GOLDEN)
import exchange_model  # noqa: E402

P185, P26 = os.environ.get("REGATTA_PADDLE_185"), os.environ.get("REGATTA_PADDLE_26")
needs_185 = pytest.mark.skipif(not P185, reason="REGATTA_PADDLE_185 names no Python with "
                               "paddlepaddle 1.8.5")
needs_26 = pytest.mark.skipif(not P26, reason="REGATTA_PADDLE_26 names no Python with "
                              "paddlepaddle 2.6")
BOOK = ["fit_a_line", "digits_mlp", "digits_conv", "word2vec", "recommender", "sentiment"]
LIMIT = 1e-5


def run(python, *args):
    done = subprocess.run([python] + list(args), capture_output=True, text=True, timeout=300,
                          env={k: v for k, v in os.environ.items()
                               if k not in ("PYTHONPATH", "LD_PRELOAD")}
                          if python != sys.executable else None)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# ---- theirs, here ----

@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("theirs")
    with zipfile.ZipFile(os.path.join(GOLDEN, "exchange.zip")) as f:
        f.extractall(folder)
    return str(folder)


@pytest.fixture(scope="module")
def answers(theirs):
    return exchange_model.load_all(fluid, theirs)


@pytest.mark.parametrize("way", ["persistables", "infer", "combined", "saved"])
def test_what_paddle_saved_answers_the_same_here(way, answers, theirs):
    wanted = np.load(os.path.join(theirs, "answer.npy"))
    assert answers[way].dtype == wanted.dtype and answers[way].shape == wanted.shape
    assert np.abs(answers[way] - wanted).max() < LIMIT
    assert np.ptp(wanted) > 0.1, "an answer that says nothing"


def test_what_is_loaded_and_saved_again_is_the_same_bytes(theirs, tmp_path):
    exe = fluid.Executor()
    with fluid.scope_guard(fluid.Scope()):
        main, startup, _, _ = exchange_model.build(fluid)
        exe.run(startup)
        fluid.io.load_persistables(exe, os.path.join(theirs, "persistables"), main)
        fluid.io.save_persistables(exe, str(tmp_path), main)
    names = sorted(os.listdir(os.path.join(theirs, "persistables")))
    assert sorted(os.listdir(tmp_path)) == sorted(names + ["MANIFEST.regatta"])
    for name in names:
        with open(os.path.join(theirs, "persistables", name), "rb") as a, \
                open(tmp_path / name, "rb") as b:
            assert a.read() == b.read(), name


def test_training_goes_on_from_their_state(theirs):
    """fluid.load brings adam's moments and powers too."""
    def three_more(load):
        exe = fluid.Executor()
        with fluid.scope_guard(fluid.Scope()):
            main, startup, test, out = exchange_model.build(fluid)
            exe.run(startup)
            load(exe, main)
            state = {v.name: np.array(fluid.global_scope().find_var(v.name).get_tensor())
                     for v in main.list_vars() if v.persistable}
            return state

    a = three_more(lambda exe, main: fluid.load(main, os.path.join(theirs, "saved", "m"), exe))
    b = three_more(lambda exe, main: fluid.io.load_persistables(
        exe, os.path.join(theirs, "persistables"), main))
    assert a.keys() == b.keys() and any("moment1" in name for name in a)
    for name in a:
        np.testing.assert_array_equal(a[name], b[name])
    power = next(v for name, v in a.items() if "beta1_pow" in name)
    np.testing.assert_allclose(power, [0.9 ** 4], rtol=1e-6)


def test_the_names_of_files_are_theirs(theirs, tmp_path):
    exchange_model.save_all(fluid, str(tmp_path))
    for way in ("persistables", "infer", "combined", "saved"):
        ours = set(os.listdir(tmp_path / way)) - {"MANIFEST.regatta"}
        assert ours == set(os.listdir(os.path.join(theirs, way))), way


# ---- ours, there ----

@needs_185
def test_what_is_saved_here_answers_the_same_in_paddle(tmp_path):
    exchange_model.save_all(fluid, str(tmp_path))
    out = run(P185, os.path.join(GOLDEN, "record_exchange.py"), str(tmp_path))
    print(out)
    lines = dict(line.split() for line in out.splitlines() if len(line.split()) == 2)
    found = {way: float(lines[way]) for way in ("persistables", "infer", "combined", "saved")}
    assert max(found.values()) < LIMIT, found


@needs_185
def test_a_program_that_trains_trains_the_same_in_paddle(tmp_path):
    script = os.path.join(GOLDEN, "exchange_training.py")
    run(sys.executable, script, "save", str(tmp_path))
    here, there = (list(map(float, run(python, script, "run", str(tmp_path)).splitlines()[-1].split()))
                   for python in (sys.executable, P185))
    assert here[0] - here[-1] > 0.1
    np.testing.assert_allclose(here, there, rtol=1e-4)


def test_gradient_ops_say_what_paddles_kernels_ask_them():
    """Real Paddle fills defaults in forward ops alone."""
    ops = exchange_model.build(fluid)[0].global_block().ops
    gradients = [op for op in ops if op.type.endswith("_grad")]
    assert len(gradients) > 10
    assert all(op.attr("use_mkldnn") is False for op in gradients)


def difference(out):
    return float(out.strip().splitlines()[-1].split()[-1])


@needs_185
@pytest.mark.parametrize("name", BOOK)
def test_the_books_models_both_ways(name, tmp_path):
    run(sys.executable, os.path.join(SCRIPTS, name + ".py"), str(tmp_path))
    assert difference(run(P185, os.path.join(SCRIPTS, "infer.py"), str(tmp_path))) < LIMIT
    there = tmp_path / "there"
    there.mkdir()
    run(P185, os.path.join(SCRIPTS, name + ".py"), str(there))
    assert difference(run(sys.executable, os.path.join(SCRIPTS, "infer.py"), str(there))) < LIMIT


@needs_26
@pytest.mark.parametrize("name", BOOK)
def test_the_books_models_in_paddle_2_6(name, tmp_path):
    if name == "recommender":
        pytest.skip("its cos_sim does not exist in 2.6")
    run(sys.executable, os.path.join(SCRIPTS, name + ".py"), str(tmp_path))
    assert difference(run(P26, os.path.join(SCRIPTS, "infer_2_6.py"), str(tmp_path))) < LIMIT
