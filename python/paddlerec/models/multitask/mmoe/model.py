"""MMoE: experts that all tasks share, and of each task a gate that says how much of each it takes."""
import paddle.fluid as fluid

from paddlerec.core.model import ModelBase
from paddlerec.models import nets


class Model(ModelBase):
    def _init_hyper_parameters(self):
        self.experts = int(nets.hyper("expert_num", 8))
        self.expert_size = int(nets.hyper("expert_size", 16))
        self.tower_size = int(nets.hyper("tower_size", 8))

    def net(self, inputs, is_infer=False):
        person = self._dense_data_var[0]
        experts = fluid.layers.stack([nets.tower(person, [self.expert_size])
                                      for _ in range(self.experts)], axis=1)
        tasks = []
        for task, label in self._sparse_data_var_map.items():
            gate = nets.tower(person, [self.experts], act="softmax")
            mixed = fluid.layers.squeeze(
                fluid.layers.matmul(fluid.layers.unsqueeze(gate, [1]), experts), [1])
            own = nets.tower(mixed, [self.tower_size])
            tasks.append((task, fluid.layers.sigmoid(nets.one_column(own)), label))
        nets.judge_tasks(self, tasks, is_infer)
