"""Trainers that wait for each other by files in a folder of HDFS."""
import os
import sys
import time

from ..parameter_server.distribute_transpiler import fleet
from .hdfs import HDFSClient

__all__ = ["check_all_trainers_ready"]


def check_all_trainers_ready(ready_path, epoch, timeout_s=3600.0):
    """Put this trainer's mark of the epoch into the folder, and return when those of all trainers
    are there. HADOOP_HOME, FS_NAME and FS_UGI say where."""
    configs = {"fs.default.name": os.environ.get("FS_NAME"),
               "hadoop.job.ugi": os.environ.get("FS_UGI")}
    client = HDFSClient(os.environ.get("HADOOP_HOME"),
                        {name: value for name, value in configs.items() if value})
    mark = "ready.%s.%%d.done" % epoch
    mine = mark % fleet.worker_index()
    with open(mine, "w"):
        pass
    client.makedirs(ready_path)
    if not client.is_exist(os.path.join(ready_path, mine)) and \
            not client.upload(ready_path, mine, retry_times=0):
        raise OSError("check_all_trainers_ready: %s cannot be put into %s" % (mine, ready_path))
    begun, said = time.monotonic(), 0.0
    while True:
        there = {os.path.basename(path) for path in client.ls(ready_path)}
        absent = [i for i in range(fleet.worker_num()) if mark % i not in there]
        if not absent:
            return
        waited = time.monotonic() - begun
        if waited > timeout_s:
            raise RuntimeError("check_all_trainers_ready: after %.0f s trainers %s have not come "
                               "to epoch %s in %s" % (waited, absent, epoch, ready_path))
        if waited - said >= 10:
            said = waited
            sys.stderr.write("epoch %s: trainers %s are waited for, in %s\n"
                             % (epoch, absent, ready_path))
        time.sleep(1)
