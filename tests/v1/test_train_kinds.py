"""`paddle train` with all kinds of inputs: sequences, sparse vectors, evaluators, several costs."""
import random
import re

import pytest

from workspace import Workspace

TEXTS = '''from paddle.trainer_config_helpers import *

settings(batch_size=20, learning_rate=0.02, learning_method=AdamOptimizer(),
         regularization=L2Regularization(1e-4), gradient_clipping_threshold=10)
define_py_data_sources2("train.list", "test.list", module="texts", obj="process")
words = data_layer("words", size=30)
label = data_layer("label", size=2)
vectors = embedding_layer(input=words, size=8, param_attr=ParamAttr(name="table"))
pooled = pooling_layer(input=vectors, pooling_type=MaxPooling())
guess = fc_layer(input=[pooled, data_layer("marks", size=6)], size=2, act=SoftmaxActivation(),
                 name="guess"%s)
outputs(classification_cost(input=guess, label=label))
'''
PROVIDER = '''from paddle.trainer.PyDataProvider2 import *


@provider(input_types={"words": integer_value_sequence(30), "label": integer_value(2),
                       "marks": sparse_vector(6)}, pool_size=50)
def process(settings, filename):
    for line in open(filename):
        label, text = line.split(":")
        words = [int(w) for w in text.split()]
        yield {"label": int(label), "words": words, "marks": [(words[0] % 6, 0.5)]}
'''


@pytest.fixture
def job(tmp_path):
    made = Workspace(tmp_path / "job", TEXTS % "", "")
    made.write("texts.py", PROVIDER)
    numbers = random.Random(2)
    for name, count in (("a.txt", 200), ("t.txt", 60)):
        lines = []
        for _ in range(count):
            words = [numbers.randrange(30) for _ in range(numbers.randrange(1, 9))]
            lines.append("%d:%s\n" % (any(w < 6 for w in words), " ".join(map(str, words))))
        made.write(name, "".join(lines))
    made.write("train.list", "a.txt\n")
    return made


def test_a_classifier_of_texts_learns_and_its_error_is_in_the_log(job):
    log = job.train("--num_passes=12", "--log_period=5", "--save_dir=output")
    errors = [float(e) for e in re.findall(r" Test samples=60 cost=\S+ Eval: \S+=(\S+) ", log)]
    assert len(errors) == 12 and errors[-1] < 0.2 and errors[-1] < errors[0]
    assert re.search(r" Batch=5 samples=100 AvgCost=\S+ CurrentCost=\S+ Eval: (\S+)=\S+  "
                     r"CurrentEval: \1=\S+ $", log, re.M)
    assert "output/pass-00011/table" in "\n".join("output/" + f for f in job.files("output"))


def test_the_gradients_of_sequences_and_sparse_inputs_are_right(job):
    log = job.train("--job=checkgrad")
    assert len(re.findall(r"param=\S+ ", log)) == 4 and "***" not in log


def test_gradients_of_a_layer_that_drops_out_cannot_be_checked(job):
    job.write("trainer_config.py", TEXTS % ", layer_attr=ExtraAttr(drop_rate=0.5)")
    assert "'guess' has drop_rate=0.5" in job.train("--job=checkgrad", status=1)
    assert " Pass=0 " in job.train("--num_passes=1")


def test_averaged_parameters_are_tested_and_saved(job):
    text = TEXTS % ""
    job.write("trainer_config.py", text.replace(
        "gradient_clipping_threshold=10", "model_average=ModelAverage(average_window=0.5)"))
    log = job.train("--num_passes=3", "--save_dir=output")
    tested = re.findall(r" Test samples=60 cost=(\S+) ", log)
    again = job.train("--job=test", "--init_model_path=output/pass-00002")
    assert re.findall(r" Test samples=60 cost=(\S+) ", again) == tested[-1:]


def test_a_dictionary_that_is_too_small_is_an_error_that_names_the_provider(job):
    job.write("texts.py", PROVIDER.replace("integer_value_sequence(30)",
                                           "integer_value_sequence(20)"))
    job.write("trainer_config.py", (TEXTS % "").replace('"words", size=30', '"words", size=20'))
    log = job.train(status=1)
    assert "texts.py:4: process(): " in log and "check=True" in log and "words" in log
    job.write("texts.py", PROVIDER.replace("integer_value_sequence(30)",
                                           "integer_value_sequence(20)")
              .replace("pool_size=50", "check=True"))
    log = job.train(status=1)
    assert re.search(r"data file a.txt, sample \d+: slot 0 \(words\): step \d+: \d+ is outside "
                     r"\[0, 20\)", log), log
