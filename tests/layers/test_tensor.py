"""What the layers that make and move tensors add to a program."""
import numpy as np
from layercase import check, data


def create():
    from paddle.fluid import layers
    layers.create_tensor("int64")
    layers.create_tensor(dtype="float32", name="kept", persistable=True)
    layers.create_parameter([3, 4], "float32")
    layers.create_parameter([4], "float32", is_bias=True)
    layers.create_global_var([1], 3, "int64", persistable=True)
    layers.create_global_var(shape=[2, 2], value=1.5, dtype="float32", force_cpu=True, name="v")


def create_parameter_as_told():
    import paddle.fluid as fluid
    fluid.layers.create_parameter([3, 4], "float64", name="by_name")
    fluid.layers.create_parameter([3], "float32", attr=fluid.ParamAttr(name="by_attr"),
                                  default_initializer=fluid.initializer.Constant(2.0))


def cast():
    from paddle.fluid import layers
    x = data("x", [4], grad=True)
    layers.cast(x, "int64")
    layers.cast(x=layers.cast(x, np.float64), dtype="bool")


def concat():
    from paddle.fluid import layers
    x, y = data("x", [4], grad=True), data("y", [5])
    layers.concat([x, y], axis=1)
    layers.concat(input=[x, x, x])
    layers.concat([x, y], axis=-1, name="c")
    layers.concat([x], 1)


def concat_axis_tensor():
    from paddle.fluid import layers
    layers.concat([data("x", [4]), data("y", [4])], axis=layers.fill_constant([1], "int32", 0))


def sums():
    from paddle.fluid import layers
    x, y = data("x", [4], grad=True), data("y", [4])
    layers.sums([x, y])
    layers.sums(input=[x, y], out=y)
    layers.sums(x)
    layers.sum([x, y])
    layers.sum(x)


def assign():
    from paddle.fluid import layers
    x = data("x", [4], grad=True)
    layers.assign(x)
    layers.assign(input=x, output=layers.create_tensor("float32"))


def assign_numbers():
    from paddle.fluid import layers
    layers.assign(np.array([[1.5, 2.0], [3.0, 4.0]], "float32"))
    layers.assign(np.array([1, 2, 3], "int32"))
    layers.assign(np.array([1, 2, 3], "int64"), layers.create_tensor("int64"))
    layers.assign(np.array([True, False]))


def fill_constant():
    from paddle.fluid import layers
    layers.fill_constant([2, 3], "float32", 1.5)
    layers.fill_constant(shape=(1,), dtype="int64", value=7, force_cpu=True)
    layers.fill_constant([1], "float64", "2.5")
    layers.fill_constant([2], "float32", 3, out=data("o", [4]))
    layers.fill_constant([2], "bool", True)


def fill_constant_of_variables():
    from paddle.fluid import layers
    side = layers.fill_constant([1], "int32", 5)
    layers.fill_constant([2, side], "float32", 1)
    layers.fill_constant(layers.data("s", [2], dtype="int32", append_batch_size=False), "int64", 0)
    layers.fill_constant([2], "float32", layers.fill_constant([1], "float32", 2.5))


def fill_constant_batch_size_like():
    from paddle.fluid import layers
    x = data("x", [4], grad=True)
    layers.fill_constant_batch_size_like(x, [1, 3], "float32", 0.5)
    layers.fill_constant_batch_size_like(input=x, shape=[3, -1], dtype="int64", value=2,
                                         input_dim_idx=0, output_dim_idx=1, force_cpu=True)


def zeros_and_ones():
    from paddle.fluid import layers
    x = data("x", [4], grad=True)
    layers.zeros([2], "float32")
    layers.ones([2, 2], "int64", force_cpu=True)
    layers.zeros_like(x)
    layers.ones_like(x)
    layers.zeros_like(x, out=data("o", [4]))
    layers.ones_like(x=x, out=data("o2", [4]))


def ranges():
    from paddle.fluid import layers
    layers.range(0, 10, 2, "int64")
    layers.range(0.0, layers.fill_constant([1], "float32", 3), 0.5, "float32")
    layers.linspace(0, 10, 5, "float32")
    layers.linspace(layers.fill_constant([1], "float64", 0), 1.0,
                    layers.fill_constant([1], "int32", 3), "float64")


def arange():
    from paddle.fluid import layers
    layers.arange(0, 5, 1, "int32")
    layers.arange(1, 3, dtype="float32", name="r")
    layers.arange(0, 4)


def diagonals():
    from paddle.fluid import layers
    layers.diag(np.array([3, 4, 5], "int32"))
    layers.diag(layers.fill_constant([3], "float32", 2))
    layers.eye(3)
    layers.eye(num_rows=2, num_columns=3, dtype="int64")


def eye_in_batches():
    from paddle.fluid import layers
    layers.eye(2, 3, [4, 5])


def finite():
    from paddle.fluid import layers
    x = data("x", [4], grad=True)
    layers.has_inf(x)
    layers.has_nan(x)
    layers.isfinite(x)


def full():
    from paddle.fluid import layers
    layers.full([2, 3], 1.5)
    layers.full(shape=[2], fill_value=3, dtype="int64", stop_gradient=False, name="f")


def full_like():
    from paddle.fluid import layers
    x = data("x", [4], grad=True)
    layers.full_like(x, 2.0)
    layers.full_like(input=x, fill_value=1, dtype="int64", stop_gradient=False)
    layers.full_like(x, 1, out=data("o", [4]), name="l")


def triangles():
    from paddle.fluid import layers
    x = data("x", [4, 4], grad=True)
    layers.tril(x)
    layers.tril(input=x, diagonal=-1, name="low")
    layers.triu(x, 2)


def products():
    from paddle.fluid import layers
    x, y = data("x", [4, 4], grad=True), data("y", [4, 4])
    layers.kron(x, y)
    layers.kron(x, y, name="k")
    layers.trace(x, 1)
    layers.trace(x, offset=-1, dim1=1, dim2=2, name="t")


def tensor_arrays():
    from paddle.fluid import layers
    x = layers.fill_constant([2, 3], "float32", 1)
    i = layers.fill_constant([1], "int64", 0)
    array = layers.array_write(x, i)
    layers.tensor_array_to_tensor(input=array)
    layers.tensor_array_to_tensor(array, axis=0, name="s", use_stack=True)


CASES = [create, create_parameter_as_told, cast, concat, concat_axis_tensor, sums, assign,
         assign_numbers, fill_constant, fill_constant_of_variables, fill_constant_batch_size_like,
         zeros_and_ones, ranges, arange, diagonals, eye_in_batches, finite, full, full_like,
         triangles, products, tensor_arrays]
test = check(
    __file__, CASES,
    # Whether there is an inf or a nan is a bool, and the sizes of an array's items are a vector:
    # real Paddle says otherwise while building.
    ignore_vars=("isinf_0.tmp_0", "isnan_0.tmp_0", "tensor_array_to_tensor_0.tmp_1", "s.tmp_1"))
