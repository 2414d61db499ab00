"""Gradient ops of a program that was not made by autodiff: what does not fit is refused."""
import numpy as np
from opcase import Lod, case, ints, rand


def gradient(type, inputs, outputs=("X@GRAD",), **attrs):
    return case(type, type + "_grad", inputs, attrs, outputs=list(outputs))


FAR = ints(2, 4, low=50, high=60)
STEPS = Lod(rand(3, 8), [[1, 2]])
LSTMP = {"Input": STEPS, "Weight": rand(3, 8), "ProjWeight": rand(2, 3), "Bias": rand(1, 14),
         "Projection": rand(3, 3), "Cell": rand(3, 2), "BatchGate": rand(3, 8),
         "BatchCellPreAct": rand(3, 2), "BatchHidden": rand(3, 2), "Projection@GRAD": rand(3, 3)}
CUDNN = {"Input": rand(2, 2, 3), "InitH": rand(1, 2, 2), "InitC": rand(1, 2, 2), "W": rand(56),
         "Reserve": rand(56), "Out@GRAD": rand(2, 2, 2)}
NET = {"input_size": 3, "hidden_size": 2, "num_layers": 1}
BAD = [
    gradient("lstmp", dict(LSTMP, BatchHidden=rand(2, 2)), ["Input@GRAD"]),
    gradient("lstmp", dict(LSTMP, **{"Projection@GRAD": rand(3, 3, dtype="float64")}),
             ["Input@GRAD"]),
    gradient("cudnn_lstm", dict(CUDNN, Reserve=rand(55)), ["W@GRAD"], **NET),
    gradient("cudnn_lstm", dict(CUDNN, **{"Out@GRAD": rand(2, 2, 1)}), ["W@GRAD"], **NET),
    gradient("cudnn_lstm", dict(CUDNN, Reserve=CUDNN["Reserve"].astype("float64")), ["W@GRAD"],
             **NET),
    gradient("softmax", {"Out": rand(2, 3), "Out@GRAD": rand(2, 2)}),
    gradient("cross_entropy", {"X": rand(2, 3), "Label": ints(2, 1, high=3),
                               "Y@GRAD": rand(5, 1)}),
    case("kept", "cross_entropy_grad2", {"MatchX": rand(1, 1), "Label": ints(2, 1, high=3),
                                         "XShape": np.zeros((2, 3, 0), "float32"),
                                         "Y@GRAD": rand(2, 1)}, outputs=["X@GRAD"]),
    gradient("softmax_with_cross_entropy", {"Softmax": rand(2, 3), "Label": ints(2, 1, high=3),
                                            "Loss@GRAD": rand(9, 1)}, ["Logits@GRAD"]),
    gradient("sigmoid_cross_entropy_with_logits",
             {"X": rand(2, 3), "Label": rand(2, 3), "Out@GRAD": rand(1, 3)}),
    gradient("sigmoid_focal_loss", {"X": rand(2, 3), "Label": ints(2, 1), "FgNum": ints(1),
                                    "Out@GRAD": rand(1, 3)}),
    gradient("log_loss", {"Predicted": rand(2, 1), "Labels": rand(2, 1), "Loss@GRAD": rand(1, 1)},
             ["Predicted@GRAD"], epsilon=0.1),
    gradient("huber_loss", {"Residual": rand(2, 1), "Out@GRAD": rand(1, 1)}, delta=1.0),
    gradient("modified_huber_loss", {"Y": rand(1, 1), "IntermediateVal": rand(2, 1),
                                     "Out@GRAD": rand(2, 1)}),
    gradient("smooth_l1_loss", {"Diff": rand(2, 3), "Out@GRAD": rand(1, 1)}),
    gradient("kldiv_loss", {"X": rand(2, 3), "Target": rand(2, 3), "Loss@GRAD": rand(2)}),
    gradient("rank_loss", {"Label": rand(2, 1), "Left": rand(2, 1), "Right": rand(1, 1),
                           "Out@GRAD": rand(2, 1)}, ["Left@GRAD"]),
    gradient("margin_rank_loss", {"Label": rand(2, 1), "Activated": rand(1, 1),
                                  "Out@GRAD": rand(2, 1)}, ["X1@GRAD"]),
    gradient("bpr_loss", {"X": rand(2, 3), "Label": ints(2, 1, high=3), "Y@GRAD": rand(1, 1)}),
    gradient("squared_l2_distance", {"X": rand(2, 3), "Y": rand(2, 3), "sub_result": rand(1, 3),
                                     "Out@GRAD": rand(2, 1)}),
    gradient("squared_l2_norm", {"X": rand(2, 3), "Out@GRAD": rand(0)}),
    gradient("center_loss", {"X": rand(2, 3), "SampleCenterDiff": rand(2, 3),
                             "Loss@GRAD": rand(1, 1)}, cluster_num=3, need_update=True),
    gradient("top_k", {"X": rand(2, 3), "Indices": ints(1, 2), "Out@GRAD": rand(1, 2)}),
    gradient("top_k", {"X": rand(2, 4), "Indices": FAR, "Out@GRAD": rand(2, 4)}),
    gradient("argsort", {"X": rand(2, 4), "Indices": FAR, "Out@GRAD": rand(2, 4)}),
    gradient("cos_sim", {"X": rand(2, 3), "Y": rand(2, 3), "XNorm": rand(2, 1),
                         "YNorm": rand(2, 1), "Out": rand(2, 1), "Out@GRAD": rand(1, 1)}),
    gradient("sample_logits", {"LogitsDim": np.zeros((2, 5, 0), "float32"),
                               "LabelsDim": np.zeros((2, 1, 0), "int64"), "Samples": FAR,
                               "SampledLogits@GRAD": rand(2, 4)}, ["Logits@GRAD"], num_samples=3),
    gradient("nce", {"Input": rand(2, 3), "Label": ints(2, 1, high=5), "Weight": rand(5, 3),
                     "SampleLogits": rand(2, 4), "SampleLabels": FAR, "Cost@GRAD": rand(2, 1)},
             ["Weight@GRAD"], num_total_classes=5, num_neg_samples=3),
    gradient("hierarchical_sigmoid", {"X": rand(2, 3), "W": rand(5, 3),
                                      "Label": ints(2, 1, high=6), "PreOut": rand(2, 2),
                                      "Out@GRAD": rand(2, 1)}, num_classes=6),
    gradient("partial_sum", {"X": [rand(2, 3)], "Out@GRAD": rand(2, 2)}, start_index=0, length=3),
    gradient("partial_concat", {"X": [rand(2, 3), rand(2, 2)], "Out@GRAD": rand(2, 2)},
             start_index=0, length=1),
    gradient("conv_shift", {"X": rand(2, 3), "Y": rand(2, 3), "Out@GRAD": rand(1, 3)}),
    gradient("p_norm", {"X": rand(2, 3), "Out": rand(2), "Out@GRAD": rand(1)}, axis=1),
    gradient("nll_loss", {"X": rand(2, 3), "Label": ints(2, high=3), "Total_weight": rand(1),
                          "Out@GRAD": rand(1)}, reduction="none"),
    gradient("nll_loss", {"X": rand(2, 3), "Label": ints(2, low=5, high=6),
                          "Total_weight": rand(1), "Out@GRAD": rand(1)}),
    gradient("fused_elemwise_activation", {"X": rand(2, 3), "Y": rand(2, 3),
                                           "Out@GRAD": rand(1, 3)},
             functor_list=["elementwise_add", "relu"]),
    gradient("filter_by_instag", {"IndexMap": np.array([[0, 5, 1]], "int64"),
                                  "LossWeight": np.ones((1, 1), "float32"), "Ins": rand(2, 3),
                                  "Out@GRAD": rand(1, 3)}, ["Ins@GRAD"]),
    gradient("rank_attention", {"X": rand(1, 2), "RankOffset": ints(1, 7, high=1, dtype="int32"),
                                "RankParam": rand(17, 2), "Out@GRAD": rand(1, 2)},
             ["RankParam@GRAD"]),
    gradient("tree_conv", {"NodesVector": rand(1, 3, 2), "Filter": rand(2, 3, 1, 1),
                           "EdgeSet": ints(1, 2, 2, low=1, high=3, dtype="int32"),
                           "Out@GRAD": rand(1, 2, 1, 1)}, ["Filter@GRAD"]),
    gradient("match_matrix_tensor", {"X": Lod(rand(2, 2), [[2]]), "Y": Lod(rand(1, 2), [[1]]),
                                     "W": rand(2, 1, 2), "Tmp": rand(2, 2),
                                     "Out@GRAD": rand(1, 1)}),
    gradient("sequence_topk_avg_pooling",
             {"X": Lod(rand(2, 1), [[2]]), "ROW": Lod(rand(2, 2), [[2]]),
              "COLUMN": Lod(rand(1, 2), [[1]]), "pos": ints(1, high=1, dtype="int32"),
              "Out@GRAD": rand(2, 1)}, topks=[1], channel_num=1),
    gradient("sequence_topk_avg_pooling",
             {"X": Lod(rand(2, 1), [[2]]), "ROW": Lod(rand(2, 2), [[2]]),
              "COLUMN": Lod(rand(1, 2), [[1]]), "pos": ints(2, low=9, high=10, dtype="int32"),
              "Out@GRAD": rand(2, 1)}, topks=[1], channel_num=1),
    gradient("var_conv_2d", {"X": Lod(rand(2, 1), [[2]]), "ROW": Lod(rand(2, 2), [[2]]),
                             "COLUMN": Lod(rand(1, 2), [[1]]), "W": rand(1, 1),
                             "Out@GRAD": rand(1, 1)}),
    gradient("fused_embedding_seq_pool", {"W": rand(3, 2), "Ids": Lod(ints(2, 1, high=3), [[2]]),
                                          "Out@GRAD": rand(2, 2)}, ["W@GRAD"]),
    gradient("elementwise_add", {"X": rand(3, 4), "Y": rand(4), "Out@GRAD": rand(3, 4)}, axis=1000),
    gradient("elementwise_add", {"X": rand(3, 4), "Y": rand(5), "Out@GRAD": rand(3, 4)}),
    gradient("elementwise_mul", {"X": rand(2000), "Y": rand(1), "Out@GRAD": rand(1)}),
    gradient("elementwise_mul", {"X": rand(2, 3), "Y": rand(2, 3),
                                 "Out@GRAD": rand(2, 3, dtype="float64")}),
    gradient("elementwise_div", {"X": rand(2, 3), "Y": rand(2, 3), "Out@GRAD": rand(1, 3)}),
    gradient("relu", {"Out": rand(2, 3), "Out@GRAD": rand(20, 3)}),
    gradient("square", {"X": rand(2, 3), "Out@GRAD": rand(20, 3)}),
    gradient("clip", {"X": rand(20, 3), "Out@GRAD": rand(2, 3)}, min=0.0, max=1.0),
    gradient("matmul", {"X": rand(2, 3), "Y": rand(3, 4), "Out@GRAD": rand(20, 4)}),
    gradient("mul", {"X": rand(2, 3), "Y": rand(3, 4), "Out@GRAD": rand(2, 1)}),
    gradient("reduce_sum", {"X": rand(20, 3), "Out@GRAD": rand(2)}, dim=[1]),
    gradient("fsp", {"X": rand(2, 3, 4, 4), "Y": rand(2, 5, 4, 4), "Out@GRAD": rand(2, 1, 1)}),
    gradient("trace", {"Input": rand(5, 5, 9), "Out@GRAD": rand(1)}, ["Input@GRAD"],
             dim1=0, dim2=1, offset=0),
    gradient("sequence_pool", {"X": Lod(rand(3, 4), [[1, 2]]), "Out@GRAD": rand(1, 1)},
             pooltype="SUM"),
]


