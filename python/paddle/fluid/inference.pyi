# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.inference_tensor import (PaddleBuf as PaddleBuf, PaddleDType as PaddleDType, PaddlePlace as PaddlePlace, PaddleTensor as PaddleTensor, ZeroCopyTensor as ZeroCopyTensor, paddle_dtype_size as paddle_dtype_size)

def __getattr__(name: str) -> Any: ...

class AnalysisConfig:
    """What to run, and how. What has no meaning here is noted, what cannot be done refused.

    Args:
        *args (str): A folder, or the files of the program and of the parameters; or another config.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.fc(fluid.data("x", [None, 8]), 1)
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
        >>> _ = fluid.io.save_inference_model("model", ["x"], [y], exe)
        >>> config = fluid.core.AnalysisConfig("model")
        >>> predictor = fluid.core.create_paddle_predictor(config)
        >>> out, = predictor.run([fluid.core.PaddleTensor(numpy.ones((3, 8), "float32"))])
        >>> out.as_ndarray().shape
        (3, 1)
    """
    Float32: Any
    Int8: Any
    Half: Any
    def __init__(self, *args: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def set_model(self, model: str, params: Optional[Union[bytes, str]] = ...) -> Any:
        """A folder, or the files of the program and of its parameters.

        Args:
            model (str): A file.
            params (bytes or str): The parameters. Default: None.
        """
        ...

    def set_prog_file(self, path: str) -> Any:
        """Say where the program is.

        Args:
            path (str): A file.
        """
        ...

    def set_params_file(self, path: str) -> Any:
        """Say where the parameters are.

        Args:
            path (str): A file.
        """
        ...

    def set_model_buffer(self, program: bytes, program_size: int, params: Union[bytes, str], params_size: int) -> Any:
        """The bytes of both files.

        Args:
            program (bytes): The program.
            program_size (int): How many bytes.
            params (bytes or str): The parameters.
            params_size (int): How many bytes.
        """
        ...

    def model_dir(self) -> Any:
        """The folder of the model."""
        ...

    def prog_file(self) -> Any:
        """The file of the program."""
        ...

    def params_file(self) -> Any:
        """The file of the parameters."""
        ...

    def model_from_memory(self) -> Any:
        """Whether the model was given as bytes."""
        ...

    def switch_specify_input_names(self, x: bool = ...) -> Any:
        """Tensors go to the inputs of their names, not by their order.

        Args:
            x (bool): Whether. Default: True.
        """
        ...

    def specify_input_name(self) -> Any:
        """Whether inputs are found by name."""
        ...

    def switch_use_feed_fetch_ops(self, x: bool = ...) -> Any:
        """run() and zero_copy_run() work either way.

        Args:
            x (bool): Whether. Default: True.
        """
        ...

    def use_feed_fetch_ops_enabled(self) -> Any:
        """Whether run() is used, and not zero_copy_run()."""
        ...

    def set_cpu_math_library_num_threads(self, threads: int) -> Any:
        """Threads of a matrix product, FLAGS_paddle_num_threads, of the whole process.

        Args:
            threads (int): How many.
        """
        ...

    def cpu_math_library_num_threads(self) -> Any:
        """How many threads compute."""
        ...

    def disable_gpu(self) -> Any:
        """Programs run on the CPU, as they do unless enable_use_gpu() was called."""
        ...

    def enable_memory_optim(self, *unused: Any) -> Any:
        """So it is: temporaries share memory.

        Args:
            *unused (object): Not looked at.
        """
        ...

    def enable_mkldnn(self) -> Any:
        """So it is: each matrix product takes the quicker library for its shape."""
        ...

    def mkldnn_enabled(self) -> Any:
        """Whether oneDNN was asked for."""
        ...

    def disable_glog_info(self) -> Any:
        """So it is: a predictor logs nothing."""
        ...

    def glog_info_disabled(self) -> Any:
        """Whether nothing is logged."""
        ...

    def switch_ir_optim(self, x: bool = ...) -> Any:
        """The executor fuses what it may either way, with the same numbers to rounding; FLAGS_fuse=0 keeps
        it from that.

        Args:
            x (bool): Whether. Default: True.
        """
        ...

    def ir_optim(self) -> Any:
        """Whether the program is rewritten before it runs."""
        ...

    def use_gpu(self) -> Any:
        """Whether it runs on a GPU."""
        ...

    def tensorrt_engine_enabled(self) -> Any:
        """False: there is no TensorRT."""
        ...

    def lite_engine_enabled(self) -> Any:
        """False: there is no Paddle Lite."""
        ...

    def gpu_device_id(self) -> Any:
        """The number of the GPU."""
        ...

    def memory_pool_init_size_mb(self) -> Any:
        """Memory of the GPU that is taken at once."""
        ...

    def fraction_of_gpu_memory_for_pool(self) -> Any:
        """The same as a part of all."""
        ...

    def switch_ir_debug(self, x: bool = ...) -> Any:
        """Taken, and changes nothing.

        Args:
            x (bool): Whether. Default: True.
        """
        ...

    def delete_pass(self, name: str) -> Any:
        """Taken, and changes nothing.

        Args:
            name (str): The name of the input or output.
        """
        ...

    def set_mkldnn_op(self, ops: Sequence[Any]) -> Any:
        """Taken, and changes nothing.

        Args:
            ops (set of str): Not looked at.
        """
        ...

    def set_mkldnn_cache_capacity(self, capacity: int = ...) -> Any:
        """Taken, and changes nothing.

        Args:
            capacity (int): Not looked at. Default: 0.
        """
        ...

    def set_optim_cache_dir(self, path: str) -> Any:
        """Taken, and changes nothing.

        Args:
            path (str): A file.
        """
        ...

    def enable_profile(self) -> Any:
        """Time the ops."""
        ...

    def enable_use_gpu(self, memory_pool_init_size_mb: int = ..., device_id: int = ...) -> Any:
        """Run on that GPU. Its memory is taken as it is needed, whatever the pool's size.

        Args:
            memory_pool_init_size_mb (int): Memory that is taken at once. Default: 100.
            device_id (int): The number of the GPU. Default: 0.
        """
        ...

    def enable_tensorrt_engine(self, *args: Any, **kwargs: Any) -> Any:
        """Refused: there is no TensorRT."""
        ...

    def enable_lite_engine(self, *args: Any, **kwargs: Any) -> Any:
        """Refused: there is no Paddle Lite."""
        ...

    def enable_quantizer(self, *args: Any, **kwargs: Any) -> Any:
        """Refused: programs run in floating point."""
        ...

    def set_trt_dynamic_shape_info(self, *args: Any, **kwargs: Any) -> Any:
        """Refused: there is no TensorRT."""
        ...

    def quantizer_config(self, *args: Any, **kwargs: Any) -> Any:
        """Refused: programs run in floating point."""
        ...

    def pass_builder(self, *args: Any, **kwargs: Any) -> Any:
        """Refused: the passes are the executor's."""
        ...

    def to_native_config(self) -> Any:
        """The same model as a NativeConfig."""
        ...

class AnalysisPredictor(PaddlePredictor):
    """Of an AnalysisConfig.

    Args:
        config (AnalysisConfig or NativeConfig): What to run, and how.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.fc(fluid.data("x", [None, 8]), 1)
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
        >>> _ = fluid.io.save_inference_model("model", ["x"], [y], exe)
        >>> config = fluid.core.AnalysisConfig("model")
        >>> predictor = fluid.core.create_paddle_predictor(config)
        >>> out, = predictor.run([fluid.core.PaddleTensor(numpy.ones((3, 8), "float32"))])
        >>> out.as_ndarray().shape
        (3, 1)
    """
    def __init__(self, config: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class NativeConfig:
    """The older config: fields.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.fc(fluid.data("x", [None, 8]), 1)
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
        >>> _ = fluid.io.save_inference_model("model", ["x"], [y], exe)
        >>> config = fluid.core.NativeConfig()
        >>> config.model_dir = "model"
        >>> predictor = fluid.core.create_paddle_predictor(config)
        >>> out, = predictor.run([fluid.core.PaddleTensor(numpy.ones((3, 8), "float32"))])
        >>> out.as_ndarray().shape
        (3, 1)
    """
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def set_cpu_math_library_num_threads(self, threads: int) -> Any:
        """Threads of a matrix product, FLAGS_paddle_num_threads, of the whole process.

        Args:
            threads (int): How many.
        """
        ...

    def cpu_math_library_num_threads(self) -> Any:
        """How many threads compute."""
        ...

class NativePaddlePredictor(PaddlePredictor):
    """Of a NativeConfig.

    Args:
        config (AnalysisConfig or NativeConfig): What to run, and how.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.fc(fluid.data("x", [None, 8]), 1)
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
        >>> _ = fluid.io.save_inference_model("model", ["x"], [y], exe)
        >>> config = fluid.core.NativeConfig()
        >>> config.model_dir = "model"
        >>> predictor = fluid.core.create_paddle_predictor(config)
        >>> out, = predictor.run([fluid.core.PaddleTensor(numpy.ones((3, 8), "float32"))])
        >>> out.as_ndarray().shape
        (3, 1)
    """
    def __init__(self, config: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class PaddlePredictor:
    """A model that is ready to run. One for each thread: clone() shares the parameters.

    Args:
        config (AnalysisConfig or NativeConfig): What to run, and how.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.fc(fluid.data("x", [None, 8]), 1)
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
        >>> _ = fluid.io.save_inference_model("model", ["x"], [y], exe)
        >>> config = fluid.core.AnalysisConfig("model")
        >>> predictor = fluid.core.create_paddle_predictor(config)
        >>> out, = predictor.run([fluid.core.PaddleTensor(numpy.ones((3, 8), "float32"))])
        >>> out.as_ndarray().shape
        (3, 1)
    """
    def __init__(self, config: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def clone(self) -> Any:
        """A predictor with the same program and parameters, and inputs of its own."""
        ...

    def get_input_names(self) -> Any:
        """The names of the inputs."""
        ...

    def get_output_names(self) -> Any:
        """The names of the outputs."""
        ...

    def get_input_tensor_shape(self) -> Any:
        """The shapes of the inputs, by name."""
        ...

    def get_serialized_program(self) -> Any:
        """The program as bytes."""
        ...

    def program(self) -> Any:
        """The program."""
        ...

    def scope(self) -> Any:
        """Where the parameters live."""
        ...

    def run(self, tensors: Sequence[Any]) -> Any:
        """PaddleTensors for the inputs, by order or by name; PaddleTensors of the outputs.

        Args:
            tensors (list of PaddleTensor): The inputs in their order, or by their names.
        """
        ...

    def get_input_tensor(self, name: str) -> Any:
        """Where an input is put; it keeps what it was given for the next runs.

        Args:
            name (str): The name of the input or output.
        """
        ...

    def get_output_tensor(self, name: str) -> Any:
        """Where an output is found after zero_copy_run().

        Args:
            name (str): The name of the input or output.
        """
        ...

    def zero_copy_run(self) -> Any:
        """Run on what the input tensors hold."""
        ...

def create_paddle_predictor(config: Any) -> Any:
    """The predictor of a config.

    Args:
        config (AnalysisConfig or NativeConfig): What to run, and how.

    Returns:
        PaddlePredictor: the predictor.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.fc(fluid.data("x", [None, 8]), 1)
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
        >>> _ = fluid.io.save_inference_model("model", ["x"], [y], exe)
        >>> config = fluid.core.AnalysisConfig("model")
        >>> predictor = fluid.core.create_paddle_predictor(config)
        >>> out, = predictor.run([fluid.core.PaddleTensor(numpy.ones((3, 8), "float32"))])
        >>> out.as_ndarray().shape
        (3, 1)
    """
    ...
