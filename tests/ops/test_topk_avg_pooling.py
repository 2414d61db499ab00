from opcase import Lod, apart, case, check, rand, refused


def _pool(name, rows, columns, topks, channels, **kw):
    sizes = [channels * r * c for r, c in zip(rows, columns)]
    return case(name, "sequence_topk_avg_pooling",
                {"X": Lod(apart(sum(sizes), 1), [sizes]), "ROW": Lod(rand(sum(rows), 2), [rows]),
                 "COLUMN": Lod(rand(sum(columns), 3), [columns])},
                {"topks": topks, "channel_num": channels}, ["Out", "pos"], ["X"],
                compare=["Out"], **kw)


CASES = [
    _pool("two channels", [2, 3], [4, 2], [1, 2], 2),
    _pool("shorter than k", [2, 1, 3], [1, 2, 5], [1, 3, 4], 1),
    _pool("from three on", [2, 1], [4, 3], [3], 3),
]
test = check(__file__, CASES)


def _other_rows():
    c = _pool("x", [2, 3], [4, 2], [1], 1)
    c.inputs["ROW"] = Lod(rand(4, 2), [[2, 2]])
    return c


test_refusals = refused(("sequence 1 of X has 6 elements", _other_rows()),
                        ("numbers above 0", _pool("x", [2], [2], [0], 1)))
