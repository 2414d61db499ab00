import numpy as np
from opcase import case, check, forward, rand, Lod

OUTPUTS = ["BatchGate", "BatchResetHiddenPrev", "BatchHidden", "Hidden"]
CASES = []


def gru(name, lengths, size=3, bias=True, h0=False, **attrs):
    rows = sum(lengths)
    inputs = {"Input": Lod(rand(rows, 3 * size), [lengths]),
              "Weight": rand(size, 3 * size, low=-size**-0.5, high=size**-0.5)}
    if bias:
        inputs["Bias"] = rand(1, 3 * size)
    if h0:
        inputs["H0"] = rand(len(lengths), size)
    CASES.append(case(name, "gru", inputs, attrs, outputs=OUTPUTS, compare=["Hidden"],
                      grads=sorted(inputs)))


gru("plain", [2, 1, 3])
gru("no bias", [2, 1, 3], bias=False)
gru("from the end", [2, 1, 3], is_reverse=True)
gru("states before", [2, 4, 1], h0=True)
gru("states before, from the end", [2, 4, 1], h0=True, is_reverse=True)
gru("origin mode", [3, 2], origin_mode=True, h0=True)
gru("one sequence", [5])
gru("all of one length", [3, 3, 3], h0=True)
gru("wide", [7, 20, 13, 2], size=33)
gru("many", [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5], size=4, h0=True)
for gate in ("identity", "tanh", "relu"):
    gru("gates " + gate, [2, 3], h0=True, gate_activation=gate)
for act in ("identity", "sigmoid", "relu"):
    gru("candidate " + act, [2, 3], h0=True, activation=act)
gru("empty sequence", [2, 0, 3])
gru("empty sequences, states before", [0, 2, 0, 3], h0=True)

for origin in (False, True):
    for bias in (True, False):
        inputs = {"Input": rand(4, 9), "HiddenPrev": rand(4, 3), "Weight": rand(3, 9)}
        if bias:
            inputs["Bias"] = rand(1, 9)
        CASES.append(case("unit, origin %s, bias %s" % (origin, bias), "gru_unit", inputs,
                          {"origin_mode": origin}, outputs=["Gate", "ResetHiddenPrev", "Hidden"],
                          grads=sorted(inputs), ignore_grad_of=["Gate", "ResetHiddenPrev"]))
for act in range(4):
    for gate in range(4):
        CASES.append(case("unit %d %d" % (act, gate), "gru_unit",
                          {"Input": rand(2, 6), "HiddenPrev": rand(2, 2), "Weight": rand(2, 6),
                           "Bias": rand(1, 6)}, {"activation": act, "gate_activation": gate},
                          outputs=["Gate", "ResetHiddenPrev", "Hidden"],
                          ignore_grad_of=["Gate", "ResetHiddenPrev"],
                          grads=["Input", "HiddenPrev", "Weight", "Bias"]))
# What the sigmoid of a gate is taken of is kept within -40 and 13.
GATES = np.array([-100, -41, -20, 12, 14, 50, 1e30, -1e30, 3], "float32")
CASES.append(case("clipped gates", "gru", {"Input": Lod(np.stack([GATES, GATES[::-1]]), [[2]]),
                                           "Weight": np.eye(3, 9, dtype="float32")},
                  outputs=OUTPUTS, compare=["Hidden"], grads=["Input"], numeric=False,
                  rtol=1e-6, atol=1e-7))
test = check(__file__, CASES)


def _fails(what, type, inputs, attrs=None):
    import paddle.fluid as fluid
    import pytest
    outputs = OUTPUTS if type == "gru" else ["Gate", "ResetHiddenPrev", "Hidden"]
    with pytest.raises((fluid.core.EnforceNotMet, ValueError), match=what):
        forward(fluid, case("bad", type, inputs, attrs, outputs=outputs))


def test_shapes_that_do_not_fit_are_refused():
    x, w = Lod(rand(3, 6), [[1, 2]]), rand(2, 6)
    _fails(r"\[n, 3 size\] and \[size, 3 size\]", "gru", {"Input": x, "Weight": rand(3, 9)})
    _fails(r"\[n, 3 size\] and \[size, 3 size\]", "gru", {"Input": x, "Weight": rand(2, 5)})
    _fails(r"Bias has the shape \[1, 4\]", "gru", {"Input": x, "Weight": w, "Bias": rand(1, 4)})
    _fails("H0 has the shape .* one row for each sequence", "gru",
           {"Input": x, "Weight": w, "H0": rand(3, 2)})
    _fails("LoD of 2 levels", "gru",
           {"Input": Lod(rand(3, 6), [[1, 1], [1, 2]]), "Weight": w})
    _fails("HiddenPrev has the shape", "gru_unit",
           {"Input": rand(3, 6), "HiddenPrev": rand(2, 2), "Weight": w})


def test_other_activations_are_refused():
    x, w = Lod(rand(3, 6), [[1, 2]]), rand(2, 6)
    _fails("activation is gelu", "gru", {"Input": x, "Weight": w}, {"activation": "gelu"})
    _fails("gate_activation is 4", "gru_unit",
           {"Input": rand(2, 6), "HiddenPrev": rand(2, 2), "Weight": w}, {"gate_activation": 4})
