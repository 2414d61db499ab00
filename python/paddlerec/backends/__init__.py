"""-b backend.yaml: the cluster that a job is handed to. One module for each `backend`; job.py is what
they share (keys and their checks, the submission folder), node.py what a process of a cluster runs."""
import importlib
import sys

from paddlerec.core.config import refuse

__all__ = ["submit"]

BACKENDS = {"PaddleCloud": "paddlecloud", "Local": "local", "SSH": "ssh", "MPI": "mpi",
            "Kubernetes": "kubernetes"}


def _module(backend):
    name = backend.data.get("backend")
    for known, module in BACKENDS.items():
        if isinstance(name, str) and name.lower() == known.lower():
            return importlib.import_module("paddlerec.backends." + module)
    backend.problem(("backend",), "backend is missing: wanted one of %s" % ", ".join(BACKENDS)
                    if "backend" not in backend.data else
                    "backend is %r, wanted one of %s" % (name, ", ".join(BACKENDS)))
    refuse(backend.problems)


def submit(config, backend_config):
    """The exit status. Both are Configs; what is wrong with them is said with its line, and the
    status is 2."""
    from paddlerec.backends.job import Job
    module = _module(backend_config)
    job = Job(config, backend_config, module)
    config.problems.sort(key=lambda problem: problem.line)
    backend_config.problems.sort(key=lambda problem: problem.line)
    for note in backend_config.notes:
        sys.stderr.write("paddlerec: note: %s\n" % note)
    if config.problems or backend_config.problems:
        refuse(config.problems + backend_config.problems)
    return module.submit(job)
