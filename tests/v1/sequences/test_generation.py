"""beam_search: against all sentences written out, and with the parameters of a trained model."""
import itertools

import numpy as np
import pytest

from paddle.trainer_config_helpers import *  # noqa: F401,F403
from paddle.trainer_config_helpers.graph import ConfigError

from sequence_models import Model, dense, ids, sequences, words

RNG = np.random.RandomState(6)
WORDS, BOS, EOS = 4, 0, 1


def decoder(start):
    """The step of a model that is trained and generates: by names its parameters are the same."""
    def step(context, encoded, word):
        before = memory("state", 3, boot_layer=start)
        seen = pooling_layer(encoded, SumPooling())
        state = fc_layer([word, before, context, seen], 3, name="state")
        return fc_layer(state, WORDS, act=SoftmaxActivation(), name="next")
    return step


TYPES = {"c": dense(2), "e": dense(2, 1)}
SAMPLES = {"c": RNG.randn(3, 2).astype("float32"), "e": sequences(RNG, [2, 1, 3], 2)}


def _generate(beam_size, max_length, results):
    def model():
        context, encoded = data_layer("c", 2), data_layer("e", 2)
        start = fc_layer(context, 3, name="start")
        return beam_search(decoder(start), [
            StaticInput(context), StaticInput(encoded, is_seq=True),
            GeneratedInput(size=WORDS, embedding_name="emb", embedding_size=2)],
            bos_id=BOS, eos_id=EOS, beam_size=beam_size, max_length=max_length,
            num_results_per_sample=results, name="decoder")
    m = Model(model, TYPES)
    rng = np.random.RandomState(7)
    for name in m.net.parameters:
        m.set(name, rng.randn(*m.get(name).shape) * 1.5)
    return m


def _probabilities(m, i, sentence):
    """Of each word of a sentence of sample i, in NumPy."""
    get = {name.replace("@decoder", ""): m.get(name) for name in m.net.parameters}
    state = np.tanh(SAMPLES["c"][i] @ get["_start.w0"] + get["_start.wbias"])
    found = []
    for before, word in zip((BOS,) + sentence, sentence):
        state = np.tanh(get["emb"][before] @ get["_state.w0"] + state @ get["_state.w1"]
                        + SAMPLES["c"][i] @ get["_state.w2"]
                        + SAMPLES["e"][i].sum(0) @ get["_state.w3"] + get["_state.wbias"])
        scores = np.exp(state @ get["_next.w0"] + get["_next.wbias"])
        found.append(scores[word] / scores.sum())
    return found


def _best(m, i, max_length, n):
    """The n most probable sentences, of all that end by EOS or at max_length."""
    found = []
    for length in range(1, max_length + 1):
        for body in itertools.product([w for w in range(WORDS) if w != EOS], repeat=length - 1):
            for last in [EOS] if length < max_length else range(WORDS):
                found.append(body + (last,))
    scored = sorted(((sum(np.log(_probabilities(m, i, s))), s) for s in found), reverse=True)
    return scored[:n]


def _split(ids):
    """[length, words, -1] one after the other."""
    found, at = [], 0
    while at < len(ids):
        n = ids[at]
        found.append(tuple(ids[at + 1:at + 1 + n]))
        assert ids[at + 1 + n] == -1
        at += n + 2
    return found


def test_a_wide_beam_finds_the_best_of_all_sentences():
    m = _generate(beam_size=40, max_length=3, results=3)
    out, prob = m.run(SAMPLES, [m.net.values[0], m.net.kept(m.layers[0], "prob")], numpy=False)
    prob = np.array(prob)
    assert prob.shape == (3, 3)
    starts = np.cumsum([0] + out.recursive_sequence_lengths()[0])
    ids_found = np.array(out).reshape(-1)
    for i in range(3):
        wanted = _best(m, i, 3, 3)
        assert _split(ids_found[starts[i]:starts[i + 1]].tolist()) == [s for _, s in wanted]
        np.testing.assert_allclose(prob[i], [p for p, _ in wanted], rtol=1e-4)


def test_a_beam_of_one_takes_the_best_word_each_time():
    m = _generate(beam_size=1, max_length=6, results=1)
    found, lengths = m.values(SAMPLES)[0].reshape(-1), m.lengths(SAMPLES)[0][0]
    at = 0
    for i, n in enumerate(lengths):
        sentence = tuple(found[at:at + n].tolist())
        at += n
        assert n == 6 or sentence[-1] == EOS
        for k in range(n):
            best = max(range(WORDS),
                       key=lambda w: _probabilities(m, i, sentence[:k] + (w,))[-1])
            assert sentence[k] == best


def test_what_was_trained_generates():
    """The decoder learns to say one sentence for each of two contexts, and says it."""
    said = [[2, 3, 1], [3, 2, 1]]
    samples = {"c": [[1, 0], [0, 1]], "e": [[[1, 0]], [[0, 1], [0, 0]]],
               "w": [[BOS] + s[:-1] for s in said], "n": said}

    def training():
        context, encoded = data_layer("c", 2), data_layer("e", 2)
        start = fc_layer(context, 3, name="start")
        word = embedding_layer(data_layer("w", WORDS), 2, param_attr=ParamAttr(name="emb"))
        step = decoder(start)
        following = recurrent_group(step, [StaticInput(context), StaticInput(encoded, is_seq=True),
                                           word], name="decoder")
        return classification_cost(following, data_layer("n", WORDS))
    trained = Model(training, dict(TYPES, w=ids(WORDS, 1), n=ids(WORDS, 1)), rate=0.1)
    for _ in range(600):
        cost = trained.step(samples)
    assert cost < 0.5
    m = _generate(beam_size=3, max_length=8, results=1)
    assert set(m.net.parameters) == set(trained.net.parameters)
    for name in m.net.parameters:
        m.set(name, trained.get(name))
    out = m.run(samples, m.net.values, numpy=False)[0]
    assert np.array(out).reshape(-1).tolist() == said[0] + said[1]


