import numpy as np

import paddle.fluid as fluid

from paddlerec.core.utils import envs
from paddlerec.core.model import ModelBase

# A tree of 8 items: nodes 1-2, 3-6, 7-14 in layers below the root; 0 is nothing.
TRAVEL = [[1, 3, 7], [1, 3, 8], [1, 4, 9], [1, 4, 10], [2, 5, 11], [2, 5, 12], [2, 6, 13], [2, 6, 14]]
# item, layer, ancestor, children
INFO = [[0, 0, 0, 1, 2]] + [[0, 0, 0, 3, 4], [0, 0, 0, 5, 6]] + \
    [[0, 1, 1 + i // 2, 7 + 2 * i, 8 + 2 * i] for i in range(4)] + \
    [[i + 1, 2, 3 + i // 2, 0, 0] for i in range(8)]


class Model(ModelBase):
    def __init__(self, config):
        ModelBase.__init__(self, config)

    def _init_hyper_parameters(self):
        self.max_layers = envs.get_global_env("hyper_parameters.max_layers", 3)
        self.node_nums = envs.get_global_env("hyper_parameters.node_nums", 15)
        self.node_emb_size = envs.get_global_env("hyper_parameters.node_emb_size", 4)
        self.negative_samples_num = envs.get_global_env("hyper_parameters.negative", [1, 3, 7])
        self.layer_node_num_list = envs.get_global_env("hyper_parameters.layer_nodes", [2, 4, 8])
        self.output_positive = True
        self.topK = envs.get_global_env("hyper_parameters.topK", 1)

    def input_data(self, is_infer=False, **kwargs):
        emb = fluid.data(name="input_emb", shape=[None, 6], dtype="float32")
        if is_infer:
            return [emb]
        return [emb, fluid.data(name="item_label", shape=[None, 1], dtype="int64")]

    def net(self, inputs, is_infer=False):
        if is_infer:
            return self.infer_net(inputs)
        input_emb, item_label = inputs
        with fluid.device_guard("cpu"):
            sample_nodes, sample_label, sample_mask = fluid.contrib.layers.tdm_sampler(
                x=item_label, neg_samples_num_list=self.negative_samples_num,
                layer_node_num_list=self.layer_node_num_list, leaf_node_num=8,
                tree_travel_attr=fluid.ParamAttr(
                    name="TDM_Tree_Travel", trainable=False,
                    initializer=fluid.initializer.NumpyArrayInitializer(
                        np.array(TRAVEL).astype("int32"))),
                tree_layer_attr=fluid.ParamAttr(
                    name="TDM_Tree_Layer", trainable=False,
                    initializer=fluid.initializer.NumpyArrayInitializer(
                        np.arange(1, 15).reshape(-1, 1).astype("int32"))),
                output_positive=self.output_positive, output_list=True, seed=0,
                tree_dtype="int32", dtype="int64")
        node_embs = [fluid.embedding(
            input=nodes, is_sparse=True, size=[self.node_nums, self.node_emb_size],
            param_attr=fluid.ParamAttr(name="TDM_Tree_Emb")) for nodes in sample_nodes]
        user = [fluid.layers.fc(input=input_emb, size=self.node_emb_size, act=None,
                                param_attr=fluid.ParamAttr(name="trans.layer_%d.w" % i),
                                bias_attr=fluid.ParamAttr(name="trans.layer_%d.b" % i))
                for i in range(self.max_layers)]
        out = []
        for i in range(self.max_layers):
            node = fluid.layers.reshape(node_embs[i], [-1, self.negative_samples_num[i] + 1,
                                                       self.node_emb_size])
            u = fluid.layers.unsqueeze(input=user[i], axes=[1])
            u = fluid.layers.expand(u, expand_times=[1, node.shape[1], 1])
            x = fluid.layers.concat([u, node], axis=2)
            out.append(fluid.layers.fc(input=x, size=self.node_emb_size, num_flatten_dims=2,
                                       act="tanh",
                                       param_attr=fluid.ParamAttr(name="cls.concat_%d.w" % i),
                                       bias_attr=fluid.ParamAttr(name="cls.concat_%d.b" % i)))
        out = fluid.layers.concat(out, axis=1)
        out = fluid.layers.fc(input=out, size=2, act=None, num_flatten_dims=2,
                              param_attr=fluid.ParamAttr(name="cls.weight"),
                              bias_attr=fluid.ParamAttr(name="cls.bias"))
        labels = fluid.layers.concat(sample_label, axis=1)
        labels.stop_gradient = True
        tree_mask = fluid.layers.concat(sample_mask, axis=1)
        tree_mask.stop_gradient = True
        labels_reshape = fluid.layers.reshape(labels, [-1, 1])
        logits = fluid.layers.reshape(out, [-1, 2])
        cost, softmax_prob = fluid.layers.softmax_with_cross_entropy(
            logits=logits, label=fluid.layers.cast(labels_reshape, "int64"), return_softmax=True)
        mask_reshape = fluid.layers.reshape(tree_mask, [-1, 1])
        mask_index = fluid.layers.where(mask_reshape != 0)
        mask_cost = fluid.layers.gather_nd(cost, mask_index)
        mask_softmax = fluid.layers.gather(softmax_prob, fluid.layers.slice(
            mask_index, axes=[1], starts=[0], ends=[1]))
        mask_label = fluid.layers.gather_nd(labels_reshape, mask_index)
        self._cost = fluid.layers.reduce_mean(mask_cost)
        auc_var, _, _ = fluid.layers.auc(
            input=mask_softmax,
            label=fluid.layers.cast(fluid.layers.reshape(mask_label, [-1, 1]), "int64"))
        self._metrics["loss"] = self._cost
        self._metrics["auc"] = auc_var

    def infer_net(self, inputs):
        input_emb = inputs[0]
        batch = fluid.layers.fill_constant_batch_size_like(input_emb, [-1, 2], "int64", 1)
        step = fluid.layers.cast(fluid.layers.assign(np.array([[0, 1]]).astype("int32")), "int64")
        node = fluid.layers.elementwise_add(batch, fluid.layers.reshape(step, [2]), axis=1)
        for i in range(self.max_layers):
            emb = fluid.embedding(
                input=node, size=[self.node_nums, self.node_emb_size],
                param_attr=fluid.ParamAttr(name="TDM_Tree_Emb"))
            u = fluid.layers.fc(input=input_emb, size=self.node_emb_size, act=None,
                                param_attr=fluid.ParamAttr(name="trans.layer_%d.w" % i),
                                bias_attr=fluid.ParamAttr(name="trans.layer_%d.b" % i))
            u = fluid.layers.expand(fluid.layers.unsqueeze(u, [1]), [1, 2, 1])
            x = fluid.layers.fc(input=fluid.layers.concat([u, emb], axis=2),
                                size=self.node_emb_size, num_flatten_dims=2, act="tanh",
                                param_attr=fluid.ParamAttr(name="cls.concat_%d.w" % i),
                                bias_attr=fluid.ParamAttr(name="cls.concat_%d.b" % i))
            prob = fluid.layers.softmax(fluid.layers.fc(
                input=x, size=2, act=None, num_flatten_dims=2,
                param_attr=fluid.ParamAttr(name="cls.weight"),
                bias_attr=fluid.ParamAttr(name="cls.bias")))
            positive = fluid.layers.reshape(
                fluid.layers.slice(prob, axes=[2], starts=[1], ends=[2]), [-1, 2])
            _, best = fluid.layers.topk(positive, k=1)
            chosen = fluid.layers.reduce_sum(
                fluid.layers.cast(node, "float32") *
                fluid.layers.one_hot(best, depth=2), dim=1, keep_dim=True)
            chosen = fluid.layers.cast(chosen, "int64")
            if i + 1 < self.max_layers:
                child, leaf = fluid.contrib.layers.tdm_child(
                    x=chosen, node_nums=self.node_nums, child_nums=2, dtype="int32",
                    param_attr=fluid.ParamAttr(
                        name="TDM_Tree_Info", trainable=False,
                        initializer=fluid.initializer.NumpyArrayInitializer(
                            np.array(INFO).astype("int32"))))
                node = fluid.layers.cast(fluid.layers.reshape(child, [-1, 2]), "int64")
        self._infer_results["item"] = chosen
