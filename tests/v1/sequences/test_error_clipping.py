"""error_clipping_threshold: what comes back to a layer is bounded, outside groups and inside."""
import numpy as np
import pytest

from paddle.trainer_config_helpers import *  # noqa: F401,F403

from sequence_models import Model, dense, sequences

RNG = np.random.RandomState(8)
X = {"x": sequences(RNG, [3, 1], 4), "y": [[9, 9, 9, 9], [9, 9, 9, 9]]}


def _model(in_group, threshold):
    attr = ExtraAttr(error_clipping_threshold=threshold)

    def step(x):
        inputs = [x, memory("h", 4)] if in_group else x
        return fc_layer(inputs, 4, name="h", act=LinearActivation(), layer_attr=attr)

    def model():
        x = data_layer("x", 4)
        hidden = recurrent_group(step, x, name="g") if in_group else step(x)
        return square_error_cost(last_seq(hidden), data_layer("y", 4))
    return Model(model, {"x": dense(4, 1), "y": dense(4)})


@pytest.mark.parametrize("in_group", [False, True])
def test_the_error_of_a_layer_is_bounded(in_group):
    free, bounded = _model(in_group, 1e6), _model(in_group, 0.5)
    for name in free.net.parameters:
        bounded.set(name, free.get(name))
    assert bounded.cost(X) == free.cost(X)
    wbias = "_h@g.wbias" if in_group else "_h.wbias"
    # The last step of each sequence has an error of about -18 in each number, which is made -0.5.
    assert (np.abs(free.gradients(X)[wbias]) > 10).all()
    found = bounded.gradients(X)[wbias]
    if in_group:  # and it goes back to the steps before, at most 0.5 each
        assert (np.abs(found) <= 4 * 0.5).all() and (found < 0).any()
    else:
        np.testing.assert_allclose(found, -1.0, rtol=1e-5)
