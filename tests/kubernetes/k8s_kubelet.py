"""What a cluster makes of the objects of a job, for tests: its pods with their names in DNS, and of
each container the command and environment that a kubelet would start it with."""
import os
import re
import subprocess
import sys

import yaml

from built import BUILD, ROOT

PATH = os.pathsep.join([BUILD, os.path.dirname(sys.executable), "/usr/bin", "/bin", "/usr/sbin",
                        "/sbin"])


def run_k8s(*arguments, **options):
    """`paddle k8s` with these arguments: a CompletedProcess."""
    env = dict(os.environ, PATH=options.pop("path", PATH), PYTHONPATH=os.path.join(ROOT, "python"))
    return subprocess.run([sys.executable, "-m", "paddle.scripts.k8s"] + list(arguments), env=env,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60,
                          **options)


def documents_of(*arguments):
    done = run_k8s(*arguments)
    assert done.returncode == 0, done.stderr
    return list(yaml.safe_load_all(done.stdout))


def of_kind(documents, kind):
    found = [d for d in documents if d["kind"] == kind]
    assert len(found) == 1, [d["kind"] for d in documents]
    return found[0]


class Pod(object):
    """One pod. dns: the names under which others find it. local: those that its own /etc/hosts has,
    whatever DNS knows."""

    def __init__(self, name, part, template, dns, local, annotations=None, labels=None, late=()):
        self.name, self.part, self.template = name, part, template
        self.dns, self.local, self.late = dns, local, list(late)
        self.annotations = annotations or {}
        self.labels = dict(template["metadata"]["labels"], **(labels or {}))
        self.address = None  # given when it is started

    @property
    def container(self):
        container, = self.template["spec"]["containers"]
        return container

    def _field(self, path):
        keyed = re.match(r"metadata\.(annotations|labels)\['(.*)'\]\Z", path)
        if keyed:
            return getattr(self, keyed.group(1))[keyed.group(2)]
        return {"metadata.name": self.name, "status.podIP": self.address}[path]

    def environment(self, secrets, container=None):
        """Variables in their order: $(NAME) is replaced where NAME stands before it, else stays."""
        env = {}
        for entry in (container or self.container)["env"] + self.late:
            if "value" in entry:
                value = re.sub(r"\$\(([A-Za-z_][A-Za-z0-9_]*)\)",
                               lambda m: env.get(m.group(1), m.group(0)), entry["value"])
            elif "fieldRef" in entry["valueFrom"]:
                value = self._field(entry["valueFrom"]["fieldRef"]["fieldPath"])
            else:
                ref = entry["valueFrom"]["secretKeyRef"]
                value = secrets[ref["name"]][ref["key"]]
            env[entry["name"]] = value
        return env

    def command(self, env, container=None):
        return [re.sub(r"\$\(([A-Za-z_][A-Za-z0-9_]*)\)",
                       lambda m: env.get(m.group(1), m.group(0)), word)
                for word in (container or self.container)["command"]]


def secrets_of(documents):
    return {d["metadata"]["name"]: d.get("stringData", {}) for d in documents
            if d["kind"] == "Secret"}


def _set_pods(documents, spec, name):
    """Pods of a StatefulSet; their names are known where a headless Service chooses them."""
    service = of_kind(documents, "Service")
    labels = spec["template"]["metadata"]["labels"]
    chosen = (service["metadata"]["name"] == spec["serviceName"] and
              service["spec"]["clusterIP"] == "None" and
              set(service["spec"]["selector"].items()) <= set(labels.items()))
    for i in range(spec["replicas"]):
        pod = "%s-%d" % (name, i)
        dns = ["%s.%s" % (pod, spec["serviceName"])] if chosen else []
        yield Pod(pod, "pserver", spec["template"], dns, [pod])


def _job_pods(documents, spec, name):
    """Pods of an indexed Job. Its controller adds a variable behind those that are there. Where the
    pods' subdomain is a headless Service that chooses them, it gives them names."""
    under = spec["template"]["spec"].get("subdomain")
    known = [d for d in documents if d["kind"] == "Service" and d["metadata"]["name"] == under
             and d["spec"]["clusterIP"] == "None" and set(d["spec"]["selector"].items()) <=
             set(spec["template"]["metadata"]["labels"].items())]
    assert spec["completionMode"] == "Indexed" and spec["completions"] == spec["parallelism"]
    key = "batch.kubernetes.io/job-completion-index"
    late = [{"name": "JOB_COMPLETION_INDEX",
             "valueFrom": {"fieldRef": {"fieldPath": "metadata.annotations['%s']" % key}}}]
    for i in range(spec["completions"]):
        dns = ["%s-%d.%s" % (name, i, under)] if known else []
        yield Pod("%s-%d-x%dx" % (name, i, i), "trainer", spec["template"], dns,
                  ["%s-%d" % (name, i)], {key: str(i)}, None, late)


def _operator_pods(spec, name):
    """Pods of a PaddleJob: each has a Service of its name."""
    for part, replicas in (("Master", "pserver"), ("Worker", "trainer")):
        one = spec["paddleReplicaSpecs"][part]
        for i in range(one["replicas"]):
            pod = "%s-%s-%d" % (name, part.lower(), i)
            late = [{"name": "PYTHONUNBUFFERED", "value": "0"},
                    {"name": "PADDLE_JOB_ID", "value": name},
                    {"name": "PADDLE_NNODES", "value": "9"},
                    {"name": "PADDLE_MASTER", "value": "%s-master-0:36543" % name},
                    {"name": "PADDLE_%s_NUM" % ("SERVER" if part == "Master" else "TRAINER"),
                     "value": "1"}]
            yield Pod(pod, replicas, one["template"], [pod], [pod],
                      labels={"training.kubeflow.org/replica-index": str(i)}, late=late)


def pods_of(documents):
    pods = []
    for document in documents:
        name, spec = document["metadata"]["name"], document.get("spec")
        if document["kind"] == "StatefulSet":
            pods += _set_pods(documents, spec, name)
        elif document["kind"] == "Job":
            pods += _job_pods(documents, spec, name)
        elif document["kind"] == "PaddleJob":
            pods += _operator_pods(spec, name)
    return pods
