"""The pods of a job: what a server and a trainer run, and the environment that tells them who they
are. src/sys/job_env.c reads those of Fluid and Fleet back, paddle.v2.init() PADDLE_INIT_*."""

# A variable that is made of others sees only those that stand before it in the list; what the
# controllers of Jobs add (JOB_COMPLETION_INDEX) stands last. So numbers come from the pod's
# annotations and labels, which is where JOB_COMPLETION_INDEX has its own from.
JOB_INDEX = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
REPLICA_INDEX = "metadata.labels['training.kubeflow.org/replica-index']"

SET_BY_THE_JOB = frozenset((
    "REGATTA_JOB_ID", "REGATTA_JOB_KEY", "POD_NAME", "POD_IP", "JOB_COMPLETION_INDEX",
    "PADDLE_INIT_PORT", "PADDLE_INIT_PORTS_NUM", "PADDLE_INIT_PORTS_NUM_FOR_SPARSE",
    "PADDLE_INIT_NUM_GRADIENT_SERVERS", "PADDLE_INIT_PSERVERS", "PADDLE_INIT_TRAINER_ID",
    "PADDLE_CLUSTER_TRAIN", "PADDLE_PSERVERS_IP_PORT_LIST", "PADDLE_PSERVER_IPS",
    "PADDLE_PSERVER_PORT", "PADDLE_PSERVER_ID", "PADDLE_PORT", "PADDLE_CURRENT_IP",
    "PADDLE_TRAINERS_NUM", "PADDLE_TRAINERS", "PADDLE_TRAINER_ID", "TRAINER_ID", "TRAINING_ROLE",
    "PADDLE_TRAINING_ROLE", "SERVER_ENDPOINT", "PSERVERS", "PADDLE_CURRENT_ENDPOINT",
    "PADDLE_TRAINER_ENDPOINTS", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
    "TRAINER_GPU_CARD_COUNT"))

PROBE_SECONDS = 10


def _value(name, value):
    return {"name": name, "value": str(value)}


def _field(name, path):
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}


def _common(o, key_secret):
    """What every process of the job has. Values of --env may be made of these: $(POD_NAME)."""
    return [_field("POD_NAME", "metadata.name"), _value("REGATTA_JOB_ID", o.name),
            {"name": "REGATTA_JOB_KEY",
             "valueFrom": {"secretKeyRef": {"name": key_secret, "key": "key"}}}] + _unless_given(
                 o, ("PYTHONUNBUFFERED", "1"), ("FLAGS_ps_join_seconds", o.patience),
                 ("FLAGS_rpc_deadline", o.patience * 1000))


def _unless_given(o, *pairs):
    """What anyone may want otherwise: --env is stronger."""
    given = {name for name, _ in o.env}
    return [_value(name, value) for name, value in pairs if name not in given]


def _given(o):
    return [_value(name, value) for name, value in o.env]


def v2_trainer_env(o, key_secret, hosts):
    return _common(o, key_secret) + [
        _field("PADDLE_INIT_TRAINER_ID", JOB_INDEX),
        _value("PADDLE_INIT_NUM_GRADIENT_SERVERS", o.trainers),
        _value("PADDLE_INIT_PSERVERS", ",".join(hosts)),
        _value("PADDLE_INIT_PORT", o.port),
        _value("PADDLE_INIT_PORTS_NUM", o.ports_num),
        _value("PADDLE_INIT_PORTS_NUM_FOR_SPARSE", o.ports_num_for_sparse),
        _value("PADDLE_CLUSTER_TRAIN", "True"),
        # Scripts of the time ask Open MPI who they are, to find their share of the data.
        _field("OMPI_COMM_WORLD_RANK", JOB_INDEX),
        _value("OMPI_COMM_WORLD_SIZE", o.trainers)] + _unless_given(
            o, ("PADDLE_INIT_USE_GPU", "False"), ("PADDLE_INIT_TRAINER_COUNT", 1)) + _given(o)


def v2_server_env(o, key_secret):
    return _common(o, key_secret) + _given(o)


def _fluid_env(o, key_secret, hosts, role):
    return _common(o, key_secret) + [
        _value("TRAINING_ROLE", role),
        _value("PADDLE_TRAINING_ROLE", role),
        _value("PADDLE_PSERVERS_IP_PORT_LIST", ",".join("%s:%d" % (h, o.port) for h in hosts)),
        _value("PADDLE_PSERVER_IPS", ",".join(hosts)),
        _value("PADDLE_PSERVER_PORT", o.port),
        _value("PADDLE_PORT", o.port),
        _value("PADDLE_TRAINERS_NUM", o.trainers),
        _value("PADDLE_TRAINERS", o.trainers)]


def fluid_trainer_env(o, key_secret, hosts, index):
    return _fluid_env(o, key_secret, hosts, "TRAINER") + [
        _field("POD_IP", "status.podIP"), _field("PADDLE_TRAINER_ID", index)] + _given(o)


