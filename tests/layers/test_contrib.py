from layercase import check, data


def tdm_child():
    from paddle.fluid import ParamAttr
    from paddle.fluid.contrib.layers import tdm_child
    tdm_child(data("x", [1], "int32"), 6, 2, ParamAttr(name="tree"))
    tdm_child(x=data("y", [3], "int64"), node_nums=9, child_nums=3, param_attr=None, dtype="int64")


def tdm_sampler():
    from paddle.fluid.contrib.layers import tdm_sampler
    tdm_sampler(data("x", [1], "int32"), [0, 1, 2], [2, 4, 7], 7)


def tdm_sampler_in_one():
    from paddle.fluid import ParamAttr
    from paddle.fluid.contrib.layers import tdm_sampler
    tdm_sampler(data("x", [1], "int64"), [1, 2], [2, 4], 4, ParamAttr(name="travel"),
                ParamAttr(name="layer"), output_positive=False, output_list=False, seed=3,
                tree_dtype="int64", dtype="int64")


def partial():
    from paddle.fluid.contrib.layers import partial_concat, partial_sum
    a, b = data("a", [6], grad=True), data("b", [6])
    partial_concat([a, b], 1, 3)
    partial_concat(a, start_index=2)
    partial_sum([a, b], 1, 4)
    partial_sum([b])


def rank_attention():
    import paddle.fluid as fluid
    from paddle.fluid.contrib.layers import rank_attention
    rank_attention(data("x", [2]), data("offset", [7], "int32"), [18, 3],
                   fluid.ParamAttr(name="p", initializer=fluid.initializer.Xavier()), 3)


def fused_embedding_seq_pool():
    from paddle.fluid.contrib.layers import fused_embedding_seq_pool
    ids = data("ids", [1], "int64", lod_level=1)
    fused_embedding_seq_pool(ids, [10, 4])
    fused_embedding_seq_pool(input=ids, size=[10, 4], is_sparse=True, padding_idx=-2)


def filter_by_instag():
    from paddle.fluid import layers
    tags, wanted = data("tags", [1], "int64", lod_level=1), data("wanted", [1], "int64")
    layers.filter_by_instag(data("x", [6], lod_level=1, grad=True), tags, wanted, True)
    layers.filter_by_instag(data("y", [6]), tags, wanted, is_lod=False, out_val_if_empty=3)


def match_matrix_tensor():
    from paddle.fluid.contrib.layers import match_matrix_tensor
    x, y = data("x", [4], lod_level=1, grad=True), data("y", [4], lod_level=1)
    match_matrix_tensor(x, y, 2)
    match_matrix_tensor(x=x, y=y, channel_num=3, act="tanh")


def sequence_topk_avg_pooling():
    from paddle.fluid.contrib.layers import sequence_topk_avg_pooling
    rows, columns = data("rows", [3], lod_level=1), data("columns", [3], lod_level=1)
    sequence_topk_avg_pooling(data("x", [1], lod_level=1, grad=True), rows, columns, [1, 3], 2)


def var_conv_2d():
    from paddle.fluid.contrib.layers import var_conv_2d
    rows, columns = data("rows", [3], lod_level=1), data("columns", [3], lod_level=1)
    x = data("x", [1], lod_level=1)
    var_conv_2d(x, rows, columns, 2, 3, [3, 2], 2, act="relu")
    var_conv_2d(input=x, row=rows, col=columns, input_channel=1, output_channel=4, filter_size=3,
                stride=[1, 2])


def tree_conv():
    from paddle.fluid.contrib.layers import tree_conv
    nodes, edges = data("nodes", [5, 4], grad=True), data("edges", [4, 2], "int32")
    tree_conv(nodes, edges, 6, 2, 2)
    tree_conv(nodes_vector=nodes, edge_set=edges, output_size=3, act=None, bias_attr=False)


def fused_elemwise_activation():
    from paddle.fluid.contrib.layers import fused_elemwise_activation
    x, y = data("x", [4], grad=True), data("y", [4], grad=True)
    fused_elemwise_activation(x, y, ["elementwise_add", "relu"])
    fused_elemwise_activation(x=x, y=y, functor_list=["scale", "elementwise_add"], axis=0,
                              scale=0.5, save_intermediate_out=False)


def search_pyramid_hash():
    import paddle.fluid as fluid
    from paddle.fluid.contrib.layers import search_pyramid_hash
    attrs = [fluid.ParamAttr(name=name) for name in ("w", "white", "black")]
    search_pyramid_hash(data("x", [1], "int32", 1), 16, 100, 3, 8, 0.2, True, False, 10, 12, 1, 0.1)
    search_pyramid_hash(data("y", [1], "int32", 1), 16, 100, 4, 16, 0.2, False, True, 10, 12, 1,
                        0.1, param_attr=attrs[0], param_attr_wl=attrs[1], param_attr_bl=attrs[2],
                        name="hash", distribute_update_vars=["w"])


CASES = [tdm_child, tdm_sampler, tdm_sampler_in_one, partial, rank_attention,
         fused_embedding_seq_pool, filter_by_instag, match_matrix_tensor,
         sequence_topk_avg_pooling, var_conv_2d, tree_conv, fused_elemwise_activation,
         search_pyramid_hash]
# Real Paddle declares float64 weights and maps of two columns, and computes float32 and three; of
# search_pyramid_hash it declares floats of no shape for marks that are int32.
test = check(__file__, CASES, ignore_vars=["rank_attention_0.tmp_1", "hash.tmp_1",
                                           "search_pyramid_hash_0.tmp_1"] + [
    "filter_by_instag_%d.tmp_%d" % (i, j) for i in (0, 1) for j in (1, 2)])


def test_a_table_that_its_op_trains_is_not_kept_on_servers():
    import paddle.fluid as fluid
    import pytest
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        out = fluid.contrib.layers.search_pyramid_hash(
            data("x", [1], "int32", 1), 4, 9, 3, 2, 0.0, 1, False, 0, 0, 1, 0.1,
            param_attr=fluid.ParamAttr(name="w"), distribute_update_vars=["w"])
        fluid.optimizer.SGD(0.1).minimize(fluid.layers.mean(fluid.layers.fc(out, 1)))
        with pytest.raises(NotImplementedError, match="distribute_update_vars=w"):
            fluid.DistributeTranspiler().transpile(0, main, pservers="127.0.0.1:6174", trainers=1,
                                                   startup_program=startup)
        with pytest.raises(ValueError, match="distribute_update_vars has v"):
            fluid.contrib.layers.search_pyramid_hash(
                data("x", [1], "int32", 1), 4, 9, 3, 2, 0.0, 1, False, 0, 0, 1, 0.1,
                param_attr=fluid.ParamAttr(name="w"), distribute_update_vars=["v"])
