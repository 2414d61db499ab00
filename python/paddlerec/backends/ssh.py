"""backend: SSH: a server and a worker on each of submit.hosts, by the launcher of paddle.scripts. The
folder of the submission is sent to a new folder of root_dir on each host."""
import types

from paddlerec.backends import job as keys, node

CLUSTER_TYPE = "mpi"
SCRIPT = "paddlerec_node.py"  # `paddle python` runs it: with the Python that has Regatta
_TEXT = "import sys\nfrom paddlerec.backends.node import main\nsys.exit(main())\n"
_AT_HOME = ("backend.yaml", node.NAME)  # these have passwords, and are not for a host's other users
PORT = 6174


def uses(job):
    return keys.OF_MPI[:3] + keys.OF_K8S[:1] + keys.OF_SSH + ("nodes",)


def check(job):
    job.on_servers()
    check_hosts(job)


def check_hosts(job):
    """submit.hosts: a list, or a text with blanks or commas; the first `nodes` of them."""
    hosts = job.values.get("hosts")
    if isinstance(hosts, str):
        hosts = hosts.replace(",", " ").split()
    if not isinstance(hosts, list) or not hosts or not all(isinstance(h, str) for h in hosts):
        job.problem("hosts", "hosts is %s: wanted the hosts of the job, such as [user@node1, "
                    "user@node2]" % ("missing" if "hosts" not in job.values else
                                     "empty" if not hosts else repr(hosts)))
        hosts = []
    if len(set(hosts)) != len(hosts):
        job.problem("hosts", "hosts: one is there twice, and each has one server and one worker")
    if hosts and job.get("nodes", 1) > len(hosts):
        job.problem("nodes", "nodes is %d, and there are %d hosts" % (job.get("nodes"),
                                                                     len(hosts)))
    job.hosts = hosts[:job.get("nodes", len(hosts))]
    if not job.get("root_dir", "/x").startswith("/"):
        job.problem("root_dir", "root_dir is %s, wanted the full path of a folder on the hosts"
                    % job.get("root_dir"))


def _launcher_job(job):
    from paddle.scripts import ssh_cluster

    class Launched(ssh_cluster.Job):
        """The launcher's job with our command in the place of `paddle pserver` and train.py."""

        def _find_script(self):
            self.script = True

        def _read_package(self):
            package = super()._read_package()
            for name in _AT_HOME:
                package.files.pop(name, None)
            return package

        def _dispatch(self):
            super()._dispatch()
            with open("%s/%s" % (job.folder, node.NAME)) as file:
                text = file.read()

            def send(host):
                status, said = host.command("chmod 700 '%s'" % self.folder)
                if status != 0:
                    raise ssh_cluster.NodeError("chmod failed: %s" % said.strip())
                host.put(text, "%s/%s" % (self.folder, node.NAME))
            self._on_all("dispatch", send)

        def _told(self, **own):
            told = dict(own, PADDLE_TRAINERS_NUM=len(self.nodes), PADDLE_TRAINERS=len(self.nodes),
                        PADDLE_PSERVERS_IP_PORT_LIST=",".join(
                            "%s:%d" % (n.address, self.ports["port"]) for n in self.nodes))
            return ["%s=%s" % pair for pair in sorted(told.items())] + ["paddle", "python", SCRIPT]

        def _server_words(self, host):
            return self._told(TRAINING_ROLE="PSERVER", POD_IP=host.address,
                              PADDLE_PORT=self.ports["port"], PADDLE_PSERVER_ID=host.index)

        def _trainer_words(self, host):
            return self._told(TRAINING_ROLE="TRAINER", PADDLE_TRAINER_ID=host.index,
                              POD_IP=host.address)
    conf = types.SimpleNamespace(
        HOSTS=job.hosts, ROOT_DIR=job.get("root_dir", "/home/paddle").rstrip("/") or "/",
        PADDLE_NIC=job.get("nic", ""), PADDLE_PORT=job.get("port", PORT), PADDLE_PORTS_NUM=1,
        PADDLE_PORTS_NUM_FOR_SPARSE=0, LD_LIBRARY_PATH="", PADDLE_USE_GPU="False")
    try:
        return Launched(conf, types.SimpleNamespace(job_dispatch_package=job.folder,
                                                    job_workspace=None), {})
    except ValueError as error:  # a host that is none
        raise ssh_cluster.Refused("submit.hosts: %s" % error)


def write_folder(job, **environment):
    """The folder as a host gets it. environment: more for every process."""
    job.make_folder()
    job.write(SCRIPT, _TEXT)
    told = node.describe(job, shared=False, cluster_type="MPI")
    told["environment"].update(environment)
    node.write(job, told)


def submit(job):
    try:
        from paddle.scripts import ssh_cluster
    except ImportError as e:
        from paddlerec.core.config import Problem, refuse
        refuse([Problem(job.backend.file, job.backend.line(("backend",)),
                        "backend SSH needs a module that is not here: %s" % e)])
    write_folder(job)
    return ssh_cluster.run(lambda: _launcher_job(job))
