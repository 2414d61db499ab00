"""Evaluators over two batches, against NumPy; printers by what they print."""
import numpy as np
import pytest

from paddle.trainer_config_helpers import *  # noqa: F401,F403
from paddle.trainer_config_helpers.graph import ConfigError

from sequence_models import Model, dense, ids, sequences, words

RNG = np.random.RandomState(5)


def probabilities(n, classes):
    p = RNG.rand(n, classes)
    return (p / p.sum(1, keepdims=True)).astype("float32")


def _results(evaluator, types, batches):
    """evaluator(layers by name)"""
    def model():
        layers = {name: data_layer(name, kind.dim) for name, kind in types.items()}
        evaluator(layers)
        return list(layers.values())
    return Model(model, types).evaluate(batches)


P, Y, W = ([f() for _ in range(2)] for f in (lambda: probabilities(20, 4),
                                             lambda: RNG.randint(0, 4, 20),
                                             lambda: RNG.rand(20, 1).astype("float32")))
TYPES = {"p": dense(4), "y": ids(4), "w": dense(1)}
BATCHES = [{"p": p, "y": y, "w": w} for p, y, w in zip(P, Y, W)]
ALL_P, ALL_Y, ALL_W = np.concatenate(P), np.concatenate(Y), np.concatenate(W)[:, 0]


def test_classification_error():
    found = _results(lambda l: classification_error_evaluator(l["p"], l["y"], name="e"), TYPES,
                     BATCHES)
    assert found == {"e": pytest.approx((ALL_P.argmax(1) != ALL_Y).mean())}


def test_classification_error_of_the_best_two_by_weight():
    found = _results(lambda l: classification_error_evaluator(l["p"], l["y"], weight=l["w"], top_k=2),
                     TYPES, BATCHES)
    best = np.argsort(-ALL_P, 1)[:, :2]
    wrong = (best != ALL_Y[:, None]).all(1)
    assert found == {"__classification_error_evaluator_0__":
                     pytest.approx((wrong * ALL_W).sum() / ALL_W.sum(), rel=1e-5)}


def test_classification_error_of_one_probability():
    batches = [{"p": b["p"][:, :1], "y": b["y"] % 2} for b in BATCHES]
    found = _results(lambda l: classification_error_evaluator(l["p"], l["y"], name="e",
                                                              threshold=0.3),
                     {"p": dense(1), "y": ids(2)}, batches)
    assert found["e"] == pytest.approx(((ALL_P[:, 0] > 0.3) != ALL_Y % 2).mean())


def test_steps_of_sequences_are_counted_one_by_one():
    """Of 40 steps, in 5 sequences."""
    lengths = [7, 1, 12, 10, 10]
    at = np.cumsum([0] + lengths)
    batch = {"p": [ALL_P[a:b] for a, b in zip(at, at[1:])],
             "y": [ALL_Y[a:b] for a, b in zip(at, at[1:])]}

    def evaluator(l):
        classification_error_evaluator(l["p"], l["y"], name="e")
        sum_evaluator(l["p"], name="s")
        auc_evaluator(l["p"], l["y"], name="a")
    found = _results(evaluator, {"p": dense(4, 1), "y": ids(4, 1)}, batch)
    assert found["e"] == pytest.approx((ALL_P.argmax(1) != ALL_Y).mean())
    assert found["s"] == pytest.approx(ALL_P.sum() / 40)


def test_the_name_in_a_cost_is_that_of_v1():
    def model():
        return classification_cost(fc_layer(data_layer("p", 4), 4, act=SoftmaxActivation()),
                                   data_layer("y", 4))
    assert list(Model(model, TYPES).evaluate(BATCHES)) == ["classification_error_evaluator"]


def _area(p, y, w):
    """The part of pairs that are in order, ties as half."""
    wins = total = 0.0
    for i in np.flatnonzero(y == 1):
        for j in np.flatnonzero(y == 0):
            total += w[i] * w[j]
            wins += w[i] * w[j] * (0.5 * (p[i] == p[j]) + (p[i] > p[j]))
    return wins / total


