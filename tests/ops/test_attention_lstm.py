from opcase import Lod, case, check, rand, refused

OUTPUTS = ["Hidden", "Cell", "AttentionedX", "AttentionFCOut", "LSTMX", "LSTMOUT"]
CASES = []


def inputs_of(lengths, size=3, width=4, before=True, optional=()):
    inputs = {"X": Lod(rand(sum(lengths), width), [lengths]), "C0": rand(len(lengths), size),
              "AttentionWeight": rand(width + size, 1), "LSTMWeight": rand(width + size, 4 * size),
              "LSTMBias": rand(1, 4 * size)}
    if before:
        inputs["H0"] = rand(len(lengths), size)
    for slot in optional:
        inputs[slot] = rand(1, 1, low=0.2)
    return inputs


def attention(name, lengths, attrs=None, **kw):
    CASES.append(case(name, "attention_lstm", inputs_of(lengths, **kw), attrs, outputs=OUTPUTS,
                      compare=["Hidden", "Cell"]))


attention("plain", [2, 1, 3])
attention("no states before", [2, 1, 3], before=False)
attention("bias", [4, 2], optional=["AttentionBias"])
attention("scalar", [4, 2], optional=["AttentionBias", "AttentionScalar"])
attention("scalar with bias", [4, 2], optional=["AttentionBias", "AttentionScalar",
                                               "AttentionScalarBias"])
attention("wide", [7, 12, 3], size=16, width=9)
attention("relu", [2, 3], {"cell_activation": "relu", "candidate_activation": "relu"})
test = check(__file__, CASES)

_in = inputs_of([2, 1])
test_shapes_that_do_not_fit_are_refused = refused(
    ("C0 has the shape", case("c", "attention_lstm", dict(_in, C0=rand(3, 3)), outputs=OUTPUTS)),
    ("AttentionWeight has the shape", case("a", "attention_lstm",
                                           dict(_in, AttentionWeight=rand(4, 1)),
                                           outputs=OUTPUTS)))
