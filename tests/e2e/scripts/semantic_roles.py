"""Who does what: a tag for each word of a sentence, by LSTMs in both directions and a chain of tags
(CRF), decoded by Viterbi. Sentences are [filler] noun(s) verb noun(s) [filler]; nouns before the
verb act, those after it suffer; runs begin with B and go on with I."""
import sys

import numpy as np
import paddle.fluid as fluid

from book import leave, train

FILLER, NOUN, VERB = range(0, 5), range(5, 15), range(15, 20)
WORDS, TAGS, BATCH = 20, 7, 16  # B and I of actor, victim and verb; other
rng = np.random.RandomState(7)


def sentence():
    words, tags = [], []

    def say(kind, count, first, rest):
        words.extend(rng.choice(list(kind), count))
        tags.extend([first] + [rest] * (count - 1) if count else [])
    say(FILLER, rng.randint(0, 3), 6, 6)
    say(NOUN, rng.randint(1, 4), 0, 1)
    say(VERB, 1, 4, 4)
    say(NOUN, rng.randint(1, 4), 2, 3)
    say(FILLER, rng.randint(0, 3), 6, 6)
    return words, tags


def sentences(count):
    some = [sentence() for _ in range(count)]
    lengths = [[len(words) for words, _ in some]]

    def column(i):
        flat = np.concatenate([pair[i] for pair in some]).astype("int64").reshape(-1, 1)
        return fluid.create_lod_tensor(flat, lengths, fluid.CPUPlace())
    verb = [[15 <= w < 20 for w in words] for words, _ in some]
    mark = np.concatenate(verb).astype("int64").reshape(-1, 1)
    return {"words": column(0), "tags": column(1),
            "mark": fluid.create_lod_tensor(mark, lengths, fluid.CPUPlace())}


BATCHES = [sentences(BATCH) for _ in range(10)]
words, mark, tags = [fluid.layers.data(name=name, shape=[1], dtype="int64", lod_level=1)
                     for name in ("words", "mark", "tags")]
parts = [fluid.layers.embedding(input=words, size=[WORDS, 12]),
         fluid.layers.embedding(input=mark, size=[2, 4])]
mixed = fluid.layers.sums([fluid.layers.fc(input=part, size=64) for part in parts])
hidden, _ = fluid.layers.dynamic_lstm(input=mixed, size=64, candidate_activation="relu")
mixed = fluid.layers.sums([fluid.layers.fc(input=x, size=64) for x in (mixed, hidden)])
hidden, _ = fluid.layers.dynamic_lstm(input=mixed, size=64, is_reverse=True,
                                      candidate_activation="relu")
scores = fluid.layers.sums([fluid.layers.fc(input=x, size=TAGS, act="tanh")
                            for x in (mixed, hidden)])
cost = fluid.layers.linear_chain_crf(input=scores, label=tags,
                                     param_attr=fluid.ParamAttr(name="chain", learning_rate=2.0))
loss = fluid.layers.mean(cost)
path = fluid.layers.crf_decoding(input=scores, param_attr=fluid.ParamAttr(name="chain"))
precision, recall, f1, _, _, _ = fluid.layers.chunk_eval(
    input=path, label=tags, chunk_scheme="IOB", num_chunk_types=3, excluded_chunk_types=[])
test_program = fluid.default_main_program().clone(for_test=True)
fluid.optimizer.Adam(learning_rate=0.02).minimize(loss)

exe = fluid.Executor(fluid.CPUPlace())
exe.run(fluid.default_startup_program())
train(exe, lambda: BATCHES, loss, goal=0.6, passes=40)
found = sentences(200)
value, both = exe.run(test_program, feed=found, fetch_list=[path, f1], return_numpy=False)
right = float((np.array(value) == np.array(found["tags"])).mean())
assert right > 0.95, "of the words of unseen sentences %.2f are right" % right
assert float(np.array(both).ravel()[0]) > 0.9, "F1 of the runs is %s" % np.array(both)
some = sentences(6)
leave(sys.argv[1], exe, {"words": some["words"], "mark": some["mark"]}, path, test_program)
