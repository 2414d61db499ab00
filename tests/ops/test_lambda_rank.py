"""lambda_rank: real Paddle 1.8.5 has no such op; the numbers are worked out here."""
import numpy as np
from opcase import case, check, forward, rand, Lod

LENGTHS = [4, 1, 3]
LABELS = np.array([[0], [2], [1], [0], [1], [0], [0], [3]], "float64")


def parts():
    at = 0
    for n in LENGTHS:
        yield slice(at, at + n)
        at += n


def gain(labels, places):
    return sum((2 ** label - 1) / np.log(i + 2) for i, label in enumerate(labels[:places]))


def ndcg(x, labels, places):
    out = np.zeros_like(x)
    for part in parts():
        order = np.argsort(-x[part, 0], kind="stable")
        best = gain(-np.sort(-labels[part, 0]), places)
        out[part] = gain(labels[part, 0][order], places) / best
    return out


def lambdas(x, labels, places, sort_size):
    """The gradient of the pairs' logistic losses, each by what NDCG would change by."""
    out = np.zeros_like(x)
    for part in parts():
        s, y, grad = x[part, 0], labels[part, 0], out[part, 0]
        best = gain(-np.sort(-y), places)
        order = np.argsort(-y, kind="stable")
        for i in range(min(len(order), sort_size)):
            for j in range(i + 1, len(order)):
                a, b = order[i], order[j]
                worth = 1 / np.log(i + 2) - (1 / np.log(j + 2) if j < sort_size else 0)
                slope = -abs((2 ** y[a] - 2 ** y[b]) * worth / best) / (1 + np.exp(s[a] - s[b]))
                grad[a] += slope
                grad[b] -= slope
    return out


SCORES = rand(8, 1, dtype="float64")
CASES = [case("lists", "lambda_rank", {"X": Lod(SCORES, [LENGTHS]), "Label": LABELS},
              {"ndcg_num": 3}, expect={"Out": ndcg(SCORES, LABELS, 3)})]
test = check(__file__, CASES)


def run(x, labels, attrs):
    import paddle.fluid as fluid
    main = fluid.Program()
    with fluid.program_guard(main), fluid.unique_name.guard():
        scores, label = [fluid.layers.data(name, [1], dtype=str(x.dtype), lod_level=1)
                         for name in "xy"]
        scores.stop_gradient = False
        out = main.global_block().create_var(name="out", dtype=str(x.dtype))
        main.global_block().append_op(type="lambda_rank", inputs={"X": scores, "Label": label},
                                      outputs={"Out": out}, attrs=attrs)
        grad, = fluid.gradients([fluid.layers.reduce_sum(out)], [scores])
    feed = {name: fluid.create_lod_tensor(value, [LENGTHS], fluid.CPUPlace())
            for name, value in (("x", x), ("y", labels.astype(x.dtype)))}
    got = fluid.Executor(fluid.CPUPlace()).run(main, feed=feed, fetch_list=[out, grad],
                                               return_numpy=False)
    return [np.array(each) for each in got]


def test_order_and_its_gradient():
    for dtype in ("float32", "float64"):
        for places, sort_size in ((5, -1), (2, -1), (1, 2)):
            x = rand(8, 1, dtype=dtype)
            value, grad = run(x, LABELS, {"ndcg_num": places, "max_sort_size": sort_size})
            near = dict(rtol=1e-5, atol=1e-6)
            np.testing.assert_allclose(value, ndcg(x, LABELS, places), **near)
            wanted = lambdas(x, LABELS, places, 8 if sort_size == -1 else sort_size)
            np.testing.assert_allclose(grad, wanted, **near)


def test_a_list_of_nothing_relevant_has_no_gradient():
    value, grad = run(rand(8, 1), np.zeros_like(LABELS), {})
    assert not value.any() and not grad.any()


def test_what_is_no_number_shows():
    x = rand(8, 1)
    x[1] = np.nan
    value, grad = run(x, LABELS, {})
    assert np.isnan(value[:4]).all() and not np.isnan(value[4:]).any()
    assert np.isnan(grad[1])


def test_bad_arguments():
    import paddle.fluid as fluid
    import pytest
    x, y = rand(3, 1), rand(3, 1)
    for inputs, attrs, message in (
            ((Lod(x, [[3]]), y), {"ndcg_num": 0}, "ndcg_num is 0"),
            ((Lod(x, [[3]]), y), {"max_sort_size": 2}, "max_sort_size is 2"),
            ((x, y), {}, "LoD"), ((Lod(x, [[3]]), rand(2, 1)), {}, "3 are wanted")):
        with pytest.raises((fluid.core.EnforceNotMet, ValueError), match=message):
            forward(fluid, case("bad", "lambda_rank", dict(zip(("X", "Label"), inputs)), attrs))
