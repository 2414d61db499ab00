"""Models of the CTR family, each trained on a signal that it can hear and judged on examples that
it has not seen."""
import numpy as np
import pytest

from ctr_models import deep, interest, linear, tasks
import paddle.fluid as fluid

FIELDS, IDS, WIDTH = 4, 12, 4
ROWS = FIELDS * IDS


def auc(score, label):
    rank = np.empty(len(score))
    rank[np.argsort(score, kind="stable")] = np.arange(1, len(score) + 1)
    positive = label == 1
    n1, n0 = positive.sum(), (~positive).sum()
    return (rank[positive].sum() - n1 * (n1 + 1) / 2) / (n1 * n0)


def planted(n, seed, pairs):
    """ids [n, FIELDS], dense [n, 3], logits; with `pairs` they are in products of two ids alone,
    which no sum of weights can tell."""
    truth = np.random.RandomState(1)
    weights, factors = truth.randn(ROWS), truth.choice([-1.0, 1.0], ROWS)
    rng = np.random.RandomState(seed)
    ids = rng.randint(0, IDS, (n, FIELDS)) + np.arange(FIELDS) * IDS
    dense = rng.randn(n, 3)
    if pairs:
        logit = 3 * factors[ids[:, 0]] * factors[ids[:, 1]]
    else:
        logit = 1.5 * weights[ids].sum(axis=1)
    return ids, dense.astype("float32"), logit + dense[:, 0]


def draw(logit, seed):
    rng = np.random.RandomState(seed)
    return (rng.rand(len(logit)) < 1 / (1 + np.exp(-logit))).astype("int64").reshape(-1, 1)


def sequence(rows, lengths=None):
    rows = np.asarray(rows, "int64").reshape(-1, 1)
    return fluid.create_lod_tensor(rows, [lengths or [1] * len(rows)], fluid.CPUPlace())


class Trainer:
    def __init__(self, build, rate=0.02):
        """build() gives (loss, outputs)."""
        self.main, startup, self.scope = fluid.Program(), fluid.Program(), fluid.Scope()
        self.main.random_seed = startup.random_seed = 11
        with fluid.program_guard(self.main, startup), fluid.unique_name.guard():
            self.loss, self.outputs = build()
            self.test = self.main.clone(for_test=True)
            fluid.optimizer.Adam(rate).minimize(self.loss)
        self.exe = fluid.Executor(fluid.CPUPlace())
        self.exe.run(startup, scope=self.scope)

    def train(self, feed_of, n, epochs, batch=100):
        losses = []
        for _ in range(epochs):
            for at in range(0, n, batch):
                loss, = self.exe.run(self.main, feed=feed_of(slice(at, at + batch)),
                                     fetch_list=[self.loss], scope=self.scope)
                losses.append(loss.item())
        return np.mean(losses[:10]), np.mean(losses[-10:])

    def predict(self, feed):
        return [np.array(value).ravel() for value in
                self.exe.run(self.test, feed=feed, fetch_list=self.outputs, scope=self.scope,
                             return_numpy=False)]


def slots():
    ids = [fluid.layers.data("s%d" % i, [1], dtype="int64", lod_level=1) for i in range(FIELDS)]
    return ids, fluid.layers.data("dense", [3])


def feed_ids(ids, dense):
    feed = {"s%d" % i: sequence(ids[:, i]) for i in range(FIELDS)}
    return dict(feed, dense=dense)


def pointwise(model):
    def build():
        ids, dense = slots()
        label = fluid.layers.data("label", [1], dtype="int64")
        logit = model(ids, dense, ROWS, WIDTH)
        loss = fluid.layers.mean(fluid.layers.sigmoid_cross_entropy_with_logits(
            logit, fluid.layers.cast(label, "float32")))
        return loss, [logit]
    return build


