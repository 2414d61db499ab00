"""Gradient clipping, per value, per tensor or over all gradients."""
from . import layers
from .core import VarDesc
from .framework import Variable, default_main_program, name_scope

__all__ = ["set_gradient_clip", "ErrorClipByValue", "GradientClipByValue", "GradientClipByNorm",
           "GradientClipByGlobalNorm"]


class BaseErrorClipAttr:
    def _append_clip_op(self, block, grad_name):
        raise NotImplementedError()


class ErrorClipByValue(BaseErrorClipAttr):
    """Clips the gradient of a variable while the backward pass goes on."""

    def __init__(self, max, min=None):
        max = float(max)
        self.max = max
        self.min = -max if min is None else float(min)

    def __str__(self):
        return "ByValue, min=%f, max=%f" % (self.min, self.max)

    def _append_clip_op(self, block, grad_name):
        block.append_op("clip", {"X": grad_name}, {"Out": grad_name},
                        {"min": self.min, "max": self.max})


def error_clip_callback(block, context):
    """Clip the gradients that an op has just made, where their variables ask for it."""
    op = context["__current_op_desc__"]
    for name in op.output_arg_names:
        if "@GRAD" not in name:
            continue
        var = block._find_var_recursive(name[:name.index("@GRAD")])
        clip = getattr(var, "error_clip", None)
        if clip is None:
            continue
        if not isinstance(clip, BaseErrorClipAttr):
            raise TypeError("Variable's error_clip should be an instance of BaseErrorClipAttr or "
                            "None.")
        clip._append_clip_op(block, name)


class GradientClipBase:
    def __init__(self, need_clip=None):
        if need_clip is not None and not callable(need_clip):
            raise TypeError("The type of need_clip must be funciton, and it can filter out "
                            "parameter that does't need gradient clip.")
        self._need_clip_func = need_clip

    def __call__(self, params_grads):
        return self._static_clip(params_grads)

    def _wanted(self, param, grad):
        return grad is not None and (self._need_clip_func is None or self._need_clip_func(param))

    def _static_clip(self, params_grads):
        out = []
        with name_scope("gradient_clip"):
            for param, grad in params_grads:
                if not self._wanted(param, grad):
                    out.append((param, grad))
                    continue
                with param.block.program._optimized_guard([param, grad]):
                    out.append((param, self._clip(grad)))
        return out


def _dense(grad):
    """A sparse gradient with its duplicates merged, as a tensor of its rows."""
    if grad.type == VarDesc.VarType.SELECTED_ROWS:
        return layers.get_tensor_from_selected_rows(layers.merge_selected_rows(grad))
    return grad


class GradientClipByValue(GradientClipBase):
    def __init__(self, max, min=None, need_clip=None):
        super().__init__(need_clip)
        self.max = float(max)
        self.min = -self.max if min is None else float(min)
        if min is None and self.max <= 0:
            raise ValueError("GradientClipByValue: max must be above 0 where min is not given")

    def __str__(self):
        return "Gradient Clip By Value, min = %f, max=%f" % (self.min, self.max)

    def _clip(self, grad):
        return layers.clip(x=grad, min=self.min, max=self.max)


class GradientClipByNorm(GradientClipBase):
    def __init__(self, clip_norm, need_clip=None):
        super().__init__(need_clip)
        self.clip_norm = float(clip_norm)

    def __str__(self):
        return "Gradient Clip By Norm, clip_norm=%f" % self.clip_norm

    def _clip(self, grad):
        return layers.clip_by_norm(x=grad, max_norm=self.clip_norm)


