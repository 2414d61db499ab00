"""fluid.core.AnalysisConfig, create_paddle_predictor, PaddleTensor: the inference API."""
import threading

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid.core import (AnalysisConfig, NativeConfig, PaddleBuf, PaddleDType, PaddleTensor,
                               create_paddle_predictor)

X = np.arange(6, dtype="float32").reshape(2, 3)
IDS = np.array([[1], [2], [3]])
LOD = [[0, 1, 3]]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """(folder with __model__ and a file for each parameter, folder with two files, outputs)"""
    folder = tmp_path_factory.mktemp("model")
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), \
            fluid.scope_guard(fluid.Scope()):
        x = fluid.data("x", [None, 3], "float32")
        ids = fluid.data("ids", [None, 1], "int64", lod_level=1)
        pooled = fluid.layers.sequence_pool(fluid.layers.embedding(ids, [10, 4]), "sum")
        y = fluid.layers.fc(fluid.layers.fc([x, pooled], 5, act="tanh"), 2)
        best = fluid.layers.argmax(y, 1)
        exe = fluid.Executor()
        exe.run(startup)
        separate, two = str(folder / "separate"), str(folder / "two")
        fluid.io.save_inference_model(separate, ["x", "ids"], [y, best], exe, main)
        fluid.io.save_inference_model(two, ["x", "ids"], [y, best], exe, main, "model", "params")
        tensor = fluid.create_lod_tensor(IDS, [[1, 2]], fluid.CPUPlace())
        wanted = exe.run(main, feed={"x": X, "ids": tensor}, fetch_list=[y, best])
    return separate, two, wanted


def _tensors():
    return [PaddleTensor(X), PaddleTensor(IDS, lod=LOD)]


def _same(outputs, wanted):
    for out, array in zip(outputs, wanted):
        np.testing.assert_array_equal(out.as_ndarray(), array)
        assert out.shape == list(array.shape)
    assert len(outputs) == len(wanted)


def test_tensors_go_in_and_out(model):
    config = AnalysisConfig(model[0])
    config.disable_gpu()
    config.switch_ir_optim(False)
    config.enable_memory_optim()
    predictor = create_paddle_predictor(config)
    assert type(predictor).__name__ == "AnalysisPredictor"
    assert predictor.get_input_names() == ["x", "ids"]
    for _ in range(2):
        out = predictor.run(_tensors())
        _same(out, model[2])
    assert [o.name for o in out] == predictor.get_output_names()
    assert [o.dtype for o in out] == [PaddleDType.FLOAT32, PaddleDType.INT64]
    assert predictor.get_input_tensor_shape() == {"x": [-1, 3], "ids": [-1, 1]}


def _configs(model):
    separate, two, _ = model
    by_files = AnalysisConfig(two + "/model", two + "/params")
    by_setters = AnalysisConfig()
    by_setters.set_prog_file(two + "/model")
    by_setters.set_params_file(two + "/params")
    by_bytes = AnalysisConfig()
    parts = [open(two + "/" + name, "rb").read() for name in ("model", "params")]
    by_bytes.set_model_buffer(parts[0], len(parts[0]), parts[1], len(parts[1]))
    assert by_bytes.model_from_memory() and not by_files.model_from_memory()
    native = NativeConfig()
    native.model_dir = separate
    return [by_files, by_setters, by_bytes, native, AnalysisConfig(by_files),
            AnalysisConfig(separate).to_native_config()]


def test_every_way_to_name_a_model(model):
    for config in _configs(model):
        _same(create_paddle_predictor(config).run(_tensors()), model[2])


def test_inputs_by_name(model):
    config = AnalysisConfig(model[0])
    config.switch_specify_input_names(True)
    predictor = create_paddle_predictor(config)
    x, ids = _tensors()
    x.name, ids.name = "x", "ids"
    _same(predictor.run([ids, x]), model[2])
    ids.name = "nope"
    with pytest.raises(ValueError, match="is called 'nope', and the inputs are x, ids"):
        predictor.run([ids, x])
    ids.name = "x"
    with pytest.raises(ValueError, match="the same name"):
        predictor.run([ids, x])


def test_tensors_that_stay(model):
    config = AnalysisConfig(model[1] + "/model", model[1] + "/params")
    config.switch_use_feed_fetch_ops(False)
    predictor = create_paddle_predictor(config)
    first, second = [predictor.get_output_tensor(n) for n in predictor.get_output_names()]
    with pytest.raises(ValueError, match="no data for x, ids"):
        predictor.zero_copy_run()
    with pytest.raises(ValueError, match="call zero_copy_run"):
        first.copy_to_cpu()
    x, ids = predictor.get_input_tensor("x"), predictor.get_input_tensor("ids")
    x.reshape([2, 3])
    x.copy_from_cpu(X)
    ids.set_lod(LOD)
    ids.copy_from_cpu(IDS)
    assert predictor.zero_copy_run() is True
    np.testing.assert_array_equal(first.copy_to_cpu(), model[2][0])
    np.testing.assert_array_equal(second.copy_to_cpu(), model[2][1])
    assert first.shape() == [2, 2] and first.type() == PaddleDType.FLOAT32 and ids.lod() == LOD
    x.copy_from_cpu(X[::-1])  # the other input stays
    predictor.zero_copy_run()
    assert not np.array_equal(first.copy_to_cpu(), model[2][0])
    with pytest.raises(ValueError, match="no input is called 'nope': there are x, ids"):
        predictor.get_input_tensor("nope")