# LR cannot learn products; whatever has pairs or depth can.
@pytest.mark.parametrize("model, pairs, wanted", [
    (linear.lr, False, 0.85), (linear.fm, True, 0.85), (deep.deepfm, True, 0.85),
    (deep.wide_and_deep, True, 0.85), (deep.dcn, True, 0.85), (deep.xdeepfm, True, 0.85),
], ids=lambda value: getattr(value, "__name__", None))
def test_a_model_learns_what_was_planted(model, pairs, wanted):
    ids, dense, logit = planted(4000, 2, pairs)
    label = draw(logit, 3)
    trainer = Trainer(pointwise(model))
    first, last = trainer.train(
        lambda part: dict(feed_ids(ids[part], dense[part]), label=label[part]), 4000, 4)
    assert last < 0.9 * first
    new_ids, new_dense, new_logit = planted(2000, 4, pairs)
    new_label = draw(new_logit, 5)
    score, = trainer.predict(dict(feed_ids(new_ids, new_dense), label=new_label))
    got, best = auc(score, new_label.ravel()), auc(new_logit, new_label.ravel())
    assert wanted < got <= best + 0.01


def test_lr_hears_nothing_of_products():
    """The test above could not fail if sums of weights were enough."""
    ids, dense, logit = planted(4000, 2, True)
    label = draw(logit, 3)
    trainer = Trainer(pointwise(linear.lr))
    trainer.train(lambda part: dict(feed_ids(ids[part], dense[part]), label=label[part]), 4000, 4)
    new_ids, new_dense, new_logit = planted(2000, 4, True)
    new_label = draw(new_logit, 5)
    score, = trainer.predict(dict(feed_ids(new_ids, new_dense), label=new_label))
    assert auc(score, new_label.ravel()) < 0.75


def histories(n, seed):
    """A user clicks what is of a kind that is in the history; kinds are item % 5."""
    rng = np.random.RandomState(seed)
    lengths = rng.randint(1, 6, n)
    seen = [rng.randint(0, 30, length) for length in lengths]
    item = rng.randint(0, 30, n)
    logit = np.array([4.0 if np.any(h % 5 == i % 5) else -2.0 for h, i in zip(seen, item)])
    return seen, item, logit


def test_din_attends_to_what_matters():
    def build():
        history = fluid.layers.data("history", [1], dtype="int64", lod_level=1)
        item = fluid.layers.data("item", [1], dtype="int64")
        label = fluid.layers.data("label", [1])
        logit = interest.din(history, item, 30, 8)
        loss = fluid.layers.mean(fluid.layers.sigmoid_cross_entropy_with_logits(logit, label))
        return loss, [logit]

    def feed(seen, item, label):
        return {"history": sequence(np.concatenate(seen), [len(h) for h in seen]),
                "item": item.reshape(-1, 1), "label": label.astype("float32")}
    seen, item, logit = histories(4000, 2)
    label = draw(logit, 3)
    trainer = Trainer(build)
    trainer.train(lambda part: feed(seen[part], item[part], label[part]), 4000, 6)
    seen, item, logit = histories(2000, 4)
    label = draw(logit, 5)
    score, = trainer.predict(feed(seen, item, label))
    assert auc(score, label.ravel()) > 0.85


@pytest.mark.parametrize("model", [tasks.esmm, tasks.mmoe], ids=lambda m: m.__name__)
def test_two_tasks_are_learnt_at_once(model):
    """Clicks, and purchases, which only who clicks makes."""
    def build():
        ids, dense = slots()
        labels = [fluid.layers.data(name, [1]) for name in ("click", "buy")]
        outputs = model(ids, dense, ROWS, WIDTH)
        losses = [fluid.layers.mean(fluid.layers.log_loss(p, label))
                  for p, label in zip(outputs, labels)]
        return fluid.layers.sums(losses), list(outputs)

    def make(n, seed):
        ids, dense, logit = planted(n, seed, False)
        click = draw(logit, seed + 1)
        other = np.random.RandomState(9).randn(ROWS)[ids].sum(axis=1) * 1.5
        buy = click * draw(other, seed + 2)
        return ids, dense, click, buy
    ids, dense, click, buy = make(5000, 2)
    trainer = Trainer(build)
    trainer.train(lambda part: dict(feed_ids(ids[part], dense[part]),
                                    click=click[part].astype("float32"),
                                    buy=buy[part].astype("float32")), 5000, 4)
    ids, dense, click, buy = make(2000, 20)
    scores = trainer.predict(dict(feed_ids(ids, dense), click=click.astype("float32"),
                                  buy=buy.astype("float32")))
    assert auc(scores[0], click.ravel()) > 0.8
    assert auc(scores[1], buy.ravel()) > 0.8
    if model is tasks.esmm:
        assert np.all(scores[1] <= scores[0])
