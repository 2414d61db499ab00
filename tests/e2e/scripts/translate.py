"""Translation with attention: each word has another, and the sentence is turned around. A GRU in
both directions reads it, a cell that attends to it writes the other, word by word: trained over the
words that are known, and searched with beams by dynamic_decode."""
import sys

import numpy as np
import paddle.fluid as fluid
from paddle.fluid import layers

from book import leave, train

WORDS, START, END, SIZE, BEAMS, LONGEST, BATCH = 12, 0, 1, 24, 3, 5, 32
rng = np.random.RandomState(8)


def pairs(count):
    """Sentences of 1 to LONGEST words, padded with END, and their translations."""
    lengths = rng.randint(1, LONGEST + 1, count)
    source = np.full([count, LONGEST], END, "int64")
    target = np.full([count, LONGEST + 1], END, "int64")
    for i, n in enumerate(lengths):
        words = rng.randint(2, WORDS, n)
        source[i, :n] = words
        target[i, :n] = (words[::-1] - 2 + 3) % (WORDS - 2) + 2
    before = np.concatenate([np.full([count, 1], START, "int64"), target[:, :-1]], 1)
    return {"source": source, "length": lengths.astype("int64"), "before": before,
            "target": target[:, :, None]}


def embedded(ids, name):
    return fluid.embedding(ids, [WORDS, SIZE], param_attr=fluid.ParamAttr(name=name))


def fc(x, size, name, dims=1):
    return layers.fc(x, size, num_flatten_dims=dims, bias_attr=False,
                     param_attr=fluid.ParamAttr(name=name))


def gru(name):
    return layers.GRUCell(SIZE, param_attr=fluid.ParamAttr(name=name + "_w"),
                          bias_attr=fluid.ParamAttr(name=name + "_b"), name=name)


class Writer(layers.RNNCell):
    """A GRU that sees the word before, and what its state attends to of the source."""

    def __init__(self):
        self.cell = gru("writer")

    def call(self, inputs, states, read, shut):
        query = layers.unsqueeze(fc(states, SIZE, "query"), [1])
        scores = layers.elementwise_add(layers.matmul(query, read, transpose_y=True), shut)
        seen = layers.squeeze(layers.matmul(layers.softmax(scores), read), [1])
        out, state = self.cell(layers.concat([inputs, seen], 1), states)
        return layers.concat([out, seen], 1), state


def encoded():
    """(the source as read, what shuts its padding, the first state)"""
    source = fluid.data("source", [-1, LONGEST], "int64")
    length = fluid.data("length", [-1], "int64")
    words = embedded(source, "source_words")
    there, last = layers.rnn(gru("there"), words, sequence_length=length)
    back, _ = layers.rnn(gru("back"), words, sequence_length=length, is_reverse=True)
    read = fc(layers.concat([there, back], 2), SIZE, "read", 2)
    mask = layers.sequence_mask(length, maxlen=LONGEST, dtype="float32")
    shut = layers.unsqueeze(layers.scale(mask, 1e9, -1e9, bias_after_scale=True), [1])
    return read, shut, fc(last, SIZE, "first")


def trained():
    read, shut, first = encoded()
    before = fluid.data("before", [-1, LONGEST + 1], "int64")
    target = fluid.data("target", [-1, LONGEST + 1, 1], "int64")
    out, _ = layers.rnn(Writer(), embedded(before, "target_words"), initial_states=first,
                        read=read, shut=shut)
    scores = fc(out, WORDS, "scores", 2)
    return layers.mean(layers.softmax_with_cross_entropy(scores, target))


def searched():
    read, shut, first = encoded()
    more = layers.BeamSearchDecoder.tile_beam_merge_with_batch
    decoder = layers.BeamSearchDecoder(
        Writer(), START, END, BEAMS, embedding_fn=lambda ids: embedded(ids, "target_words"),
        output_fn=lambda x: fc(x, WORDS, "scores", 2))
    found, _ = layers.dynamic_decode(decoder, inits=first, max_step_num=LONGEST + 1,
                                     read=more(read, BEAMS), shut=more(shut, BEAMS))
    return found


search = fluid.Program()
with fluid.program_guard(search, fluid.Program()):
    found = searched()
loss = trained()
fluid.optimizer.Adam(learning_rate=0.01).minimize(loss)
exe = fluid.Executor(fluid.CPUPlace())
exe.run(fluid.default_startup_program())
BATCHES = [pairs(BATCH) for _ in range(30)]
train(exe, lambda: BATCHES, loss, goal=0.03, passes=40)

fresh = pairs(100)
asked = {name: fresh[name] for name in ("source", "length")}
words, = exe.run(search, feed=asked, fetch_list=[found])
right = np.mean([list(words[i, :n + 1, 0]) == list(fresh["target"][i, :n + 1, 0])
                 for i, n in enumerate(fresh["length"])])
assert right > 0.85, "of unseen sentences %.2f are right" % right
leave(sys.argv[1], exe, {name: value[:5] for name, value in asked.items()}, found, search)
