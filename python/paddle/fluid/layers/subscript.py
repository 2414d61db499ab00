"""x[1], x[:, 1:3], x[i:, ::-1]: parts of a Variable; the ops slice, strided_slice, reverse."""
import operator

from .. import unique_name
from ..framework import Variable

__all__ = []

_END = 10000000  # what Fluid writes for "to the end"


def _refuse(var, index, instead):
    return TypeError("%s[%r]: an index is an int, a slice or a Variable of one int; %s"
                     % (var.name, index, instead))


def _bound(var, value):
    """A number or a Variable that says where a part begins or ends."""
    if isinstance(value, Variable):
        return value
    try:
        return operator.index(value)
    except TypeError:
        raise _refuse(var, value, "fluid.layers.gather and gather_nd take lists of indices"
                      if isinstance(value, (list, tuple)) else
                      "%s cannot be one" % type(value).__name__) from None


class _Cut:
    """What is wanted of each dimension that is not taken whole."""

    def __init__(self, var):
        self.var = var
        # Where Fluid appends to the block of var itself, a part taken inside a While is taken
        # once, before the loop. The block that is being built is where the part is meant.
        self.block = var.block.program.current_block()
        self.axes, self.starts, self.ends, self.steps = [], [], [], []
        self.decrease, self.reverse = [], []

    def add(self, axis, index):
        if isinstance(index, slice):
            self._add_slice(axis, index)
        elif index is None or index is Ellipsis:
            raise _refuse(self.var, index, "fluid.layers.unsqueeze adds a dimension"
                          if index is None else "write a ':' for each dimension")
        else:
            self._add_one(axis, _bound(self.var, index))

    def _add_slice(self, axis, index):
        if index.start is None and index.stop is None:
            if index.step is None:
                return
            if not isinstance(index.step, Variable) and _bound(self.var, index.step) == -1:
                self.reverse.append(axis)
                return
        self._append(axis, 0 if index.start is None else _bound(self.var, index.start),
                     _END if index.stop is None else _bound(self.var, index.stop),
                     1 if index.step is None else _bound(self.var, index.step))

    def _add_one(self, axis, index):
        self.decrease.append(axis)
        if isinstance(index, Variable):
            one = self._constant(1, index.dtype)
            end = self.block.create_var(dtype=index.dtype)
            self.block.append_op("elementwise_add", {"X": [index], "Y": [one]}, {"Out": [end]},
                                 {"axis": -1})
        else:
            end = _END if index == -1 else index + 1
        self._append(axis, index, end, 1)

    def _append(self, axis, start, end, step):
        self.axes.append(axis)
        self.starts.append(start)
        self.ends.append(end)
        self.steps.append(step)

    def _constant(self, value, dtype="int32"):
        out = self.block.create_var(dtype=dtype, stop_gradient=True)
        self.block.append_op("fill_constant", {}, {"Out": [out]},
                             {"shape": [1], "dtype": int(out.dtype), "value": float(value),
                              "force_cpu": True})
        return out

    def _bounds(self, slot, attr, values, inputs, attrs):
        """The numbers as an attribute; beside it, where one is a Variable, all as tensors."""
        attrs[attr] = [-1 if isinstance(v, Variable) else v for v in values]
        if not any(isinstance(v, Variable) for v in values):
            return
        for i, value in enumerate(values):
            if isinstance(value, Variable):
                attrs["infer_flags"][i] = -1
                value.stop_gradient = True
        inputs[slot] = [v if isinstance(v, Variable) else self._constant(v) for v in values]

    def _output(self, suffix):
        return self.block.create_var(name=unique_name.generate(self.var.name + suffix),
                                     dtype=self.var.dtype)

    def _slice(self, x):
        inputs = {"Input": [x]}
        attrs = {"axes": self.axes, "decrease_axis": self.decrease,
                 "infer_flags": [1] * len(self.axes)}
        strided = any(isinstance(step, Variable) or step != 1 for step in self.steps)
        self._bounds("StartsTensorList", "starts", self.starts, inputs, attrs)
        self._bounds("EndsTensorList", "ends", self.ends, inputs, attrs)
        if strided:
            self._bounds("StridesTensorList", "strides", self.steps, inputs, attrs)
        out = self._output("_strided_slice" if strided else "_slice")
        self.block.append_op("strided_slice" if strided else "slice", inputs, {"Out": [out]},
                             attrs)
        return out

    def append(self):
        out = self._slice(self.var) if self.axes else self.var
        if self.reverse:
            x, out = out, self._output("_slice_reverse")
            self.block.append_op("reverse", {"X": [x]}, {"Out": [out]}, {"axis": self.reverse})
        return out


def getitem(self, index):
    """A part of the variable. One index leaves its dimension out; of the last dimension too,
    a shape [1] is left. A step of -1 without bounds turns the dimension round."""
    cut = _Cut(self)
    for axis, part in enumerate(index if isinstance(index, tuple) else (index,)):
        cut.add(axis, part)
    return cut.append()


Variable.__getitem__ = getitem
Variable.__iter__ = None  # or Python would ask for x[0], x[1] ... without an end
