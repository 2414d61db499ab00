"""Translation over sequences with a LoD: each word has another. The encoder is a gru over the
words; a StateCell of fluid.contrib.decoder writes the other sentence, over the words that are known
while it is trained, and by beam search."""
import sys

import numpy as np
import paddle.fluid as fluid
from paddle.fluid import layers
from paddle.fluid.contrib.decoder.beam_search_decoder import (BeamSearchDecoder, InitState,
                                                              StateCell, TrainingDecoder)

from book import leave, train

WORDS, START, END, SIZE, BEAMS, LONGEST, BATCH = 10, 0, 1, 32, 2, 3, 32
rng = np.random.RandomState(9)


def lod(rows, dtype="int64"):
    flat = np.concatenate(rows).astype(dtype).reshape(-1, 1)
    return fluid.create_lod_tensor(flat, [[len(row) for row in rows]], fluid.CPUPlace())


def pairs(count):
    source = [rng.randint(2, WORDS, rng.randint(1, LONGEST + 1)) for _ in range(count)]
    target = [(words - 2 + 3) % (WORDS - 2) + 2 for words in source]
    return target, {"source": lod(source), "before": lod([[START] + list(t) for t in target]),
                    "target": lod([list(t) + [END] for t in target])}


def encoded():
    source = fluid.data("source", [-1, 1], "int64", lod_level=1)
    words = layers.embedding(source, [WORDS, SIZE], param_attr=fluid.ParamAttr(name="source_words"))
    projected = layers.fc(words, 3 * SIZE, param_attr=fluid.ParamAttr(name="project"),
                          bias_attr=fluid.ParamAttr(name="project_b"))
    read = layers.dynamic_gru(projected, SIZE, param_attr=fluid.ParamAttr(name="read"),
                              bias_attr=fluid.ParamAttr(name="read_b"))
    return layers.sequence_last_step(read)


def cell_of(first):
    cell = StateCell(inputs={"word": None},
                     states={"state": InitState(init=first, need_reorder=True)},
                     out_state="state")

    @cell.state_updater
    def update(cell):
        joined = layers.fc([cell.get_input("word"), cell.get_state("state")], 3 * SIZE,
                           param_attr=[fluid.ParamAttr(name="word_w"),
                                       fluid.ParamAttr(name="state_w")], bias_attr=False)
        cell.set_state("state", layers.gru_unit(
            joined, cell.get_state("state"), 3 * SIZE, param_attr=fluid.ParamAttr(name="unit"),
            bias_attr=fluid.ParamAttr(name="unit_b"))[0])
    return cell


def trained():
    before, target = [fluid.data(name, [-1, 1], "int64", lod_level=1)
                      for name in ("before", "target")]
    # The search names what it learns by itself, so its names are taken here.
    words = layers.embedding(before, [WORDS, SIZE], param_attr=fluid.ParamAttr(name="emb"))
    decoder = TrainingDecoder(cell_of(encoded()))
    with decoder.block():
        word = decoder.step_input(words)
        decoder.state_cell.compute_state(inputs={"word": word})
        scores = layers.fc(decoder.state_cell.get_state("state"), WORDS, act="softmax",
                           param_attr=fluid.ParamAttr(name="scores_w"),
                           bias_attr=fluid.ParamAttr(name="scores_b"))
        decoder.state_cell.update_states()
        decoder.output(scores)
    return layers.mean(layers.cross_entropy(input=decoder(), label=target))


def searched():
    ids = fluid.data("ids", [-1, 1], "int64", lod_level=2)
    scores = fluid.data("scores", [-1, 1], "float32", lod_level=2)
    decoder = BeamSearchDecoder(cell_of(encoded()), ids, scores, WORDS, SIZE, topk_size=WORDS,
                                sparse_emb=False, max_len=LONGEST + 2, beam_size=BEAMS, end_id=END)
    decoder.decode()
    return decoder()[0]


def starts(count):
    """Each sentence begins as one beam, with START and the score 0."""
    levels = [[1] * count] * 2
    return {"ids": fluid.create_lod_tensor(np.full([count, 1], START, "int64"), levels,
                                           fluid.CPUPlace()),
            "scores": fluid.create_lod_tensor(np.zeros([count, 1], "float32"), levels,
                                              fluid.CPUPlace())}


search = fluid.Program()
with fluid.program_guard(search, fluid.Program()), fluid.unique_name.guard():
    found = searched()
own = {"embedding": "emb", "w_0": "scores_w", "b_0": "scores_b"}
loss = trained()
fluid.optimizer.Adam(learning_rate=0.01).minimize(loss)
exe = fluid.Executor(fluid.CPUPlace())
exe.run(fluid.default_startup_program())
BATCHES = [pairs(BATCH)[1] for _ in range(20)]
train(exe, lambda: BATCHES, loss, goal=0.05, passes=40)

# What decode() made, its embedding and its fc, gets what was trained under our names.
scope, known = fluid.global_scope(), {p.name for p in fluid.default_main_program().all_parameters()}
for p in search.all_parameters():
    if p.name not in known:
        ours = own["embedding" if p.name.startswith("embedding") else p.name.split(".")[1]]
        scope.var(p.name).get_tensor().set(np.array(scope.find_var(ours).get_tensor()),
                                           fluid.CPUPlace())

target, fresh = pairs(40)
answer, = exe.run(search, feed=dict(starts(40), source=fresh["source"]), fetch_list=[found],
                  return_numpy=False)
words, (beams, lengths) = np.array(answer).ravel(), answer.recursive_sequence_lengths()
ends = np.cumsum(lengths)
right = 0
for i, wanted in enumerate(target):
    best = sum(beams[:i])
    sentence = words[ends[best] - lengths[best]:ends[best]]
    right += list(sentence) == [START] + list(wanted) + [END]
assert right > 34, "of 40 unseen sentences %d are right" % right
leave(sys.argv[1], exe, dict(starts(4), source=pairs(4)[1]["source"]), found, search)
