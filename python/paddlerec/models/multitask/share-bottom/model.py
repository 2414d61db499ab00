"""Shared bottom: one layer for all tasks, and above it a tower for each."""
import paddle.fluid as fluid

from paddlerec.core.model import ModelBase
from paddlerec.models import nets


class Model(ModelBase):
    def _init_hyper_parameters(self):
        self.bottom_size = int(nets.hyper("bottom_size", 117))
        self.tower_size = int(nets.hyper("tower_size", 8))

    def net(self, inputs, is_infer=False):
        bottom = nets.tower(self._dense_data_var[0], [self.bottom_size])
        tasks = []
        for task, label in self._sparse_data_var_map.items():
            own = nets.tower(bottom, [self.tower_size])
            tasks.append((task, fluid.layers.sigmoid(nets.one_column(own)), label))
        nets.judge_tasks(self, tasks, is_infer)
