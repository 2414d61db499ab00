"""What is done to a cluster, by kubectl. Keys go through its stdin: all can read arguments."""
import subprocess
import sys

from .objects import MANAGER
from .options import refuse

_SELECTOR = "app.kubernetes.io/managed-by=%s,app.kubernetes.io/instance=%s"


def _run(arguments, options, text=None):
    if options.namespace:
        arguments = ["--namespace", options.namespace] + arguments
    try:
        return subprocess.run(["kubectl"] + arguments, input=text, universal_newlines=True,
                              check=False).returncode
    except FileNotFoundError:
        refuse("there is no kubectl here: install it, or write the YAML with --output FILE and "
               "run `kubectl create -f FILE` where it is")


def create(options, text):
    status = _run(["create", "-f", "-"], options, text)
    if status != 0:
        sys.stderr.write("k8s: kubectl ended with status %d. Where parts of an earlier job are in "
                         "the way, remove it first: paddle k8s --name %s --kind %s%s --delete\n"
                         % (status, options.name, options.kind,
                            " --namespace " + options.namespace if options.namespace else ""))
    return status


def delete(options):
    kinds = "paddlejob" if options.kind == "paddlejob" else "job,statefulset,service"
    return _run(["delete", kinds + ",secret", "--selector",
                 _SELECTOR % (MANAGER, options.name)], options)