@pytest.mark.parametrize("weighted", [False, True])
def test_auc(weighted):
    batches = [{"p": b["p"], "y": b["y"] % 2, "w": b["w"]} for b in BATCHES]
    found = _results(lambda l: auc_evaluator(l["p"], l["y"], name="a",
                                             weight=l["w"] if weighted else None),
                     dict(TYPES, y=ids(2)), batches)
    expected = _area(ALL_P[:, -1], ALL_Y % 2, ALL_W if weighted else np.ones(40))
    assert found["a"] == pytest.approx(expected, abs=2e-3)


def test_auc_of_several_labels_is_of_those_that_are_not_0():
    found = _results(lambda l: auc_evaluator(l["p"], l["y"], name="a"), TYPES, BATCHES)
    expected = _area(ALL_P[:, -1], (ALL_Y != 0).astype(int), np.ones(40))
    assert found["a"] == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize("weighted", [False, True])
def test_pairs_of_queries_that_go_over_batches(weighted):
    batches = [dict(b, p=np.round(b["p"], 1), q=RNG.randint(0, 3, 20)) for b in BATCHES]
    found = _results(lambda l: pnpair_evaluator(l["p"], l["y"], l["q"], name="pn",
                                                weight=l["w"] if weighted else None),
                     dict(TYPES, q=ids(3)), batches)
    p, y, q = (np.concatenate([b[k] for b in batches]) for k in "pyq")
    w = ALL_W if weighted else np.ones(40)
    right = wrong = 0.0
    for i in range(40):
        for j in range(i):
            order = (p[i, -1] - p[j, -1]) * (int(y[i]) - int(y[j]))
            if q[i] == q[j]:
                right += (order > 0) * (w[i] + w[j]) / 2
                wrong += (order < 0) * (w[i] + w[j]) / 2
    assert found["pn"] == pytest.approx(right / wrong, rel=1e-4)


def _share(a, b):
    return a / (a + b) if a + b else 1.0


@pytest.mark.parametrize("weighted", [False, True])
def test_precision_and_recall(weighted):
    weight = ALL_W if weighted else np.ones(40)

    def evaluator(l):
        options = {"weight": l["w"]} if weighted else {}
        precision_recall_evaluator(l["p"], l["y"], positive_label=2, name="one", **options)
        precision_recall_evaluator(l["p"], l["y"], name="all", **options)
    found = _results(evaluator, TYPES, BATCHES)
    said = ALL_P.argmax(1)
    tp, fp, fn = ([(weight * m(c)).sum() for c in range(4)] for m in (
        lambda c: (said == c) & (ALL_Y == c), lambda c: (said == c) & (ALL_Y != c),
        lambda c: (said != c) & (ALL_Y == c)))

    def three(prefix, p, r):
        return {prefix + "precision": pytest.approx(p, rel=1e-4),
                prefix + "recall": pytest.approx(r, rel=1e-4),
                prefix + "F1-score": pytest.approx(2 * p * r / (p + r), rel=1e-4)}
    expected = three("one.", _share(tp[2], fp[2]), _share(tp[2], fn[2]))
    expected.update(three("all.macro-average-", np.mean([_share(*x) for x in zip(tp, fp)]),
                          np.mean([_share(*x) for x in zip(tp, fn)])))
    expected.update(three("all.micro-average-", _share(sum(tp), sum(fp)), _share(sum(tp), sum(fn))))
    assert found == expected


def test_sums():
    def evaluator(l):
        sum_evaluator(l["p"], name="s")
        sum_evaluator(l["p"], name="sw", weight=l["w"])
        column_sum_evaluator(l["p"], name="c")
        column_sum_evaluator(l["p"], name="cw", weight=l["w"])
    found = _results(evaluator, TYPES, BATCHES)
    assert found == {"s": pytest.approx(ALL_P.sum() / 40),
                     "sw": pytest.approx((ALL_P.sum(1) * ALL_W).sum() / ALL_W.sum()),
                     "c": pytest.approx(ALL_P[:, -1].mean()),
                     "cw": pytest.approx((ALL_P[:, -1] * ALL_W).sum() / ALL_W.sum())}


