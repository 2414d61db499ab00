"""Casts to and from float16 in a program's forward part. A plan for a CPU takes them out again and
multiplies bfloat16 in their place (src/pass/half.c)."""
from ... import layers
from ...core import VarDesc
from ...layers.control_flow import Switch

__all__ = ["rewrite_program", "update_loss_scaling"]

_FP16, _FP32 = VarDesc.VarType.FP16, VarDesc.VarType.FP32
_SUFFIX = {_FP16: ".cast_fp16", _FP32: ".cast_fp32"}
# Of these the others are statistics and scales, which are float32 for either type of data.
_DATA_SLOTS = {"batch_norm": ("X", "Y")}


def _is_data(op, slot):
    return op.type not in _DATA_SLOTS or slot in _DATA_SLOTS[op.type]


def _choose(block, lists):
    """{index of an op: True for 16 bits, False for 32}; gray ops that read nothing of the kind stay
    as they are."""
    chosen, made_by = {}, {}
    for i, op in enumerate(block.ops):
        names = set(op.input_arg_names) | set(op.output_arg_names)
        if lists.black_varnames and names & set(lists.black_varnames):
            chosen[i] = False
        elif op.type in lists.white_list:
            chosen[i] = True
        elif op.type in lists.gray_list:
            before = {chosen.get(made_by[name]) for name in op.input_arg_names if name in made_by}
            if False in before:
                chosen[i] = False
            elif True in before:
                chosen[i] = True
        else:
            chosen[i] = False
        for name in op.output_arg_names:
            made_by[name] = i
    return chosen


def _is(block, name, dtype):
    var = block._find_var_recursive(name)
    return var is not None and var.type == VarDesc.VarType.LOD_TENSOR and var.dtype == dtype


def _cast_inputs(block, index, op, to):
    """Casts before the op; how many were put there."""
    source, added = (_FP32 if to == _FP16 else _FP16), 0
    for slot in op.input_names:
        for name in op.input(slot) if _is_data(op, slot) else ():
            if not _is(block, name, source):
                continue
            var, cast = block._find_var_recursive(name), name + _SUFFIX[to]
            if not block.has_var(cast):
                block.create_var(name=cast, dtype=to, persistable=False,
                                 stop_gradient=var.stop_gradient)
                block._insert_op(index + added, "cast", {"X": [var]}, {"Out": [cast]},
                                 {"in_dtype": source, "out_dtype": to})
                added += 1
            op._rename_input(name, cast)
    return added


def rewrite_program(main_prog, amp_lists):
    """Ops of the outermost block compute with 16 bits as the lists say."""
    block = main_prog.global_block()
    ops, chosen = list(block.ops), _choose(block, amp_lists)
    index = 0
    for i, op in enumerate(ops):
        if i in chosen:
            index += _cast_inputs(block, index, op, _FP16 if chosen[i] else _FP32)
            for slot in op.output_names if chosen[i] else ():
                for name in op.output(slot) if _is_data(op, slot) else ():
                    if _is(block, name, _FP32) and not block._find_var_recursive(name).persistable:
                        block.var(name).desc.set_dtype(_FP16)
        index += 1


def update_loss_scaling(is_overall_finite, prev_loss_scaling, num_good_steps, num_bad_steps,
                        incr_every_n_steps, decr_every_n_nan_or_inf, incr_ratio, decr_ratio):
    """The scale grows after steps without infinite gradients, and shrinks after such with."""
    zero = layers.fill_constant([1], "int32", 0)

    def reset(scale):
        layers.assign(scale, prev_loss_scaling)
        layers.assign(zero, num_good_steps)
        layers.assign(zero, num_bad_steps)

    with Switch() as finite:
        with finite.case(is_overall_finite):
            with Switch() as often:
                with often.case(layers.less_than(incr_every_n_steps, num_good_steps + 1)):
                    larger = prev_loss_scaling * incr_ratio
                    with Switch() as fits:
                        with fits.case(layers.isfinite(larger)):
                            layers.assign(larger, prev_loss_scaling)
                        with fits.default():
                            pass
                    layers.assign(zero, num_good_steps)
                    layers.assign(zero, num_bad_steps)
                with often.default():
                    layers.increment(num_good_steps)
                    layers.assign(zero, num_bad_steps)
        with finite.default():
            with Switch() as often:
                with often.case(layers.less_than(decr_every_n_nan_or_inf, num_bad_steps + 1)):
                    smaller = prev_loss_scaling * decr_ratio
                    one = layers.fill_constant([1], "float32", 1.0)
                    with Switch() as least:
                        with least.case(layers.less_than(smaller, one)):
                            reset(one)
                        with least.default():
                            reset(smaller)
                with often.default():
                    layers.assign(zero, num_good_steps)
                    layers.increment(num_bad_steps)
