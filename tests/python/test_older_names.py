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


def test_hsigmoid_takes_the_argument_names_of_1_2():
    def ops(**names):
        main = fluid.Program()
        with fluid.program_guard(main, fluid.Program()), fluid.unique_name.guard():
            x = fluid.layers.data(name="x", shape=[4], dtype="float32")
            label = fluid.layers.data(name="label", shape=[1], dtype="int64")
            path, code = (fluid.layers.data(name=name, shape=[3], dtype="int64")
                          for name in ("path", "code"))
            values = {"classes": 5, "path": path, "code": code, "custom": True}
            fluid.layers.hsigmoid(input=x, label=label,
                                  **{names[kind]: value for kind, value in values.items()})
        return str(main)

    assert ops(classes="non_leaf_num", path="ptable", code="pcode", custom="is_costum") == \
        ops(classes="num_classes", path="path_table", code="path_code", custom="is_custom")


def test_sequences_may_come_as_a_map():
    """In Python 2 map() is a list; the book's chapter 8 feeds one."""
    data = [([1, 2],), ([3],)]
    tensor = fluid.create_lod_tensor(map(lambda one: one[0], data), [[2, 1]], fluid.CPUPlace())
    assert tensor.lod() == [[0, 2, 3]]