def test_chunks():
    """Two names of one word and one of two: B-0 I-0 | B-1 | O."""
    batches = [{"x": [[0, 1, 4], [2]], "y": [[0, 1, 4], [0]]},
               {"x": [[2, 3, 0, 4]], "y": [[2, 3, 0, 1]]}]
    found = _results(lambda l: chunk_evaluator(l["x"], l["y"], "IOB", 2, name="c"),
                     {"x": ids(5, 1), "y": ids(5, 1)}, batches)
    assert found == {"c.precision": pytest.approx(2 / 4), "c.recall": pytest.approx(2 / 4),
                     "c.F1-score": pytest.approx(0.5)}
    without = _results(lambda l: chunk_evaluator(l["x"], l["y"], "IOB", 2, name="c",
                                                 excluded_chunk_types=[1]),
                       {"x": ids(5, 1), "y": ids(5, 1)}, batches)
    assert without["c.precision"] == pytest.approx(1 / 2)


def test_ctc_error():
    """Paths 0 0 - 1 -> 0 1 and - - -> nothing; the blank is class 2."""
    path = [np.eye(3, dtype="float32")[[0, 0, 2, 1]], np.eye(3, dtype="float32")[[2, 2]]]
    found = _results(lambda l: ctc_error_evaluator(l["p"], l["y"], name="c"),
                     {"p": dense(3, 1), "y": ids(3, 1)}, [{"p": path, "y": [[0, 1, 1], [0]]}])
    assert found == {"c.error": pytest.approx((1 / 3 + 1) / 2), "c.deletion_error": 0.0,
                     "c.insertion_error": pytest.approx((1 / 3 + 1) / 2),
                     "c.substitution_error": 0.0, "c.sequence_error": 1.0}


def test_evaluator_base_knows_them_by_type():
    found = _results(lambda l: evaluator_base(l["p"], "classification_error", label=l["y"], name="e",
                                              top_k=2), TYPES, BATCHES)
    assert list(found) == ["e"]
    with pytest.raises(ConfigError, match="type is 'nothing'.*last-column-auc"):
        _results(lambda l: evaluator_base(l["p"], "nothing"), TYPES, BATCHES)
    with pytest.raises(ConfigError, match="top_k is not for.*'sum'"):
        _results(lambda l: evaluator_base(l["p"], "sum", top_k=2), TYPES, BATCHES)


def test_threads_count_what_one_counts():
    """Rows of several threads are put together, sums are added."""
    from paddle.trainer.machine import Machine
    from paddle.trainer_config_helpers.optimizers import Settings
    from paddle.trainer_config_helpers.graph import Graph, use_graph
    from paddle.trainer_config_helpers.network import Network
    results = []
    for threads in (1, 2):
        with use_graph(Graph()):
            p = fc_layer(data_layer("p", 4), 4, act=SoftmaxActivation())
            y, q = data_layer("y", 4), data_layer("q", 3)
            pnpair_evaluator(p, y, q, name="pn")
            net = Network([classification_cost(p, y)], dict(TYPES, q=ids(3)), extra=[q])
        machine = Machine(net, Settings(batch_size=20, learning_rate=0.0), trainer_count=threads,
                          seed=3)
        totals, chance = machine.totals(), np.random.RandomState(9)
        for b in BATCHES:
            totals.add(machine.test_batch([
                {"p": p, "y": int(y), "q": int(chance.randint(3))}
                for p, y in zip(b["p"], b["y"])]))
        results.append(totals.metrics())
    assert results[1] == pytest.approx(results[0], rel=1e-5) and len(results[0]) == 2


# ---- printers ----

def test_printers_print_for_each_batch(capfd):
    def evaluator(l):
        value_printer_evaluator([l["p"], l["y"]])
        maxid_printer_evaluator(l["p"], num_results=2)
        maxframe_printer_evaluator(l["s"], num_results=2)
        classification_error_printer_evaluator(l["p"], l["y"])
    batch = {"p": np.eye(4, dtype="float32")[[1, 3]] / 2, "y": [1, 0],
             "s": [[[1], [5], [3]], [[2]]]}
    found = _results(evaluator, {"p": dense(4), "y": ids(4), "s": dense(1, 1)}, [batch, batch])
    assert found == {}
    out = capfd.readouterr().out
    for text in ("layer=p value", "data: [0, 0.5, 0, 0, 0, 0, 0, 0.5]", "layer=y value",
                 "layer=p max ids", "data: [1, 0, 3, 0]", "layer=p max values",
                 "layer=s max frames", "data: [1, 2, 0, -1]", "layer=p classification error",
                 "data: [0, 1]"):
        assert out.count(text) == 2, (text, out)


