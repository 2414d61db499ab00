"""Where data enters a program."""
from .. import reader_ops, unique_name
from ..core import VarDesc
from ..framework import (convert_np_dtype_to_dtype_, default_main_program,
                         default_startup_program)
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
    """What py_reader() gives: a source of batches that the executor takes by itself. Its variables
    are made by read_file()."""

    def __init__(self, variable, pass_over):
        self._variable, self._pass = variable, pass_over
        self.name = variable.name
        self.type, self.persistable, self.stop_gradient = VarDesc.VarType.READER, True, True

    @property
    def queue(self):
        return self._pass.queue

    @property
    def variables(self):
        return self._pass.variables

    def decorate_sample_list_generator(self, reader, places=None):
        """reader() gives lists of samples, as paddle.batch makes them."""
        self._pass.decorate("set_sample_list_generator", reader, places)

    decorate_paddle_reader = decorate_sample_list_generator

    def decorate_batch_generator(self, reader, places=None):
        """reader() gives batches: an array or LoDTensor for each variable."""
        self._pass.decorate("set_batch_generator", reader, places)

    decorate_tensor_provider = decorate_batch_generator

    def start(self):
        self._pass.loader("start").start()

    def reset(self):
        self._pass.loader("reset").reset()


class _Passes:
    """The batches of a py_reader, under whichever name they are read."""

    def __init__(self, queue, shapes, dtypes, lod_levels, use_double_buffer):
        self.queue, self.variables, self._loader, self._source = queue, None, None, None
        self.specs = list(zip(shapes, dtypes, lod_levels))
        self._use_double_buffer = use_double_buffer

    def decorate(self, method, reader, places):
        self._source = (method, reader, places)
        if self._loader is not None:
            getattr(self._loader, method)(reader, places)

    def read_into(self, variables):
        from ..reader import GeneratorLoader
        self.variables = variables
        self._loader = GeneratorLoader(variables, self.queue.capacity(), self._use_double_buffer,
                                       iterable=False, queue=self.queue)
        if self._source is not None:
            method, reader, places = self._source
            getattr(self._loader, method)(reader, places)

    def loader(self, what):
        if self._loader is None:
            raise RuntimeError("%s() of a reader that nothing reads: fluid.layers.read_file() gives "
                               "its variables" % what)
        return self._loader


def _new_reader(capacity, shapes, dtypes, lod_levels, name, use_double_buffer):
    from ..batch_queue import BatchQueue
    generate = unique_name.generate
    shapes = [[-1 if dim is None else dim for dim in shape] for shape in shapes]
    dtypes = [convert_np_dtype_to_dtype_(dtype) for dtype in dtypes]
    queue_name, reader_name, buffer_name = (
        [generate("lod_tensor_blocking_queue"), generate("create_py_reader"),
         generate("double_buffer")] if name is None
        else [name + end for end in ("_queue", "_reader", "_double_buffer")])
    queue = BatchQueue(capacity)
    reader_ops.own_queue(queue_name, queue)
    reader_ops.add_reader(default_startup_program().current_block(), queue_name, reader_name,
                          shapes, dtypes, lod_levels)
    block = default_main_program().current_block()
    variable = block.create_var(name=reader_name, type=VarDesc.VarType.READER, persistable=True)
    if use_double_buffer:
        variable = reader_ops.add_double_buffer(block, variable, buffer_name)
    return _Reader(variable, _Passes(queue, shapes, dtypes, lod_levels, use_double_buffer))


def py_reader(capacity, shapes, dtypes, lod_levels=None, name=None, use_double_buffer=True):
    """A reader of new variables; read_file() gives them."""
    if not len(shapes) == len(dtypes) == len(lod_levels or shapes):
        raise ValueError("py_reader: %d shapes, %d dtypes and %d lod_levels" % (
            len(shapes), len(dtypes), len(lod_levels or shapes)))
    return _new_reader(capacity, shapes, dtypes, lod_levels or [0] * len(shapes), name,
                       use_double_buffer)


def create_py_reader_by_data(capacity, feed_list, name=None, use_double_buffer=True):
    """A reader of new variables like those of feed_list; read_file() gives them."""
    feed_list = list(feed_list)
    return _new_reader(capacity, [var.shape for var in feed_list],
                       [var.dtype for var in feed_list], [var.lod_level for var in feed_list],
                       name, use_double_buffer)


def double_buffer(reader, place=None, name=None):
    """A reader of the same batches, which are made ahead anyway, `capacity` of them."""
    _check_reader(reader, "double_buffer")
    block = default_main_program().current_block()
    name = name or unique_name.generate("create_double_buffer_reader")
    return _Reader(reader_ops.add_double_buffer(block, reader._variable, name, place),
                   reader._pass)


def read_file(reader):
    """The variables of a reader: a list, or the one."""
    _check_reader(reader, "read_file")
    if reader.variables is not None:
        raise RuntimeError("read_file: %s is read already, and gives a run one batch: use the "
                           "variables that the first read_file gave" % reader.name)
    helper = LayerHelper("read_file")
    block = default_main_program().current_block()
    variables = [block.create_var(name=unique_name.generate(helper.name + ".tmp"), shape=shape,
                                  dtype=dtype, lod_level=level, stop_gradient=True, is_data=True)
                 for shape, dtype, level in reader._pass.specs]
    reader_ops.add_read(block, reader._variable, variables)
    reader._pass.read_into(variables)
    return variables[0] if len(variables) == 1 else variables


def _check_reader(reader, what):
    if not isinstance(reader, _Reader):
        raise TypeError("%s takes what py_reader or create_py_reader_by_data gives, not %s"
                        % (what, type(reader)))
