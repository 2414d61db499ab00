"""Start this host's trainers of a collective job:

    python -m paddle.distributed.launch --selected_gpus=0,1 train.py [its arguments]

One trainer for each of --selected_gpus, or --nproc_per_node trainers. A trainer finds its GPU's
number in FLAGS_selected_gpus: where no GPU can be used, a script that asks for none computes on
the CPU."""
import argparse
import logging
import os
import sys

from .. import _core
from .cloud_utils import get_cloud_cluster, get_trainers_num
from .job import Ports, is_true, note, print_arguments, refuse
from .utils import get_cluster, get_logger, make_job

__all__ = []


def parse_args(argv=None):
    parser = argparse.ArgumentParser(
        prog="python -m paddle.distributed.launch", allow_abbrev=False,
        description="Start this host's trainers of a collective job.")
    parser.add_argument("--cluster_node_ips", default="127.0.0.1",
                        help="the addresses of all hosts, with commas: 127.0.0.1")
    parser.add_argument("--node_ip", default="127.0.0.1",
                        help="the address of this host, one of them: 127.0.0.1")
    parser.add_argument("--use_paddlecloud", action="store_true",
                        help="take the hosts from the environment of PaddleCloud")
    parser.add_argument("--started_port", type=int, default=None,
                        help="trainer i of a host listens on this port + i: free ones on one "
                        "host, 6070 on several")
    parser.add_argument("--print_config", type=is_true, default=True,
                        help="show these settings first: True")
    parser.add_argument("--selected_gpus", default=None,
                        help="numbers with commas: one trainer for each")
    parser.add_argument("--nproc_per_node", type=int, default=None,
                        help="trainers on each host where no GPUs are selected: 1")
    parser.add_argument("--log_level", type=int, default=20,
                        help="10 shows what is started, 20 is the default")
    parser.add_argument("--log_dir", default=None,
                        help="folder of workerlog.N; without it all output is shown here")
    parser.add_argument("training_script", help="the script that every trainer runs")
    parser.add_argument("training_script_args", nargs=argparse.REMAINDER, help="its arguments")
    return parser.parse_args(argv)


def get_gpus(selected_gpus):
    """The numbers as the script will see them: relative to CUDA_VISIBLE_DEVICES."""
    gpus = [g.strip() for g in selected_gpus.split(",")]
    if not all(g.isdigit() for g in gpus) or len(set(gpus)) != len(gpus):
        raise ValueError("--selected_gpus=%s: different numbers with commas are wanted"
                         % selected_gpus)
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if not visible:
        return gpus
    visible = [g.strip() for g in visible.split(",")]
    for gpu in gpus:
        if gpu not in visible:
            raise ValueError("--selected_gpus=%s: %s is not in CUDA_VISIBLE_DEVICES=%s"
                             % (selected_gpus, gpu, ",".join(visible)))
    return [str(visible.index(g)) for g in gpus]


def _trainers(args):
    """What to select on each host: GPU numbers, or None for each trainer without one."""
    if args.selected_gpus:
        if args.nproc_per_node is not None:
            raise ValueError("--selected_gpus and --nproc_per_node both say how many trainers "
                             "there are: give one of them")
        gpus = get_gpus(args.selected_gpus)
        if _core.gpu_count() == 0:
            note("no GPU can be used here: %d trainer%s on the CPU, FLAGS_selected_gpus is "
                 "set for the script alone" % (len(gpus), "" if len(gpus) == 1 else "s"))
        return gpus
    count = 1 if args.nproc_per_node is None else args.nproc_per_node
    if count < 1:
        raise ValueError("--nproc_per_node=%d: at least one is needed" % count)
    if args.nproc_per_node is None:
        note("one trainer is started; --nproc_per_node starts more")
    return [None] * count


def get_cluster_from_args(args, selected_gpus):
    node_ips = [ip.strip() for ip in args.cluster_node_ips.split(",") if ip.strip()]
    if args.node_ip not in node_ips:
        raise ValueError("--node_ip=%s is not in --cluster_node_ips=%s"
                         % (args.node_ip, args.cluster_node_ips))
    if not _core.host_is_ours(args.node_ip):
        raise ValueError("--node_ip=%s is not an address of this host" % args.node_ip)
    if args.started_port is not None and not 0 < args.started_port < 65536:
        raise ValueError("--started_port=%d is not a port" % args.started_port)
    ports, each = Ports(), len(selected_gpus)
    if len(node_ips) == 1 and args.started_port is None:
        numbers = [ports.any(args.node_ip) for _ in range(each)]
    elif len(node_ips) == 1:
        numbers = [ports.take(args.node_ip, args.started_port + i, "trainer %d" % i)
                   for i in range(each)]
    else:  # the others count on them, so they cannot be moved
        first = 6070 if args.started_port is None else args.started_port
        numbers = list(range(first, first + each))
        for port in numbers:
            if not _core.port_is_free(args.node_ip, port):
                raise ValueError("something listens on %s:%d already: give another "
                                 "--started_port on all hosts" % (args.node_ip, port))
    endpoints = [["%s:%d" % (ip, port) for port in numbers] for ip in node_ips]
    return get_cluster(node_ips, args.node_ip, endpoints, selected_gpus)


def launch(args=None):
    if args is None or isinstance(args, list):
        args = parse_args(args)
    if args.print_config:
        print_arguments(args)
    try:
        selected = _trainers(args)
        if args.use_paddlecloud and get_trainers_num() != 1:
            cluster, pod = get_cloud_cluster(args.cluster_node_ips, args.node_ip,
                                             args.started_port, selected)
        else:
            cluster, pod = get_cluster_from_args(args, selected)
        logger = get_logger(args.log_level, "paddle.distributed")
        logger.log(logging.DEBUG, "cluster: %s", cluster)
        return make_job(cluster, pod, args.training_script, args.training_script_args,
                        args.log_dir).run()
    except (ValueError, OSError, RuntimeError) as e:
        refuse(str(e))


if __name__ == "__main__":
    sys.exit(launch())
