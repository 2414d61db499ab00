"""What learning rate schedules add to a program."""
from layercase import check


def _case(name, build):
    def function():
        from paddle.fluid import layers
        build(layers)
    function.__name__ = name
    return function


def two_schedules():
    """They count with one counter."""
    from paddle.fluid import layers
    layers.exponential_decay(0.1, 10, 0.5)
    layers.natural_exp_decay(0.1, 10, 0.5)


def step_counters():
    from paddle.fluid import layers
    layers.autoincreased_step_counter()
    layers.autoincreased_step_counter(counter_name="mine", begin=5, step=2)


CASES = [
    _case("exponential", lambda f: f.exponential_decay(0.1, 10, 0.5)),
    _case("exponential_stairs", lambda f: f.exponential_decay(0.1, 10, 0.5, staircase=True)),
    _case("natural_exp", lambda f: f.natural_exp_decay(0.1, 10, 0.5)),
    _case("natural_exp_stairs", lambda f: f.natural_exp_decay(0.1, 10, 0.5, staircase=True)),
    _case("inverse_time", lambda f: f.inverse_time_decay(0.1, 10, 0.5)),
    _case("inverse_time_stairs", lambda f: f.inverse_time_decay(0.1, 10, 0.5, staircase=True)),
    _case("polynomial", lambda f: f.polynomial_decay(0.1, 10)),
    _case("polynomial_cycle", lambda f: f.polynomial_decay(0.1, 10, 0.01, 2.0, cycle=True)),
    _case("piecewise", lambda f: f.piecewise_decay([3, 6], [0.3, 0.2, 0.1])),
    _case("noam", lambda f: f.noam_decay(64, 10)),
    _case("noam_scaled", lambda f: f.noam_decay(64, 10, learning_rate=2.0)),
    _case("cosine", lambda f: f.cosine_decay(0.1, 5, 10)),
    _case("warmup", lambda f: f.linear_lr_warmup(0.5, 10, 0.1, 0.4)),
    _case("warmup_of_a_schedule", lambda f: f.linear_lr_warmup(
        f.exponential_decay(0.1, 10, 0.5), 10, 0.1, 0.4)),
    two_schedules,
    step_counters,
]
test = check(__file__, CASES)
