from opcase import Lod, case, check, ints, rand, refused


def both(name, x, axis, **kw):
    return [case(name, "transpose", {"X": x}, {"axis": axis}, **kw),
            case(name + " 2", "transpose2", {"X": x}, {"axis": axis}, outputs=["Out", "XShape"],
                 compare=["Out"], **kw)]


WHOLE, WIDE, BOOLS = ints(3, 4), ints(33, 40, dtype="int32"), ints(3, 4, high=2).astype("bool")
NUMBERS = rand(2, 3, 4)
CASES = []
CASES += both("matrix", rand(5, 3), [1, 0], grads=["X"])
CASES += both("same", rand(5, 3), [0, 1], grads=["X"])
CASES += both("larger than a tile", rand(70, 45), [1, 0], grads=["X"])
CASES += both("batch of matrices", rand(3, 40, 35), [0, 2, 1], grads=["X"])
CASES += both("inner blocks", rand(2, 3, 4, 5), [0, 2, 1, 3], grads=["X"])
CASES += both("heads", rand(2, 3, 4, 5), [0, 2, 3, 1], grads=["X"])
CASES += both("all", rand(2, 3, 4, 5), [3, 1, 0, 2], grads=["X"])
CASES += both("reversed", rand(3, 4, 5), [2, 1, 0], grads=["X"])
CASES += both("ones", rand(1, 4, 1, 5), [3, 2, 1, 0], grads=["X"])
CASES += both("int64", WHOLE, [1, 0], expect={"Out": WHOLE.T})
CASES += both("int32", WIDE, [1, 0], expect={"Out": WIDE.T})
CASES += both("bool", BOOLS, [1, 0], expect={"Out": BOOLS.T})
CASES += both("sequences", Lod(rand(6, 2), [[2, 4]]), [1, 0], no_lod=["Out"])
# real Paddle reads outside its buffers
CASES += both("from the end", NUMBERS, [0, -1, 1], grads=["X"],
              expect={"Out": NUMBERS.transpose(0, 2, 1)})
test = check(__file__, CASES)

test_refused = refused(
    ("names 1 dimensions, and X has 2", case("few", "transpose", {"X": rand(2, 3)}, {"axis": [0]})),
    ("twice", case("twice", "transpose", {"X": rand(2, 3)}, {"axis": [0, 0]})),
    ("axis 2 of", case("outside", "transpose", {"X": rand(2, 3)}, {"axis": [0, 2]})),
)
