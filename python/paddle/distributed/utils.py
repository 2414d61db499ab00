"""Who runs where in a collective job: clusters of pods of trainers."""
import functools

from .. import _core
from .job import Job, Ports, host_and_port, is_true, note

__all__ = []


class _Record(object):
    """Equal where all fields are."""

    def __eq__(self, other):
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __ne__(self, other):
        return not self == other

    __hash__ = None


class Hdfs(_Record):
    def __init__(self):
        self.hdfs_ugi = None
        self.hdfs_name = None
        self.hdfs_path = None

    def is_valid(self):
        return None not in (self.hdfs_ugi, self.hdfs_name, self.hdfs_path)

    def __str__(self):
        # The ugi is a user and a password.
        return "hdfs_ugi:%s hdfs_name:%s hdfs_path:%s" % (
            self.hdfs_ugi and "(hidden)", self.hdfs_name, self.hdfs_path)


class JobServer(_Record):
    def __init__(self):
        self.endpoint = None

    def __str__(self):
        return "%s" % self.endpoint


class Trainer(_Record):
    def __init__(self):
        self.gpus = []
        self.endpoint = None
        self.rank = None

    def __str__(self):
        return "gpu:%s endpoint:%s rank:%s" % (self.gpus, self.endpoint, self.rank)


class Pod(_Record):
    """The trainers of one host."""

    def __init__(self):
        self.rank = None
        self.id = None
        self.addr = None
        self.port = None
        self.trainers = []
        self.gpus = []

    def __str__(self):
        return "rank:%s id:%s addr:%s port:%s visible_gpu:%s trainers:%s" % (
            self.rank, self.id, self.addr, self.port, self.gpus,
            [str(t) for t in self.trainers])

    def get_visible_gpus(self):
        if not self.gpus:
            raise ValueError("this pod (%s) has no GPUs" % self)
        return ",".join(str(g) for g in self.gpus)


class Cluster(object):
    """All pods of a job."""

    def __init__(self, hdfs):
        self.job_server = None
        self.pods = []
        self.hdfs = hdfs
        self.job_stage_flag = None

    def __str__(self):
        return "job_server:%s pods:%s job_stage_flag:%s hdfs:%s" % (
            self.job_server, [str(p) for p in self.pods], self.job_stage_flag, self.hdfs)

    def __eq__(self, other):
        return isinstance(other, Cluster) and self.pods == other.pods and \
            self.job_stage_flag == other.job_stage_flag

    def __ne__(self, other):
        return not self == other

    __hash__ = None

    def trainers_nranks(self):
        return len(self.trainers_endpoints())

    def pods_nranks(self):
        return len(self.pods)

    def trainers_endpoints(self):
        return [t.endpoint for pod in self.pods for t in pod.trainers]

    def pods_endpoints(self):
        for pod in self.pods:
            if pod.addr is None or pod.port is None:
                raise ValueError("%s:%s is not a valid endpoint" % (pod.addr, pod.port))
        return ["%s:%s" % (pod.addr, pod.port) for pod in self.pods]

    def get_pod_by_id(self, pod_id):
        for pod in self.pods:
            if str(pod.id) == str(pod_id):
                return pod
        return None


class TrainerProc(object):
    def __init__(self):
        self.proc = None
        self.log_fn = None
        self.rank = None
        self.cmd = None


def get_logger(log_level, name="root"):
    import logging
    logger = logging.getLogger(name)
    logger.setLevel(log_level)
    if not logger.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter(
            "%(levelname)s %(asctime)s %(filename)s:%(lineno)d] %(message)s"))
        logger.addHandler(handler)
    return logger


def get_cluster(node_ips, node_ip, trainer_endpoints, selected_gpus):
    """(cluster, this host's pod). trainer_endpoints has a list for each host."""
    if node_ip not in node_ips:
        raise ValueError("node_ip %s is not in the list of hosts: %s" % (node_ip, node_ips))
    if not isinstance(trainer_endpoints, list) or len(trainer_endpoints) != len(node_ips):
        raise ValueError("trainer_endpoints must be a list with one list for each of %d hosts"
                         % len(node_ips))
    cluster, rank = Cluster(hdfs=None), 0
    for node, ip in enumerate(node_ips):
        pod = Pod()
        pod.rank, pod.addr = node, ip
        if len(trainer_endpoints[node]) < len(selected_gpus):
            raise ValueError("host %s has %d endpoints for %d trainers"
                             % (ip, len(trainer_endpoints[node]), len(selected_gpus)))
        for gpu, endpoint in zip(selected_gpus, trainer_endpoints[node]):
            trainer = Trainer()
            trainer.gpus.append(gpu)
            trainer.endpoint, trainer.rank = "%s" % endpoint, rank
            pod.trainers.append(trainer)
            rank += 1
        cluster.pods.append(pod)
    return cluster, cluster.pods[node_ips.index(node_ip)]


def get_host_name_ip():
    """(name, address) of this host; None where it has no address."""
    import socket
    name = socket.gethostname()
    try:
        return name, _core.host_resolve(name)
    except RuntimeError:
        return None


def add_arguments(argname, type, default, help, argparser, **kwargs):
    """Add --argname to a parser; bool is a word, not "any text is true"."""
    argparser.add_argument("--" + argname, default=default, type=is_true if type is bool else type,
                           help=help + " Default: %(default)s.", **kwargs)


def find_free_ports(num):
    """A set of so many ports that are free on this host, or None."""
    ports = Ports()
    try:
        return {ports.any("0.0.0.0") for _ in range(num)}
    except OSError:
        return None


def trainer_environment(cluster, trainer):
    env = {
        "PADDLE_TRAINER_ID": str(trainer.rank),
        "PADDLE_CURRENT_ENDPOINT": trainer.endpoint,
        "PADDLE_TRAINERS_NUM": str(cluster.trainers_nranks()),
        "PADDLE_TRAINER_ENDPOINTS": ",".join(cluster.trainers_endpoints()),
        "TRAINING_ROLE": "TRAINER",
        "PADDLE_TRAINING_ROLE": "TRAINER",
    }
    gpus = [str(g) for g in trainer.gpus if g is not None]
    if gpus:
        env["FLAGS_selected_gpus"] = ",".join(gpus)
    return env


def make_job(cluster, pod, training_script, training_script_args, log_dir=None, told=None,
             log_name="%slog.%d", append=True):
    """This host's part of the job; run() of the result runs it. training_script: a file, or -m with
    a module in the arguments. told: more of the environment."""
    if log_dir is None and len(pod.trainers) > 1:
        note("there is no --log_dir: the output of all %d trainers is shown here"
             % len(pod.trainers))
    job = Job(log_dir, append=append, log_name=log_name)
    for i, trainer in enumerate(pod.trainers):
        host_and_port(trainer.endpoint)
        job.add("worker", trainer.rank, [training_script] + list(training_script_args),
                dict(told or {}, **trainer_environment(cluster, trainer)), log_index=i,
                echo=i == 0)
    return job


def _one_call(name, *args, **kwargs):
    raise NotImplementedError(
        "paddle.distributed.utils.%s is not there: starting, watching and ending a job is one "
        "call, make_job(cluster, pod, script, args, log_dir).run()" % name)


start_local_trainers = functools.partial(_one_call, "start_local_trainers")
watch_local_trainers = functools.partial(_one_call, "watch_local_trainers")
terminate_local_procs = functools.partial(_one_call, "terminate_local_procs")