def test_clones_run_in_threads(model):
    predictor = create_paddle_predictor(AnalysisConfig(model[0]))
    assert predictor.clone().scope() is predictor.scope()
    failed = []

    def work(mine):
        try:
            for _ in range(20):
                _same(mine.run(_tensors()), model[2])
        except BaseException as e:
            failed.append(e)
    threads = [threading.Thread(target=work, args=(predictor.clone(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failed


def test_what_is_wrong_is_named(model, tmp_path):
    predictor = create_paddle_predictor(AnalysisConfig(model[0]))
    with pytest.raises(ValueError, match=r"takes 2 tensors \(x, ids\), and 1 are given"):
        predictor.run(_tensors()[:1])
    with pytest.raises(ValueError, match="feed 'x' has the data type int64"):
        predictor.run(_tensors()[::-1])
    with pytest.raises(TypeError, match="float64: float32, int64"):
        PaddleTensor(np.ones(2))
    with pytest.raises(TypeError, match="takes PaddleTensors"):
        predictor.run([X, IDS])
    with pytest.raises(ValueError, match="no directory named"):
        create_paddle_predictor(AnalysisConfig(str(tmp_path / "no")))
    with pytest.raises(ValueError, match="names no model"):
        create_paddle_predictor(AnalysisConfig())
    with pytest.raises(TypeError, match="AnalysisConfig or a NativeConfig"):
        create_paddle_predictor(model[0])


def test_options_are_honoured_noted_or_refused(model, capfd):
    config = AnalysisConfig(model[0])
    assert (config.ir_optim(), config.use_feed_fetch_ops_enabled(), config.use_gpu()) == (
        True, True, False)
    config.set_cpu_math_library_num_threads(2)
    assert config.cpu_math_library_num_threads() == 2
    old = fluid.get_flags("FLAGS_paddle_num_threads")
    try:
        create_paddle_predictor(config)
        assert fluid.get_flags("FLAGS_paddle_num_threads") == {"FLAGS_paddle_num_threads": 2}
    finally:
        fluid.set_flags(old)
    config.delete_pass("fc_fuse_pass")
    config.delete_pass("fc_fuse_pass")
    assert capfd.readouterr().err.count("delete_pass('fc_fuse_pass'): there is no such pass") == 1
    with pytest.raises(RuntimeError, match="enable_use_gpu.*no GPU"):
        config.enable_use_gpu(100, 0)
    with pytest.raises(NotImplementedError, match="TensorRT"):
        config.enable_tensorrt_engine(workspace_size=1 << 20,
                                      precision_mode=AnalysisConfig.Precision.Int8)
    native = NativeConfig()
    native.model_dir, native.use_gpu = model[0], True
    with pytest.raises(RuntimeError, match="NativeConfig.use_gpu"):
        create_paddle_predictor(native)


def test_tensors_are_filled_by_their_fields():
    tensor = PaddleTensor()
    assert (tensor.name, tensor.shape, tensor.lod, tensor.dtype) == ("", [], [],
                                                                     PaddleDType.FLOAT32)
    tensor.shape, tensor.data = [2, 1], PaddleBuf([3.0, 4.0])
    assert tensor.as_ndarray().tolist() == [[3], [4]]
    tensor.data, tensor.dtype = PaddleBuf(np.array([5, 6])), PaddleDType.INT64
    assert tensor.as_ndarray().tolist() == [[5], [6]] and tensor.data.length() == 16
    assert tensor.data.int64_data() == tensor.data.tolist("int64") == [5, 6]
    assert not PaddleBuf(3).empty() and repr(PaddleDType.INT64) == "PaddleDType.INT64"
    assert fluid.core.paddle_dtype_size(PaddleDType.INT64) == 8


@pytest.mark.parametrize("copy, wanted", [(True, [1, 2]), (False, [5, 2])])
def test_a_tensor_that_is_not_copied_is_the_array(copy, wanted):
    array = np.array([1, 2], "float32")
    tensor = PaddleTensor(array, name="x", lod=[[0, 1, 2]], copy=copy)
    array[0] = 5
    assert tensor.as_ndarray().tolist() == wanted and tensor.data.float_data() == wanted
    tensor.data.reset([7, 8])
    assert array.tolist() == [5, 2]
