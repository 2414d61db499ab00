"""Submissions: refused by name; paddlerec.backends makes them."""
from paddlerec.core import refused

refused.add(globals(), refused.SUBMISSION, "ClusterEngine", "ClusterEnvBase", "CloudPsCpuEnv",
            "CloudCollectiveEnv", "PaddleCloudK8sEnv", "PaddleCloudMpiEnv")
