"""The CTR-DNN: 26 embeddings over one table and 13 counts, three wide layers, a softmax of 2."""
import math

import paddle.fluid as fluid


def _scaled(inputs):
    """Weights drawn so that the size of the activations stays."""
    return fluid.ParamAttr(initializer=fluid.initializer.Normal(scale=1 / math.sqrt(inputs)))


def ctr_dnn_model_dataset(dense_input, sparse_inputs, label, embedding_size, sparse_feature_dim,
                          layers=(400, 400, 400)):
    """(loss, AUC of everything so far, AUC of the last batches) of the inputs as a dataset
    feeds them. The loss is the batch's sum, so a learning rate is that of one example."""
    def embedding(slot):
        return fluid.layers.embedding(
            input=slot, size=[sparse_feature_dim, embedding_size], is_sparse=True,
            param_attr=fluid.ParamAttr(name="SparseFeatFactors",
                                       initializer=fluid.initializer.Uniform(-0.05, 0.05)))
    embedded = [embedding(slot) for slot in sparse_inputs]
    hidden = fluid.layers.concat(embedded + [dense_input], axis=1)
    for width in layers:
        hidden = fluid.layers.fc(input=hidden, size=width, act="relu",
                                 param_attr=_scaled(hidden.shape[1]))
    predict = fluid.layers.fc(input=hidden, size=2, act="softmax",
                              param_attr=_scaled(hidden.shape[1]))
    loss = fluid.layers.reduce_sum(fluid.layers.cross_entropy(input=predict, label=label))
    auc_var, batch_auc_var, _ = fluid.layers.auc(input=predict, label=label,
                                                 num_thresholds=2 ** 12, slide_steps=20)
    return loss, auc_var, batch_auc_var
