"""yaml_validation(): whether a configuration can run."""
__all__ = ["ValueFormat", "yaml_validation"]


class ValueFormat(object):
    """What a key of a user's own may hold: a type, and a handler such as ge_value_handler."""

    def __init__(self, value_type, value, value_handler, required=False):
        self.value_type, self.value, self.value_handler = value_type, value, value_handler
        self.required = required

    def is_valid(self, name, value):
        return self.is_type_valid(name, value) and self.is_value_valid(name, value)

    def is_type_valid(self, name, value):
        types = {"int": int, "str": str, "float": (int, float), "list": list, "dict": dict,
                 "bool": bool}
        if self.value_type is None or isinstance(value, types[self.value_type]):
            return True
        print("\nattr {} should be {}, but {} now\n".format(name, self.value_type, type(value)))
        return False

    def is_value_valid(self, name, value):
        return self.value_handler is None or self.value_handler(name, value, self.value)


def _is(fits, name, value, wanted):
    if not fits:
        print("\nattr {} is {}, but should be {}\n".format(name, value, wanted))
    return fits


def in_value_handler(name, value, values):
    return _is(value in values, name, value, "one of %s" % (values,))


def eq_value_handler(name, value, values):
    return _is(value == values, name, value, "%s" % (values,))


def ge_value_handler(name, value, values):
    return _is(value >= values, name, value, "at least %s" % (values,))


def le_value_handler(name, value, values):
    return _is(value <= values, name, value, "at most %s" % (values,))


def register():
    """The keys that every configuration has."""
    return {"workspace": ValueFormat("str", None, None, True),
            "mode": ValueFormat(None, None, None, True),
            "runner": ValueFormat("list", None, None, True),
            "phase": ValueFormat("list", None, None, True),
            "hyper_parameters": ValueFormat("dict", None, None)}


def yaml_validation(config):
    """config: a path. True, or False after a line for each problem."""
    from paddlerec.core.check import check
    from paddlerec.core.config import ConfigError, override, read
    try:
        loaded = read(config)
    except ConfigError as e:
        print(e)
        return False
    override(loaded)
    for problem in check(loaded):
        print(problem)
    return not loaded.problems
