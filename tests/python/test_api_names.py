"""Every module and name of real Paddle can be imported (python/paddle/names.txt lists them): it is
there, or says when it is used what it is and what to use instead."""
import os
import subprocess
import sys
import types

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from paddle import _names

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def _modules():
    return sorted(_names.tables())


def test_every_module_and_name_can_be_imported():
    assert len(_modules()) > 200
    for module in _modules():
        own, taken = _names.tables()[module]
        here = _names._imported(module)
        for name in list(own) + list(taken):
            assert getattr(here, name) is not None, (module, name)


def test_a_module_that_is_not_here_hides_no_function_of_that_name():
    for module in _modules():
        package, _, name = module.rpartition(".")
        if package:
            value = getattr(_names._imported(package), name)
            assert isinstance(value, types.ModuleType) or value.__name__ == name, module
    assert isinstance(fluid.data, types.FunctionType)


def test_what_is_refused_says_what_to_use():
    refused = [getattr(_names._imported(module), name) for module in _modules()
               for name in _names.tables()[module][0]]
    refused = {value for value in refused if isinstance(value, _names._Refused)}
    assert len(refused) > 300
    for value in refused:
        with pytest.raises(NotImplementedError) as e:
            value(1, 2)
        assert value._full in str(e.value) and value._why in str(e.value)
        with pytest.raises(NotImplementedError, match="anything is not implemented"):
            value.anything


def test_a_misspelt_name_is_not_there():
    for module in (fluid, fluid.layers, fluid.dygraph, fluid.io, fluid.core, fluid.contrib.slim):
        with pytest.raises(AttributeError, match="no attribute 'reshap'"):
            module.reshap
    with pytest.raises(ImportError):
        import paddle.fluid.no_such_module  # noqa: F401
    with pytest.raises(ImportError, match="reshap"):
        from paddle.fluid.layers import reshap  # noqa: F401


def test_a_slip_is_told_what_may_be_meant():
    with pytest.raises(AttributeError, match="'sofmax'; did you mean softmax"):
        fluid.layers.sofmax
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        with pytest.raises(NotImplementedError, match="act is 'rulu', did you mean 'relu'"):
            fluid.layers.fc(fluid.data("x", [None, 4]), 3, act="rulu")


@pytest.mark.parametrize("name", ["nn", "enable_static", "optimizer", "to_tensor"])
def test_a_name_of_paddle_2_is_said_to_be_one(name):
    with pytest.raises(AttributeError, match="no attribute '%s': it is of Paddle 2.*paddle check"
                       % name):
        getattr(paddle, name)


@pytest.mark.parametrize("flag, value", [
    ("init_allocated_mem", False), ("use_pinned_memory", True), ("inner_op_parallelism", 0),
    ("reader_queue_speed_test_mode", False)])
def test_flags_of_paddle_are_taken_with_its_values(flag, value):
    flag = "FLAGS_" + flag
    assert fluid.get_flags(flag) == {flag: value}
    fluid.set_flags({flag: value})


@pytest.mark.parametrize("flag", ["FLAGS_max_inplace_grad_add", "FLAGS_call_stack_level"])
def test_flags_that_came_after_1_8_are_errors(flag):
    with pytest.raises(ValueError, match=flag[6:]):
        fluid.set_flags({flag: 1})


def test_a_script_defines_what_it_does_not_use():
    from paddle.fluid.dygraph import Layer, Linear, declarative, no_grad

    class Net(Layer):
        def __init__(self):
            super().__init__()
            self.fc = Linear(1, 2)

        @declarative
        def forward(self, x):
            return self.fc(x)

    @no_grad
    def evaluate():
        pass
    assert not isinstance(3, Layer) and issubclass(Net, Layer)
    for use in (Net, evaluate, no_grad):
        with pytest.raises(NotImplementedError, match="no dygraph"):
            use()


