"""Submissions for the tests: the three backend.yaml of the documents with their empty values filled
in, a job of rec_job.py beside them, and a stand-in for PaddleCloud's client."""
import os
import re

import rec_job

CONFIG = rec_job.CONFIG.replace("class: train", "class: cluster_train", 1).replace(
    "{workspace}/data", "{workspace}/train_data").replace('workspace: "."', 'workspace: "./"')
GPU = CONFIG.replace("device: cpu", "device: gpu").replace("fleet_mode: ps",
                                                           "fleet_mode: collective")
MPI = '''backend: "PaddleCloud"
cluster_type: mpi # k8s
config:
  paddle_version: "1.7.2"
  fs_name: "afs://xxx.com"
  fs_ugi: "usr,secret-pwd"
  output_path: "/user/out"
  train_data_path: "/user/train"
  test_data_path: ""
  thirdparty_path: ""
submit:
  ak: "my-own-ak"
  sk: "my-own-sk"
  priority: "high"
  job_name: "PaddleRec_CTR"
  group: "people"
  start_cmd: "python -m paddlerec.run -m ./config.yaml"
  files: ./*.py ./*.yaml
  nodes: 2
'''
K8S = re.sub(r"  train_data_path(.*\n)*?submit", '  afs_remote_mount_point: "/user/afs"\nsubmit',
             MPI.replace("mpi # k8s", "k8s # mpi"))
K8S_GPU = K8S.replace("nodes: 2", "k8s_trainers: 2\n  k8s-cpu-cores: 4\n  k8s_gpu_card: 1")
K8S_PS = K8S.replace("nodes: 2", "k8s_trainers: 2\n  k8s-cpu-cores: 4\n  k8s_ps_num: 2\n"
                                 "  k8s_ps_cores: 3")
# Says what it was called with, and what it would upload.
CLIENT = '''#!/bin/sh
for word; do echo "word: $word"; done > "$SEEN"
env | grep -c my-own >> "$SEEN"
echo "Start checking your job configuration, please be patient."
echo "Congratulations! Job configuration check passed! $3"
echo '{ "jobId": "job-1" }'
exit ${CLIENT_STATUS:-0}
'''


def make(folder, backend, config=CONFIG):
    folder = rec_job.make(folder, config)
    with open(os.path.join(folder, "backend.yaml"), "w") as file:
        file.write(backend)
    return folder


def client(folder):
    """The folder of a command paddlecloud."""
    os.makedirs(str(folder), exist_ok=True)
    path = os.path.join(str(folder), "paddlecloud")
    with open(path, "w") as file:
        file.write(CLIENT)
    os.chmod(path, 0o755)
    return str(folder)


def submit(folder, bin_folder=None, **environ):
    """(status, output)."""
    if bin_folder is not None:
        environ.update(PATH=bin_folder + ":" + os.environ["PATH"],
                       SEEN=os.path.join(bin_folder, "seen"))
    return rec_job.run(folder, "-m", "config.yaml", "-b", "backend.yaml", **environ)


def made(folder):
    """The one submission folder there."""
    found = [name for name in os.listdir(str(folder)) if re.search(r"_\d{12}$", name)]
    assert len(found) == 1, found
    return os.path.join(str(folder), found[0])
