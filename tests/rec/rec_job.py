"""Small PaddleRec jobs for the tests: a model, its data and a configuration in a folder."""
import os
import subprocess
import sys

MODEL = '''
import paddle.fluid as fluid
from paddlerec.core.model import ModelBase
from paddlerec.core.metrics import AUC
from paddlerec.core.utils import envs


class Model(ModelBase):
    def net(self, inputs, is_infer=False):
        label, ids = self._sparse_data_var[0], self._sparse_data_var[1:]
        width = envs.get_global_env("hyper_parameters.width", 4)
        pooled = [fluid.layers.sequence_pool(fluid.layers.embedding(
            x, size=[100, width], is_sparse=True, param_attr="table"), "sum") for x in ids]
        hidden = fluid.layers.fc(pooled + self._dense_data_var, 8, act="relu")
        predict = fluid.layers.fc(hidden, 2, act="softmax")
        metric = AUC(predict, label)
        if is_infer:
            self._infer_results["AUC"] = metric
            return
        self._cost = fluid.layers.reduce_mean(
            fluid.layers.cross_entropy(input=predict, label=label))
        self._metrics["LOSS"] = self._cost
        self._metrics["AUC"] = metric
'''

CONFIG = '''# a small job
workspace: "."
mode: [train_it]
debug: False

runner:
- name: train_it
  class: train
  device: cpu
  epochs: 2
  fleet_mode: ps
  worker_num: 2
  server_num: 1
  distribute_strategy: sync
  save_checkpoint_interval: 1
  save_checkpoint_path: "saved"
  init_model_path: ""
  print_interval: 5
  phases: [phase1]
- name: judge_it
  class: infer
  device: cpu
  init_model_path: "saved"
  phases: phase1

dataset:
- name: clicks
  type: DataLoader
  batch_size: 4
  data_path: "{workspace}/data"
  sparse_slots: "click a b"
  dense_slots: "d:2"
  padding: 0
  my_own_key: 7

hyper_parameters:
  optimizer:
    class: SGD
    learning_rate: 0.1
  width: 4

phase:
- name: phase1
  model: "{workspace}/model.py"
  dataset_name: clicks
  thread_num: 1
  shuffle_filelist: False
'''


def lines(first, n):
    """Slot lines that can be learnt: a click where a is large."""
    return "".join("click:%d d:0.%d d:1 a:%d a:%d b:%d\n" % (
        i * 7 % 100 > 50, i % 10, i * 7 % 100, i * 7 % 100, i * 3 % 50)
        for i in range(first, first + n))


def make(folder, config=CONFIG):
    """The folder with all that CONFIG names: two files of 60 examples."""
    folder = str(folder)
    os.makedirs(os.path.join(folder, "data"), exist_ok=True)
    for name, text in (("model.py", MODEL), ("config.yaml", config),
                       ("data/part-0", lines(0, 60)), ("data/part-1", lines(60, 60))):
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)
    return folder


def run(folder, *args, **environ):
    """(status, output) of paddlerec.run in the folder."""
    args = args or ("-m", "config.yaml")
    done = subprocess.run([sys.executable, "-m", "paddlerec.run"] + list(args), cwd=str(folder),
                          env=dict(os.environ, **environ), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=120, text=True)
    return done.returncode, done.stdout
