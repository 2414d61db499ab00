"""`paddle train` with all kinds of inputs: sequences, sparse vectors, evaluators, several costs."""
import random
import re

import numpy as np
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


TAGS = '''from paddle.trainer_config_helpers import *

define_py_data_sources2(["a"], ["c"], module="tags", obj="process")
settings(batch_size=20, learning_rate=2e-2, learning_method=RMSPropOptimizer())
word = data_layer(name="word", size=20)
label = data_layer(name="label", size=3)
feature = mixed_layer(size=3, input=[full_matrix_projection(embedding_layer(input=word, size=8))],
                      bias_attr=True)
crf = crf_layer(input=feature, label=label, size=3, param_attr=ParamAttr(name="crfw"))
decoded = crf_decoding_layer(size=3, input=feature, label=label, param_attr=ParamAttr(name="crfw"))
sum_evaluator(name="error", input=decoded)
inputs(word, label)
outputs(crf)
'''
TAG_PROVIDER = '''import random

from paddle.trainer.PyDataProvider2 import *


@provider(input_types=[integer_value_sequence(20), integer_value_sequence(3)])
def process(settings, filename):
    numbers = random.Random(filename)
    for i in range(100):
        words = [numbers.randrange(20) for _ in range(numbers.randrange(2, 9))]
        yield words, [0 if word < 7 else 1 if word < 14 else 2 for word in words]
'''


def test_what_an_evaluator_looks_at_is_computed_though_no_output_needs_it(tmp_path):
    job = Workspace(tmp_path / "job", TAGS, "")
    job.write("tags.py", TAG_PROVIDER)
    log = job.train("--num_passes=4")
    errors = [float(e) for e in re.findall(r" Test samples=100 cost=\S+ Eval: error=(\S+) ", log)]
    assert len(errors) == 4 and errors[3] < errors[0] / 2
    assert "***" not in job.train("--job=checkgrad")


IMAGES = '''from paddle.trainer_config_helpers import *

is_predict = get_config_arg("is_predict", bool, False)
define_py_data_sources2(None if is_predict else ["a", "b"], ["c"], module="images", obj="process",
                        args={"is_predict": is_predict})
settings(batch_size=32, learning_rate=0.1 / 32.0, learning_method=MomentumOptimizer(0.9),
         regularization=L2Regularization(0.0005 * 32))
image = data_layer(name="pixel", size=64)
made = img_conv_group(input=image, num_channels=1, conv_num_filter=[4, 4], conv_padding=1,
                      conv_filter_size=3, conv_act=ReluActivation(), pool_size=2, pool_stride=2,
                      pool_type=MaxPooling(), conv_with_batchnorm=True)
guess = fc_layer(input=made, size=4, act=SoftmaxActivation())
if is_predict:
    outputs(maxid_layer(guess), guess)
else:
    outputs(classification_cost(input=guess, label=data_layer(name="label", size=4)))
'''
IMAGE_PROVIDER = '''import random

from paddle.trainer.PyDataProvider2 import *


def hook(settings, is_predict, **kwargs):
    settings.input_types = {"pixel": dense_vector(64)}
    if not is_predict:
        settings.input_types["label"] = integer_value(4)


@provider(init_hook=hook, pool_size=64)
def process(settings, filename):
    numbers = random.Random(filename)
    for i in range(64):
        label = numbers.randrange(4)
        yield {"label": label, "pixel": [
            numbers.random() * 0.3 + (0.7 if p // 32 * 2 + p % 8 // 4 == label else 0)
            for p in range(64)]}
'''


def test_images_are_classified_and_their_classes_written(tmp_path):
    job = Workspace(tmp_path / "job", IMAGES, "")
    job.write("images.py", IMAGE_PROVIDER)
    log = job.train("--num_passes=5", "--save_dir=output")
    assert re.findall(r" Test samples=64 .* Eval: \S+=(\S+) ", log)[-1] == "0"
    job.train("--job=test", "--init_model_path=output/pass-00004", "--predict_output_dir=said",
              "--config_args=is_predict=1")
    numbers, wanted = random.Random("c"), []
    for _ in range(64):
        wanted.append(numbers.randrange(4))
        for _ in range(64):
            numbers.random()
    lines = (job.folder / "said" / "rank-00000").read_text().splitlines()
    assert [int(line.split(";")[0]) for line in lines] == wanted
    assert all(len(line.split(";")[1].split()) == 4 for line in lines)
    log = job.train("--job=checkgrad")
    assert "***" not in log and re.search(r"conv_0__.wbias \|grad\|=\S+: none", log)


def test_values_without_names_come_as_a_walk_from_the_outputs_meets_the_data_layers(tmp_path):
    config = '''from paddle.trainer_config_helpers import *

define_py_data_sources2(["a"], None, module="pairs", obj="process")
settings(batch_size=10, learning_rate=0.02)
y = data_layer(name="y", size=1)
second = data_layer(name="second", size=2)
first = data_layer(name="first", size=2)
guess = fc_layer(input=[first, second], size=1, act=LinearActivation(), name="guess")
%s
outputs(mse_cost(input=guess, label=y))
'''
    provider = '''import random

from paddle.trainer.PyDataProvider2 import *


@provider(input_types=[%s])
def process(settings, filename):
    numbers = random.Random(1)
    for i in range(100):
        a, b = [numbers.random(), 0.0], [0.0, numbers.random()]
        yield %s
'''
    job = Workspace(tmp_path / "job", config % "", "")
    two, one = "dense_vector(2)", "dense_vector(1)"
    for inputs, types, sample in (
            ("", [two, two, one], "a, b, [2 * a[0] - b[1]]"),
            ("inputs(y, second, first)", [one, two, two], "[2 * a[0] - b[1]], b, a")):
        job.write("trainer_config.py", config % inputs)
        job.write("pairs.py", provider % (", ".join(types), sample))
        log = job.train("--num_passes=30", "--save_dir=output")
        assert float(re.findall(r" Pass=29 .*AvgCost=(\S+) ", log)[0]) < 0.01
        weights = [np.frombuffer((job.folder / "output" / "pass-00029" / name).read_bytes(), "<f4",
                                 offset=16) for name in ("_guess.w0", "_guess.w1")]
        assert weights[0][0] > 1.5 and weights[1][1] < -0.5
