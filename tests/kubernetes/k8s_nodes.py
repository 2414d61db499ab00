"""A cluster of Kubernetes in small, for tests: each pod is a network namespace with an address of
its own, and its processes are what the YAML says, with nothing else in their environment."""
import os
import shutil
import subprocess
import time

import pytest

from cluster import Process
from k8s_kubelet import PATH, documents_of, pods_of, secrets_of
from namespaces import Net


def math_settings():
    """What this machine tells its libraries of its CPU: pods that run on it hear it too, since other
    kernels make other last bits."""
    return {name: value for name, value in os.environ.items()
            if name.startswith(("OPENBLAS_", "ONEDNN_", "DNNL_"))}


def wait_until(true, seconds=60):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it is not so after %d s" % seconds
        time.sleep(0.1)


class Nodes(object):
    """The pods of one job. Names are known to all from the beginning, unless known is False:
    then each pod knows its own, until the cluster's DNS is told."""

    def __init__(self, folder, arguments, known=True, workspace=None, **env):
        """workspace: a folder that the image has its own copy of; env: the image's variables."""
        self.folder, self.processes = folder, []
        self.workspace, self.env = workspace, env
        made = len(arguments) == 1 and isinstance(arguments[0], list)
        documents = arguments[0] if made else documents_of(*arguments)
        self.secrets = secrets_of(documents)
        self.pods = pods_of(documents)
        for i, pod in enumerate(self.pods):
            pod.address = "10.244.0.%d" % (i + 2)
        self.net = Net([p.address for p in self.pods], [p.name for p in self.pods])
        self.known = known

    def open(self):
        self.net.open()
        self.tell_dns(self.known)
        return self

    def tell_dns(self, known=True):
        """/etc/hosts of each pod: its own name, as a kubelet writes it, and in place of DNS all
        names that a Service gives. In place: what runs has the file mounted."""
        for i, own in enumerate(self.pods):
            lines = ["127.0.0.1 localhost", "%s %s" % (own.address, " ".join(own.local))]
            lines += ["%s %s" % (p.address, name) for p in self.pods for name in p.dns if known]
            with open(os.path.join("/etc/netns", self.net._hosts[i], "hosts"), "w") as file:
                file.write("\n".join(lines) + "\n")

    def _index(self, name):
        return [p.name for p in self.pods].index(name)

    def environment(self, pod, container=None):
        """Of its container, over that of the image."""
        image = dict(math_settings(), PATH=PATH, HOME=str(self.folder), **self.env)
        return dict(image, **pod.environment(self.secrets, container))

    def start(self, pod, first=None):
        """Its container, in a folder of its own; or the one that must have ended before it."""
        container = first or pod.container
        env = self.environment(pod, container)
        folder = self.folder / pod.name
        if self.workspace and not folder.exists():
            shutil.copytree(self.workspace, str(folder))
        folder.mkdir(exist_ok=True)
        name = "%s.%s" % (pod.name, first["name"]) if first else pod.name
        process = Process(name, folder, self.net.on(self._index(pod.name)) +
                          pod.command(env, container), env)
        self.processes.append(process)
        return process

    def start_first(self, pod):
        """Those that must have ended before its container starts."""
        return [self.start(pod, first) for first in pod.template["spec"].get("initContainers", [])]

    def start_all(self, part=None):
        return [self.start(p) for p in self.pods if part in (None, p.part)]

    def of(self, part):
        return [p for p in self.pods if p.part == part]

    def execute(self, pod, command, **more):
        """A command in the pod, as probes and `kubectl exec` start one: (status, output)."""
        done = subprocess.run(self.net.on(self._index(pod.name)) + command, timeout=60,
                              env=dict(self.environment(pod), **more), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def is_ready(self, pod):
        return self.execute(pod, pod.container["readinessProbe"]["exec"]["command"])[0] == 0

    def is_alive(self, pod):
        port = pod.container["livenessProbe"]["tcpSocket"]["port"]
        return self.execute(pod, ["bash", "-c", "exec 3<> /dev/tcp/%s/%d" % (
            pod.address, port)])[0] == 0

    def finish(self, seconds=120):
        for process in self.processes:
            assert process.wait(seconds) == 0, self.logs()

    def logs(self):
        return "\n".join("---- %s, status %s\n%s" % (p.name, p.status, p.text()[-3000:])
                         for p in self.processes)

    def close(self):
        for process in self.processes:
            process.end()
        self.net.close()


@pytest.fixture
def nodes(tmp_path):
    """Makes Nodes of the arguments of `paddle k8s`, or of a list of documents."""
    if os.geteuid() != 0:
        pytest.skip("network namespaces are made by root")
    if shutil.which("ip") is None:
        pytest.skip("there is no ip command (Debian: iproute2)")
    made = []

    def make(*arguments, **options):
        made.append(Nodes(tmp_path, arguments, **options))
        try:
            return made[-1].open()
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip("network namespaces cannot be made here: %s %s" % (
                error, getattr(error, "stderr", b"")))
    yield make
    for each in made:
        each.close()
