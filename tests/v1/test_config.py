"""v1 configs: what they declare, and errors that name the file and the line."""
import pytest

from paddle.trainer.config_parser import parse_config
from workspace import CONFIG, PROVIDER, Workspace


@pytest.fixture
def job(tmp_path, monkeypatch):
    made = Workspace(tmp_path / "job")
    monkeypatch.chdir(made.folder)
    return made


def line_of(text, part):
    return [part in line for line in text.splitlines()].index(True) + 1


def test_a_config_gives_what_it_declares(job):
    config = parse_config("trainer_config.py", "width=7,batch=16")
    assert config.settings.batch_size == 16
    assert config.input_layer_names == ["x", "y"]
    assert config.graph.layers["hidden"].size == 7
    assert config.data_sources["train"].files == "train.list"
    assert config.data_sources["train"].args == {"scale": 2, "is_predict": False}
    predict = parse_config("trainer_config.py", "is_predict=1").model_config
    assert predict.input_layer_names == ["x"] and predict.output_layer_names == ["guess"]


@pytest.mark.parametrize("text,value", [("1", True), ("true", True), ("True", True), ("0", False),
                                        ("false", False), ("False", False)])
def test_arguments_have_their_types(job, text, value):
    assert parse_config("trainer_config.py", "is_predict=" + text).data_sources["train"].args[
        "is_predict"] is value


def test_wrong_arguments_are_named(job):
    log = job.train("--config_args=width=wide", status=1)
    line = line_of(CONFIG, "hidden = ")
    assert "trainer_config.py:%d: config_args has width=wide, which is no int" % line in log
    assert "is_predict=maybe, which is no bool" in job.train("--config_args=is_predict=maybe",
                                                             status=1)
    assert "name=value,name=value and has 'width'" in job.train("--config_args=width", status=1)


def test_an_unknown_layer_argument_is_named_with_its_line(job):
    text = CONFIG.replace('name="guess"', 'name="guess", sise=3')
    job.write("trainer_config.py", text)
    log = job.train(status=1)
    assert "trainer_config.py:%d: fc_layer" % line_of(text, "sise=3") in log and "'sise'" in log
    assert "param_attr" in log  # what it does take
    assert "Traceback" not in log


def test_other_mistakes_in_a_config_have_their_line_too(job):
    for wrong, words in (("undefined_layer(x)", "NameError: name 'undefined_layer' is not defined"),
                         ("1 / 0", "ZeroDivisionError"),
                         ("import not_there", "ModuleNotFoundError: No module named 'not_there'"),
                         ("Layer(name='x')", "Layer() of the raw config language is not supported"),
                         ("default_device(-1); default_device(0)",
                          "default_device(0) is not supported"),
                         ("Outputs('hiden')", "no layer called 'hiden'; did you mean 'hidden'?"),
                         ("data_layer('x', 3)", "two layers called 'x'")):
        job.write("trainer_config.py", CONFIG + wrong + "\n")
        log = job.train(status=1)
        assert "trainer_config.py:%d: " % (CONFIG.count("\n") + 1) in log and words in log
    job.write("trainer_config.py", CONFIG + "x = = 3\n")
    assert "trainer_config.py:%d: SyntaxError" % (CONFIG.count("\n") + 1) in job.train(status=1)


def test_an_error_in_an_imported_module_names_both(job):
    job.write("common.py", "\n\ndef size():\n    return int('many')\n")
    job.write("trainer_config.py", "import common\nwidth = common.size()\n" + CONFIG)
    log = job.train(status=1)
    assert "trainer_config.py:2: ValueError" in log and "raised at common.py:4" in log


def test_what_is_missing_is_said(job):
    assert "there is no config file none.py" in job.train(status=1, config="none.py")
    job.write("trainer_config.py", "\n".join(line for line in CONFIG.splitlines()
                                             if "outputs(" not in line and "if " not in line
                                             and "else" not in line))
    assert "declares no outputs: call outputs(cost)" in job.train(status=1)
    text = CONFIG.replace("settings(batch_size", "dict(batch_size")
    job.write("trainer_config.py", text)
    assert "trainer_config.py has no settings(" in job.train(status=1)
    job.write("trainer_config.py", CONFIG[:CONFIG.index("define_py")])
    assert "no data to train: call define_py_data_sources2" in job.train(status=1)
    job.write("trainer_config.py", CONFIG)
    assert "cannot be trained" in job.train("--config_args=is_predict=1", status=1)


def test_file_lists_and_providers_that_are_not_there(job):
    where = "trainer_config.py:%d: " % line_of(CONFIG, "define_py_data_sources2")
    (job.folder / "train.list").rename(job.folder / "other.list")
    log = job.train(status=1)
    assert where + "there is no file list train.list" in log and "one data file a line" in log
    job.write("train.list", "\n")
    assert "the file list train.list is empty" in job.train(status=1)
    job.write("train.list", "gone.txt\n")
    log = job.train(status=1)
    assert "data file gone.txt, sample 1: FileNotFoundError" in log
    job.write("train.list", "a.txt\n")
    job.write("trainer_config.py", CONFIG.replace('module="dataprovider"', 'module="provider9"'))
    assert where + "there is no module provider9" in job.train(status=1)
    job.write("trainer_config.py", CONFIG.replace('obj="process"', 'obj="proces"'))
    assert "has no proces" in job.train(status=1)
    job.write("trainer_config.py", CONFIG.replace('obj="process"', 'obj="hook"'))
    assert "is no data provider: decorate it with @provider" in job.train(status=1)