def test_the_page_of_what_is_not_supported_is_up_to_date():
    done = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "not_supported.py"),
                           "--check"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_importing_reads_no_list_of_names():
    code = ("import paddle, paddle.fluid as fluid, paddle.dataset, paddle.reader\n"
            "fluid.layers.fc; fluid.DatasetFactory; fluid.io.DataLoader\n"
            "print(paddle._names._tables)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "None\n", done.stderr


# ---- modules that scripts import ----

def test_names_in_other_places_are_the_same_things():
    from paddle.fluid.contrib.extend_optimizer.extend_optimizer_with_weight_decay import \
        extend_with_decoupled_weight_decay
    from paddle.fluid.core import LoDTensor
    from paddle.fluid.framework import grad_var_name
    from paddle.fluid.io import Executor
    from paddle.fluid.layers.nn import ParamAttr, reshape
    from paddle.fluid.layers.tensor import argmax
    from paddle.fluid.transpiler.details.checkport import wait_server_ready
    assert Executor is fluid.Executor and LoDTensor is fluid.LoDTensor
    assert ParamAttr is fluid.ParamAttr and reshape is fluid.layers.reshape
    assert argmax is fluid.layers.argmax and callable(wait_server_ready)
    assert extend_with_decoupled_weight_decay is \
        fluid.contrib.extend_with_decoupled_weight_decay
    assert grad_var_name("w") == "w@GRAD"
    assert fluid.InMemoryDataset is fluid.dataset.InMemoryDataset


def test_get_places():
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        places = fluid.layers.device.get_places(2, "CPU")
    assert places.type == fluid.core.VarDesc.VarType.PLACE_LIST
    fluid.Executor(fluid.CPUPlace()).run(main)
    with fluid.program_guard(main), pytest.raises(ValueError, match="CUDA.*runs on the CPU"):
        fluid.layers.device.get_places(1, "CUDA")


def test_structures():
    from paddle.fluid.layers import utils
    nest = {"b": [1, (2, 3)], "a": 0}
    assert utils.flatten(nest) == [0, 1, 2, 3]
    assert utils.pack_sequence_as(nest, [4, 5, 6, 7]) == {"a": 4, "b": [5, (6, 7)]}
    assert utils.map_structure(lambda x, y: x + y, [1, (2,)], [3, (4,)]) == [4, (6,)]
    utils.assert_same_structure([1, (2, 3)], [4, (5, 6)])
    with pytest.raises(ValueError, match="number of elements"):
        utils.assert_same_structure([1, 2], [1])
    with pytest.raises(TypeError, match="sequence type"):
        utils.assert_same_structure([1, 2], (1, 2))
    assert utils.convert_to_list(3, 2, "stride") == [3, 3]
    with pytest.raises(ValueError, match="stride's length must be 2"):
        utils.convert_to_list([1, 2, 3], 2, "stride")


def test_default_scope_funcs():
    from paddle.fluid import default_scope_funcs as funcs
    outer = funcs.var("x")
    funcs.enter_local_scope()
    assert funcs.find_var("x") is not None and outer is not None
    funcs.var("y")
    funcs.leave_local_scope()
    assert funcs.find_var("y") is None

    def inside():
        assert funcs.find_var("x") is not None
        funcs.var("z")
    funcs.scoped_function(inside)
    assert funcs.find_var("z") is None


def test_a_scope_inside_another_makes_variables_of_its_own():
    outer, place = fluid.Scope(), fluid.CPUPlace()
    outer.var("x").get_tensor().set(np.array([1, 2], "float32"), place)
    inner = outer.new_scope()
    assert np.array(inner.find_var("x").get_tensor()).tolist() == [1, 2]
    assert not inner.var("x").get_tensor()._is_initialized()
    inner.var("x").get_tensor().set(np.array([3], "float32"), place)
    assert np.array(inner.find_var("x").get_tensor()).tolist() == [3]
    assert np.array(outer.find_var("x").get_tensor()).tolist() == [1, 2]


def test_a_state_set_from_a_scope_inside_reaches_the_parameters_around_it():
    x = fluid.data("x", [None, 2])
    fluid.layers.fc(x, 1, param_attr="w", bias_attr=False)
    exe, outer = fluid.Executor(), fluid.Scope()
    exe.run(fluid.default_startup_program(), scope=outer)
    with fluid.scope_guard(outer.new_scope()):
        fluid.io.set_program_state(fluid.default_main_program(),
                                   {"w": np.array([[4], [5]], "float32")})
    assert np.array(outer.find_var("w").get_tensor()).tolist() == [[4], [5]]

def test_decorators_that_keep_signatures():
    from paddle.fluid.annotations import deprecated
    from paddle.fluid.wrapped_decorator import signature_safe_contextmanager, wrap_decorator

    @signature_safe_contextmanager
    def held(x):
        yield x + 1
    with held(1) as two:
        assert two == 2 and held.__name__ == "held"
    assert wrap_decorator(lambda f: lambda: f() + 1)(lambda: 1)() == 2
    assert deprecated("1.0", "other")(held).__wrapped__ is held


def test_an_op_runs_on_a_scope():
    from paddle.fluid.op import Operator
    scope = fluid.Scope()
    scope.var("x").get_tensor().set(np.array([[1, 2]], "float32"), fluid.CPUPlace())
    op = Operator("scale", X="x", Out="y", scale=3.0)
    assert op.type() == "scale" and op.input("X") == ["x"] and op.output("Out") == ["y"]
    op.run(scope, fluid.CPUPlace())
    assert np.array(scope.find_var("y").get_tensor()).tolist() == [[3, 6]]
    Operator(type="sum", X=["x", "y"], Out="z").run(scope, fluid.CPUPlace())
    assert np.array(scope.find_var("z").get_tensor()).tolist() == [[4, 8]]
    assert Operator.get_op_input_names("scale")[0] == "X" and "sum" in Operator.types()
    with pytest.raises(ValueError, match="no input, output or attribute 'Y'"):
        Operator("scale", Y="x")
    with pytest.raises(ValueError, match="nonsense is not registered"):
        Operator("nonsense")


def test_shuffle_batch():
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        x = fluid.data("x", [None, 3], "float32")
        x.stop_gradient = False
        y = fluid.contrib.layers.shuffle_batch(x, 7)
        grad, = fluid.gradients([fluid.layers.reduce_sum(y * y)], [x])
        fluid.contrib.layers.shuffle_batch(x)
        with pytest.raises(TypeError, match="seed"):
            fluid.contrib.layers.shuffle_batch(x, "a")
    array = np.arange(60, dtype="float32").reshape(20, 3)
    exe, scope = fluid.Executor(), fluid.Scope()
    first, back = exe.run(main, feed={"x": array}, fetch_list=[y, grad], scope=scope)
    second = exe.run(main, feed={"x": array}, fetch_list=[y], scope=scope)[0]
    again = fluid.Executor().run(main, feed={"x": array}, fetch_list=[y], scope=fluid.Scope())[0]
    np.testing.assert_array_equal(back, 2 * array)
    assert sorted(first[:, 0]) == sorted(array[:, 0]) and not np.array_equal(first, array)
    assert not np.array_equal(first, second) and np.array_equal(first, again)


def test_geo_sgd_transpiler():
    from paddle.fluid.transpiler.geo_sgd_transpiler import GeoSgdTranspiler
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        x = fluid.data("x", [None, 4], "float32")
        fluid.optimizer.SGD(0.1).minimize(fluid.layers.mean(fluid.layers.fc(x, 1)))
    transpiler = GeoSgdTranspiler()
    transpiler.transpile(0, main, "127.0.0.1:6174", 2, startup_program=startup)
    assert transpiler.config.geo_sgd_mode
    serve = [op for op in transpiler.get_pserver_program("127.0.0.1:6174").global_block().ops
             if op.type == "listen_and_serv"][0]
    assert serve.attr("distributed_mode") == fluid.transpiler.distribute_transpiler.\
        DistributedMode.GEO


def test_single_variables_are_saved_and_loaded(tmp_path):
    from paddle.fluid.incubate.fleet.utils import utils
    path = str(tmp_path / "w")
    array = np.arange(6, dtype="float32").reshape(2, 3)
    for shape in ([2, 3], [3]):
        utils.save_var(array, "w", shape, "float32", path)
        loaded, = utils.load_var("w", shape, "float32", path)
        np.testing.assert_array_equal(loaded, array)
    with pytest.raises(ValueError, match=r"w is float32 of \[2, 3\], and shall be float32 of \[4\]"):
        utils.save_var(array, "w", [4], "float32", path)
    numbers = tmp_path / "numbers"
    numbers.write_text("1 2 3 4 5 6 7\n")
    assert [a.tolist() for a in utils.reader(1, str(numbers), 3)] == [[[1, 2, 3]], [[4, 5, 6]]]
    assert utils.feed_gen(1, [(1, 2)], [str(numbers)])[0][0].shape == (1, 1, 2)


def _fc_program():
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        fluid.layers.fc(fluid.data("x", [None, 3], "float32"), 2, act="relu")
    return main


def test_programs_are_read_and_written(tmp_path):
    pytest.importorskip("google.protobuf")
    from paddle.fluid.incubate.fleet.utils import utils
    program = _fc_program()
    utils.save_program(program, str(tmp_path / "p"))
    assert utils.program_type_trans(str(tmp_path), "p", False) == "p.pbtxt"
    assert utils.program_type_trans(str(tmp_path), "p.pbtxt", True) == "p.pbtxt.bin"
    again = utils.load_program(str(tmp_path / "p.pbtxt.bin"))
    assert str(again) == str(program) and utils.check_pruned_program_vars(program, again)


def test_messages_of_programs():
    pytest.importorskip("google.protobuf")
    from paddle.fluid.proto import framework_pb2 as pb
    program = _fc_program()
    desc = pb.ProgramDesc.FromString(program.desc.serialize_to_string())
    assert [op.type for op in desc.blocks[0].ops] == ["mul", "elementwise_add", "relu"]
    desc.blocks[0].ops[2].type = "tanh"
    changed = fluid.Program.parse_from_string(desc.SerializeToString())
    assert [op.type for op in changed.global_block().ops] == ["mul", "elementwise_add", "tanh"]
    assert (pb.VarType.FP32, pb.INTS, pb.AttrType.Value("BLOCK")) == (5, 3, 8)
    with open(os.path.join(ROOT, "src", "tensor", "framework.proto")) as f:
        text = f.read()
    for message in ("OpDesc", "VarDesc", "BlockDesc", "ProgramDesc"):  # as the core's own
        for field in getattr(pb, message).DESCRIPTOR.fields:
            assert "%s = %d" % (field.name, field.number) in text, (message, field.name)


def test_messages_need_protobuf_and_say_so(tmp_path):
    (tmp_path / "google").mkdir()
    (tmp_path / "google" / "__init__.py").write_text("")
    code = "import paddle.fluid.proto.framework_pb2"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60,
                          env=dict(os.environ, PYTHONPATH=str(tmp_path)))
    assert "framework_pb2 needs the package protobuf (pip install protobuf)" in done.stderr


