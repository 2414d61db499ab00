"""What gradient clips add to a program, dense and sparse."""
import numpy as np
import paddle.fluid as fluid
import pytest
from layercase import check
from test_optimizer import _loss, _sparse_loss


def _case(name, make, loss=_loss, before=None):
    def function():
        import paddle.fluid as fluid
        built = loss()
        if before is not None:
            before(fluid)
        make(fluid).minimize(built)
    function.__name__ = name
    return function


def _sgd(clip):
    return lambda f: f.optimizer.SGD(0.1, grad_clip=clip(f))


def _set(clip, **kwargs):
    return lambda f: f.clip.set_gradient_clip(clip(f), **kwargs)


def _not_the_bias(param):
    return not param.name.endswith(".b_0")


CASES = [
    _case("by_value", _sgd(lambda f: f.clip.GradientClipByValue(0.5))),
    _case("by_value_min", _sgd(lambda f: f.clip.GradientClipByValue(max=0.5, min=-0.1))),
    _case("by_value_needed", _sgd(lambda f: f.clip.GradientClipByValue(
        0.5, need_clip=_not_the_bias))),
    _case("by_value_sparse", _sgd(lambda f: f.clip.GradientClipByValue(0.5)), _sparse_loss),
    _case("by_norm", _sgd(lambda f: f.clip.GradientClipByNorm(0.5))),
    _case("by_norm_needed", _sgd(lambda f: f.clip.GradientClipByNorm(
        0.5, need_clip=_not_the_bias))),
    _case("by_norm_sparse", _sgd(lambda f: f.clip.GradientClipByNorm(0.5)), _sparse_loss),
    _case("by_global_norm", _sgd(lambda f: f.clip.GradientClipByGlobalNorm(0.5))),
    _case("by_global_norm_needed", _sgd(lambda f: f.clip.GradientClipByGlobalNorm(
        0.5, need_clip=_not_the_bias))),
    _case("by_global_norm_sparse", _sgd(lambda f: f.clip.GradientClipByGlobalNorm(0.5)),
          _sparse_loss),
    _case("by_global_norm_then_l2", lambda f: f.optimizer.SGD(
        0.1, grad_clip=f.clip.GradientClipByGlobalNorm(0.5),
        regularization=f.regularizer.L2Decay(0.1))),
    _case("set_by_value", lambda f: f.optimizer.SGD(0.1),
          before=_set(lambda f: f.clip.GradientClipByValue(0.5))),
    _case("set_by_global_norm", lambda f: f.optimizer.SGD(0.1),
          before=_set(lambda f: f.clip.GradientClipByGlobalNorm(0.5))),
    _case("set_by_global_norm_sparse", lambda f: f.optimizer.SGD(0.1), _sparse_loss,
          _set(lambda f: f.clip.GradientClipByGlobalNorm(0.5))),
    _case("set_and_given", _sgd(lambda f: f.clip.GradientClipByValue(0.5)),
          before=_set(lambda f: f.clip.GradientClipByNorm(0.5))),
]


def error_clip():
    import paddle.fluid as fluid
    loss = _loss()
    hidden = fluid.default_main_program().global_block().var("fc_0.tmp_1")
    hidden._set_error_clip(fluid.clip.ErrorClipByValue(max=0.1, min=-0.2))
    fluid.optimizer.SGD(0.1).minimize(loss)


CASES.append(error_clip)
test = check(__file__, CASES)


@pytest.mark.parametrize("clip", [fluid.clip.GradientClipByValue(0.01),
                                  fluid.clip.GradientClipByNorm(0.02),
                                  fluid.clip.GradientClipByGlobalNorm(0.03)])
def test_param_attr_takes_the_clip_of_older_scripts(clip):
    """ParamAttr(gradient_clip=) is what set_gradient_clip() does to that parameter."""
    def trained(by_attr):
        main, startup = fluid.Program(), fluid.Program()
        with fluid.program_guard(main, startup), fluid.unique_name.guard():
            x = fluid.layers.data("x", [4])
            attr = fluid.ParamAttr(initializer=fluid.initializer.Constant(0.5),
                                   gradient_clip=clip if by_attr else None)
            loss = fluid.layers.mean(fluid.layers.square(fluid.layers.fc(x, 3, param_attr=attr)))
            weight = main.all_parameters()[0]
            if not by_attr:
                fluid.clip.set_gradient_clip(clip, [weight], main)
            fluid.optimizer.SGD(1.0).minimize(loss)
        with fluid.scope_guard(fluid.core.Scope()):
            exe = fluid.Executor(fluid.CPUPlace())
            exe.run(startup)
            feed = {"x": np.arange(8, dtype="float32").reshape(2, 4)}
            return [exe.run(main, feed=feed, fetch_list=[weight])[0] for _ in range(2)]
    want, got = trained(False), trained(True)
    assert all((a == b).all() for a, b in zip(want, got))
    assert np.abs(got[0] - 0.5).max() < 0.04


def test_a_clip_in_the_wrong_place_of_param_attr_is_said():
    clip = fluid.clip.GradientClipByNorm(1.0)
    with pytest.raises(TypeError, match="give the clip by its name: gradient_clip="):
        fluid.ParamAttr("w", None, 1.0, None, True, clip, False)
    with pytest.raises(TypeError, match="gradient_clip is <class 'float'>"):
        fluid.ParamAttr(gradient_clip=1.0)
