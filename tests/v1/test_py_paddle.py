"""py_paddle: a model folder is asked from Python, as prediction scripts of v1 do it."""
import numpy as np
import pytest
from py_paddle import DataProviderConverter, swig_paddle

from paddle.trainer import model_dir
from paddle.trainer.config_parser import parse_config
from paddle.trainer.PyDataProvider2 import dense_vector, integer_value, integer_value_sequence

CONFIG = """
from paddle.trainer_config_helpers import *
settings(batch_size=2, learning_rate=0.1)
x, word = data_layer('x', 3), data_layer('word', 5)
table = embedding_layer(input=word, size=2, param_attr=ParamAttr(name='table'))
out = fc_layer(input=x, size=2, act=LinearActivation(), name='out')
outputs(out, table, maxid_layer(out, name='best'))
"""


@pytest.fixture
def machine(tmp_path):
    (tmp_path / "config.py").write_text(CONFIG)
    made = swig_paddle.GradientMachine.createFromConfigProto(
        parse_config(str(tmp_path / "config.py")).model_config)
    made.weights = {"_out.w0": np.arange(6, dtype="float32").reshape(3, 2),
                    "_out.wbias": np.array([10, 20], "float32"),
                    "table": np.arange(10, dtype="float32").reshape(5, 2)}
    model_dir.save(str(tmp_path / "output" / "pass-00000"), made.weights)
    made.folder = str(tmp_path / "output" / "pass-00000")
    return made


def test_a_model_folder_answers(machine):
    swig_paddle.initPaddle("--use_gpu=0", "--trainer_count=1")
    machine.loadParameters(machine.folder)
    convert = DataProviderConverter([dense_vector(3), integer_value(5)])
    out, rows, best = machine.forwardTest(convert([[[1, 0, 0], 4], [[0, 1, 1], 0]]))
    assert out["value"].tolist() == [[10, 21], [16, 28]] and out["id"] is None
    assert rows["value"].tolist() == [[8, 9], [0, 1]]
    assert best["id"].tolist() == [1, 1]
    found = machine.getLayerOutputs(["out", "best"])
    assert found["out"]["value"].tolist() == [[10, 21], [16, 28]]
    assert found["best"]["id"].tolist() == [1, 1]
    # Another folder may follow.
    model_dir.save(machine.folder + "1", {k: v * 2 for k, v in machine.weights.items()})
    machine.loadParameters(machine.folder + "1")
    assert machine.forwardTest(convert.convert([[[1, 0, 0], 4]]))[0]["value"].tolist() == [[20, 42]]


def test_sequences_have_a_row_for_each_step(machine):
    machine.loadParameters(machine.folder)
    convert = DataProviderConverter([dense_vector(3), integer_value_sequence(5)])
    rows = machine.forwardTest(convert([[[1, 0, 0], [4, 2]], [[0, 1, 1], [0]]]))[1]["value"]
    assert rows.tolist() == [[8, 9], [4, 5], [0, 1]]


def test_what_cannot_be_is_said(machine):
    convert = DataProviderConverter([dense_vector(3), integer_value(5)])
    with pytest.raises(RuntimeError, match="loadParameters"):
        machine.forwardTest(convert([[[1, 0, 0], 4]]))
    with pytest.raises(model_dir.ModelError, match="there is no model folder .*pass-00007; .*00000"):
        machine.loadParameters(machine.folder[:-1] + "7")
    machine.loadParameters(machine.folder)
    with pytest.raises(RuntimeError, match="call forwardTest"):
        machine.getLayerOutputs(["out"])
    with pytest.raises(ValueError, match="1 input types, and the config has 2 data layers: x, word"):
        machine.forwardTest(DataProviderConverter([dense_vector(3)])([[[1, 0, 0]]]))
    with pytest.raises(ValueError, match="sample 0 of the batch, data layer 'word': 5 is outside"):
        machine.forwardTest(convert([[[1, 0, 0], 5]]))
    machine.forwardTest(convert([[[1, 0, 0], 4]]))
    with pytest.raises(KeyError, match="no layer 'fc'; there are x, out"):
        machine.getLayerOutputs("fc")
    with pytest.raises(ValueError, match="--use_gpu=1 is not supported"):
        swig_paddle.initPaddle("--use_gpu=1")
    with pytest.raises(TypeError, match="input type 0 is 3"):
        DataProviderConverter([3])
    with pytest.raises(NotImplementedError, match="Trainer is not supported"):
        swig_paddle.Trainer
