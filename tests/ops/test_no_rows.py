"""Losses, metrics and the ops around them on a batch of nothing: no error, and nothing."""
import numpy as np
from opcase import case


def floats(*shape):
    return np.zeros(shape, "float32")


def whole(*shape):
    return np.zeros(shape, "int64")


NCE = dict(inputs={"Input": floats(0, 2), "Label": whole(0, 1), "Weight": floats(5, 2),
                   "Bias": floats(5, 1)},
           outputs=["Cost", "SampleLogits", "SampleLabels"], grads=["Input", "Weight", "Bias"],
           ignore_grad_of=["SampleLogits"])
TREE = dict(inputs={"X": floats(0, 2), "W": floats(5, 2), "Label": whole(0, 1),
                    "Bias": floats(5, 1)},
            outputs=["Out", "PreOut", "W_Out"], grads=["X", "W", "Bias"],
            ignore_grad_of=["PreOut", "W_Out"])
NOTHING = [
    case("softmax", "softmax", {"X": floats(0, 3)}, grads=["X"]),
    case("softmax along it", "softmax", {"X": floats(0, 3)}, {"axis": 0}, grads=["X"]),
    case("softmax of nothing", "softmax", {"X": floats(3, 0)}, grads=["X"]),
    case("cross_entropy", "cross_entropy", {"X": floats(0, 3), "Label": whole(0, 1)},
         outputs=["Y"], grads=["X"]),
    case("cross_entropy2", "cross_entropy2", {"X": floats(0, 3), "Label": whole(0, 1)},
         outputs=["Y", "XShape", "MatchX"], grads=["X"], compare=["Y"]),
    case("fused", "softmax_with_cross_entropy", {"Logits": floats(0, 3), "Label": whole(0, 1)},
         outputs=["Softmax", "Loss"], grads=["Logits"], ignore_grad_of=["Softmax"]),
    case("sigmoid", "sigmoid_cross_entropy_with_logits", {"X": floats(0, 1), "Label": floats(0, 1)},
         {"normalize": True}, grads=["X"]),
    case("focal", "sigmoid_focal_loss", {"X": floats(0, 3), "Label": whole(0, 1),
                                         "FgNum": whole(1)}, grads=["X"]),
    case("log_loss", "log_loss", {"Predicted": floats(0, 1), "Labels": floats(0, 1)},
         {"epsilon": 0.1}, outputs=["Loss"], grads=["Predicted"]),
    case("huber", "huber_loss", {"X": floats(0, 1), "Y": floats(0, 1)}, {"delta": 1.0},
         outputs=["Residual", "Out"], grads=["X", "Y"], ignore_grad_of=["Residual"]),
    case("smooth_l1", "smooth_l1_loss", {"X": floats(0, 2), "Y": floats(0, 2)},
         outputs=["Diff", "Out"], grads=["X", "Y"], ignore_grad_of=["Diff"]),
    case("kldiv", "kldiv_loss", {"X": floats(0, 2), "Target": floats(0, 2)}, outputs=["Loss"],
         grads=["X"]),
    case("rank", "rank_loss", {"Label": floats(0, 1), "Left": floats(0, 1), "Right": floats(0, 1)},
         grads=["Left", "Right"]),
    case("margin", "margin_rank_loss",
         {"Label": floats(0, 1), "X1": floats(0, 1), "X2": floats(0, 1)},
         outputs=["Activated", "Out"], grads=["X1", "X2"], ignore_grad_of=["Activated"]),
    case("bpr", "bpr_loss", {"X": floats(0, 5), "Label": whole(0, 1)}, outputs=["Y"], grads=["X"]),
    case("distance", "squared_l2_distance", {"X": floats(0, 2), "Y": floats(1, 2)},
         outputs=["sub_result", "Out"], grads=["X", "Y"], ignore_grad_of=["sub_result"]),
    case("squares", "squared_l2_norm", {"X": floats(0, 2)}, grads=["X"]),
    case("absolutes", "l1_norm", {"X": floats(0, 2)}, grads=["X"]),
    case("label_smooth", "label_smooth", {"X": floats(0, 2)}, grads=["X"]),
    case("label_smooth of nothing", "label_smooth", {"X": floats(2, 0)}, grads=["X"]),
    case("center", "center_loss", {"X": floats(0, 2), "Label": whole(0, 1), "Centers": floats(3, 2),
                                   "CenterUpdateRate": floats(1)},
         {"cluster_num": 3, "need_update": True},
         outputs=["CentersOut", "SampleCenterDiff", "Loss"], grads=["X"],
         ignore_grad_of=["CentersOut", "SampleCenterDiff"]),
    case("nce", "nce", attrs={"num_total_classes": 5}, **NCE),
    case("nce sparse", "nce", attrs={"num_total_classes": 5, "is_sparse": True}, **NCE),
    case("tree", "hierarchical_sigmoid", attrs={"num_classes": 6}, **TREE),
    case("tree sparse", "hierarchical_sigmoid", attrs={"num_classes": 6, "is_sparse": True},
         **TREE),
    case("sampled", "sample_logits", {"Logits": floats(0, 5), "Labels": whole(0, 1)},
         {"num_samples": 3}, outputs=["Samples", "Probabilities", "LogitsDim", "LabelsDim",
                                      "SampledLogits", "SampledLabels"], grads=["Logits"],
         compare=["SampledLogits"]),
    case("top_k", "top_k", {"X": floats(0, 5)}, {"k": 3}, outputs=["Out", "Indices"], grads=["X"]),
    case("argsort", "argsort", {"X": floats(0, 5)}, outputs=["Out", "Indices"], grads=["X"]),
    case("argsort of nothing", "argsort", {"X": floats(5, 0)}, outputs=["Out", "Indices"],
         grads=["X"]),
    case("arg_max", "arg_max", {"X": floats(0, 5)}, {"axis": 1, "dtype": 2}),
    case("one_hot", "one_hot", {"X": whole(0, 1)}, {"depth": 3}),
    case("cos_sim", "cos_sim", {"X": floats(0, 5), "Y": floats(1, 5)},
         outputs=["Out", "XNorm", "YNorm"], grads=["X", "Y"], ignore_grad_of=["XNorm", "YNorm"]),
    case("sampling_id", "sampling_id", {"X": floats(0, 5)}),
    case("mean_iou", "mean_iou", {"Predictions": whole(0), "Labels": whole(0)}, {"num_classes": 3},
         outputs=["OutMeanIou", "OutWrong", "OutCorrect"]),
    case("precision_recall", "precision_recall",
         {"MaxProbs": floats(0, 1), "Indices": whole(0, 1), "Labels": whole(0, 1)},
         {"class_number": 3}, outputs=["BatchMetrics", "AccumMetrics", "AccumStatesInfo"]),
    case("edit_distance", "edit_distance",
         {"Hyps": whole(0, 3), "Refs": whole(0, 2), "HypsLength": whole(0),
          "RefsLength": whole(0)}, outputs=["SequenceNum", "Out"]),
]


