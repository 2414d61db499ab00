"""The same script under Slurm: three slurmd, and srun on the head."""
import os
import signal

from hosts import NODES, cluster  # noqa: F401
from mpi_job import send
from slurm import start_slurm
from test_mpi import LONG, wait_for

TRAIN = """import os
import paddle.v2 as paddle
"""
LINE = "srun -N 3 -n 3 /home/tutorial/start_mpi_train.sh"


def rest(node):
    """What runs there but Slurm's own."""
    return [words for words in node.processes().values()
            if not words.startswith(("/usr/sbin/munged", "slurmd"))]
