"""A collective job on PaddleCloud: what its environment says."""
import os

from .job import note
from .utils import get_cluster

__all__ = []


def get_trainers_num():
    """How many trainers the cloud has made; 1 where it does not say."""
    return int(os.environ.get("PADDLE_TRAINERS_NUM", "1"))


def _need(name):
    value = os.environ.get(name)
    if not value:
        raise ValueError("--use_paddlecloud needs the variable %s, which is not set" % name)
    return value


def _number(name, text):
    if not text.isdigit():
        raise ValueError("%s=%s: it must be a whole number" % (name, text))
    return int(text)


def get_cloud_cluster(args_node_ips, args_node_ip, args_port, selected_gpus):
    """(cluster, this host's pod) as the environment of PaddleCloud says."""
    node_ips = _need("PADDLE_TRAINERS").split(",")
    node_ip = _need("POD_IP")
    node_rank = _number("PADDLE_TRAINER_ID", _need("PADDLE_TRAINER_ID"))
    if node_rank >= len(node_ips) or node_ips[node_rank] != node_ip:
        raise ValueError("PADDLE_TRAINER_ID=%d and POD_IP=%s contradict PADDLE_TRAINERS=%s"
                         % (node_rank, node_ip, ",".join(node_ips)))
    if args_node_ip not in ("127.0.0.1", node_ip):
        note("--node_ip=%s: POD_IP=%s counts on PaddleCloud" % (args_node_ip, node_ip))
    if args_node_ips not in ("127.0.0.1", ",".join(node_ips)):
        note("--cluster_node_ips=%s: PADDLE_TRAINERS=%s counts on PaddleCloud"
             % (args_node_ips, ",".join(node_ips)))
    each = len(selected_gpus)
    ready = os.environ.get("DISTRIBUTED_TRAINER_ENDPOINTS")
    if ready:
        all_endpoints = ready.split(",")
        if len(all_endpoints) % len(node_ips):
            raise ValueError("DISTRIBUTED_TRAINER_ENDPOINTS=%s: %d endpoints for %d hosts"
                             % (ready, len(all_endpoints), len(node_ips)))
        per = len(all_endpoints) // len(node_ips)
        endpoints = [all_endpoints[i * per:(i + 1) * per] for i in range(len(node_ips))]
    else:
        if _number("TRAINER_PORTS_NUM", os.environ.get("TRAINER_PORTS_NUM", str(each))) < each:
            raise ValueError("TRAINER_PORTS_NUM=%s, and each host has %d trainers"
                             % (os.environ["TRAINER_PORTS_NUM"], each))
        first = _number("PADDLE_PORT", os.environ.get("PADDLE_PORT") or str(args_port or 6170))
        endpoints = [["%s:%d" % (ip, first + i) for i in range(each)] for ip in node_ips]
    return get_cluster(node_ips, node_ip, endpoints, selected_gpus)
