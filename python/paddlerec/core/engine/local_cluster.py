"""LocalClusterEngine: servers and workers on this host, as launch_ps starts them."""
import os
import sys

from paddle.distributed import launch_ps

from paddlerec.core.engine.engine import Engine
from paddlerec.core.utils import envs

__all__ = ["LocalClusterEngine"]


class LocalClusterEngine(Engine):
    def start_procs(self):
        """The exit status of the job."""
        args = launch_ps.parse_args([
            "--worker_num", str(self.envs["worker_num"]),
            "--server_num", str(self.envs["server_num"]),
            "--start_port", str(envs.find_free_port()), "--log_dir", self.envs["log_dir"],
            self.trainer])
        job = launch_ps.make_job(args, ["-m", "paddlerec.core.factory", self.trainer],
                                 dict(self.envs, CLUSTER_INSTANCE="1"), "%s.%d")
        return job.run()

    def run(self):
        print("launch {} engine with cluster to run model: {}".format(
            self.envs["train.trainer.trainer"], self.trainer), flush=True)
        status = self.start_procs()
        if status == 0:
            sys.stderr.write("all workers already completed, you can view logs under the `%s` "
                             "directory\n" % os.path.relpath(self.envs["log_dir"]))
        return status
