"""huber_loss, modified_huber_loss."""
from opcase import case, check, ints, rand, Lod


def huber(name, x, y, delta=1.0, **kw):
    return case(name, "huber_loss", {"X": x, "Y": y}, {"delta": delta},
                outputs=["Residual", "Out"], grads=["X", "Y"], ignore_grad_of=["Residual"], **kw)


def modified(name, x, y, **kw):
    return case("modified: " + name, "modified_huber_loss", {"X": x, "Y": y},
                outputs=["IntermediateVal", "Out"], grads=["X"],
                ignore_grad_of=["IntermediateVal"], **kw)


CASES = [
    huber("column", rand(20, 1, low=-3, high=3), rand(20, 1)),
    huber("small delta", rand(20, 1, low=-3, high=3), rand(20, 1), 0.3),
    huber("deep", rand(2, 3, 4, low=-3, high=3), rand(2, 3, 4)),
    huber("flat", rand(7), rand(7)),
    huber("sequences", Lod(rand(3, 1), [[1, 2]]), rand(3, 1)),
    huber("float64", rand(5, 1, dtype="float64"), rand(5, 1, dtype="float64")),
    modified("column", rand(30, 1, low=-3, high=3), ints(30, 1, high=2).astype("float32")),
]
test = check(__file__, CASES)


def test_shapes_that_differ_are_refused():
    import paddle.fluid as fluid
    import pytest
    from opcase import forward
    for c in (huber("bad", rand(3, 4), rand(3, 1)), modified("bad", rand(3, 1), rand(4, 1))):
        with pytest.raises(fluid.core.EnforceNotMet, match="must have the same shape"):
            forward(fluid, c)
