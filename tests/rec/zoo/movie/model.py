import paddle.fluid as fluid

from paddlerec.core.utils import envs
from paddlerec.core.model import ModelBase


class Model(ModelBase):
    def __init__(self, config):
        ModelBase.__init__(self, config)

    def _init_hyper_parameters(self):
        self.is_distributed = True if envs.get_fleet_mode().upper() == "PSLIB" else False
        self.sparse_feature_number = envs.get_global_env("hyper_parameters.sparse_feature_number")
        self.sparse_feature_dim = envs.get_global_env("hyper_parameters.sparse_feature_dim")
        self.learning_rate = envs.get_global_env("hyper_parameters.optimizer.learning_rate")
        self.hidden_layers = envs.get_global_env("hyper_parameters.fc_sizes")

    def net(self, input, is_infer=False):

        def fc(input):
            fcs = [input]
            for size in self.hidden_layers:
                output = fluid.layers.fc(
                    input=fcs[-1], size=size, act='relu',
                    param_attr=fluid.ParamAttr(initializer=fluid.initializer.Normal(scale=0.1)))
                fcs.append(output)
            return fcs[-1]

        def embedding_layer(input):
            emb = fluid.layers.embedding(
                input=input, is_sparse=True, is_distributed=self.is_distributed,
                size=[self.sparse_feature_number, self.sparse_feature_dim],
                param_attr=fluid.ParamAttr(name="emb", initializer=fluid.initializer.Uniform()))
            return fluid.layers.sequence_pool(input=emb, pool_type='sum')
        user_emb = fluid.layers.concat(list(map(embedding_layer, self._sparse_data_var[1:3])), 1)
        mov_emb = fluid.layers.concat(list(map(embedding_layer, self._sparse_data_var[3:5])), 1)
        sim = fluid.layers.cos_sim(X=fc(user_emb), Y=fc(mov_emb))
        predict = fluid.layers.scale(sim, scale=5)
        cost = fluid.layers.square_error_cost(
            input=predict, label=fluid.layers.cast(x=self._sparse_data_var[0], dtype='float32'))
        self._cost = fluid.layers.reduce_mean(cost)
        if is_infer:
            self._infer_results["uid"] = self._sparse_data_var[1]
            self._infer_results["predict"] = predict
            return
        self._metrics["LOSS"] = self._cost

    def optimizer(self):
        optimizer = fluid.optimizer.SGD(self.learning_rate)
        return optimizer
