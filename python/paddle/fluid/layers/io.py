"""Where data enters a program."""
from .. import unique_name
from ..core import VarDesc
from ..framework import default_main_program
from ..layer_helper import LayerHelper

__all__ = ["data", "load", "read_file", "double_buffer", "py_reader",
           "create_py_reader_by_data"]


def data(name, shape, append_batch_size=True, dtype="float32", lod_level=0,
         type=VarDesc.VarType.LOD_TENSOR, stop_gradient=True):
    """A variable to be fed; the batch dimension is put in front unless it is there."""
    shape = [-1 if dim is None else dim for dim in shape]
    if any(dim < 0 for dim in shape):
        append_batch_size = False
    if append_batch_size:
        shape = [-1] + shape
    return default_main_program().global_block().create_var(
        name=name, shape=shape, dtype=dtype, type=type, lod_level=lod_level,
        stop_gradient=stop_gradient, is_data=True)


def load(out, file_path, load_as_fp16=None):
    """The variable `out` from a file, each time that the program runs."""
    attrs = {"file_path": file_path}
    if load_as_fp16 is not None:
        attrs["load_as_fp16"] = load_as_fp16
    LayerHelper("load").append_op("load", {}, {"Out": [out]}, attrs)


class _Reader:
    """What py_reader() gives: a source of batches that the executor takes by itself."""

    def __init__(self, name, variables, capacity, use_double_buffer):
        from ..reader import GeneratorLoader
        self.name, self.variables = name, variables
        self._loader = GeneratorLoader(variables, capacity, use_double_buffer, iterable=False)
        self.type, self.persistable, self.stop_gradient = VarDesc.VarType.READER, True, True

    @property
    def queue(self):
        return self._loader.queue

    def decorate_sample_list_generator(self, reader, places=None):
        """reader() gives lists of samples, as paddle.batch makes them."""
        self._loader.set_sample_list_generator(reader, places)

    decorate_paddle_reader = decorate_sample_list_generator

    def decorate_batch_generator(self, reader, places=None):
        """reader() gives batches: an array or LoDTensor for each variable."""
        self._loader.set_batch_generator(reader, places)

    decorate_tensor_provider = decorate_batch_generator

    def start(self):
        self._loader.start()

    def reset(self):
        self._loader.reset()


def py_reader(capacity, shapes, dtypes, lod_levels=None, name=None, use_double_buffer=True):
    """A reader of new variables; read_file() gives them."""
    if not len(shapes) == len(dtypes) == len(lod_levels or shapes):
        raise ValueError("py_reader: %d shapes, %d dtypes and %d lod_levels" % (
            len(shapes), len(dtypes), len(lod_levels or shapes)))
    prefix = unique_name.generate("read_file")
    block = default_main_program().current_block()
    variables = [block.create_var(name=unique_name.generate(prefix + ".tmp"),
                                  shape=[-1 if dim is None else dim for dim in shape],
                                  dtype=dtype, lod_level=level, stop_gradient=True, is_data=True)
                 for shape, dtype, level in zip(shapes, dtypes, lod_levels or [0] * len(shapes))]
    return _Reader(_reader_name(name, use_double_buffer), variables, capacity, use_double_buffer)


def create_py_reader_by_data(capacity, feed_list, name=None, use_double_buffer=True):
    """A reader of variables that exist."""
    return _Reader(_reader_name(name, use_double_buffer), list(feed_list), capacity,
                   use_double_buffer)


def _reader_name(name, use_double_buffer):
    if name is None:
        return unique_name.generate("double_buffer" if use_double_buffer else "create_py_reader")
    return name + "_double_buffer" if use_double_buffer else name


def double_buffer(reader, place=None, name=None):
    """The reader itself: its batches are made ahead, `capacity` of them."""
    _check_reader(reader, "double_buffer")
    return reader


def read_file(reader):
    """The variables of a reader: a list, or the one."""
    _check_reader(reader, "read_file")
    return reader.variables[0] if len(reader.variables) == 1 else list(reader.variables)


def _check_reader(reader, what):
    if not isinstance(reader, _Reader):
        raise TypeError("%s takes what py_reader or create_py_reader_by_data gives, not %s"
                        % (what, type(reader)))
