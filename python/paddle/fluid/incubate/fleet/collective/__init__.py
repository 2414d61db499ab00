"""Collective training over several processes, which is not implemented: the names can be asked
for, and say so."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise ImportError("paddle.fluid.incubate.fleet.collective.%s: collective training is not "
                      "implemented; parameter_server.distribute_transpiler is, and its "
                      "create_sync_strategy() gives the same mean over workers" % name)