def collective_env(o, key_secret, hosts):
    """hosts: the names of all trainers. FLAGS_rpc_deadline is also how long they wait for each
    other."""
    return _common(o, key_secret) + [
        _value("TRAINING_ROLE", "TRAINER"),
        _value("PADDLE_TRAINING_ROLE", "TRAINER"),
        _value("PADDLE_TRAINERS_NUM", o.trainers),
        _value("PADDLE_TRAINER_ENDPOINTS", ",".join("%s:%d" % (h, o.port) for h in hosts)),
        _field("POD_IP", "status.podIP"),
        _field("PADDLE_TRAINER_ID", JOB_INDEX)] + (
            [_value("TRAINER_GPU_CARD_COUNT", o.gpus)] if o.gpus else []) + _given(o)


def fluid_server_env(o, key_secret, hosts, own_host):
    """own_host: this server's name as it stands in `hosts`, made of $(POD_NAME). Servers find
    themselves in the list by it, so it stands where the address is expected."""
    return _fluid_env(o, key_secret, hosts, "PSERVER") + [
        _value("POD_IP", own_host),
        _value("PADDLE_CURRENT_IP", own_host),
        _value("SERVER_ENDPOINT", "%s:%d" % (own_host, o.port))] + _given(o)


def shell(line):
    return ["/bin/sh", "-c", line]


def v2_server_command(o):
    return ["paddle", "pserver", "--port=%d" % o.port, "--ports_num=%d" % o.ports_num,
            "--ports_num_for_sparse=%d" % o.ports_num_for_sparse, "--nics=",
            "--num_gradient_servers=%d" % o.trainers]


def probes(o, endpoint):
    """Alive: the port is open. Ready: the server answers, as a tool that it does not count asks
    it. endpoint: where it asks; None: where the environment says."""
    ask = ["paddle", "status", "--timeout=3"] + ([endpoint] if endpoint else [])
    port = {"tcpSocket": {"port": o.port}}
    return {"startupProbe": dict(port, periodSeconds=5,
                                 failureThreshold=max(1, -(-o.patience // 5))),
            "livenessProbe": dict(port, periodSeconds=PROBE_SECONDS, failureThreshold=6),
            "readinessProbe": {"exec": {"command": ask}, "periodSeconds": PROBE_SECONDS,
                               "timeoutSeconds": 5, "failureThreshold": 3}}


def _resources(cpu, memory, gpus=None):
    requests = {k: v for k, v in (("cpu", cpu), ("memory", memory)) if v}
    # More CPU than was asked for is taken where nobody else wants it; cards are had whole.
    limits = {k: v for k, v in (("memory", memory), ("nvidia.com/gpu", gpus)) if v}
    made = {k: v for k, v in (("requests", requests), ("limits", limits)) if v}
    return {"resources": made} if made else {}


def _mounts(o):
    if not o.volumes:
        return {}, {}
    names = ["volume-%d" % i for i in range(len(o.volumes))]
    mounts = [dict({"name": n, "mountPath": path}, **({"readOnly": True} if ro else {}))
              for n, (_, path, ro) in zip(names, o.volumes)]
    volumes = [{"name": n, "persistentVolumeClaim": {"claimName": claim}}
               for n, (claim, _, _) in zip(names, o.volumes)]
    return {"volumeMounts": mounts}, {"volumes": volumes}


def container(o, name, command, env, server=False, more=None):
    mounts, _ = _mounts(o)
    made = {"name": name, "image": o.image, "command": command, "env": env}
    made.update(_resources(o.server_cpu, o.server_memory) if server
                else _resources(o.cpu, o.memory, o.gpus))
    made.update(mounts)
    made["terminationMessagePolicy"] = "FallbackToLogsOnError"
    made.update(more or {})
    return made


def own_name(o, env):
    """Runs before a server that listens under its own name, which the cluster's DNS knows a moment
    after the pod is."""
    return _known(o, env, '"$POD_IP"')


def all_names(o, hosts):
    """The same, for trainers that find each other by name."""
    return _known(o, [], " ".join(hosts[:1]))


def _known(o, env, what):
    line = ('until getent hosts %s; do '
            'echo "waiting for the cluster\'s DNS to know %s"; sleep 1; done'
            % (what, what.strip('"')))
    needs = [e for e in env if e["name"] in ("POD_NAME", "POD_IP")]
    return dict({"name": "own-name", "image": o.image, "command": shell(line), "env": needs},
                **_resources(o.server_cpu, o.server_memory))


def pod(o, labels, containers, restart, more=None):
    """restart: the pod's restartPolicy; None: its controller has one of its own. The process is not
    number 1 of its namespace, so that SIGTERM ends it also where it does not ask for it."""
    _, volumes = _mounts(o)
    spec = {"enableServiceLinks": False, "automountServiceAccountToken": False,
            "shareProcessNamespace": True}
    if restart:
        spec["restartPolicy"] = restart
    if o.pull_secret:
        spec["imagePullSecrets"] = [{"name": o.pull_secret}]
    spec.update(more or {})
    spec["containers"] = containers
    spec.update(volumes)
    return {"metadata": {"labels": labels}, "spec": spec}
