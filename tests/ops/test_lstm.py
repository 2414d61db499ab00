from opcase import case, check, forward, rand, Lod

OUTPUTS = ["Hidden", "Cell", "BatchGate", "BatchCellPreAct"]
CASES = []


def lstm(name, lengths, size=3, peepholes=True, before=False, golden_grads=True, **attrs):
    rows = sum(lengths)
    inputs = {"Input": Lod(rand(rows, 4 * size), [lengths]),
              "Weight": rand(size, 4 * size, low=-size**-0.5, high=size**-0.5),
              "Bias": rand(1, (7 if peepholes else 4) * size)}
    if before:
        inputs.update(H0=rand(len(lengths), size), C0=rand(len(lengths), size))
    attrs["use_peepholes"] = peepholes
    # Real Paddle leaves the gradient that comes by Cell out, so it is not asked for here.
    CASES.append(case(name, "lstm", inputs, attrs, outputs=OUTPUTS, compare=["Hidden", "Cell"],
                      ignore_grad_of=["Cell"], grads=sorted(inputs), golden_grads=golden_grads))
    CASES.append(case(name + ", with the cell", "lstm", inputs, attrs, outputs=OUTPUTS,
                      compare=["Hidden", "Cell"], grads=sorted(inputs), golden=False))


for peepholes in (True, False):
    tail = "" if peepholes else ", no peepholes"
    lstm("plain" + tail, [2, 1, 3], peepholes=peepholes)
    lstm("from the end" + tail, [2, 1, 3], peepholes=peepholes, is_reverse=True)
    lstm("states before" + tail, [2, 4, 1], peepholes=peepholes, before=True)
    lstm("states before, from the end" + tail, [2, 4, 1], peepholes=peepholes, before=True,
         is_reverse=True)
    # Real Paddle leaves the gradient of the cell before an empty sequence unwritten.
    lstm("empty sequence" + tail, [0, 2, 0, 3], peepholes=peepholes, before=True,
         golden_grads=False)
lstm("one sequence", [5])
lstm("wide", [7, 20, 13, 2], size=17)
lstm("many", [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5], size=4, before=True)
for act in ("identity", "sigmoid", "relu"):
    lstm("cell " + act, [2, 3], before=True, cell_activation=act)
    lstm("candidate " + act, [2, 3], before=True, candidate_activation=act)
for act in ("identity", "tanh", "relu"):
    lstm("gates " + act, [2, 3], before=True, gate_activation=act)

for bias in (0.0, 1.0):
    CASES.append(case("unit %g" % bias, "lstm_unit", {"X": rand(3, 8), "C_prev": rand(3, 2)},
                      {"forget_bias": bias}, outputs=["C", "H"], grads=["X", "C_prev"]))
    for alone in ("C", "H"):
        CASES.append(case("unit %g, %s alone" % (bias, alone), "lstm_unit",
                          {"X": rand(3, 8), "C_prev": rand(3, 2)}, {"forget_bias": bias},
                          outputs=["C", "H"], compare=[alone], grads=["X", "C_prev"],
                          golden_grads=False))  # real Paddle wants both
test = check(__file__, CASES)


def _fails(what, type, inputs, attrs=None):
    import paddle.fluid as fluid
    import pytest
    with pytest.raises((fluid.core.EnforceNotMet, ValueError), match=what):
        forward(fluid, case("bad", type, inputs, attrs,
                            outputs=OUTPUTS if type == "lstm" else ["C", "H"]))


def test_shapes_that_do_not_fit_are_refused():
    x, w, b = Lod(rand(3, 8), [[1, 2]]), rand(2, 8), rand(1, 14)
    _fails(r"Weight has the shape \[2, 7\], and must have \[2, 8\]", "lstm",
           {"Input": x, "Weight": rand(2, 7), "Bias": b})
    _fails(r"Bias has the shape \[1, 8\], and must have \[1, 14\]", "lstm",
           {"Input": x, "Weight": w, "Bias": rand(1, 8)})
    _fails(r"Bias has the shape \[1, 14\], and must have \[1, 8\]", "lstm",
           {"Input": x, "Weight": w, "Bias": b}, {"use_peepholes": False})
    _fails("C0 has the shape", "lstm", {"Input": x, "Weight": w, "Bias": b, "C0": rand(3, 2)})
    _fails("Input has the shape", "lstm",
           {"Input": Lod(rand(3, 7), [[1, 2]]), "Weight": w, "Bias": b})
    _fails("Input has no LoD", "lstm", {"Input": rand(3, 8), "Weight": w, "Bias": b})
    _fails("four times", "lstm_unit", {"X": rand(3, 7), "C_prev": rand(3, 2)})


def test_other_activations_are_refused():
    _fails("cell_activation is softmax", "lstm",
           {"Input": Lod(rand(3, 8), [[1, 2]]), "Weight": rand(2, 8), "Bias": rand(1, 14)},
           {"cell_activation": "softmax"})
