"""A v1 job, whose trainers are `paddle train` with flags that the shell makes of variables."""
import os
import re

from built import ROOT
from k8s_nodes import nodes  # noqa: F401

CONFIG = """
from paddle.trainer_config_helpers import *
define_py_data_sources2("train.list", None, module="provider", obj="process")
settings(batch_size=10, learning_rate=0.02, learning_method=AdaGradOptimizer())
word = data_layer("word", size=50)
table = embedding_layer(input=word, size=8,
                        param_attr=ParamAttr(name="table", sparse_update=True))
guess = fc_layer(input=table, size=5, act=SoftmaxActivation())
outputs(classification_cost(input=guess, label=data_layer("label", size=5)))
"""
PROVIDER = """
from paddle.trainer.PyDataProvider2 import *

@provider(input_types={"word": integer_value(50), "label": integer_value(5)})
def process(settings, name):
    for i in range(200):
        yield {"word": i % 50, "label": i % 5}
"""


def the_line_of_the_guide():
    with open(os.path.join(ROOT, "docs", "guide-kubernetes.md")) as file:
        line = re.search(r"--cmd '(paddle train [^']*)'", file.read()).group(1)
    return " ".join(line.split())


def test_paddle_train(nodes, tmp_path):  # noqa: F811
    image = tmp_path / "image"
    image.mkdir()
    (image / "trainer_config.py").write_text(CONFIG)
    (image / "provider.py").write_text(PROVIDER)
    (image / "train.list").write_text("any\n")
    line = the_line_of_the_guide().replace("/models", str(tmp_path / "models"))
    pods = nodes("--name", "old", "--servers", "2", "--trainers", "2", "--image", "none", "--cmd",
                 line + " --num_passes=2", workspace=str(image))
    pods.start_all()
    pods.finish()
    assert sorted(os.listdir(str(tmp_path / "models"))) == ["pass-00000", "pass-00001"]
    assert "table" in os.listdir(str(tmp_path / "models" / "pass-00001"))
