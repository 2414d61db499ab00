from opcase import Lod, case, check, rand, refused


def _conv(name, rows, columns, channels, filters, kernel, stride, **kw):
    sizes = [channels * r * c for r, c in zip(rows, columns)]
    return case(name, "var_conv_2d",
                {"X": Lod(rand(sum(sizes), 1), [sizes]), "ROW": Lod(rand(sum(rows), 2), [rows]),
                 "COLUMN": Lod(rand(sum(columns), 3), [columns]),
                 "W": rand(filters, channels * kernel[0] * kernel[1])},
                {"InputChannel": channels, "OutputChannel": filters, "KernelH": kernel[0],
                 "KernelW": kernel[1], "StrideH": stride[0], "StrideW": stride[1]},
                ["Out", "Col"], ["X", "W"], compare=["Out"], **kw)


CASES = [
    _conv("3x3", [3, 4], [4, 2], 2, 3, (3, 3), (1, 1)),
    _conv("steps", [5, 3, 4], [4, 7, 3], 1, 2, (3, 2), (2, 1)),
    _conv("even kernel", [4, 2], [3, 5], 2, 1, (2, 4), (1, 3)),
    _conv("an empty image", [3, 0, 2], [4, 0, 2], 1, 2, (3, 3), (1, 1)),
]
test = check(__file__, CASES)

test_refusals = refused(("StrideH is 0", _conv("x", [3], [4], 1, 1, (3, 3), (0, 1))),)
