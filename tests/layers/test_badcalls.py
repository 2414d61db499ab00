"""Bad arguments are refused as in real Paddle 1.8.5: by TypeErrors that name the argument."""
import json

import badcalls
import pytest

with open(badcalls.GOLDEN) as f:
    ROWS = json.load(f)
# Layers that are of float32 alone there and of float64 too here.
OF_FLOAT64 = ("log_loss", "sequence_pool", "sequence_first_step", "sequence_last_step",
              "nets.sequence_conv_pool")


@pytest.fixture(scope="module")
def by_case():
    """{(layer, argument): {kind: word}} of all that real Paddle refuses."""
    cases, wanted, found = badcalls.cases(), {}, {}
    for layer, argument, case, number, said in ROWS:
        kinds = said.get("named", []) + said.get("TypeError", [])
        wanted.setdefault(case, {})[layer, argument, number] = kinds
    for case, calls in wanted.items():
        for ((layer, argument, _), kind), word in badcalls.outcomes(cases[case], calls).items():
            found.setdefault((layer, argument), {})[kind] = word
    return found


@pytest.mark.parametrize("layer", sorted({row[0] for row in ROWS}))
def test_a_bad_argument_is_a_type_error_that_names_it(layer, by_case):
    for name, argument, _, _, said in ROWS:
        if name == layer:
            for kind in said.get("named", []):
                if kind == "float64" and layer in OF_FLOAT64:
                    continue
                assert by_case[layer, argument][kind] == "named", (argument, kind)
            for kind in said.get("TypeError", []):
                assert by_case[layer, argument][kind] in ("named", "TypeError"), (argument, kind)


def test_checks_are_of_arguments_that_exist():
    import inspect
    import paddle.fluid as fluid
    from paddle.fluid.layers import arguments
    modules = {"nets": fluid.nets, "fluid": fluid, "": fluid.layers}
    for layer, rules in arguments.RULES.items():
        prefix, _, name = layer.rpartition(".")
        function = getattr(modules[prefix], name)
        assert set(rules) <= set(inspect.signature(function).parameters), layer


@pytest.mark.parametrize("name, shape, what", [(3, [1], "name"), ("x", 3, "shape"),
                                               ("x", "text", "shape"), (["x"], [1], "name")])
def test_where_data_enters(name, shape, what):
    import paddle.fluid as fluid
    for data in (fluid.layers.data, fluid.data):
        with pytest.raises(TypeError, match="data: %s is" % what):
            data(name, shape)


@pytest.mark.parametrize("what", ["targets", "inputs", "target_gradients"])
def test_gradients_are_of_variables(what):
    import paddle.fluid as fluid
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x = fluid.layers.data("x", [1])
        given = dict(dict.fromkeys(("targets", "inputs", "target_gradients"), x), **{what: "text"})
        with pytest.raises(TypeError, match=what):
            fluid.gradients(**given)