def test_gradients_that_do_not_fit_are_refused():
    import paddle.fluid as fluid
    import pytest
    from opcase import forward
    for c in BAD:
        with pytest.raises(fluid.core.EnforceNotMet):
            forward(fluid, c)
            pytest.fail("%s has taken %s" % (c.type, {k: v.shape for k, v in c.inputs.items()}))


def test_a_gradient_fits_where_its_op_had_another_order_of_the_same_shapes():
    """What is compared is what the op makes of these inputs, with these attributes."""
    import paddle.fluid as fluid
    from opcase import forward
    dout = rand(3, 4)
    fits = gradient("elementwise_add", {"X": rand(3, 4), "Y": rand(3), "Out@GRAD": dout},
                    ["X@GRAD", "Y@GRAD"], axis=0)
    got = forward(fluid, fits).values
    assert (got["X@GRAD0"] == dout).all()
    assert np.allclose(got["Y@GRAD0"], dout.sum(1))


def test_a_loss_that_is_fed_larger_than_declared_is_refused():
    import paddle.fluid as fluid
    import pytest
    layers = fluid.layers
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        x = layers.data("x", [4])
        w = layers.data("w", [1], append_batch_size=False)
        loss = layers.elementwise_mul(w, layers.mean(layers.fc(x, 3)))
        fluid.optimizer.SGD(0.1).minimize(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()):
        exe.run(startup)
        for n in 1, 2000, 1:
            feed = {"x": np.ones((5, 4), "float32"), "w": np.ones(n, "float32")}
            if n == 1:
                assert exe.run(main, feed=feed, fetch_list=[loss])[0].shape == (1,)
                continue
            with pytest.raises(fluid.core.EnforceNotMet,
                               match=r"Out@GRAD .* is \[1\] float32, .* Out, is \[2000\] float32"):
                exe.run(main, feed=feed, fetch_list=[loss])
