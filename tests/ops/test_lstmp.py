from opcase import Lod, case, check, rand, refused

OUTPUTS = ["Projection", "Cell", "BatchGate", "BatchCellPreAct", "BatchHidden"]
CASES = []


def lstmp(name, lengths, size=3, width=2, peepholes=True, before=False, golden=True,
          golden_grads=True, **attrs):
    inputs = {"Input": Lod(rand(sum(lengths), 4 * size), [lengths]),
              "Weight": rand(width, 4 * size), "ProjWeight": rand(size, width),
              "Bias": rand(1, (7 if peepholes else 4) * size)}
    if before:
        inputs.update(H0=rand(len(lengths), width), C0=rand(len(lengths), size))
    attrs["use_peepholes"] = peepholes
    # Real Paddle leaves the gradient that comes by Cell out, so it is not asked for here.
    CASES.append(case(name, "lstmp", inputs, attrs, outputs=OUTPUTS, compare=["Projection", "Cell"],
                      ignore_grad_of=["Cell"], grads=sorted(inputs), golden=golden,
                      golden_grads=golden_grads))
    CASES.append(case(name + ", with the cell", "lstmp", inputs, attrs, outputs=OUTPUTS,
                      compare=["Projection", "Cell"], grads=sorted(inputs), golden=False))


for peepholes in (True, False):
    tail = "" if peepholes else ", no peepholes"
    lstmp("plain" + tail, [2, 1, 3], peepholes=peepholes)
    lstmp("from the end" + tail, [2, 1, 3], peepholes=peepholes, is_reverse=True)
    lstmp("states before" + tail, [2, 4, 1], peepholes=peepholes, before=True)
    lstmp("states before, from the end" + tail, [2, 4, 1], peepholes=peepholes, before=True,
          is_reverse=True)
lstmp("wide", [4, 9, 5, 2], size=9, width=11)
lstmp("projection identity", [2, 3], proj_activation="identity")
for act in ("sigmoid", "relu"):  # real Paddle takes cell_activation, whatever is asked for
    lstmp("projection " + act, [2, 3], proj_activation=act, golden=False)
    lstmp("both " + act, [2, 3], proj_activation=act, cell_activation=act)
# Real Paddle's gradient comes through what it has clipped.
lstmp("cell clipped", [2, 3, 4], before=True, cell_clip=0.3, golden_grads=False)
lstmp("projection clipped", [2, 3, 4], proj_clip=0.2, golden_grads=False)
test = check(__file__, CASES)

_in = {"Input": Lod(rand(3, 8), [[1, 2]]), "Weight": rand(3, 8), "ProjWeight": rand(2, 3),
       "Bias": rand(1, 14)}
test_shapes_that_do_not_fit_are_refused = refused(
    ("ProjWeight has the shape [2, 4], and must have [2, 3]", case(
        "p", "lstmp", dict(_in, ProjWeight=rand(2, 4)), outputs=OUTPUTS)),
    ("H0 has the shape", case("h", "lstmp", dict(_in, H0=rand(2, 2)), outputs=OUTPUTS)),
    ("proj_activation is softmax", case("a", "lstmp", _in, {"proj_activation": "softmax"},
                                        outputs=OUTPUTS)))
