import paddle.fluid as fluid

from paddlerec.core.utils import envs
from paddlerec.core.model import ModelBase


class Model(ModelBase):
    def _init_hyper_parameters(self):
        self.num_users = envs.get_global_env("hyper_parameters.num_users")
        self.num_items = envs.get_global_env("hyper_parameters.num_items")
        self.latent_dim = envs.get_global_env("hyper_parameters.latent_dim")
        self.layers = envs.get_global_env("hyper_parameters.fc_layers")

    def input_data(self, is_infer=False, **kwargs):
        user = fluid.data(name="user_input", shape=[-1, 1], dtype="int64", lod_level=0)
        item = fluid.data(name="item_input", shape=[-1, 1], dtype="int64", lod_level=0)
        if is_infer:
            return [user, item]
        return [user, item, fluid.data(name="label", shape=[-1, 1], dtype="int64", lod_level=0)]

    def net(self, inputs, is_infer=False):
        def table(rows, width, name, reg=0):
            return fluid.ParamAttr(
                name=name, initializer=fluid.initializer.Normal(loc=0.0, scale=0.01),
                regularizer=fluid.regularizer.L2DecayRegularizer(regularization_coeff=reg))
        half = self.layers[0] // 2
        user, item = inputs[0], inputs[1]
        mf_user = fluid.embedding(user, size=[self.num_users, self.latent_dim], is_sparse=True,
                                  param_attr=table(0, 0, "mf_user", 1e-3))
        mf_item = fluid.embedding(item, size=[self.num_items, self.latent_dim], is_sparse=True,
                                  param_attr=table(0, 0, "mf_item"))
        mlp_user = fluid.embedding(user, size=[self.num_users, half], is_sparse=True,
                                   param_attr=table(0, 0, "mlp_user"))
        mlp_item = fluid.embedding(item, size=[self.num_items, half], is_sparse=True,
                                   param_attr=table(0, 0, "mlp_item"))
        mf = fluid.layers.elementwise_mul(fluid.layers.flatten(mf_user, axis=1),
                                          fluid.layers.flatten(mf_item, axis=1))
        mlp = fluid.layers.concat([fluid.layers.flatten(mlp_user, 1),
                                   fluid.layers.flatten(mlp_item, 1)], axis=-1)
        for i, size in enumerate(self.layers[1:]):
            mlp = fluid.layers.fc(
                input=mlp, size=size, act="relu", name="layer_%d" % i,
                param_attr=fluid.ParamAttr(
                    initializer=fluid.initializer.TruncatedNormal(loc=0.0, scale=0.1),
                    regularizer=fluid.regularizer.L2DecayRegularizer(1e-3)))
        both = fluid.layers.concat([mf, mlp], axis=-1)
        prediction = fluid.layers.fc(
            both, 1, act="sigmoid", name="prediction",
            param_attr=fluid.initializer.MSRAInitializer(uniform=True))
        if is_infer:
            self._infer_results["prediction"] = prediction
            return
        cost = fluid.layers.log_loss(input=prediction,
                                     label=fluid.layers.cast(inputs[2], "float32"))
        self._cost = fluid.layers.mean(cost)
        self._metrics["cost"] = self._cost
