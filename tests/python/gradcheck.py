"""Programs whose gradients are compared with central differences.

    def loss(v):                       # v: {name: Variable}
        return layers.reduce_sum(layers.tanh(v["x"]))
    check(loss, {"x": array})

Feeds are float64 arrays, or (array, sequence lengths). All of them are differentiated by, unless
`wanted` names some. The program is run twice over: a second run must give the same bits."""
import numpy as np


def _split(feed):
    return feed if isinstance(feed, tuple) else (feed, None)


def _data(fluid, name, feed):
    array, lengths = _split(feed)
    shape = [-1] + list(array.shape[1:]) if lengths else list(array.shape)
    var = fluid.layers.data(name, shape, dtype=str(array.dtype), append_batch_size=False,
                            lod_level=1 if lengths else 0)
    var.stop_gradient = False
    return var


def _fed(fluid, feeds, name=None, at=0, step=0.0):
    out = {}
    for key, feed in feeds.items():
        array, lengths = _split(feed)
        array = array.copy()
        if key == name:
            array.flat[at] += step
        out[key] = (fluid.create_lod_tensor(array, [lengths], fluid.CPUPlace()) if lengths
                    else array)
    return out


def build(loss, feeds, wanted=None):
    """(program, loss, gradients)"""
    import paddle.fluid as fluid
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        inputs = {name: _data(fluid, name, feed) for name, feed in feeds.items()}
        out = loss(inputs)
        grads = fluid.gradients([out], [inputs[name] for name in wanted or feeds])
    return main, out, grads


def check(loss, feeds, wanted=None, step=1e-6, tolerance=1e-6):
    import paddle.fluid as fluid
    wanted = list(wanted or feeds)
    main, out, grads = build(loss, feeds, wanted)
    assert all(g is not None for g in grads), "there is no gradient of %s" % [
        name for name, g in zip(wanted, grads) if g is None]
    exe = fluid.Executor(fluid.CPUPlace())
    first, second = [[np.array(tensor) for tensor in
                      exe.run(main, feed=_fed(fluid, feeds), fetch_list=[out] + grads,
                              return_numpy=False)] for _ in range(2)]
    for a, b in zip(first, second):
        assert np.array_equal(a, b), "the second run differs from the first"
    for name, got in zip(wanted, first[1:]):
        array = _split(feeds[name])[0]
        assert got.shape == array.shape
        for at in range(array.size):
            sides = [float(np.sum(exe.run(main, feed=_fed(fluid, feeds, name, at, sign * step),
                                          fetch_list=[out])[0])) for sign in (1, -1)]
            expected = (sides[0] - sides[1]) / (2 * step)
            assert abs(got.flat[at] - expected) <= tolerance * max(1.0, abs(expected)), (
                "d loss / d %s[%d] is %.9g, and the difference quotient %.9g"
                % (name, at, got.flat[at], expected))
    return first[0]
