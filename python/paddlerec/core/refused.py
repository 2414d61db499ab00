"""Names of paddle-rec 1.8.5 that are not here: they can be imported, and say what to use instead when they
are used."""
from paddle._names import refused

__all__ = ["add", "PODS", "SUBMISSION", "COMMAND", "YAML_NETS"]

PODS = "paddle.distributed.utils has clusters, pods and trainers"
SUBMISSION = "a job goes to a cluster by python -m paddlerec.run -m config.yaml -b backend.yaml"
COMMAND = "it is a part of the command: call paddlerec.run.main(['-m', 'config.yaml'])"
YAML_NETS = ("it builds nets from YAML for servers of PSLIB; write the net in model.py with "
             "fluid.layers")


def add(module, why, *names):
    """To a module's globals()."""
    for name in names:
        module[name] = refused(name, why, "%s.%s" % (module["__name__"], name))
