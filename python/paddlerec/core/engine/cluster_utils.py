"""Clusters of pods: refused by name."""
from paddlerec.core import refused

refused.add(globals(), refused.PODS, "Cluster", "JobServer", "Pod", "Trainer", "TrainerProc", "get_cloud_cluster",
            "get_cluster", "start_local_trainers", "use_paddlecloud")