def test_a_provider_that_raises_is_named_with_file_line_and_sample(job):
    job.write("a.txt", "1 2 3\n1 2\n")
    job.write("train.list", "a.txt\n")
    log = job.train(status=1)
    line = line_of(PROVIDER, "a, b, c =")
    assert "dataprovider.py:%d: process(), data file a.txt, sample 2: ValueError: not enough " \
        "values" % line_of(PROVIDER, "@provider") in log
    assert "raised at dataprovider.py:%d" % line in log
    assert 'dataprovider.py", line %d, in process' % line in log  # and its own traceback
    job.write("dataprovider.py", PROVIDER.replace("settings.scale = scale", "raise KeyError('k')"))
    assert "hook(), the init_hook of process(): KeyError: 'k'" in job.train(status=1)


def test_data_that_do_not_fit_the_network(job):
    job.write("dataprovider.py", PROVIDER.replace('"x": dense_vector(3)', '"x": dense_vector(4)'))
    line = line_of(CONFIG, 'x = data_layer("x"')
    assert "trainer_config.py:%d: the data layer 'x' has size 3, and its data have 4" % line in \
        job.train(status=1)
    text = CONFIG.replace("input=guess, label", "input=hidden, label")
    job.write("trainer_config.py", text)
    job.write("dataprovider.py", PROVIDER)
    log = job.train(status=1)
    assert "paddle train: trainer_config.py:%d: square_error_cost: 'hidden' has size 4 and 'y' " \
        "has 1" % line_of(text, "outputs(mse_cost") in log
    text = CONFIG.replace("input=guess, label", "input=last_seq(input=guess), label")
    job.write("trainer_config.py", text)
    log = job.train(status=1)
    assert "paddle train: trainer_config.py:%d: layer '__last_seq_0__'" % line_of(
        text, "outputs(mse_cost") in log
    job.write("trainer_config.py", CONFIG)
    job.write("dataprovider.py", PROVIDER.replace('"x": [a, b, c]', '"x": [a, b]'))
    log = job.train(status=1)
    assert "'x'" in log and "3" in log and "Traceback" not in log
    job.write("dataprovider.py", PROVIDER.replace('{"x": dense_vector(3), "y": dense_vector(1)}',
                                                  "[dense_vector(3)]"))
    assert "1 input types, and the network 2 data layers: x, y" in job.train(status=1)
    job.write("dataprovider.py", PROVIDER.replace("[a, b, c]", "[a, b, float('nan')]"))
    log = job.train(status=1)
    assert "the cost is nan in pass 0, batch 1" in log


def test_flags_are_honoured_or_refused(job):
    for flag, words in (("--save_dirr=x", "--save_dir"), ("--use_gpu=true", "--use_gpu=true cannot be had: fluid.CUDAPlace(0): "),
                        ("--job=fly", "checkgrad"), ("--num_passes=few", "--num_passes"),
                        ("--trainer_count=0", "--trainer_count"), ("leftover", "leftover"),
                        ("--parallel_nn", "layers are not spread over devices")):
        assert words in job.train(flag, status=2)
    log = job.train("--local=0", "--trainer_id=5", "--num_gradient_servers=3", status=2)
    assert "--trainer_id=5: there are 3 trainers (--num_gradient_servers), so it is 0 to 2" in log
    assert "ports end at 65535" in job.train("--local=0", "--port=65535", status=2)
    assert "--start_pserver goes with --local=0" in job.train("--start_pserver", status=2)
    job.write("clipped.py", CONFIG.replace("settings(", "settings(gradient_clipping_threshold=1e-6, "))
    assert " need clipping, threshold=1e-06 max grad=" in job.train(
        "--config=clipped.py", "--num_passes=1", "--log_clipping")
    log = job.train("--num_passes", "1", "--nouse_gpu", "--use_old_updater",
                    "--test_all_data_in_one_period=1")
    assert " Pass=0 " in log
    assert "commandline: paddle train --config=trainer_config.py --num_passes=1\n" in log


def test_a_cost_that_is_no_output_is_learnt_too(job):
    """As v1 did: all layers of a config are part of its network. It is not in the log's cost."""
    aside = CONFIG.replace("    outputs(mse_cost(", """    more = fc_layer(input=hidden, size=1, name="more")
    mse_cost(input=more, label=data_layer("x2", size=1) if 0 else guess, name="aside")
    outputs(mse_cost(""")
    job.write("aside.py", aside)
    job.train("--config=aside.py", "--num_passes=1", "--save_dir=out")
    assert "pass-00000/_more.w0" in job.files("out")
    log = job.train("--config=aside.py", "--job=checkgrad")
    assert "param=_more.w0 |grad|=" in log and "***" not in log
    # One that needs what samples do not have is left out.
    job.write("aside.py", aside.replace("if 0", "if 1"))
    assert " Pass=0 " in job.train("--config=aside.py", "--num_passes=1")


def test_old_forms_of_data_sources(job):
    text = CONFIG.replace("define_py_data_sources2(", "define_py_data_sources(")
    job.write("trainer_config.py", text)
    assert " Pass=0 " in job.train("--num_passes=1")
    text = CONFIG.replace('"train.list", "test.list"', '["a.txt", "b.txt"], None').replace(
        'obj="process"', 'obj=("process", "process")')
    job.write("trainer_config.py", text)
    log = job.train("--num_passes=1")
    assert "samples=70" in log and " Test " not in log
