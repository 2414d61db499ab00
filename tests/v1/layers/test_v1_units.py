"""Units of recurrent layers, called by a step of a script's own."""
import pytest

from paddle.trainer_config_helpers import *  # noqa: F401,F403

from v1_harness import check


def lstm(step):
    state = memory(name="cell", size=2)
    made = lstm_step_layer(step, state, size=2, name="unit")
    get_output_layer(made, "state", name="cell")
    return made


def gru(step, unit):
    return unit(step, memory(name="unit", size=2), size=2, name="unit")


@pytest.mark.parametrize("step,gates", [
    (lstm, 4), (lambda x: gru(x, gru_step_layer), 3), (lambda x: gru(x, gru_step_naive_layer), 3)])
def test_units_learn(step, gates):
    check(lambda data: last_seq(recurrent_group(
        step, data.dense("x", 2 * gates, lengths=(3, 2)))), near=3e-2)
