"""Beam searches with a loop, over words that follow each other with the probabilities of a table:
what they find is what real Paddle 1.8.5 finds. Record with

    v/bin/python tests/layers/test_beam_search_decode.py
"""
import json
import os

import numpy as np

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden",
                      "beam_search_decode.json")
WORDS = 6
# (seed of the table, sources, beam_size, most steps)
SEARCHES = [(0, 2, 3, 6), (1, 3, 2, 8), (2, 1, 4, 5), (3, 2, 1, 4), (4, 4, 3, 12)]
SEARCHES += [(5, 2, 3, 6, True), (6, 3, 2, 8, True)]  # with a state: the book's decoder


def step_state(fluid, rng, states, at, embedded, scores):
    """The next state of each beam, of its own and of its word: [beams, WORDS], and written down."""
    from paddle.fluid import layers

    def weight():
        return fluid.ParamAttr(initializer=fluid.initializer.NumpyArrayInitializer(
            rng.uniform(-2, 2, (WORDS, WORDS)).astype("float32")))

    own = layers.sequence_expand(layers.array_read(states, at), scores)
    state = layers.fc([own, embedded], WORDS, act="tanh", param_attr=[weight(), weight()])
    return state, layers.fc(layers.lod_reset(state, scores), WORDS, act="softmax",
                            param_attr=weight())


def search(fluid, seed, sources, beam_size, steps, stateful=False):
    """[lengths, ids, scores] of the sentences. Word 0 ends a sentence, word 1 begins one. With
    `stateful` the next word is of a state, which beams hand on."""
    from paddle.fluid import layers
    rng = np.random.RandomState(seed)
    table = rng.rand(WORDS, WORDS).astype("float32") + 0.01
    table[:, 0] *= 0.8
    table /= table.sum(1, keepdims=True)
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        ids = layers.data("ids", [1], dtype="int64", lod_level=2)
        scores = layers.data("scores", [1], lod_level=2)
        at, last = (layers.fill_constant([1], "int64", n) for n in (0, steps))
        all_ids, all_scores = layers.array_write(ids, at), layers.array_write(scores, at)
        if stateful:
            states = layers.array_write(layers.data("state", [WORDS]), at)
        going = layers.less_than(at, last)
        loop = layers.While(going)
        with loop.block():
            before, sum_before = layers.array_read(all_ids, at), layers.array_read(all_scores, at)
            probable = layers.embedding(before, [WORDS, WORDS], param_attr=fluid.ParamAttr(
                "table", initializer=fluid.initializer.NumpyArrayInitializer(table)))
            if stateful:
                state, probable = step_state(fluid, rng, states, at, probable, sum_before)
            best, words = layers.topk(probable, k=min(beam_size, WORDS))
            total = layers.elementwise_add(layers.log(best), layers.reshape(sum_before, [-1]),
                                           axis=0)
            chosen, sums = layers.beam_search(before, sum_before, words, total, beam_size, 0)
            layers.increment(at, 1)
            layers.array_write(chosen, at, array=all_ids)
            layers.array_write(sums, at, array=all_scores)
            if stateful:
                layers.array_write(state, at, array=states)
            more = layers.logical_not(layers.is_empty(chosen))
            layers.logical_and(layers.less_than(at, last), more, out=going)
        found = layers.beam_search_decode(all_ids, all_scores, beam_size, 0)
    exe, place = fluid.Executor(fluid.CPUPlace()), fluid.CPUPlace()
    lengths = [[1] * sources, [1] * sources]
    start = 1 + np.arange(sources).reshape(-1, 1) % (WORDS - 1)
    with fluid.scope_guard(fluid.core.Scope()):
        exe.run(startup)
        feed = {
            "ids": fluid.create_lod_tensor(start.astype("int64"), lengths, place),
            "scores": fluid.create_lod_tensor(np.zeros((sources, 1), "float32"), lengths, place),
        }
        if stateful:
            feed["state"] = rng.rand(sources, WORDS).astype("float32")
        tensors = exe.run(main, feed, list(found), return_numpy=False)
    assert all(np.array(tensor).ndim == 1 for tensor in tensors)
    return [tensors[0].recursive_sequence_lengths(), np.array(tensors[0]).tolist(),
            [round(float(s), 5) for s in np.array(tensors[1])]]


def test_searches_find_what_real_paddle_finds():
    import paddle.fluid as fluid
    with open(GOLDEN) as f:
        golden = json.load(f)
    assert len(golden) == len(SEARCHES)
    for wanted, setup in zip(golden, SEARCHES):
        lengths, ids, scores = search(fluid, *setup)
        assert (lengths, ids) == (wanted[0], wanted[1]), setup
        np.testing.assert_allclose(scores, wanted[2], atol=2e-5)


if __name__ == "__main__":
    import paddle.fluid
    with open(GOLDEN, "w") as out:
        json.dump([search(paddle.fluid, *setup) for setup in SEARCHES], out)
        out.write("\n")
