"""Names of variables, in whatever they come."""
import os
import subprocess
import sys

import paddle.fluid as fluid
import pytest

SCRIPT = """
import paddle.fluid as fluid
names = ["variable_%04d" % i for i in range(40)]
block = fluid.Program().global_block()
for name in names + ["out"]:
    block.create_var(name=name, shape=[2], dtype="float32")
op = block.append_op(type="sum", inputs={"X": ("variable_%04d" % i for i in range(40))},
                     outputs={"Out": "out"})
assert op.input("X") == names, op.input("X")
"""


def test_a_generator_of_names_whose_strings_go_at_once():
    """Freed memory is overwritten with PYTHONMALLOC=debug: names must not point there."""
    env = dict(os.environ, PYTHONMALLOC="debug")
    ran = subprocess.run([sys.executable, "-c", SCRIPT], env=env, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr


def test_what_a_generator_raises_is_said():
    def names():
        yield "x"
        raise KeyError("no more")

    block = fluid.Program().global_block()
    block.create_var(name="x", shape=[2], dtype="float32")
    block.create_var(name="out", shape=[2], dtype="float32")
    with pytest.raises(TypeError, match="no more"):
        block.append_op(type="sum", inputs={"X": names()}, outputs={"Out": "out"})
    with pytest.raises(TypeError, match="a variable or its name is wanted"):
        block.append_op(type="sum", inputs={"X": 3}, outputs={"Out": "out"})


@pytest.mark.parametrize("layer, why", [("prior_box", "object detection"),
                                        ("ssd_loss", "object detection"),
                                        ("roi_align", "models of images alone"),
                                        ("deformable_roi_pooling", "models of images alone")])
def test_a_layer_whose_op_is_refused_says_why(layer, why):
    from paddle._names import NotSupported
    with pytest.raises(NotSupported, match=r"%s is not implemented: it is of %s" % (layer, why)):
        getattr(fluid.layers, layer)()
    with pytest.raises(NotSupported, match="multiclass_nms2 .*: it is of object detection"):
        fluid.contrib.layers.multiclass_nms2()
