"""Gradients of gradients as real Paddle 1.8.5 computes them, for test_second_gradients.py:

    v/bin/python tests/python/record.py second_gradient_cases.py      (see record.py)

Only gradient ops that it can differentiate are used here: others it takes as constants."""
import numpy as np

X = np.array([[3.0, -0.4, 0.3], [-1.2, 0.7, 0.55]], "float32")
W = np.array([[0.5, -0.3], [0.2, 0.9], [-0.7, 0.4]], "float32")
IMAGES = np.linspace(-1.0, 1.2, 2 * 2 * 4 * 4).reshape([2, 2, 4, 4]).astype("float32") ** 3


def _second(fluid, make, x=X, names=False):
    """x minus the gradient of make(x), squared: its gradient by x."""
    L = fluid.layers
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        var = L.data("x", list(x.shape), append_batch_size=False)
        var.stop_gradient = False
        first, = fluid.gradients(make(fluid, var), var)
        apart = var - first
        second, = fluid.gradients(apart * apart, var)
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        out = exe.run(main, feed={"x": x}, fetch_list=[first, second])
    return [np.asarray(o).tolist() for o in out]


def constant(fluid, value, name):
    return fluid.layers.create_parameter(
        list(value.shape), "float32", name=name,
        default_initializer=fluid.initializer.NumpyArrayInitializer(value))


def squares(fluid):
    return _second(fluid, lambda fluid, x: x * x)


def matrices(fluid):
    return _second(fluid, lambda fluid, x: fluid.layers.square(
        fluid.layers.mul(x, constant(fluid, W, "w"))))


def quotients(fluid):
    return _second(fluid, lambda fluid, x: x / (fluid.layers.square(x) + 0.5))


def differences(fluid):
    return _second(fluid, lambda fluid, x: fluid.layers.square(
        fluid.layers.elementwise_sub(x, fluid.layers.reduce_sum(x, dim=0), axis=1)))


def roots(fluid):
    return _second(fluid, lambda fluid, x: fluid.layers.sqrt(fluid.layers.square(x) + 0.5))


def activations(fluid):
    L = fluid.layers
    return _second(fluid, lambda fluid, x: L.square(L.relu(x)) + L.square(
        L.leaky_relu(x, 0.1)) + L.square(L.elu(x, 0.7)))


def means(fluid):
    L = fluid.layers
    return _second(fluid, lambda fluid, x: L.square(L.reduce_mean(x, dim=1, keep_dim=True)))


def shapes(fluid):
    L = fluid.layers
    return _second(fluid, lambda fluid, x: L.square(
        L.slice(L.expand(L.reshape(x, [3, 2]), [2, 1]), [0], [1], [5])))


def convolutions(fluid):
    filters = np.linspace(-0.8, 0.9, 3 * 2 * 3 * 3).reshape([3, 2, 3, 3]).astype("float32")
    return _second(fluid, lambda fluid, x: fluid.layers.square(fluid.layers.conv2d(
        x, 3, 3, padding=1, bias_attr=False, param_attr=fluid.ParamAttr(
            name="f", initializer=fluid.initializer.NumpyArrayInitializer(filters)))), IMAGES)


def instances(fluid):
    return _second(fluid, lambda fluid, x: fluid.layers.square(
        fluid.layers.instance_norm(x, param_attr=fluid.ParamAttr(name="s"))), IMAGES)


def critic(fluid, x):
    """Layers by names, so that several uses share parameters."""
    L = fluid.layers
    for i, size in enumerate([4, 3]):
        values = np.cos(np.arange(x.shape[1] * size) * 0.7 + i).reshape([x.shape[1], size]) * 0.6
        x = L.fc(x, size, param_attr=fluid.ParamAttr(
            name="w%d" % i, initializer=fluid.initializer.NumpyArrayInitializer(
                values.astype("float32"))), bias_attr=fluid.ParamAttr(name="b%d" % i))
        x = L.leaky_relu(x, 0.2)
    return L.reduce_sum(x, dim=1, keep_dim=True)


def gradient_penalty(fluid):
    """A critic trained with a penalty on the length of its gradient: loss of each step, and the
    parameters at the end."""
    L = fluid.layers
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        real = L.data("real", [5, 3], append_batch_size=False)
        fake = L.data("fake", [5, 3], append_batch_size=False)
        share = L.data("share", [5, 1], append_batch_size=False)
        between = L.elementwise_mul(real, share, axis=0) + L.elementwise_mul(
            fake, L.scale(share, -1.0, 1.0), axis=0)
        between.stop_gradient = False
        grad, = fluid.gradients(critic(fluid, between), between)
        length = L.sqrt(L.reduce_sum(L.square(grad), dim=1) + 1e-6)
        penalty = L.reduce_mean(L.square(length - 1.0))
        loss = L.reduce_mean(critic(fluid, fake)) - L.reduce_mean(
            critic(fluid, real)) + 10.0 * penalty
        fluid.optimizer.Adam(0.05).minimize(loss)
        exe = fluid.Executor(fluid.CPUPlace())
        scope = fluid.Scope()
        with fluid.scope_guard(scope):
            exe.run(startup)
            random, losses = np.random.RandomState(7), []
            for _ in range(6):
                feed = {"real": random.normal(1, 1, [5, 3]), "fake": random.normal(0, 1, [5, 3]),
                        "share": random.uniform(0, 1, [5, 1])}
                out = exe.run(main, feed={k: v.astype("float32") for k, v in feed.items()},
                              fetch_list=[loss, penalty])
                losses.append([float(np.asarray(o).reshape(-1)[0]) for o in out])
            names = ["w0", "b0", "w1", "b1"]
            return [losses] + [np.array(scope.find_var(n).get_tensor()).tolist() for n in names]


CASES = [squares, matrices, quotients, differences, roots, activations, means, shapes,
         convolutions, instances, gradient_penalty]