class GradientClipByGlobalNorm(GradientClipBase):
    def __init__(self, clip_norm, group_name="default_group", need_clip=None):
        super().__init__(need_clip)
        self.clip_norm = float(clip_norm)
        self.group_name = group_name

    def __str__(self):
        return "Gradient Clip By GlobalNorm, global_norm=%f" % self.clip_norm

    def _limit(self):
        return layers.fill_constant(shape=[1], dtype="float32", value=self.clip_norm)

    @staticmethod
    def _square(param, grad):
        with param.block.program._optimized_guard([param, grad]):
            return layers.reduce_sum(layers.square(_dense(grad)))

    @staticmethod
    def _scaled(pairs, factor):
        out = []
        for param, grad in pairs:
            with param.block.program._optimized_guard([param, grad]):
                out.append((param, layers.elementwise_mul(x=grad, y=factor)))
        return out

    def _static_clip(self, params_grads):
        wanted = [(p, g) for p, g in params_grads if self._wanted(p, g)]
        if not wanted:
            return params_grads
        with name_scope("gradient_clip"):
            squares = [self._square(p, g) for p, g in wanted]
            with wanted[0][0].block.program._optimized_guard(list(wanted[0])):
                norm = layers.sqrt(layers.sums(squares))
                limit = self._limit()
                factor = layers.elementwise_div(x=limit,
                                                y=layers.elementwise_max(x=limit, y=norm))
            clipped = {p.name: g for p, g in self._scaled(wanted, factor)}
        return [(p, clipped.get(p.name, g)) for p, g in params_grads]

    def _clip_group(self, pairs):
        """For set_gradient_clip(): all pairs are scaled by their norm."""
        with pairs[0][0].block.program._optimized_guard(list(pairs[0])):
            limit = self._limit()
        squares = [self._square(p, g) for p, g in pairs]
        with pairs[0][0].block.program._optimized_guard(list(pairs[0])):
            norm = layers.sqrt(layers.sums(squares))
            factor = layers.elementwise_div(x=limit, y=layers.elementwise_max(x=limit, y=norm))
        return self._scaled(pairs, factor)


def set_gradient_clip(clip, param_list=None, program=None):
    """The old way: a clip for some parameters, or for all. An optimizer's own grad_clip comes
    before it.

    Each parameter is clipped as it was asked for. (Paddle 1.8.5 takes one clip for all
    parameters, or none where one has none, and does not ask need_clip.)"""
    if not isinstance(clip, GradientClipBase):
        raise TypeError("'clip' should be an instance of GradientClipBase's derived class")
    program = program or default_main_program()
    params = program.all_parameters() if param_list is None else [
        program.block(0).var(p) if isinstance(p, str) else p for p in param_list]
    for param in params:
        if not isinstance(param, Variable):
            raise TypeError("'param_list' should be a list of Parameter or basestring(parameter's "
                            "name).")
        param.gradient_clip_attr = clip


def _clip_that_is_set(param, grad):
    """The clip that set_gradient_clip() has put on the parameter, or None."""
    clip = getattr(param, "gradient_clip_attr", None)
    return clip if clip is not None and clip._wanted(param, grad) else None


def _groups(params_grads):
    """Those that are clipped over one norm: name -> [(parameter, gradient)]."""
    groups, norms = {}, {}
    for param, grad in params_grads:
        clip = _clip_that_is_set(param, grad)
        if not isinstance(clip, GradientClipByGlobalNorm):
            continue
        if norms.setdefault(clip.group_name, clip.clip_norm) != clip.clip_norm:
            raise ValueError("All parameters' 'clip_norm' of a same group should be the same")
        groups.setdefault(clip.group_name, []).append((param, grad))
    return groups


def append_gradient_clip_ops(params_grads):
    """Clip what set_gradient_clip() has marked."""
    clipped = {}
    with name_scope("gradient_clip"):
        for pairs in _groups(params_grads).values():
            clip = pairs[0][0].gradient_clip_attr
            clipped.update((param.name, grad) for param, grad in clip._clip_group(pairs))
        for param, grad in params_grads:
            clip = _clip_that_is_set(param, grad)
            if clip is None or param.name in clipped:
                continue
            with param.block.program._optimized_guard([param, grad]):
                clipped[param.name] = clip._clip(grad)
    return [(param, clipped.get(param.name, grad)) for param, grad in params_grads]


ClipByValue = GradientClipByValue
ClipByNorm = GradientClipByNorm
ClipByGlobalNorm = GradientClipByGlobalNorm
