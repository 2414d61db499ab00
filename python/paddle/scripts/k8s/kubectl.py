"""What is done to a cluster, by kubectl. Keys go through its stdin: all can read arguments."""
import subprocess
import sys

from .objects import MANAGER
from .options import refuse

_SELECTOR = "app.kubernetes.io/managed-by=%s,app.kubernetes.io/instance=%s"


def _run(arguments, options, text=None, **more):
    if options.namespace:
        arguments = ["--namespace", options.namespace] + arguments
    try:
        return subprocess.run(["kubectl"] + arguments, input=text, universal_newlines=True,
                              check=False, **more)
    except FileNotFoundError:
        refuse("there is no kubectl here: install it, or write the YAML with --output FILE and "
               "run `kubectl create -f FILE` where it is")


def create(options, text):
    status = _run(["create", "-f", "-"], options, text).returncode
    if status != 0:
        sys.stderr.write("k8s: kubectl ended with status %d. Where parts of an earlier job are in "
                         "the way, remove it first: paddle k8s --name %s%s --delete\n"
                         % (status, options.name,
                            " --namespace " + options.namespace if options.namespace else ""))
    return status


def _has_operator(options):
    """Whether the cluster knows PaddleJobs: kubectl refuses to delete what it does not."""
    known = _run(["api-resources", "--api-group=kubeflow.org", "-o", "name"], options, "",
                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return "paddlejobs.kubeflow.org" in known.stdout.split()


def delete(options):
    """All that has the job's labels, whatever kind of job it was."""
    kinds = "job,statefulset,service,secret"
    if options.kind == "paddlejob" or _has_operator(options):
        kinds = "paddlejob," + kinds
    return _run(["delete", kinds, "--selector", _SELECTOR % (MANAGER, options.name)],
                options).returncode
