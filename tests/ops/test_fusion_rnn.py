"""lstm and gru with what comes before them, as real Paddle's passes write them."""
from opcase import Lod, case, check, ints, rand, refused

CASES = []
LSTM_OUTS = ["Hidden", "Cell", "XX", "BatchedInput", "BatchedHidden", "BatchedCell",
             "ReorderedH0", "ReorderedC0"]
GRU_OUTS = ["ReorderedH0", "XX", "BatchedInput", "BatchedOut", "Hidden"]


def lstm(name, lengths, size=3, width=5, peepholes=True, before=False, type="fusion_lstm",
         compare=("Hidden", "Cell"), **attrs):
    rows = sum(lengths)
    inputs = {"WeightH": rand(size, 4 * size), "Bias": rand(1, (7 if peepholes else 4) * size)}
    if type == "fusion_lstm":
        inputs.update(X=Lod(rand(rows, width), [lengths]), WeightX=rand(width, 4 * size))
    else:
        inputs.update(Ids=Lod(ints(rows, 1, high=width), [lengths]),
                      Embeddings=rand(width, 4 * size))
    if before:
        inputs.update(H0=rand(len(lengths), size), C0=rand(len(lengths), size))
    outs = LSTM_OUTS + (["CheckedCell"] if type == "fusion_lstm" else [])
    CASES.append(case("%s %s" % (type, name), type, inputs,
                      dict(attrs, use_peepholes=peepholes), outputs=outs, compare=list(compare)))


def gru(name, lengths, size=3, width=5, before=False, bias=True, **attrs):
    inputs = {"X": Lod(rand(sum(lengths), width), [lengths]), "WeightX": rand(width, 3 * size),
              "WeightH": rand(size, 3 * size)}
    if bias:
        inputs["Bias"] = rand(1, 3 * size)
    if before:
        inputs["H0"] = rand(len(lengths), size)
    CASES.append(case("gru " + name, "fusion_gru", inputs, attrs, outputs=GRU_OUTS,
                      compare=["Hidden"]))


for type in ("fusion_lstm", "fused_embedding_fc_lstm"):
    for seq in (True, False):
        tail = "" if seq else ", by batches"
        lstm("plain" + tail, [2, 1, 3], type=type, peepholes=False, use_seq=seq)
        lstm("from the end" + tail, [2, 1, 3], type=type, peepholes=False, use_seq=seq,
             is_reverse=True)
        lstm("states before" + tail, [2, 4, 1], type=type, peepholes=False, use_seq=seq,
             before=True)
        lstm("peepholes" + tail, [2, 4, 1], type=type, use_seq=seq)
        lstm("peepholes, states before" + tail, [2, 4, 1], type=type, use_seq=seq, before=True)
    lstm("wide", [7, 20, 13, 2], size=16, width=9, type=type, peepholes=False)
for seq in (True, False):
    tail = "" if seq else ", by batches"
    gru("plain" + tail, [2, 1, 3], use_seq=seq)
    gru("no bias" + tail, [2, 1, 3], bias=False, use_seq=seq)
    gru("from the end" + tail, [2, 1, 3], use_seq=seq, is_reverse=True)
    gru("states before" + tail, [2, 4, 1], use_seq=seq, before=True)
gru("wide", [7, 20, 13, 2], size=16, width=9)
test = check(__file__, CASES)

_lstm = {"X": Lod(rand(3, 5), [[1, 2]]), "WeightX": rand(5, 12), "WeightH": rand(3, 12),
         "Bias": rand(1, 21)}
_gru = {"X": Lod(rand(3, 5), [[1, 2]]), "WeightX": rand(5, 9), "WeightH": rand(3, 9)}
test_what_does_not_fit_is_refused = refused(
    ("WeightX has the shape [4, 12]", case("w", "fusion_lstm", dict(_lstm, WeightX=rand(4, 12)),
                                           outputs=LSTM_OUTS + ["CheckedCell"])),
    ("H0 and C0 must be given both", case("h", "fusion_lstm", dict(_lstm, H0=rand(2, 3)),
                                          outputs=LSTM_OUTS + ["CheckedCell"])),
    ("WeightX has the shape [5, 8]", case("g", "fusion_gru", dict(_gru, WeightX=rand(5, 8)),
                                          outputs=GRU_OUTS)),
    ("Embeddings has 4 rows", case(
        "e", "fused_embedding_fc_lstm",
        {"Ids": Lod(ints(3, 1, low=4, high=9), [[1, 2]]), "Embeddings": rand(4, 12),
         "WeightH": _lstm["WeightH"], "Bias": _lstm["Bias"]}, outputs=LSTM_OUTS)))


def test_origin_mode_is_honoured():
    # Real Paddle's kernel leaves it out: its fused program gives other numbers than the plain one.
    import numpy as np
    import paddle.fluid as fluid
    from opcase import forward
    attrs = {"origin_mode": True}
    fused = forward(fluid, case("fused", "fusion_gru", _gru, attrs, outputs=GRU_OUTS))
    product = Lod(_gru["X"].array.dot(_gru["WeightX"]), [[1, 2]])
    plain = forward(fluid, case("plain", "gru", {"Input": product, "Weight": _gru["WeightH"]},
                                attrs, outputs=["BatchGate", "BatchResetHiddenPrev", "BatchHidden",
                                                "Hidden"]))
    np.testing.assert_allclose(fused.values["Hidden0"], plain.values["Hidden0"], rtol=1e-5)