def _remembering(encoded, extra):
    """A step whose memory is a sequence, to each row of which each word adds something."""
    def step(word, extra):
        assert extra == "a word of the script"
        seen = memory("seen", 2, boot_layer=encoded)
        added = fc_layer(word, 2, name="added")
        seen = addto_layer([seen, expand_layer(added, seen)], name="seen", act=TanhActivation())
        return fc_layer([word, pooling_layer(seen, SumPooling())], WORDS, act=SoftmaxActivation(),
                        name="next")
    return step


def test_a_memory_that_is_a_sequence_goes_with_its_sentence():
    """What is generated is as probable as the same step says of it in training. That the memory
    begins with something says for how many samples to generate; no StaticInput is needed."""
    more = "a word of the script"

    def generating():
        encoded = fc_layer(data_layer("e", 2), 2, name="encoded")
        return beam_search(_remembering(encoded, more),
                           [GeneratedInput(WORDS, "emb", 2), more], bos_id=BOS, eos_id=EOS,
                           beam_size=3, max_length=4, name="decoder")

    def training():
        encoded = fc_layer(data_layer("e", 2), 2, name="encoded")
        word = embedding_layer(data_layer("w", WORDS), 2, param_attr=ParamAttr(name="emb"))
        said = recurrent_group(_remembering(encoded, more), [word, more], name="decoder")
        return classification_cost(said, data_layer("n", WORDS))
    types = {"e": dense(2, 1)}
    m = Model(generating, types)
    trained = Model(training, dict(types, w=ids(WORDS, 1), n=ids(WORDS, 1)))
    rng = np.random.RandomState(3)
    for name in m.net.parameters:
        m.set(name, rng.randn(*m.get(name).shape) * 1.5)
        trained.set(name, m.get(name))
    out, prob = m.run(SAMPLES, [m.net.values[0], m.net.kept(m.layers[0], "prob")], numpy=False)
    sentences, prob = _split(np.array(out).reshape(-1).tolist()), np.array(prob)
    assert len(sentences) == 9 and len(set(sentences)) > 3
    for i, sentence in enumerate(sentences):
        sample = {"e": [SAMPLES["e"][i // 3]], "w": [[BOS] + list(sentence[:-1])],
                  "n": [list(sentence)]}
        assert trained.cost(sample) == pytest.approx(-prob[i // 3][i % 3], rel=1e-4)


def test_generated_sentences_as_text(tmp_path):
    (tmp_path / "words.txt").write_text("<s>\n<e>\na\nb\n")

    def model():
        context = data_layer("c", 2)

        def step(context, word):
            before = memory("h", 3)
            return fc_layer(fc_layer([context, word, before], 3, name="h"), WORDS,
                            act=SoftmaxActivation())
        found = beam_search(step, [StaticInput(context), GeneratedInput(WORDS, "emb", 2)], BOS, EOS,
                            beam_size=2, max_length=3)
        seqtext_printer_evaluator(found, str(tmp_path / "out.txt"),
                                  dict_file=str(tmp_path / "words.txt"))
        return found
    m = Model(model, {"c": dense(2)})
    m.values({"c": [[1, 2], [3, 4]]})
    lines = (tmp_path / "out.txt").read_text().splitlines()
    assert len(lines) == 8 and lines[0] == "0" and lines[3] == "" and lines[4] == "1"
    for k, line in enumerate(lines[1:3]):
        number, score, text = line.split("\t")
        assert int(number) == k and float(score) < 0
        assert set(text.split()) <= {"<s>", "<e>", "a", "b"} and text


def test_mistakes_are_named():
    def search(inputs, step=lambda *args: fc_layer(args[-1], WORDS), **options):
        options = dict({"beam_size": 2}, **options)
        return Model(lambda: beam_search(step, inputs(), BOS, EOS, name="b", **options),
                     {"c": dense(2)})
    word = GeneratedInput(WORDS, "emb", 2)
    for what, inputs, options in (
            ("no StaticInput", lambda: [word], {}),
            ("0 inputs that are a GeneratedInput", lambda: [StaticInput(data_layer("c", 2))], {}),
            ("neither a GeneratedInput nor", lambda: [data_layer("c", 2), word], {}),
            ("beam_size is 0", lambda: [StaticInput(data_layer("c", 2)), word], {"beam_size": 0}),
            ("cannot give more", lambda: [StaticInput(data_layer("c", 2)), word],
             {"num_results_per_sample": 3}),
            ("size 3, and GeneratedInput has 4", lambda: [StaticInput(data_layer("c", 2)), word],
             {"step": lambda c, w: fc_layer(w, 3)})):
        with pytest.raises(ConfigError, match=what):
            search(inputs, **options)
    with pytest.raises(NotImplementedError, match="before_real_step"):
        BaseGeneratedInput().before_real_step()
