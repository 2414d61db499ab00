"""Parameters that start with what a function of the script gives."""
import numpy
import pytest


def table(name):
    assert name == "words"
    return numpy.arange(12).reshape(4, 3)


def model(paddle, initializer):
    word = paddle.layer.data(name="word", type=paddle.data_type.integer_value(4))
    vector = paddle.layer.embedding(input=word, size=3, param_attr=paddle.attr.Param(
        name="words", initializer=initializer))
    return paddle.layer.fc(input=vector, size=1), vector


def test_they_do(fresh):
    fresh.init()
    out, vector = model(fresh, table)
    parameters = fresh.parameters.create(out)
    assert numpy.array_equal(parameters["words"], table("words"))
    got = fresh.infer(output_layer=vector, parameters=parameters, input=[(2,)])
    assert numpy.array_equal(got, [[6, 7, 8]])


def test_also_without_parameters_of_v2(fresh):
    from paddle.trainer.machine import Machine
    from paddle.trainer_config_helpers.network import Network
    out, _ = model(fresh, table)
    machine = Machine(Network([out]), None)
    assert numpy.array_equal(machine.get("words"), table("words"))


def test_what_does_not_fit(fresh):
    fresh.init()
    with pytest.raises(TypeError, match="initializer is 3"):
        fresh.attr.Param(initializer=3)
    out, _ = model(fresh, lambda name: numpy.zeros(5))
    with pytest.raises(ValueError, match="'words' has the shape .4, 3., and was given one of .5."):
        fresh.parameters.create(out)
