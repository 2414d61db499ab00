import numpy as np

from opcase import build, case, check, forward, rand


def sample(name, shape, low, high, grads=("X", "Grid"), size=None, golden=True):
    size = size or shape[2:]
    return case(name, "grid_sampler",
                {"X": rand(*shape), "Grid": rand(shape[0], *(tuple(size) + (2,)), low=low,
                                                 high=high)},
                outputs=["Output"], grads=grads, golden=golden, atol=2e-5)


CASES = [
    sample("inside", (2, 3, 4, 5), -0.95, 0.95),
    sample("over the edge", (2, 3, 4, 5), -1.7, 1.7),
    sample("far away", (2, 2, 4, 5), 5, 9),
    # Real Paddle crashes where one gradient alone is asked for, ...
    sample("gradient of the image alone", (2, 3, 4, 5), -1, 1, grads=["X"], golden=False),
    sample("gradient of the grid alone", (2, 3, 4, 5), -1, 1, grads=["Grid"], golden=False),
    # ... and takes grids of the size of the image alone.
    sample("another size", (2, 3, 4, 5), -1.2, 1.2, size=(2, 7), golden=False),
]
edge = sample("the edge itself", (1, 2, 3, 3), -1, 1)
edge.inputs["Grid"] = np.round(edge.inputs["Grid"])
edge.numeric = False  # there is a corner at each pixel
CASES.append(edge)
test = check(__file__, CASES)


def test_places_far_away_give_nothing_and_nan_shows():
    """Real Paddle reads memory that is not its own there."""
    import paddle.fluid as fluid
    c = sample("", (1, 1, 3, 4), -1, 1)
    c.inputs["Grid"].flat[:6] = [np.nan, 0, np.inf, 0, 0, -1e30]
    out = forward(fluid, c).values["Output0"]
    assert np.isnan(out.flat[0]) and np.isfinite(out.flat[1:]).all()
    assert out.flat[1] == out.flat[2] == 0


def test_what_does_not_fit_is_refused():
    import paddle.fluid as fluid
    import pytest
    for what, change in ((r"must be \[batch, height, width, 2\]", {"Grid": rand(1, 3, 4, 3)}),
                         ("must be .batch", {"Grid": rand(2, 3, 4, 2)}),
                         ("Grid must have 4 dimensions", {"Grid": rand(3, 4, 2)}),
                         ("X must have 4 dimensions", {"X": rand(3, 4, 2)})):
        c = sample("", (1, 1, 3, 4), -1, 1)
        c.inputs.update(change)
        with pytest.raises((fluid.core.EnforceNotMet, ValueError), match=what):
            build(fluid, c, c.inputs)