# ---- tensors ----

def test_elements_of_tensors():
    tensor = fluid.LoDTensor()
    tensor._set_dims([2, 3])
    assert not tensor._is_initialized() and "none yet" in str(tensor)
    tensor._alloc_float(fluid.CPUPlace())
    tensor._set_float_element(4, 1.5)
    assert tensor._get_float_element(4) == 1.5 and tensor._get_float_element(0) == 0
    assert np.array(tensor).tolist() == [[0, 0, 0], [0, 1.5, 0]]
    with pytest.raises(IndexError, match="element 6 of a tensor that has 6"):
        tensor._get_float_element(6)
    with pytest.raises(TypeError, match="holds float32, and float64"):
        tensor._get_double_element(0)
    double = fluid.LoDTensor()
    double._set_dims([1])
    double._alloc_double(fluid.CPUPlace())
    double._set_double_element(0, 2.5)
    assert double._get_double_element(0) == 2.5
    assert tensor._place().is_cpu_place() and not tensor._place().is_gpu_place()
    back = fluid.core.from_dlpack(tensor._to_dlpack())
    np.testing.assert_array_equal(np.array(back), np.array(tensor))
    tensor._set_dims([3, 2])
    assert tensor.shape() == [3, 2] and tensor._get_float_element(4) == 1.5


