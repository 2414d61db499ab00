"""backend: Kubernetes: the YAML that `paddle k8s` writes, of --kind fluid or, where workers have no
servers, of --kind collective with a pod for each trainer and its GPUs, handed to kubectl. The job's
files are a Secret beside it; every pod copies them into a folder of its own and runs there."""
import base64
import os
import re
import shutil
import sys

from paddlerec.backends import job as keys, node

CLUSTER_TYPE = "k8s"
FILES = "/paddlerec-files"  # where a pod sees the Secret
CMD = ("mkdir -p /tmp/paddlerec && cp -L %s/* /tmp/paddlerec/ && cd /tmp/paddlerec && "
       "exec python -m paddlerec.backends.node" % FILES)
LARGEST = 700 * 1000  # a Secret has 1 MiB, in base64
_TIME = "_202601010000"  # as long as any


def uses(job):
    other = ("k8s_gpu_card",) if not job.is_collective() else ("k8s_ps_num", "k8s_ps_cores") + (
        () if job.is_gpu() else ("k8s_gpu_card",))
    return keys.OF_MPI[:3] + keys.OF_KUBERNETES + tuple(
        key for key in keys.OF_K8S if key not in other)


def check(job):
    job.trains()
    job.need("image", why=": the container image that has Regatta (docker/Dockerfile builds one)")
    if job.type != "k8s":
        job.backend.problem(("cluster_type",), "cluster_type is mpi, and Kubernetes is k8s")
    size = sum(os.path.getsize(path) for path in job.files.values() if os.path.isfile(path))
    if size > LARGEST:
        job.problem("files", "files: they have %d bytes, and a Secret of Kubernetes takes %d: leave "
                             "data out, and give train_data_path or a volume" % (size, LARGEST))
    if job.get("image") and not job.backend.problems and not job.config.problems:
        _options(job, job.name + _TIME)  # what it cannot take it refuses itself


def _name(folder):
    """Of Kubernetes' kind: small letters, digits and hyphens, from a letter on."""
    from paddle.scripts.k8s.options import MAX_NAME
    words = re.sub(r"[^a-z0-9]+", "-", folder.lower()).strip("-").lstrip("0123456789-")
    name, _, number = words.rpartition("-")
    return "%s-%s" % (name[:MAX_NAME - len(number) - 1].rstrip("-") or "job", number)


def _options(job, folder):
    from paddle.scripts.k8s.options import parse
    given = {"--name": _name(folder), "--kind": "fluid", "--image": job.get("image"),
             "--cmd": CMD, "--trainers": job.get("k8s_trainers", 1),
             "--servers": job.get("k8s_ps_num", 1), "--cpu": job.get("k8s_cpu_cores"),
             "--server-cpu": job.get("k8s_ps_cores"), "--memory": job.get("memory"),
             "--namespace": job.get("namespace"), "--port": job.get("port"),
             "--volume": job.get("volume"), "--pull-secret": job.get("pull_secret")}
    if job.is_collective():
        given.update({"--kind": "collective", "--servers": None, "--server-cpu": None,
                      "--gpus": job.get("k8s_gpu_card", 1) if job.is_gpu() else None})
    return parse(["%s=%s" % (key, value) for key, value in given.items() if value is not None])


def _secret(job, options):
    from paddle.scripts.k8s import objects
    metadata = {"name": options.name + "-files", "labels": objects.labels_of(options.name)}
    if options.namespace:
        metadata["namespace"] = options.namespace
    content = {}
    for name in sorted(os.listdir(job.folder)):
        if name != "backend.yaml":
            with open(os.path.join(job.folder, name), "rb") as file:
                content[name] = base64.b64encode(file.read()).decode()
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": "Opaque",
            "data": content}


def _mount(document, secret):
    """The Secret in every container of a document that has pods."""
    pod = document.get("spec", {}).get("template", {}).get("spec")
    if pod is None:
        return
    pod.setdefault("volumes", []).append({"name": "paddlerec-files",
                                          "secret": {"secretName": secret}})
    for container in pod["containers"]:
        container.setdefault("volumeMounts", []).append(
            {"name": "paddlerec-files", "mountPath": FILES, "readOnly": True})


def documents(job, options):
    from paddle.scripts.k8s import objects
    secret = _secret(job, options)
    made = objects.of(options)
    for document in made:
        _mount(document, secret["metadata"]["name"])
    return [secret] + made


def submit(job):
    from paddle.scripts.k8s import __main__ as k8s, kubectl
    job.make_folder()
    node.write(job, node.describe(job, shared=True, cluster_type="K8S"))
    options = _options(job, os.path.basename(job.folder))
    text = k8s.as_yaml(documents(job, options))
    job.write("k8s.yaml", text)
    path = os.path.join(job.folder, "k8s.yaml")
    if shutil.which("kubectl") is None:
        sys.stderr.write("paddlerec: there is no kubectl on PATH, so nothing was submitted. The job "
                         "is ready: kubectl create -f %s\n" % path)
        return 1
    status = kubectl.create(options, text)
    if status == 0:
        space = " --namespace " + options.namespace if options.namespace else ""
        print("The job is %s: kubectl%s logs -f job/%s-trainer follows it, paddle k8s --name %s%s "
              "--delete removes it" % (options.name, space, options.name, options.name, space))
        print("end submit")
    return status
