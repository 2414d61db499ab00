"""rank/dnn from the same starting parameters on the same data: what record_parity.py has real
PaddleRec do, and test_rec_parity.py this one."""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DNN = os.path.join(HERE, "..", "..", "python", "paddlerec", "models", "rank", "dnn")

CASES = {"adam": ("Adam", 0.002, 1), "sgd": ("SGD", 0.1, 1), "adagrad": ("Adagrad", 0.02, 1),
         "threads": ("SGD", 0.1, 2)}

# A value for each parameter that its name and shape decide.
START = '''
import zlib

import numpy as np
import paddle.fluid as fluid
from paddlerec.core.trainers.framework.startup import SingleStartup


class Startup(SingleStartup):
    def startup(self, context):
        SingleStartup.startup(self, context)
        for phase in context["phases"]:
            model = context["model"][phase["name"]]
            for p in model["main_program"].all_parameters():
                if not p.trainable:  # statistics, not any value will do
                    continue
                rng = np.random.RandomState(zlib.crc32(p.name.encode()) % 1000)
                value = rng.normal(0, 0.2, p.shape).astype("float32")
                model["scope"].find_var(p.name).get_tensor().set(value, fluid.CPUPlace())
'''

CONFIG = '''
workspace: "%(folder)s"
mode: train_it
dataset:
- name: clicks
  batch_size: 32
  type: DataLoader
  data_path: "{workspace}/data"
  sparse_slots: "click 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26"
  dense_slots: "dense_var:13"
hyper_parameters:
  optimizer:
    class: %(optimizer)s
    learning_rate: %(rate)s
  sparse_feature_number: 1000001
  sparse_feature_dim: 4
  fc_sizes: [32, 16]
runner:
- name: train_it
  class: train
  device: cpu
  epochs: 2
  print_interval: 10
  startup_class_path: "{workspace}/start.py"
  runner_result_dump_path: "{workspace}/results"
  phases: [phase1]
phase:
- name: phase1
  model: "{workspace}/model.py"
  dataset_name: clicks
  thread_num: %(threads)d
'''


def run(folder, case):
    """The mean loss of the last ten batches, and the last AUC."""
    folder = str(folder)
    optimizer, rate, threads = CASES[case]
    os.makedirs(os.path.join(folder, "data"))
    with open(os.path.join(DNN, "model.py")) as f:
        model = f.read()
    for name, text in (("model.py", model), ("start.py", START), ("config.yaml", CONFIG % {
            "folder": folder, "optimizer": optimizer, "rate": rate, "threads": threads})):
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)
    for i in range(2):
        with open(os.path.join(folder, "data", "part-%d" % i), "w") as f:
            subprocess.check_call([sys.executable, os.path.join(DNN, "data", "generate.py"),
                                   "1000", str(10 + i)], stdout=f)
    done = subprocess.run([sys.executable, "-m", "paddlerec.run", "-m", "config.yaml"],
                          cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout.decode()
    with open(os.path.join(folder, "results_epoch_1")) as f:
        results = json.load(f)

    def of(result, part):
        values = next(v for k, v in result.items() if part in k)
        return sum(values) / len(values)
    losses = [of(result, "mean") for result in results]
    return {"batches": len(results), "loss": sum(losses[-10:]) / 10,
            "auc": of(results[-1], "auc_0.tmp_0") if threads == 1 else None}
