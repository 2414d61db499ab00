"""Clusters of pods with GPUs: refused by name."""
from paddlerec.core import refused

refused.add(globals(), refused.COLLECTIVE + "; paddle.distributed.utils has clusters and pods",
            "Cluster", "JobServer", "Pod", "Trainer", "TrainerProc", "get_cloud_cluster",
            "get_cluster", "start_local_trainers", "use_paddlecloud")
