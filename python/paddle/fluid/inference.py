"""The inference API: fluid.core.AnalysisConfig, create_paddle_predictor and PaddleTensor, on
Regatta's executor.

    config = fluid.core.AnalysisConfig("model")
    predictor = fluid.core.create_paddle_predictor(config)
    out, = predictor.run([fluid.core.PaddleTensor(array)])
    out.as_ndarray()"""
import os
import sys

import numpy as np

from .. import _core
from .._names import NotSupported
from . import core
from .executor import Executor, scope_guard
from .inference_tensor import (PaddleBuf, PaddleDType, PaddlePlace, PaddleTensor,  # noqa: F401
                               ZeroCopyTensor, as_lod_tensor, paddle_dtype_size)

__all__ = ["AnalysisConfig", "AnalysisPredictor", "NativeConfig", "NativePaddlePredictor",
           "PaddleBuf", "PaddleDType", "PaddlePlace", "PaddlePredictor", "PaddleTensor",
           "ZeroCopyTensor", "create_paddle_predictor", "paddle_dtype_size"]

_noted = set()


def _note(option, why):
    """Say once that an option changes nothing here."""
    if option not in _noted:
        _noted.add(option)
        sys.stderr.write("AnalysisConfig.%s: %s\n" % (option, why))


class _Model:
    """Where a model is: a folder, two files, or the bytes of two files."""

    def __init__(self, folder="", program="", params=""):
        self.folder, self.program, self.params = folder, program, params
        self.bytes = None

    def load(self, executor):
        """[program, names to feed, variables to fetch]; its parameters are in the scope."""
        from .io import load_inference_model, read_file
        if self.bytes is not None:
            return load_inference_model(None, executor, *self.bytes)
        if self.folder:
            return load_inference_model(self.folder, executor)
        if not self.program:
            raise ValueError("the config names no model: AnalysisConfig(folder), or "
                             "AnalysisConfig(program_file, params_file)")
        folder = os.path.dirname(self.program) or "."
        if os.path.dirname(self.params) in (os.path.dirname(self.program), ""):
            return load_inference_model(folder, executor, self.program, self.params or None)
        return load_inference_model(None, executor, *map(read_file, (self.program, self.params)))


def _threads():
    return int(_core.get_flag("paddle_num_threads")[1])


class _Precision(core._Enum):
    _owner = "Precision"