def test_gradients_are_printed_and_stay_what_they_are(capfd):
    def model(printed):
        def made():
            hidden = fc_layer(data_layer("x", 2), 2, act=LinearActivation(), name="h")
            if printed:
                gradient_printer_evaluator(hidden)
            out = addto_layer([hidden, hidden])
            return square_error_cost(out, data_layer("t", 2))
        return Model(made, {"x": dense(2), "t": dense(2)})
    samples = {"x": [[1, 2]], "t": [[0, 0]]}
    a, b = model(True), model(False)
    for name in b.net.parameters:
        a.set(name, b.get(name))
    grads, plain = a.gradients(samples), b.gradients(samples)
    out = capfd.readouterr().out
    for name in plain:
        np.testing.assert_allclose(grads[name], plain[name], rtol=1e-5)
    shown = ["%g" % n for n in plain["_h.wbias"]]
    assert "layer=h gradient" in out and "data: [%s]" % ", ".join(shown) in out, out


def test_sequences_as_text(tmp_path):
    (tmp_path / "dict.txt").write_text("zero\none\ntwo\n")

    def evaluator(l):
        seqtext_printer_evaluator(l["w"], str(tmp_path / "plain.txt"))
        seqtext_printer_evaluator(l["w"], str(tmp_path / "named.txt"), id_input=l["i"],
                                  dict_file=str(tmp_path / "dict.txt"))
        seqtext_printer_evaluator(l["n"], str(tmp_path / "nested.txt"), delimited=False,
                                  dict_file=str(tmp_path / "dict.txt"))
    batch = {"w": [[1, 2], [0]], "i": [7, 9], "n": [[[1, 1], [2]], [[0]]]}
    _results(evaluator, {"w": ids(3, 1), "i": ids(10), "n": ids(3, 2)}, [batch, batch])
    assert (tmp_path / "plain.txt").read_text() == "0\t1 2\n1\t0\n2\t1 2\n3\t0\n"
    assert (tmp_path / "named.txt").read_text() == "7\tone two\n9\tzero\n" * 2
    assert (tmp_path / "nested.txt").read_text().splitlines()[:3] == ["0\toneone", "\ttwo", "1\tzero"]


def test_a_step_prints_each_time(capfd):
    def model():
        def step(x):
            out = addto_layer([x, memory("h", 2)], name="h")
            value_printer_evaluator(out)
            gradient_printer_evaluator(out)
            return out
        hidden = recurrent_group(step, data_layer("x", 2))
        return square_error_cost(last_seq(hidden), data_layer("t", 2))
    m = Model(model, {"x": dense(2, 1), "t": dense(2)})
    m.run({"x": [[[1, 2], [3, 4]]], "t": [[0, 0]]}, [m.net.cost], m.net.main)
    out = capfd.readouterr().out
    assert out.count("layer=h value") == 2 and "data: [1, 2]" in out and "data: [4, 6]" in out
    assert out.count("layer=h gradient") == 2 and "data: [8, 12]" in out


def test_sums_of_single_steps_are_refused():
    def step(x):
        sum_evaluator(x, name="s")
        return addto_layer([x, memory("h", 2)], name="h")
    with pytest.raises(ConfigError, match="'s' is declared inside the step of 'g'"):
        Model(lambda: recurrent_group(step, data_layer("x", 2), name="g"), {"x": dense(2, 1)})
    kept = []

    def keep(x):
        kept.append(fc_layer(x, 2, name="far"))
        return fc_layer(kept[-1], 2)

    def model():
        out = recurrent_group(keep, data_layer("x", 2), name="g")
        sum_evaluator(kept[-1], name="s")
        return out
    with pytest.raises(ConfigError, match="'s': the layer 'far' is inside the recurrent group 'g'"):
        Model(model, {"x": dense(2, 1)})
