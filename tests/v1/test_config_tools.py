"""dump_config, merge_model, make_diagram and py_paddle: what is made of a config and a model."""
import os
import re
import struct
import subprocess
import sys

import numpy as np
import pytest

from workspace import Workspace


@pytest.fixture
def job(tmp_path):
    return Workspace(tmp_path / "job")


def test_a_config_is_dumped_as_text(job):
    out, _ = job.run("dump_config", "trainer_config.py", "width=5")
    assert re.search(r'layers \{\n  name: "hidden"\n  type: "fc"\n  size: 5\n  active_type: "tanh"\n'
                     r'  inputs \{\n    input_layer_name: "x"\n    input_parameter_name: '
                     r'"_hidden.w0"\n  \}\n  bias_parameter_name: "_hidden.wbias"\n\}', out)
    assert 'parameters {\n  name: "_hidden.w0"\n  size: 15\n' in out and "  dims: 3\n  dims: 5\n" in out
    assert 'input_layer_names: "x"\ninput_layer_names: "y"\n' in out
    whole, _ = job.run("dump_config", "trainer_config.py", "--whole")
    assert whole.startswith("model_config {\n") and "opt_config {\n  batch_size: 8\n" in whole
    assert 'load_data_module: "dataprovider"' in whole


def test_a_config_is_dumped_without_its_data(job):
    os.unlink(job.folder / "train.list")
    with_data, _ = job.run("dump_config", "trainer_config.py")
    assert 'name: "_guess.wbias"' in with_data
    _, err = job.run("dump_config", "none.py", status=1)
    assert "there is no config file none.py" in err
    assert "no option --wole" in job.run("dump_config", "trainer_config.py",
                                         "--wole", status=2)[1]


def fields(data):
    """(number, value) of a protobuf message, where lengths and varints are enough."""
    at = 0

    def varint():
        nonlocal at
        n = shift = 0
        while True:
            byte = data[at]
            at += 1
            n |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return n
    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
        elif tag & 7 == 1:
            yield tag >> 3, struct.unpack_from("<d", data, at)[0]
            at += 8
        else:
            size = varint()
            yield tag >> 3, data[at:at + size]
            at += size


def test_a_config_and_its_model_are_merged_into_one_file(job):
    job.train("--save_dir=output", "--num_passes=1")
    job.run("merge_model", "--model_dir=output/pass-00000", "--model_file=one.bin")
    data = (job.folder / "one.bin").read_bytes()
    size = struct.unpack_from("<q", data)[0]
    model = dict(fields(data[8:8 + size]))[1]
    names = [dict(fields(value))[1].decode() for number, value in fields(model) if number == 3]
    assert names == ["_hidden.w0", "_hidden.wbias", "_guess.w0", "_guess.wbias"]
    rest = b"".join((job.folder / "output" / "pass-00000" / name).read_bytes() for name in names)
    assert data[8 + size:] == rest
    os.unlink(job.folder / "output" / "pass-00000" / "_guess.w0")
    _, err = job.run("merge_model", "--model_dir=output/pass-00000",
                     "--model_file=two.bin", status=1)
    assert "no file for the parameter _guess.w0" in err
    assert not (job.folder / "two.bin").exists()
    assert "--model_file is wanted" in job.run("merge_model", "--model_dir=output",
                                               status=2)[1]


def test_a_config_is_drawn(job):
    job.run("make_diagram", "trainer_config.py", "model.dot")
    text = (job.folder / "model.dot").read_text()
    assert text.startswith("digraph model {") and '"x" -> "hidden";' in text
    assert '"hidden" [label="hidden\\nfc  4\\ntanh"];' in text
    # A dot of our own: the real one draws pictures.
    tool = job.write("bin/dot", "#!/bin/sh\necho \"$1\" > \"$3\"\ncat >> \"$3\"\n")
    tool.chmod(0o755)
    command = job.command("trainer_config.py", "model.svg", command="make_diagram")
    subprocess.run(command, cwd=job.folder, check=True, timeout=60,
                   env=job.environment(PATH="%s:%s" % (tool.parent, job.environment()["PATH"])))
    assert (job.folder / "model.svg").read_text() == "-Tsvg\n" + text
    done = subprocess.run(command, cwd=job.folder, timeout=60, env=job.environment(PATH=os.path.dirname(sys.executable)),
                          stderr=subprocess.PIPE)
    assert done.returncode == 1 and b"apt-get install graphviz" in done.stderr


PREDICT = '''
import sys
from paddle.trainer.PyDataProvider2 import dense_vector
from paddle.trainer.config_parser import parse_config
from py_paddle import swig_paddle, DataProviderConverter
swig_paddle.initPaddle("--use_gpu=0")
config = parse_config("trainer_config.py", "is_predict=1").model_config
network = swig_paddle.GradientMachine.createFromConfigProto(config)
network.loadParameters(sys.argv[1])
converter = DataProviderConverter([dense_vector(3)])
samples = [[[float(n) for n in line.split()]] for line in open("t.txt")]
for row in network.forwardTest(converter.convert(samples))[0]["value"]:
    print("%.5f" % row[0])
'''


def test_a_script_predicts_with_a_model_folder(job):
    job.train("--save_dir=output", "--num_passes=2")
    job.train("--job=test", "--init_model_path=output/pass-00001", "--predict_output_dir=said",
              "--config_args=is_predict=1")
    said = [float(line[:-1]) for line in (job.folder / "said" / "rank-00000").read_text().split()]
    job.write("prediction.py", PREDICT)
    run = [sys.executable, "prediction.py"]
    out = subprocess.run(run + ["output/pass-00001"], cwd=job.folder, check=True, timeout=60,
                         stdout=subprocess.PIPE).stdout.decode()
    assert np.allclose([float(line) for line in out.split()], said, atol=2e-5)
    done = subprocess.run(run + ["output/pass-00007"], cwd=job.folder, timeout=60,
                          stderr=subprocess.PIPE)
    assert done.returncode == 1 and b"there is no model folder output/pass-00007" in done.stderr