class AnalysisConfig:
    """What to run, and how. What has no meaning here is noted, what cannot be done refused."""

    class Precision:
        Float32, Int8, Half = (_Precision(i, name)
                               for i, name in enumerate(("Float32", "Int8", "Half")))

    Float32, Int8, Half = Precision.Float32, Precision.Int8, Precision.Half

    def __init__(self, *args):
        self._model = _Model()
        self._ir_optim, self._by_name, self._feed_ops = True, False, True
        self._threads, self._quiet, self._mkldnn = None, False, False
        if len(args) == 1 and isinstance(args[0], AnalysisConfig):
            self.__dict__.update(args[0].__dict__)
        elif args:
            self.set_model(*args)

    # ---- the model ----

    def set_model(self, model, params=None):
        """A folder, or the files of the program and of its parameters."""
        self._model = _Model(model) if params is None else _Model("", model, params)

    def set_prog_file(self, path):
        self._model = _Model("", path, self._model.params)

    def set_params_file(self, path):
        self._model = _Model("", self._model.program, path)

    def set_model_buffer(self, program, program_size, params, params_size):
        """The bytes of both files."""
        self._model = _Model()
        self._model.bytes = (bytes(program)[:program_size], bytes(params)[:params_size])

    def model_dir(self):
        return self._model.folder

    def prog_file(self):
        return self._model.program

    def params_file(self):
        return self._model.params

    def model_from_memory(self):
        return self._model.bytes is not None

    # ---- what is honoured ----

    def switch_specify_input_names(self, x=True):
        """Tensors go to the inputs of their names, not by their order."""
        self._by_name = bool(x)

    def specify_input_name(self):
        return self._by_name

    def switch_use_feed_fetch_ops(self, x=True):
        """run() and zero_copy_run() work either way."""
        self._feed_ops = bool(x)

    def use_feed_fetch_ops_enabled(self):
        return self._feed_ops

    def set_cpu_math_library_num_threads(self, threads):
        """Threads of a matrix product, FLAGS_paddle_num_threads, of the whole process."""
        if int(threads) < 1:
            raise ValueError("set_cpu_math_library_num_threads(%r): at least 1" % (threads,))
        self._threads = int(threads)

    def cpu_math_library_num_threads(self):
        return self._threads or _threads()

    def disable_gpu(self):
        """Programs run on the CPU, as they do unless enable_use_gpu() was called."""
        self._gpu = None

    def enable_memory_optim(self, *unused):
        """So it is: temporaries share memory."""

    def enable_mkldnn(self):
        """So it is: each matrix product takes the quicker library for its shape."""
        self._mkldnn = True

    def mkldnn_enabled(self):
        return self._mkldnn

    def disable_glog_info(self):
        """So it is: a predictor logs nothing."""
        self._quiet = True

    def glog_info_disabled(self):
        return self._quiet

    def switch_ir_optim(self, x=True):
        """The executor fuses what it may either way, with the same numbers to rounding;
        FLAGS_fuse=0 keeps it from that."""
        self._ir_optim = bool(x)

    def ir_optim(self):
        return self._ir_optim

    _gpu, _pool_mb = None, 0

    def use_gpu(self):
        return self._gpu is not None

    def tensorrt_engine_enabled(self):
        return False

    lite_engine_enabled = tensorrt_engine_enabled

    def gpu_device_id(self):
        return self._gpu or 0

    def memory_pool_init_size_mb(self):
        return self._pool_mb

    def fraction_of_gpu_memory_for_pool(self):
        return 0.0

    # ---- what changes nothing ----

    def switch_ir_debug(self, x=True):
        _note("switch_ir_debug", "there are no passes to write out; print the Program")

    def delete_pass(self, name):
        _note("delete_pass(%r)" % name, "there is no such pass")

    def set_mkldnn_op(self, ops):
        _note("set_mkldnn_op", "the library is chosen by shape")

    def set_mkldnn_cache_capacity(self, capacity=0):
        _note("set_mkldnn_cache_capacity", "there is no such cache")

    def set_optim_cache_dir(self, path):
        _note("set_optim_cache_dir", "nothing is kept between runs")

    def enable_profile(self):
        _note("enable_profile", "use fluid.profiler.profiler() around the runs")

    # ---- what cannot be done ----

    def enable_use_gpu(self, memory_pool_init_size_mb=100, device_id=0):
        """Run on that GPU. Its memory is taken as it is needed, whatever the pool's size."""
        try:
            core.CUDAPlace(device_id)
        except RuntimeError as e:
            raise RuntimeError("AnalysisConfig.enable_use_gpu(): %s" % e) from None
        self._gpu, self._pool_mb = int(device_id), memory_pool_init_size_mb

    def _refuse(self, *args, **kwargs):
        raise NotSupported("AnalysisConfig: TensorRT, Lite, int8 and pass builders are not "
                           "implemented; programs run in floating point")

    enable_tensorrt_engine = enable_lite_engine = enable_quantizer = _refuse
    set_trt_dynamic_shape_info = quantizer_config = pass_builder = _refuse

    def to_native_config(self):
        made = NativeConfig()
        made.model_dir, made.prog_file = self._model.folder, self._model.program
        made.param_file, made.specify_input_name = self._model.params, self._by_name
        return made


class NativeConfig:
    """The older config: fields."""

    def __init__(self):
        self.model_dir = self.prog_file = self.param_file = ""
        self.use_gpu, self.device, self.fraction_of_gpu_memory = False, 0, 0.0
        self.specify_input_name = False
        self._threads = None

    set_cpu_math_library_num_threads = AnalysisConfig.set_cpu_math_library_num_threads
    cpu_math_library_num_threads = AnalysisConfig.cpu_math_library_num_threads

    @property
    def _model(self):
        return _Model(self.model_dir, self.prog_file, self.param_file)

    @property
    def _by_name(self):
        return self.specify_input_name