def test_a_batch_of_nothing_gives_nothing():
    import paddle.fluid as fluid
    from opcase import forward, gradients, weights_for
    for c in NOTHING:
        result = forward(fluid, c)
        for value in result.values.values():
            assert np.isfinite(value).all(), c.name
        if c.grads:
            grads = gradients(fluid, c, c.inputs, weights_for(c, result))
            for key, value in grads.values.items():
                wanted = c.inputs[key[:-1]].shape  # without the 0 of a slot of one
                assert value.shape == wanted or key in grads.rows, (c.name, key)
                assert not value.any(), (c.name, key)


def test_an_input_of_a_sum_without_rows_trains_nothing():
    """What a branch that nothing took hands on."""
    import paddle.fluid as fluid
    layers, init = fluid.layers, fluid.initializer.Constant
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        xs = [layers.data(name, [3]) for name in "ab"]
        parts = [layers.fc(x, 2, act="relu", param_attr=fluid.ParamAttr("w_" + x.name, init(0.5)),
                           bias_attr=fluid.ParamAttr("b_" + x.name, init(0.1))) for x in xs]
        loss = layers.reduce_sum(layers.sum(parts))
        fluid.optimizer.SGD(0.1).minimize(loss)
    exe = fluid.Executor()
    some, none = np.arange(6, dtype="float32").reshape(2, 3), floats(0, 3)
    for feed, taken in (({"a": some, "b": none}, "a"), ({"a": none, "b": some}, "b")):
        with fluid.scope_guard(fluid.Scope()):
            exe.run(startup)
            value, = exe.run(main, feed, [loss])
            np.testing.assert_allclose(value, [15.4], rtol=1e-5)
            exe.run(main, feed)
            weights = {name: np.array(fluid.global_scope().find_var(name).get_tensor())
                       for name in ("w_a", "b_a", "w_b", "b_b")}
        for name, value in weights.items():
            start = 0.5 if name[0] == "w" else 0.1
            assert (value != np.float32(start)).all() == name.endswith(taken), (name, value)
