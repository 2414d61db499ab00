from layercase import check, data


def number(value, dtype="float32"):
    from paddle.fluid import layers
    return layers.fill_constant([1], dtype, value)


def switch():
    from paddle.fluid import layers
    rate = layers.create_global_var([1], 0.0, "float32", persistable=True, name="rate")
    a, b = number(1.0), number(2.0)
    with layers.Switch() as choice:
        with choice.case(layers.less_than(a, b)):
            layers.assign(a, rate)
        with choice.case(layers.equal(a, b)):
            layers.assign(b, rate)
        with choice.default():
            layers.assign(number(3.0), rate)


def while_loop():
    from paddle.fluid import layers
    end = number(10, "int64")
    layers.while_loop(lambda i, s: layers.less_than(i, end),
                      lambda i, s: [layers.increment(i), layers.scale(s, 2.0)],
                      [number(0, "int64"), number(1.0)])


def while_loop_of_one():
    from paddle.fluid import layers
    end = number(10, "int64")
    layers.while_loop(lambda i: layers.less_than(i, end), lambda i: layers.increment(i),
                      [number(0, "int64")], is_test=True)


def while_loop_of_a_structure():
    from paddle.fluid import layers
    end = number(10, "int64")
    layers.while_loop(lambda i, s: layers.less_than(i, end),
                      lambda i, s: [layers.increment(i), {"a": layers.scale(s["a"], 2.0)}],
                      [number(0, "int64"), {"a": number(1.0)}])


def while_with_arrays():
    from paddle.fluid import layers
    i, end = number(0, "int64"), number(3, "int64")
    array = layers.array_write(data("x", [4]), i)
    go_on = layers.less_than(i, end)
    loop = layers.While(go_on)
    with loop.block():
        item = layers.array_read(array, i)
        layers.increment(i, in_place=True)
        layers.array_write(layers.scale(item, 2.0), i, array)
        layers.less_than(i, end, cond=go_on)
    layers.array_length(array)


def rank_tables():
    from paddle.fluid import layers
    from paddle.fluid.layers import control_flow
    x, rows = data("x", [4], lod_level=1), data("rows", [3])
    table = control_flow.lod_rank_table(x)
    control_flow.max_sequence_len(table)
    array = control_flow.lod_tensor_to_array(x, table)
    control_flow.array_to_lod_tensor(array, table)
    control_flow.shrink_memory(rows, number(0, "int64"), table)
    layers.reorder_lod_tensor_by_rank(rows, table)


def split_and_merge():
    from paddle.fluid import layers
    from paddle.fluid.layers import control_flow
    rows = data("rows", [3])
    mask = layers.less_than(data("a", [1]), data("b", [1]))
    yes, no = control_flow.split_lod_tensor(rows, mask)
    control_flow.merge_lod_tensor(yes, no, rows, mask)


def if_else():
    from paddle.fluid import layers
    x = data("x", [3])
    choice = layers.IfElse(layers.less_than(data("a", [1]), data("b", [1])))
    with choice.true_block():
        part = choice.input(x)
        choice.output(layers.scale(part, 2.0), part)
    with choice.false_block():
        part = choice.input(x)
        choice.output(layers.scale(part, 3.0), layers.scale(part, 4.0))
    choice()


CASES = [switch, while_loop, while_loop_of_one, while_loop_of_a_structure, while_with_arrays,
         rank_tables, split_and_merge, if_else]
test = check(__file__, CASES)


def _fails(kind, what, build):
    import paddle.fluid as fluid
    import pytest
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        with pytest.raises(kind, match=what):
            build(fluid.layers)


def test_arguments_that_make_no_loop_are_refused():
    _fails(TypeError, "should be callable", lambda layers: layers.while_loop(None, None, [1]))
    _fails(ValueError, "should not be empty",
           lambda layers: layers.while_loop(lambda: 1, lambda: 1, []))
    _fails(TypeError, "boolean variable",
           lambda layers: layers.while_loop(lambda i: i, lambda i: i, [number(1.0)]))
    _fails(ValueError, "returns 2 variables, and there are 1",
           lambda layers: layers.while_loop(lambda i: layers.less_than(i, i), lambda i: [i, i],
                                            [number(1.0)]))
    _fails(TypeError, "must be a bool Variable", lambda layers: layers.While(number(1.0)))


def test_arguments_that_make_no_condition_are_refused():
    _fails(TypeError, "must be a bool Variable", lambda layers: layers.cond(number(1.0)))
    _fails(TypeError, "must be callable",
           lambda layers: layers.cond(layers.less_than(number(1.0), number(2.0)), 3))
    _fails(ValueError, "true_fn returns None while false_fn returns non-None|Incompatible",
           lambda layers: layers.cond(layers.less_than(number(1.0), number(2.0)),
                                      lambda: number(1.0)))
    _fails(TypeError, "pred_fn_pairs", lambda layers: layers.case([]))
    _fails(TypeError, "must be callable",
           lambda layers: layers.case([(layers.less_than(number(1.0), number(2.0)), 3)]))
    _fails(TypeError, "uint8, int32 or int64",
           lambda layers: layers.switch_case(number(1.0), [lambda: 1]))
    _fails(ValueError, "two branches have the number 2",
           lambda layers: layers.switch_case(number(1, "int64"),
                                             [(2, lambda: None), (2, lambda: None)]))
    _fails(TypeError, "must be a bool Variable", lambda layers: layers.IfElse(number(1.0)))


def test_a_block_must_give_what_it_promises():
    def no_output(layers):
        choice = layers.IfElse(layers.less_than(data("a", [1]), data("b", [1])))
        with choice.true_block():
            choice.input(data("x", [3]))
    _fails(ValueError, "Must set output", no_output)

    def no_end(layers):
        with layers.While(layers.less_than(number(1.0), number(2.0))).block():
            number(3.0)
    _fails(ValueError, "never end", no_end)
    _fails(ValueError, "inside with",
           lambda layers: layers.Switch().case(layers.less_than(number(1.0), number(2.0))))