class PaddlePredictor:
    """A model that is ready to run. One for each thread: clone() shares the parameters."""
    Config = AnalysisConfig

    def __init__(self, config):
        self._place = core.CPUPlace()
        if getattr(config, "_gpu", None) is not None:
            self._place = core.CUDAPlace(config._gpu)
        elif getattr(config, "use_gpu", None) is True:
            try:
                self._place = core.CUDAPlace(config.device)
            except RuntimeError as e:
                raise RuntimeError("NativeConfig.use_gpu: %s" % e) from None
        self._by_name, self._config = config._by_name, config
        if config._threads:
            _core.set_flag("paddle_num_threads", str(config._threads))
        self._scope, self._executor = core.Scope(), Executor(self._place)
        with scope_guard(self._scope):
            self._program, self._inputs, fetches = config._model.load(self._executor)
        self._outputs = [var.name for var in fetches]
        self._given, self._made = {}, {}

    def clone(self):
        """A predictor with the same program and parameters, and inputs of its own."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made._executor, made._given, made._made = Executor(self._place), {}, {}
        return made

    def get_input_names(self):
        return list(self._inputs)

    def get_output_names(self):
        return list(self._outputs)

    def get_input_tensor_shape(self):
        block = self._program.global_block()
        return {name: list(block.var(name).shape) for name in self._inputs}

    def get_serialized_program(self):
        return self._program.desc.serialize_to_string()

    def program(self):
        return self._program

    def scope(self):
        return self._scope

    # ---- tensors in, tensors out ----

    def _feed(self, tensors):
        if len(tensors) != len(self._inputs):
            raise ValueError("the model takes %d tensors (%s), and %d are given"
                             % (len(self._inputs), ", ".join(self._inputs), len(tensors)))
        if not self._by_name:
            return dict(zip(self._inputs, map(as_lod_tensor, tensors)))
        for tensor in tensors:
            if tensor.name not in self._inputs:
                raise ValueError("a tensor is called %r, and the inputs are %s"
                                 % (tensor.name, ", ".join(self._inputs)))
        feed = {tensor.name: as_lod_tensor(tensor) for tensor in tensors}
        if len(feed) != len(tensors):
            raise ValueError("two tensors have the same name: %s"
                             % ", ".join(tensor.name for tensor in tensors))
        return feed

    def _run(self, feed):
        return self._executor.run(self._program, feed=feed, fetch_list=self._outputs,
                                  scope=self._scope, return_numpy=False)

    def run(self, tensors):
        """PaddleTensors for the inputs, by order or by name; PaddleTensors of the outputs."""
        return [PaddleTensor(np.array(value), name=name, lod=value.lod())
                for name, value in zip(self._outputs, self._run(self._feed(tensors)))]

    # ---- tensors that stay ----

    def get_input_tensor(self, name):
        """Where an input is put; it keeps what it was given for the next runs."""
        if name not in self._inputs:
            raise ValueError("no input is called %r: there are %s" % (name,
                                                                      ", ".join(self._inputs)))
        return ZeroCopyTensor(name, self._given)

    def get_output_tensor(self, name):
        """Where an output is found after zero_copy_run()."""
        if name not in self._outputs:
            raise ValueError("no output is called %r: there are %s" % (name,
                                                                       ", ".join(self._outputs)))
        return ZeroCopyTensor(name, self._made)

    def zero_copy_run(self):
        absent = [name for name in self._inputs if name not in self._given or
                  not self._given[name]._is_initialized()]
        if absent:
            raise ValueError("zero_copy_run(): no data for %s; get_input_tensor(name)"
                             ".copy_from_cpu(array) gives it" % ", ".join(absent))
        self._made.update(zip(self._outputs, self._run(dict(self._given))))
        return True


class AnalysisPredictor(PaddlePredictor):
    """Of an AnalysisConfig."""


class NativePaddlePredictor(PaddlePredictor):
    """Of a NativeConfig."""
    Config = NativeConfig


def create_paddle_predictor(config):
    if isinstance(config, AnalysisConfig):
        return AnalysisPredictor(AnalysisConfig(config))
    if isinstance(config, NativeConfig):
        return NativePaddlePredictor(config)
    raise TypeError("create_paddle_predictor takes an AnalysisConfig or a NativeConfig, not %s"
                    % type(config))
