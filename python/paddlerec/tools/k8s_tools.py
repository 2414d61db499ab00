"""Pods of a job: refused by name."""
from paddlerec.core import refused

refused.add(globals(), "a pod of `paddle k8s` is told who and where the others are (docs: the guide to "
            "Kubernetes)", "containers_all_ready", "count_pods_by_phase", "fetch_endpoints",
            "fetch_endpoints_string", "fetch_id", "fetch_ips", "fetch_ips_list", "fetch_ips_string",
            "fetch_name_list", "fetch_pod_id", "fetch_pods_info", "get_pod_status",
            "wait_containers_ready", "wait_pods_running")
