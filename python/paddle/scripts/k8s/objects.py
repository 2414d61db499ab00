"""The objects of a job, as dicts in the order in which a cluster should get them."""
import os

from . import pods

MANAGER = "paddle-k8s"


def labels_of(name, part=None):
    labels = {"app.kubernetes.io/name": "regatta", "app.kubernetes.io/instance": name,
              "app.kubernetes.io/managed-by": MANAGER}
    return dict(labels, **{"app.kubernetes.io/component": part}) if part else labels


def _meta(o, name, part=None):
    meta = {"name": name, "labels": labels_of(o.name, part)}
    return dict(meta, namespace=o.namespace) if o.namespace else meta


def _key(o):
    """The name of the Secret, and the Secret where one is to be made: another key for each job."""
    if o.key_secret:
        return o.key_secret, []
    name = o.name + "-key"
    return name, [{"apiVersion": "v1", "kind": "Secret", "metadata": _meta(o, name),
                   "type": "Opaque", "stringData": {"key": os.urandom(32).hex()}}]


def _service(o, name, part="pserver"):
    """Gives each server a name. Also before it is ready: it listens under that name."""
    return {"apiVersion": "v1", "kind": "Service", "metadata": _meta(o, name, part),
            "spec": {"clusterIP": "None", "publishNotReadyAddresses": True,
                     "selector": labels_of(o.name, part),
                     "ports": [{"name": "port-%d" % port, "port": port} for port in o.ports]}}


def _stateful_set(o, name, template):
    return {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": _meta(o, name, "pserver"),
            "spec": {"serviceName": name, "replicas": o.servers,
                     "podManagementPolicy": "Parallel",
                     "selector": {"matchLabels": labels_of(o.name, "pserver")},
                     "template": template}}


def _indexed_job(o, template):
    """A trainer that fails is the end of the job, and its pod stays for its log."""
    return {"apiVersion": "batch/v1", "kind": "Job",
            "metadata": _meta(o, o.name + "-trainer", "trainer"),
            "spec": {"completionMode": "Indexed", "completions": o.trainers,
                     "parallelism": o.trainers, "backoffLimit": 0, "template": template}}


def _ports(o):
    return {"ports": [{"name": "port-%d" % port, "containerPort": port} for port in o.ports]}


def _on_servers(o, server, trainer, more=None):
    """A StatefulSet of servers and a Job of trainers, of these containers."""
    name = o.name + "-pserver"
    servers = pods.pod(o, labels_of(o.name, "pserver"), [server], "Always", more)
    trainers = pods.pod(o, labels_of(o.name, "trainer"), [trainer], "Never")
    return [_service(o, name), _stateful_set(o, name, servers), _indexed_job(o, trainers)]


def _v2(o, key):
    hosts = ["%s-pserver-%d.%s-pserver" % (o.name, i, o.name) for i in range(o.servers)]
    server = pods.container(o, "pserver", pods.v2_server_command(o), pods.v2_server_env(o, key),
                            True, dict(_ports(o), **pods.probes(o, "127.0.0.1:%d" % o.port)))
    trainer = pods.container(o, "trainer", pods.shell(o.cmd), pods.v2_trainer_env(o, key, hosts))
    return _on_servers(o, server, trainer)


def _fluid(o, key):
    hosts = ["%s-pserver-%d.%s-pserver" % (o.name, i, o.name) for i in range(o.servers)]
    env = pods.fluid_server_env(o, key, hosts, "$(POD_NAME).%s-pserver" % o.name)
    server = pods.container(o, "pserver", pods.shell(o.cmd), env, True,
                            dict(_ports(o), **pods.probes(o, None)))
    trainer = pods.container(o, "trainer", pods.shell(o.cmd),
                             pods.fluid_trainer_env(o, key, hosts, pods.JOB_INDEX))
    return _on_servers(o, server, trainer, {"initContainers": [pods.own_name(o, env)]})


def _paddle_job(o, key):
    """The operator calls servers masters, and gives each pod a Service of the pod's name."""
    hosts = ["%s-master-%d" % (o.name, i) for i in range(o.servers)]
    port = {"ports": [{"name": "master", "containerPort": o.port}]}
    # Both containers must be called paddle: the operator looks for that name.
    server = pods.container(o, "paddle", pods.shell(o.cmd),
                            pods.fluid_server_env(o, key, hosts, "$(POD_NAME)"), True,
                            dict(port, **pods.probes(o, None)))
    trainer = pods.container(o, "paddle", pods.shell(o.cmd),
                             pods.fluid_trainer_env(o, key, hosts, pods.REPLICA_INDEX))

    def replicas(n, part, one):
        template = pods.pod(o, labels_of(o.name, part), [one], None)
        return {"replicas": n, "restartPolicy": "Never", "template": template}
    return [{"apiVersion": "kubeflow.org/v1", "kind": "PaddleJob", "metadata": _meta(o, o.name),
             "spec": {"runPolicy": {"backoffLimit": 0, "cleanPodPolicy": "Running"},
                      "paddleReplicaSpecs": {"Master": replicas(o.servers, "pserver", server),
                                             "Worker": replicas(o.trainers, "trainer", trainer)}}}]


def _collective(o, key):
    """A Job of trainers, each a pod with a name under the Service, by which the others find it."""
    name = o.name + "-trainer"
    hosts = ["%s-%d.%s" % (name, i, name) for i in range(o.trainers)]
    trainer = pods.container(o, "trainer", pods.shell(o.cmd), pods.collective_env(o, key, hosts),
                             False, _ports(o))
    template = pods.pod(o, labels_of(o.name, "trainer"), [trainer], "Never",
                        {"subdomain": name, "initContainers": [pods.all_names(o, hosts)]})
    return [_service(o, name, "trainer"), _indexed_job(o, template)]


def of(o):
    key, made = _key(o)
    return made + {"v2": _v2, "fluid": _fluid, "paddlejob": _paddle_job,
                   "collective": _collective}[o.kind](o, key)
