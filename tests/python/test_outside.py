"""Models of others that are loaded to infer compute, and do nothing else."""
import os

import numpy as np
import paddle.fluid as fluid
import pytest


def model(folder, add=None):
    """Saves y = 2 x with whatever add(program, block) puts in; the program as it was saved."""
    main, startup, scope = fluid.Program(), fluid.Program(), fluid.core.Scope()
    with fluid.program_guard(main, startup), fluid.scope_guard(scope):
        x = fluid.data("x", [None, 2], "float32")
        y = fluid.layers.scale(x, 2.0)
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        fluid.io.save_inference_model(str(folder), ["x"], [y], exe, main)
    if add is not None:
        path = os.path.join(str(folder), "__model__")
        with open(path, "rb") as file:
            program = fluid.Program.parse_from_string(file.read())
        add(program)
        with open(path, "wb") as file:
            file.write(program._serialize())
        manifest = os.path.join(str(folder), "MANIFEST.regatta")  # a stranger makes none
        if os.path.exists(manifest):
            os.remove(manifest)


def infer(folder):
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.core.Scope()):
        program, feeds, fetches = fluid.io.load_inference_model(str(folder), exe)
        return exe.run(program, feed={feeds[0]: np.ones((1, 2), "float32")}, fetch_list=fetches)[0]


def in_a_branch(program):
    """A block that an op of the first one runs."""
    block = program._create_block(parent_idx=0)
    program._rollback()
    top = program.global_block()
    top.create_var(name="cond", shape=[1], dtype="bool")
    top.append_op(type="fill_constant", outputs={"Out": "cond"},
                  attrs={"shape": [1], "dtype": fluid.core.VarDesc.VarType.BOOL, "value": 1.0})
    top.append_op(type="conditional_block", inputs={"Cond": "cond", "Input": []},
                  outputs={"Out": [], "Scope": []},
                  attrs={"sub_block": block, "is_scalar_condition": True})
    return block


def test_an_ordinary_model_runs_and_may_print(tmp_path):
    model(tmp_path / "m")
    assert infer(tmp_path / "m").tolist() == [[2, 2]]

    def add(program):
        program.global_block().append_op(type="print", inputs={"In": "x"}, outputs={"Out": "x"})
    model(tmp_path / "p", add)
    assert infer(tmp_path / "p").tolist() == [[2, 2]]


HERE = ["127.0.0.1:1"]
OUTSIDE = {  # op: (inputs, outputs, attributes)
    "save": ({"X": "x"}, {}, {"file_path": "CANARY"}),
    "save_combine": ({"X": ["x"]}, {}, {"file_path": "CANARY"}),
    "load": ({}, {"Out": "x"}, {"file_path": "CANARY"}),
    "load_combine": ({}, {"Out": ["x"]}, {"file_path": "CANARY"}),
    "py_func": ({"X": ["x"]}, {"Out": ["x"]}, {"forward_callable_id": 0}),
    "send": ({"X": ["x"]}, {}, {"epmap": HERE}),
    "recv": ({}, {"Out": ["x"]}, {"epmap": HERE}),
    "listen_and_serv": ({}, {}, {"endpoint": HERE[0]}),
    "checkpoint_notify": ({}, {}, {"epmap": HERE, "dir": "CANARY", "lookup_table": "t"}),
    "recv_save": ({}, {}, {"file_path": "CANARY"}),
}


@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.parametrize("op", sorted(OUTSIDE))
@pytest.mark.promise(31)
def test_what_reaches_outside_is_refused_by_name(tmp_path, op, deep):
    canary = tmp_path / "outside" / "canary"

    def add(program):
        inputs, outputs, attrs = OUTSIDE[op]
        attrs = {name: str(canary) if value == "CANARY" else value for name, value in attrs.items()}
        block = in_a_branch(program) if deep else program.global_block()
        block.append_op(type=op, inputs=inputs, outputs=outputs, attrs=attrs)
    model(tmp_path / "m", add)
    with pytest.raises(fluid.core.EnforceNotMet,
                       match=r"__model__: op %s .*FLAGS_inference_outside" % op):
        infer(tmp_path / "m")
    assert not canary.exists()


def test_a_flag_allows_it(tmp_path):
    target = tmp_path / "saved"

    def add(program):
        program.global_block().append_op(type="save", inputs={"X": "x"},
                                         attrs={"file_path": str(target)})
    model(tmp_path / "m", add)
    fluid.set_flags({"FLAGS_inference_outside": True})
    try:
        assert infer(tmp_path / "m").tolist() == [[2, 2]]
    finally:
        fluid.set_flags({"FLAGS_inference_outside": False})
    assert target.exists()
