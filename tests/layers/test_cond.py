"""layers.cond and what is made of it."""
from layercase import check


def number(value, dtype="float32"):
    from paddle.fluid import layers
    return layers.fill_constant([1], dtype, value)


def cond():
    from paddle.fluid import layers
    a = number(1.0)
    layers.cond(layers.less_than(a, number(2.0)), lambda: layers.scale(a, 2.0), lambda: a)


def cond_with_parameters():
    from layercase import data
    from paddle.fluid import layers
    x = data("x", [4], grad=True)
    out = layers.cond(layers.less_than(number(1.0), number(2.0)), lambda: layers.fc(x, 3),
                      lambda: layers.scale(layers.fc(x, 3), 2.0))
    layers.mean(out)


def cond_of_a_structure():
    from paddle.fluid import layers
    a = number(1.0)
    layers.cond(layers.less_than(a, number(2.0)),
                lambda: [layers.scale(a, 2.0), (a, layers.scale(a, 3.0))], lambda: [a, (a, a)])


def cond_without_a_value():
    from paddle.fluid import layers
    rate = layers.create_global_var([1], 0.0, "float32", persistable=True, name="rate")

    def change():
        layers.assign(number(3.0), rate)
    smaller = layers.less_than(number(1.0), number(2.0))
    layers.cond(smaller, change)
    layers.cond(smaller, None, change)
    layers.cond(smaller)


def case():
    from paddle.fluid import layers
    a, b = number(1.0), number(2.0)
    layers.case([(layers.less_than(a, b), lambda: layers.scale(a, 2.0)),
                 (layers.equal(a, b), lambda: layers.scale(a, 3.0))],
                default=lambda: layers.scale(a, 4.0))


def case_without_default():
    from paddle.fluid import layers
    a, b = number(1.0), number(2.0)
    layers.case([(layers.less_than(a, b), lambda: layers.scale(a, 2.0)),
                 (layers.equal(a, b), lambda: layers.scale(a, 3.0))])


def switch_case():
    from paddle.fluid import layers
    a = number(1.0)
    layers.switch_case(number(1, "int32"), {1: lambda: layers.scale(a, 2.0),
                                            2: lambda: layers.scale(a, 3.0)},
                       default=lambda: layers.scale(a, 4.0))


def switch_case_of_a_list():
    from paddle.fluid import layers
    a = number(1.0)
    layers.switch_case(number(1, "int64"), [lambda: layers.scale(a, 2.0),
                                            lambda: layers.scale(a, 3.0)])
    layers.switch_case(number(1, "int64"), [(3, lambda: layers.scale(a, 2.0)),
                                            (1, lambda: layers.scale(a, 3.0))])


CASES = [cond, cond_with_parameters, cond_of_a_structure, cond_without_a_value, case,
         case_without_default, switch_case, switch_case_of_a_list]
test = check(__file__, CASES)
