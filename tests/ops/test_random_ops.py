"""What random ops draw: there is no oracle but their distributions."""
import numpy as np
from opcase import case, forward, rand, refused


def drawn(type, inputs=None, **attrs):
    import paddle.fluid as fluid
    return forward(fluid, case(type, type, inputs or {}, attrs)).values["Out0"]


def near(got, mean, std):
    assert abs(got.mean() - mean) < 0.1 * std and abs(got.std() - std) < 0.1 * std


def test_uniform():
    for dtype, name in ((5, "float32"), (6, "float64")):
        got = drawn("uniform_random", shape=[50, 40], min=-2.0, max=6.0, dtype=dtype)
        assert got.dtype == name and got.shape == (50, 40)
        assert -2 <= got.min() < -1.9 and 5.9 < got.max() < 6
        near(got, 2, 8 / np.sqrt(12))


def test_gaussian():
    got = drawn("gaussian_random", shape=[50, 40], mean=3.0, std=2.0)
    near(got, 3, 2)
    assert got.max() > 3 + 2 * 2


def test_truncated_gaussian():
    got = drawn("truncated_gaussian_random", shape=[50, 40], mean=3.0, std=2.0)
    assert abs(got - 3).max() <= 2 * 2
    near(got, 3, 2 * 0.88)


def test_batch_size_of_another():
    x = {"Input": rand(30, 7)}
    got = drawn("uniform_random_batch_size_like", x, shape=[5, 40], min=0.0, max=1.0)
    assert got.shape == (30, 40) and got.min() >= 0
    got = drawn("gaussian_random_batch_size_like", x, shape=[300, 5], input_dim_idx=1,
                output_dim_idx=1, mean=-1.0, std=0.5, dtype=6)
    assert got.shape == (300, 7) and got.dtype == "float64"
    near(got, -1, 0.5)


def test_a_band_of_equal_numbers():
    for type, inputs in (("uniform_random", None),
                         ("uniform_random_batch_size_like", {"Input": rand(5, 1)})):
        got = drawn(type, inputs, shape=[5, 4], diag_num=3, diag_step=4, diag_val=9.0)
        assert [int(n) for n in np.flatnonzero(got == 9)] == [0, 5, 10]


def test_whole_numbers():
    got = drawn("randint", shape=[60, 50], low=-5, high=5, dtype=2)
    assert got.dtype == "int32" and sorted(set(got.ravel())) == list(range(-5, 5))
    near(got, -0.5, 2.87)
    got = drawn("randperm", n=500, dtype=3)
    assert got.dtype == "int64" and sorted(got) == list(range(500))
    assert np.mean(got == np.arange(500)) < 0.05


def test_the_shape_may_be_a_tensor():
    for type, attrs in (("uniform_random", {}), ("gaussian_random", {}),
                        ("randint", {"low": 0, "high": 9})):
        assert drawn(type, {"ShapeTensor": np.array([3, 2], "int32")}, **attrs).shape == (3, 2)
        assert drawn(type, {"ShapeTensorList": [np.array([4], "int32"), np.array([2], "int32")]},
                     **attrs).shape == (4, 2)


def test_a_seed_gives_the_same_numbers():
    for type, attrs in (("uniform_random", {"shape": [9]}), ("gaussian_random", {"shape": [9]}),
                        ("randint", {"shape": [9], "low": 0, "high": 10 ** 6}),
                        ("randperm", {"n": 99})):
        first, second = (drawn(type, seed=7, **attrs) for _ in range(2))
        assert (first == second).all() and (first != drawn(type, seed=8, **attrs)).any()


test_refused = refused(
    ("float32 or float64", case("whole", "uniform_random", {}, {"shape": [2], "dtype": 3})),
    ("runs over the tensor", case("band", "uniform_random", {}, {"shape": [2, 2], "diag_num": 3,
                                                                "diag_step": 2})),
    ("below high", case("empty", "randint", {}, {"shape": [2], "low": 3, "high": 3})),
    ("int32 or int64", case("float", "randint", {}, {"shape": [2], "low": 0, "high": 3,
                                                     "dtype": 5})),
    ("above 0", case("none", "randperm", {}, {"n": 0})),
)
