"""LocalClusterEngine: servers and workers on this host, as launch_ps starts them, or workers alone,
as launch does."""
import os
import sys

from paddle import _core
from paddle.distributed import launch_ps, utils
from paddle.distributed.job import Ports, host_and_port, refuse

from paddlerec.core.engine.engine import Engine
from paddlerec.core.utils import envs

__all__ = ["LocalClusterEngine"]


def _hosts():
    """(endpoints of all hosts, our number) of a job on a cluster; of this host alone else."""
    env = _core.job_env()
    if env["workers"] and len(env["workers"]) > 1:
        return env["workers"], env["trainer_id"] or 0
    return ["127.0.0.1:%d" % envs.find_free_port()], 0


class LocalClusterEngine(Engine):
    options = []  # more of launch_ps

    def collective_job(self):
        """A worker for each card, or worker_num of them: on this host, or on each of a cluster's,
        where the trainer of a pod stands for the workers of its cards."""
        cards = [c.strip() for c in self.envs.get("selected_gpus", "").split(",") if c.strip()]
        told = dict(self.envs, CLUSTER_INSTANCE="1")
        workers = cards or [None] * int(self.envs["worker_num"])
        hosts, own = _hosts()
        split = [host_and_port(endpoint) for endpoint in hosts]
        names = [name for name, _ in split]
        if len(hosts) == 1:
            ports = Ports()
            endpoints = [["127.0.0.1:%d" % ports.any("127.0.0.1") for _ in workers]]
        else:
            endpoints = [["%s:%d" % (name, port + i) for i in range(len(workers))]
                         for name, port in split]
        cluster, _ = utils.get_cluster(names, names[own], endpoints, workers)
        return utils.make_job(cluster, cluster.pods[own], "-m",
                              ["paddlerec.core.factory", self.trainer], self.envs["log_dir"], told,
                              "%s.%d", append=False)

    def start_procs(self):
        """The exit status of the job."""
        if self.envs["fleet_mode"].upper() == "COLLECTIVE":
            return self.collective_job().run()
        args = launch_ps.parse_args([
            "--worker_num", str(self.envs["worker_num"]),
            "--server_num", str(self.envs["server_num"]),
            "--start_port", str(envs.find_free_port()), "--log_dir", self.envs["log_dir"]]
            + self.options + [self.trainer])
        job = launch_ps.make_job(args, ["-m", "paddlerec.core.factory", self.trainer],
                                 dict(self.envs, CLUSTER_INSTANCE="1"), "%s.%d")
        job.goes_on_by = "`resume: %s` in the runner"
        return job.run()

    def run(self):
        print("launch {} engine with cluster to run model: {}".format(
            self.envs["train.trainer.trainer"], self.trainer), flush=True)
        try:
            status = self.start_procs()
        except (ValueError, OSError) as e:
            refuse(str(e))
        if status == 0:
            sys.stderr.write("all workers already completed, you can view logs under the `%s` "
                             "directory\n" % os.path.relpath(self.envs["log_dir"]))
        return status
