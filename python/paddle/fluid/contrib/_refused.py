"""Names of fluid.contrib that are not implemented: they can be imported, and say so when used."""


def refused(name, why):
    def refuse(*args, **kwargs):
        raise NotImplementedError("fluid.contrib.%s is not implemented: %s" % (name, why))
    refuse.__name__ = refuse.__qualname__ = name.split(".")[-1]
    refuse.__doc__ = "Not implemented: %s." % why
    return refuse
