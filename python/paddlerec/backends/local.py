"""backend: Local: the servers and workers of a job on this machine, as launch_ps starts them, in a
submission folder. With cluster_type mpi as many of each as `nodes`, with k8s k8s_ps_num servers and
k8s_trainers workers."""
import os
import sys

from paddlerec.backends import data, job as keys, node
from paddlerec.core.utils import envs

CLUSTER_TYPE = "mpi"


def uses(job):
    # Both kinds of data: config.yaml says which folder it reads.
    return keys.OF_MPI[:3] + keys.OF_K8S[:1] + (
        ("nodes",) if job.type == "mpi" else
        ("k8s_trainers",) + (() if job.is_collective() else ("k8s_ps_num",)))


def check(job):
    job.trains()


def counts(job):
    """(servers, workers)."""
    if job.type == "mpi":
        return job.get("nodes", 1), job.get("nodes", 1)
    return job.get("k8s_ps_num", 1), job.get("k8s_trainers", 1)


def _collective(job, utils, workers):
    from paddle.distributed.job import Ports
    ports = Ports()
    endpoints = ["127.0.0.1:%d" % ports.any("127.0.0.1") for _ in range(workers)]
    cards = list(range(workers)) if job.is_gpu() else [None] * workers
    cluster, pod = utils.get_cluster(["127.0.0.1"], "127.0.0.1", [endpoints], cards)
    return utils.make_job(cluster, pod, "-m", ["paddlerec.backends.node"], "logs", None, "%s.%d",
                          append=False)


def submit(job):
    from paddle.distributed import launch_ps, utils
    servers, workers = counts(job)
    here = os.getcwd()
    os.chdir(job.make_folder())
    told = node.describe(job, shared=True, cluster_type="K8S")
    # Paths of backend.yaml are seen from where it was given.
    if not told["fs_name"]:
        told["bring"] = {f: os.path.join(here, path) for f, path in told["bring"].items()}
        told["output_path"] = told["output_path"] and os.path.join(here, told["output_path"])
    try:
        data.can_send(told)
        data.bring(told)
        args = launch_ps.parse_args([
            "--worker_num", str(workers), "--server_num", str(servers), "--start_port",
            str(envs.find_free_port()), "--log_dir", "logs", job.start_cmd])
        # All share one folder: the data are here already, and are sent away by us.
        node.write(job, dict(told, bring={}, output_path=""))
        if job.is_collective():
            status = _collective(job, utils, workers).run()
        else:
            status = launch_ps.make_job(args, ["-m", "paddlerec.backends.node"], None,
                                        "%s.%d").run()
        if status == 0:
            status = node.send(told)
    except (OSError, ValueError) as e:
        sys.stderr.write("paddlerec: backend Local: %s\n" % e)
        return 1
    if status == 0:
        sys.stderr.write("all workers already completed, you can view logs under the `%s` "
                         "directory\n" % os.path.relpath("logs", here))
    return status
