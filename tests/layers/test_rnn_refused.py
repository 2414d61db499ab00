"""Cells and decoders that cannot work say what is missing."""
import pytest


def test_what_is_not_there_is_named():
    import paddle.fluid as fluid
    from paddle.fluid import layers

    class Nothing(layers.RNNCell):
        pass

    class Half(layers.Decoder):
        pass
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x = fluid.data("x", [-1, 5, 4], "float32")
        with pytest.raises(NotImplementedError, match="Nothing must have state_shape"):
            layers.rnn(Nothing(), x)
        with pytest.raises(NotImplementedError, match="Nothing must have call"):
            layers.rnn(Nothing(), x, initial_states=fluid.data("h", [-1, 3], "float32"))
        with pytest.raises(NotImplementedError, match=r"Half must have initialize\(self, inits\)"):
            layers.dynamic_decode(Half())
        with pytest.raises(ValueError, match="bias_attr must not be False"):
            layers.dynamic_lstmp(x, 4, 2, bias_attr=False)
