"""Calls that save and load, with the arguments people give them. What files there are and what is
returned was seen in real Paddle 1.8.5."""
import os

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid.incubate.fleet.utils import utils

STATE = ["fc_0.b_0", "fc_0.b_0_beta1_pow_acc_0", "fc_0.b_0_beta2_pow_acc_0", "fc_0.b_0_moment1_0",
         "fc_0.b_0_moment2_0", "fc_0.w_0", "fc_0.w_0_beta1_pow_acc_0", "fc_0.w_0_beta2_pow_acc_0",
         "fc_0.w_0_moment1_0", "fc_0.w_0_moment2_0", "learning_rate_0"]


@pytest.fixture
def net():
    """(executor, its program's target)"""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), \
            fluid.scope_guard(fluid.Scope()):
        y = fluid.layers.fc(fluid.data("x", [None, 3]), 2)
        fluid.optimizer.Adam(0.1).minimize(fluid.layers.mean(y))
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        yield exe, y


def files(folder):
    return sorted(set(os.listdir(str(folder))) - {"MANIFEST.regatta"})


@pytest.mark.parametrize("feeds, wanted", [([], []), (["x"], ["y"])])
def test_a_model_not_for_deployment(feeds, wanted, net, tmp_path):
    """The whole program, to go on training, with or without targets."""
    exe, y = net
    names = fluid.io.save_inference_model(str(tmp_path / "m"), feeds, [y] if wanted else [], exe,
                                          export_for_deployment=False)
    assert names == ["save_infer_model/scale_0.tmp_0"][:len(wanted)]
    assert files(tmp_path / "m") == ["__model__.main_program"] + STATE
    program = utils.load_program(str(tmp_path / "m" / "__model__.main_program"))
    assert "adam" in [op.type for op in program.global_block().ops]
    assert all(program.global_block().has_var(name) for name in names)
    fluid.io.save_inference_model(str(tmp_path / "n"), [], [], exe, model_filename="mm",
                                  params_filename="p", export_for_deployment=False)
    assert files(tmp_path / "n") == ["mm.main_program", "p"]
    for targets in ([], ["y"]):
        with pytest.raises(ValueError, match="'target_vars' should be a list of Variable"):
            fluid.io.save_inference_model(str(tmp_path / "o"), ["x"], targets, exe)
    assert not (tmp_path / "o").exists()


def test_two_files_of_one_name(net, tmp_path):
    exe, y = net
    with pytest.raises(ValueError, match="two files of a save are named same"):
        fluid.io.save_inference_model(str(tmp_path), ["x"], [y], exe, model_filename="same",
                                      params_filename="same")
    assert os.listdir(str(tmp_path)) == []


def test_a_variable_by_itself(net, tmp_path):
    """fleet's load_var gives a list of one array, as the file has it."""
    exe, _ = net
    array = np.arange(6, dtype="float32").reshape(2, 3)
    assert utils.save_var(array, "w", [2, 3], "float32", str(tmp_path / "w")) is None
    for name in ("w", "another"):
        got = utils.load_var(name, [2, 3], "float32", str(tmp_path / "w"))
        assert isinstance(got, list) and len(got) == 1
        np.testing.assert_array_equal(got[0], array)
    fluid.io.save_params(exe, str(tmp_path / "params"))
    got, = utils.load_var("fc_0.w_0", [3, 2], "float32", str(tmp_path / "params" / "fc_0.w_0"))
    np.testing.assert_array_equal(
        got, np.array(fluid.global_scope().find_var("fc_0.w_0").get_tensor()))
    with pytest.raises((RuntimeError, OSError), match="params/none"):
        utils.load_var("w", [2, 3], "float32", str(tmp_path / "params" / "none"))


def test_programs_in_files(net, tmp_path):
    _, y = net
    utils.save_program(y.block.program, str(tmp_path / "p"))
    loaded = utils.load_program(str(tmp_path / "p"))
    assert [op.type for op in loaded.global_block().ops] == [
        op.type for op in y.block.program.global_block().ops]
    made = utils.program_type_trans(str(tmp_path), "p", False)
    again = utils.load_program(str(tmp_path / made), is_text=True)
    assert again.desc.serialize_to_string() == loaded.desc.serialize_to_string()


def test_a_program_without_variables_loads_from_nowhere(tmp_path):
    """Real Paddle makes no folder for it, and reads none."""
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        fluid.layers.scale(fluid.data("x", [None, 3]), 2.0)
        exe = fluid.Executor(fluid.CPUPlace())
        for load in fluid.io.load_persistables, fluid.io.load_params:
            with pytest.warns(UserWarning, match="the program has no such variables"):
                load(exe, str(tmp_path / "nowhere"))
    assert not os.path.exists(str(tmp_path / "nowhere"))


def test_a_folder_that_is_not_there_is_still_an_error_for_a_net(net, tmp_path):
    with pytest.raises(fluid.core.EnforceNotMet, match="there is no folder"):
        fluid.io.load_persistables(net[0], str(tmp_path / "nowhere"))


def test_a_program_for_tests_keeps_no_state_of_the_optimizer(net, tmp_path):
    """Made after minimize(), it saves what it computes with, and loads it without the rest."""
    exe, _ = net
    main = fluid.default_main_program()
    test = main.clone(for_test=True)
    assert sorted(v.name for v in test.list_vars() if v.persistable) == ["fc_0.b_0", "fc_0.w_0"]
    fluid.io.save_persistables(exe, str(tmp_path / "test"), test)
    assert files(tmp_path / "test") == ["fc_0.b_0", "fc_0.w_0"]
    fluid.io.load_persistables(exe, str(tmp_path / "test"), test)
    fluid.save(main, str(tmp_path / "saved" / "m"))
    (tmp_path / "saved" / "m.pdopt").unlink()
    fluid.load(test, str(tmp_path / "saved" / "m"), exe)
    with pytest.raises(ValueError, match="there is no .*m.pdopt"):
        fluid.load(main, str(tmp_path / "saved" / "m"), exe)
    rate, = exe.run(test, feed={"x": np.ones((1, 3), "float32")}, fetch_list=["learning_rate_0"])
    assert rate == np.float32(0.1)