@pytest.mark.parametrize("array,lengths,text", [
    (np.arange(6, dtype="float32"), [[2, 1], [1, 2, 3]],
     "\tlod: {{0, 2, 3}{0, 1, 3, 6}}\n\tdim: 6\n\tlayout: NCHW\n\tdtype: float\n"
     "\tdata: [0 1 2 3 4 5]\n"),
    (np.array([[1.5e-7, 3e10, -0.0], [np.nan, np.inf, 1 / 3]], "float32"), None,
     "\tlod: {}\n\tdim: 2, 3\n\tlayout: NCHW\n\tdtype: float\n"
     "\tdata: [1.5e-07 3e+10 -0 nan inf 0.333333]\n"),
    (np.array([2 ** 62, -1]), None,
     "\tlod: {}\n\tdim: 2\n\tlayout: NCHW\n\tdtype: int64_t\n\tdata: [4611686018427387904 -1]\n"),
    (np.zeros((2, 0), "float64"), None,
     "\tlod: {}\n\tdim: 2, 0\n\tlayout: NCHW\n\tdtype: double\n\tdata: []\n"),
    (np.array([True, False]), None,
     "\tlod: {}\n\tdim: 2\n\tlayout: NCHW\n\tdtype: bool\n\tdata: [1 0]\n")],
    ids=["lod", "floats", "whole", "empty", "bool"])
