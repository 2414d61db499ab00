"""Names of Fluid before 1.8: they are there, or say what to write instead."""
import importlib
import sys

import paddle.fluid as fluid
import pytest
from paddle import _names, _older
from paddle.scripts import check


def _get(full):
    value = importlib.import_module(full.split(".")[0])
    for part in full.split(".")[1:]:
        value = getattr(value, part)
    return value


@pytest.mark.parametrize("full", sorted(_older.REMOVED))
def test_a_removed_name_says_what_to_write(full):
    value = _get(full)
    with pytest.raises(_names.NotSupported) as e:
        value()
    assert str(e.value) == "%s is not implemented: %s" % (full, _older.REMOVED[full])


def test_a_removed_module_says_what_to_write():
    with pytest.raises(ModuleNotFoundError, match="RecordIO files are not read; give the reader"):
        import paddle.fluid.recordio_writer  # noqa: F401


def test_modules_are_the_same_under_their_old_names():
    import paddle.v2.fluid as old
    import paddle.v2.fluid.layers as layers
    from paddle.v2.fluid.param_attr import ParamAttr
    assert old is fluid and layers is fluid.layers and ParamAttr is fluid.ParamAttr
    assert fluid.__spec__.name == "paddle.fluid" and sys.modules["paddle.v2"].fluid is fluid
    import paddle.fluid.learning_rate_decay as decay
    assert decay.exponential_decay is fluid.layers.exponential_decay
    import paddle.fluid.trainer as trainer
    assert trainer is fluid.contrib.trainer and fluid.Trainer is trainer.Trainer
    assert fluid.contrib.EndStepEvent is fluid.EndStepEvent is trainer.EndStepEvent
    with pytest.raises(ModuleNotFoundError, match="nothing"):
        import paddle.v2.fluid.nothing  # noqa: F401


def test_paddle_check_says_them(tmp_path):
    (tmp_path / "old.py").write_text("import paddle.v2.fluid as fluid\n"
                                     "fluid.layers.fc\nfluid.layers.open_files(['x'])\n")
    found, _ = check.check(str(tmp_path / "old.py"))
    assert len(found) == 1 and found[0][0] == 3, found
    assert "open_files is not implemented: RecordIO" in found[0][1]
