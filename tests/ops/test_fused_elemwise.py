from opcase import apart, case, check, rand, refused


def _fused(name, functors, x, y, axis=-1, scale=0.0, keep=True, **kw):
    return case(name, "fused_elemwise_activation", {"X": x, "Y": y},
                {"functor_list": functors, "axis": axis, "scale": scale,
                 "save_intermediate_out": keep}, ["Out", "IntermediateOut"], ["X", "Y"],
                ignore_grad_of=["IntermediateOut"], compare=["Out"], **kw)


# Real Paddle has some pairs alone: the others are checked by their gradients and by the first
# test below.
CASES = [
    _fused("x + relu y", ["elementwise_add", "relu"], apart(3, 4), apart(3, 4)),
    _fused("x + scale y", ["elementwise_add", "scale"], rand(3, 4), rand(3, 4), scale=0.3),
    _fused("x + tanh y", ["elementwise_add", "tanh"], rand(3, 4), rand(3, 4), golden=False),
    _fused("relu x + y", ["relu", "elementwise_add"], apart(3, 4), apart(3, 4)),
    _fused("scale x + y", ["scale", "elementwise_add"], rand(3, 4), rand(3, 4), scale=-2.0),
    _fused("tanh x + y", ["tanh", "elementwise_add"], rand(3, 4), rand(3, 4)),
    _fused("x * scale y", ["elementwise_mul", "scale"], rand(3, 4), rand(3, 4), scale=0.3),
    _fused("x * relu y", ["elementwise_mul", "relu"], rand(3, 4), apart(3, 4), golden=False),
    _fused("scale x * y", ["scale", "elementwise_mul"], rand(3, 4), rand(3, 4), scale=0.3, golden=False),
    _fused("relu x * y", ["relu", "elementwise_mul"], apart(3, 4), apart(3, 4), golden=False),
    _fused("tanh x * y", ["tanh", "elementwise_mul"], apart(3, 4), apart(3, 4), golden=False),
    _fused("y of columns", ["elementwise_add", "relu"], apart(2, 3, 4), apart(4)),
    _fused("y inside", ["relu", "elementwise_add"], apart(2, 3, 4), apart(3), 1),
]
test = check(__file__, CASES)


def test_the_other_pairs():
    import numpy as np
    import paddle.fluid as fluid
    from opcase import forward
    x, y = rand(3, 4), rand(3, 4)
    relu = np.maximum
    for functors, wanted in [
            (["elementwise_add", "tanh"], x + np.tanh(y)), (["elementwise_mul", "relu"], x * relu(y, 0)),
            (["scale", "elementwise_mul"], 0.5 * x * y), (["relu", "elementwise_mul"], relu(x * y, 0)),
            (["elementwise_mul", "sigmoid"], x / (1 + np.exp(-y)))]:
        c = _fused("x", functors, x, y, scale=0.5, golden=False)
        np.testing.assert_allclose(forward(fluid, c).values["Out0"], wanted, rtol=1e-5, atol=1e-6)


test_refusals = refused(
    ("functor_list is relu, tanh", _fused("x", ["relu", "tanh"], rand(2), rand(2))))