def test_a_tensor_is_printed_as_paddle_prints_it(array, lengths, text):
    tensor = fluid.LoDTensor()
    tensor.set(array, fluid.CPUPlace())
    if lengths:
        tensor.set_recursive_sequence_lengths(lengths)
    assert str(tensor) == text


def test_helpers_of_the_executor():
    from paddle.fluid.executor import _as_lodtensor, _fetch_var, _to_name_str
    assert np.array(_as_lodtensor(3, fluid.CPUPlace(), "float32")).tolist() == [3.0]
    assert np.array(_as_lodtensor(np.ones(2), fluid.CPUPlace())).tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="create_lod_tensor"):
        _as_lodtensor([1], fluid.CPUPlace())
    scope = fluid.Scope()
    scope.var("w").get_tensor().set(np.ones(2, "float32"), fluid.CPUPlace())
    assert _fetch_var("w", scope).tolist() == [1, 1]
    with pytest.raises(AssertionError, match="Cannot find v in scope"):
        _fetch_var("v", scope)
    assert _to_name_str(["a", "b"]) == "a,b"


# ---- descriptions ----

def test_descriptions_are_asked_by_methods():
    program = _fc_program()
    block, op = program.global_block(), program.global_block().ops[0]
    out = block.var(op.output_arg_names[0])
    assert (out.desc.name(), out.desc.shape(), out.desc.dtype(), out.desc.type()) == (
        out.name, [-1, 2], fluid.core.VarDesc.VarType.FP32, fluid.core.VarDesc.VarType.LOD_TENSOR)
    assert not out.desc.persistable() and out.desc.lod_level() == 0
    out.desc.set_persistable(True)
    assert out.persistable
    assert op.desc.type() == "mul" and op.desc.input("X") == ["x"] and op.desc.has_attr(
        "x_num_col_dims")
    assert op.desc.outputs() == {"Out": [out.name]} and op.desc.attr("x_num_col_dims") == 1
    block.create_var(name="x2", shape=[-1, 3], dtype="float32")
    op.desc.set_input("X", ["x2"])
    op.desc.infer_shape(block.desc)
    assert op.input("X") == ["x2"] and out.shape == (-1, 2)
    assert block.desc.op_size() == 3 and block.desc.op(2).type() == "relu"
    assert (block.desc.id, block.desc.parent) == (0, -1)
    assert block.desc.has_var(b"x") and block.desc.find_var("nope") is None
    assert {v.name() for v in block.desc.all_vars()} == set(block.vars.keys())
    assert program.desc.num_blocks() == 1 and program.desc.block(0).op_size() == 3
    assert fluid.Program.parse_from_string(
        program.desc.serialize_to_string()).desc.block(0).op(1).type() == "elementwise_add"


def test_a_variable_knows_the_op_that_wrote_it_last():
    program = _fc_program()
    block = program.global_block()
    x, out = block.var("x"), block.var(block.ops[-1].output_arg_names[0])
    weight = program.all_parameters()[0]
    assert x.op is None and weight.op is None
    assert [block.var(op.output_arg_names[0]).op for op in block.ops] == block.ops
    with fluid.program_guard(program, fluid.Program()):
        fluid.layers.increment(out)
        fluid.optimizer.SGD(0.1).minimize(fluid.layers.mean(out))
    assert out.op.type == "increment" and weight.op.type == "sgd"
    assert program.clone(for_test=True).global_block().var(out.name).op.type == "increment"
    out.op = block.append_op(type="relu", inputs={"X": out}, outputs={"Out": out})
    assert out.op.type == "relu"  # as initializers of scripts do
