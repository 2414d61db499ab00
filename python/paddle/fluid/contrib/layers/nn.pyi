# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)
from paddle.fluid.param_attr import (ParamAttr as ParamAttr)

def __getattr__(name: str) -> Any: ...

def shuffle_batch(x: Variable, seed: Optional[Variable] = ...) -> Variable:
    """The rows of x in a random order; the gradient goes back to where each row was. seed: a whole
    number to begin with (the program's random_seed, or one drawn), or a Variable that holds it.

    Args:
        x (Variable): [..., width].
        seed (Variable): One int64. Default: None.

    Returns:
        Variable: what is computed.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> out = fluid.contrib.shuffle_batch(x)
        >>> out.shape
        (-1, 8)
    """
    ...

def partial_concat(input: Variable, start_index: int = ..., length: int = ...) -> Variable:
    """The columns [start_index, start_index + length) of each matrix of `input`, side by side.

    Args:
        input (Variable): Matrices of one shape.
        start_index (int): The first column; negative: from the end. Default: 0.
        length (int): How many; -1: all that follow. Default: -1.

    Returns:
        Variable: what is computed.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.contrib.partial_concat([x, y], start_index=1, length=3)
        >>> out.shape
        (-1, 6)
    """
    ...

def partial_sum(input: Variable, start_index: int = ..., length: int = ...) -> Variable:
    """The columns [start_index, start_index + length) of the matrices of `input`, added up.

    Args:
        input (Variable): Matrices of one shape.
        start_index (int): The first column; negative: from the end. Default: 0.
        length (int): How many; -1: all that follow. Default: -1.

    Returns:
        Variable: what is computed.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.contrib.partial_sum([x, y], start_index=1, length=3)
        >>> out.shape
        (-1, 3)
    """
    ...

def tdm_child(x: Variable, node_nums: int, child_nums: int, param_attr: Any = ..., dtype: int = ...) -> Sequence[Any]:
    """(children, leaf mask) of the nodes x of a tree: the shape of x, and child_nums.

    The parameter is [node_nums, 3 + child_nums]: for each node its item (0: none), layer, parent,
    and children. Node 0 is none; a node without children has zeros.

    Args:
        x (Variable): Nodes.
        node_nums (int): Nodes of the tree.
        child_nums (int): Children of a node.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        dtype (int): Of the outputs: int32 or int64. Default: 'int32'.

    Returns:
        tuple: as the first line says.

    Examples:
        >>> import paddle.fluid as fluid
        >>> node = fluid.data("node", [None, 1], "int32")
        >>> out = fluid.contrib.tdm_child(node, node_nums=6, child_nums=2)
        >>> [v.shape for v in out]
        [(-1, 1, 2), (-1, 1, 2)]
    """
    ...

def tdm_sampler(x: Variable, neg_samples_num_list: Sequence[Any], layer_node_num_list: Sequence[Any], leaf_node_num: int, tree_travel_attr: Optional[ParamAttr] = ..., tree_layer_attr: Optional[ParamAttr] = ..., output_positive: bool = ..., output_list: bool = ..., seed: int = ..., tree_dtype: str = ..., dtype: int = ...) -> Sequence[Any]:
    """(nodes, labels, mask): the nodes from the top layer to the items x, each followed by that many
    other nodes of its layer; as a list of [batch, 1 + number, 1] by layer, or all in one.

    tree_travel_attr: the parameter [leaf_node_num, layers], the nodes above each leaf;
    tree_layer_attr: the nodes of all layers, one after the other. A label is 1 for the item's own
    nodes; the mask is 0 where a branch has no node in a layer.

    Args:
        x (Variable): Items, as rows of Travel: [n, 1].
        neg_samples_num_list (list of int): Samples, by layer.
        layer_node_num_list (list of int): Nodes of each layer.
        leaf_node_num (int): Leaves of the tree.
        tree_travel_attr (ParamAttr, optional): The parameters that hold the tree: ways to leaves,
            and nodes of layers. Default: None.
        tree_layer_attr (ParamAttr, optional): The parameters that hold the tree: ways to leaves,
            and nodes of layers. Default: None.
        output_positive (bool): The node itself comes before its samples. Default: True.
        output_list (bool): Whether layers come back one by one. Default: True.
        seed (int): 0: the program's or the process's. Default: 0.
        tree_dtype (str): The type of the tree's parameters. Default: 'int32'.
        dtype (int): Of the outputs: int32 or int64. Default: 'int32'.

    Returns:
        tuple: as the first line says.

    Examples:
        >>> import paddle.fluid as fluid
        >>> node = fluid.data("node", [None, 1], "int32")
        >>> out = fluid.contrib.tdm_sampler(node, neg_samples_num_list=[0, 1, 2],
        ...                                 layer_node_num_list=[2, 4, 7], leaf_node_num=7)
    """
    ...

def rank_attention(input: Union[Variable, Sequence[Any]], rank_offset: Variable, rank_param_shape: Sequence[Any], rank_param_attr: ParamAttr, max_rank: int = ...) -> Variable:
    """Instances that are shown together: each gets the sum, over the places of rank_offset, of the
    instance there times the matrix for the two ranks. `paddle ops rank_attention` says what
    rank_offset holds; `input` gets no gradient.

    Args:
        input (Variable or list of Variable): What it is computed from.
        rank_offset (Variable): Int32, [n, 1 + 2 MaxRank].
        rank_param_shape (list of int): Of the parameter.
        rank_param_attr (ParamAttr): The parameter.
        max_rank (int): The most places. Default: 3.

    Returns:
        Variable: what is computed.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.contrib.rank_attention(fluid.data("a", [None, 2]),
        ...                                    fluid.data("offset", [None, 7], "int32"), [18, 3],
        ...                                    fluid.ParamAttr(name="p"), max_rank=3)
        >>> out.shape
        (-1, 3)
    """
    ...

def fused_embedding_seq_pool(input: Union[Variable, Sequence[Any]], size: Sequence[Any], is_sparse: bool = ..., padding_idx: Optional[int] = ..., combiner: str = ..., param_attr: Any = ..., dtype: str = ...) -> Variable:
    """The sum, for each sequence of ids, of their rows of a table of shape `size`: embedding and
    sequence_pool in one.

    Args:
        input (Variable or list of Variable): What it is computed from.
        size (list of int): Rows and columns of the table.
        is_sparse (bool): The gradient holds only rows read. Default: False.
        padding_idx (int): This id adds nothing; -1: all do. Default: None.
        combiner (str): How rows are joined: sum. Default: 'sum'.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        dtype (str): The type of the elements, such as "float32" or "int64". Default: 'float32'.

    Returns:
        Variable: what is computed.

    Examples:
        >>> import paddle.fluid as fluid
        >>> ids = fluid.data("ids", [None, 1], "int64", lod_level=1)
        >>> out = fluid.contrib.fused_embedding_seq_pool(ids, size=[1000, 16])
        >>> out.shape
        (-1, 16)
    """
    ...

def match_matrix_tensor(x: Variable, y: Variable, channel_num: int, act: Optional[str] = ..., param_attr: Any = ..., dtype: str = ..., name: Optional[str] = ...) -> Sequence[Any]:
    """(out, tmp): every word of the sequences x against every word of y, x W y^T in channel_num ways;
    out has an image [channel_num, words of x, words of y] a sequence.

    Args:
        x (Variable): Sequences, [total, width].
        y (Variable): As many sequences.
        channel_num (int): Channels.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            None.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        dtype (str): The type of the elements, such as "float32" or "int64". Default: 'float32'.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        tuple: as the first line says.

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 4], lod_level=1)
        >>> out = fluid.contrib.match_matrix_tensor(words, words, channel_num=2)
        >>> [v.shape for v in out]
        [(-1, 1), (-1, 1)]
    """
    ...

def sequence_topk_avg_pooling(input: Union[Variable, Sequence[Any]], row: Variable, col: Variable, topks: Sequence[Any], channel_num: int) -> Variable:
    """The averages of the topks[0], topks[1], ... largest of each row of images: `input` has an image
    [channel_num, rows, columns] a sequence, of as many rows and columns as the sequences of `row`
    and `col` have.

    Args:
        input (Variable or list of Variable): What it is computed from.
        row (Variable): As many rows as the images.
        col (Variable): Sequences whose lengths are the images' heights and widths.
        topks (list of int): How many are averaged, each.
        channel_num (int): Channels of an image.

    Returns:
        Variable: what is computed.

    Examples:
        >>> import paddle.fluid as fluid
        >>> rows = fluid.data("rows", [None, 3], lod_level=1)
        >>> columns = fluid.data("columns", [None, 3], lod_level=1)
        >>> image = fluid.data("image", [None, 1], lod_level=1)
        >>> out = fluid.contrib.sequence_topk_avg_pooling(image, rows, columns, topks=[1, 3],
        ...                                               channel_num=2)
        >>> out.shape
        (-1, 4)
    """
    ...

def var_conv_2d(input: Union[Variable, Sequence[Any]], row: Variable, col: Variable, input_channel: int, output_channel: int, filter_size: Union[int, Sequence[Any]], stride: Union[int, Sequence[Any]] = ..., param_attr: Any = ..., act: Optional[str] = ..., dtype: str = ..., name: Optional[str] = ...) -> Variable:
    """Convolution over images of many sizes: `input` has an image [input_channel, rows, columns] a
    sequence, of as many rows and columns as the sequences of `row` and `col` have.

    Args:
        input (Variable or list of Variable): What it is computed from.
        row (Variable): As many rows as the images.
        col (Variable): Sequences whose lengths are the images' heights and widths.
        input_channel (int): Channels.
        output_channel (int): Channels.
        filter_size (int or list of int): The size of a filter.
        stride (int or list of int): The step of a filter along each side. Default: 1.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            None.
        dtype (str): The type of the elements, such as "float32" or "int64". Default: 'float32'.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: what is computed.

    Examples:
        >>> import paddle.fluid as fluid
        >>> rows = fluid.data("rows", [None, 3], lod_level=1)
        >>> columns = fluid.data("columns", [None, 3], lod_level=1)
        >>> image = fluid.data("image", [None, 1], lod_level=1)
        >>> out = fluid.contrib.var_conv_2d(image, rows, columns, input_channel=1, output_channel=4,
        ...                                 filter_size=3)
        >>> out.shape
        (-1, 1)
    """
    ...

def tree_conv(nodes_vector: Variable, edge_set: Variable, output_size: int, num_filters: int = ..., max_depth: int = ..., act: Optional[str] = ..., param_attr: Any = ..., bias_attr: Any = ..., name: Optional[str] = ...) -> Variable:
    """Convolution over trees: nodes_vector [n, nodes, width], edge_set int32 [n, edges, 2] of (parent,
    child) from 1 on, ended by zeros. The output is [n, nodes, output_size, num_filters].

    Args:
        nodes_vector (Variable): [n, nodes, width].
        edge_set (Variable): Int32 pairs (parent, child), [n, edges, 2].
        output_size (int): The width of the result.
        num_filters (int): How many filters, and so channels of the result. Default: 1.
        max_depth (int): Levels of a window. Default: 2.
        act (str, optional): The activation of the result, such as "relu" or "softmax". Default:
            'tanh'.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        bias_attr (ParamAttr, str, Initializer or False, optional): The same of the bias; False:
            there is none. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: what is computed.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.contrib.tree_conv(fluid.data("nodes", [None, 5, 4]),
        ...                               fluid.data("edges", [None, 4, 2], "int32"), output_size=6)
        >>> out.shape
        (-1, 5, 6, 1)
    """
    ...

def fused_elemwise_activation(x: Variable, y: Variable, functor_list: Sequence[Any], axis: int = ..., scale: float = ..., save_intermediate_out: bool = ...) -> Variable:
    """An elementwise op and an activation in one: ["elementwise_add", "relu"] is x + relu(y), ["relu",
    "elementwise_add"] relu(x + y). scale: of the functor "scale".

    Args:
        x (Variable): Any shape.
        y (Variable): A shape that x's has.
        functor_list (list of str): The outer one, the inner one.
        axis (int): Where y stands in x; -1: at the end. Default: -1.
        scale (float): Of the functor scale. Default: 0.0.
        save_intermediate_out (bool): Declares it. Default: True.

    Returns:
        Variable: what is computed.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.contrib.fused_elemwise_activation(x, y, ["elementwise_add", "relu"])
        >>> out.shape
        (-1, 8)
    """
    ...

def search_pyramid_hash(input: Union[Variable, Sequence[Any]], num_emb: int, space_len: int, pyramid_layer: int, rand_len: int, drop_out_percent: float, is_training: bool, use_filter: bool, white_list_len: int, black_list_len: int, seed: Optional[int], lr: float, param_attr: Any = ..., param_attr_wl: Optional[ParamAttr] = ..., param_attr_bl: Optional[ParamAttr] = ..., name: Optional[str] = ..., distribute_update_vars: Optional[Sequence[Any]] = ..., dtype: str = ...) -> Variable:
    """Runs of two to pyramid_layer ids of the sequences `input` (int32) as vectors of num_emb, pieces
    of one table [space_len + rand_len, 1] that hashes of the run choose.

    The table is trained by the op's gradient with the rate lr, without an optimizer, and only where
    input.stop_gradient is False. param_attr_wl and param_attr_bl: Bloom filters of the runs that are
    taken, and that are not. `paddle ops pyramid_hash` tells the rest.

    Args:
        input (Variable or list of Variable): What it is computed from.
        num_emb (int): The width of a vector.
        space_len (int): Numbers in the table.
        pyramid_layer (int): The longest run of ids.
        rand_len (int): Numbers that one hash gives.
        drop_out_percent (float): The part of runs that is dropped in training.
        is_training (bool): Whether it trains.
        use_filter (bool): Whether the lists say which runs count.
        white_list_len (int): Sizes of the lists.
        black_list_len (int): Sizes of the lists.
        seed (int, optional): A whole number that goes on from batch to batch; None: by the program.
        lr (float): The rate at which the op trains its table.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        param_attr_wl (ParamAttr, optional): The lists. Default: None.
        param_attr_bl (ParamAttr, optional): The lists. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.
        distribute_update_vars (list of str, optional): Parameters that servers keep, which is
            refused. Default: None.
        dtype (str): The type of the elements, such as "float32" or "int64". Default: 'float32'.

    Returns:
        Variable: what is computed.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.contrib.search_pyramid_hash(fluid.data("terms", [None, 1], "int32", lod_level=1),
        ...                                         num_emb=16, space_len=100, pyramid_layer=3,
        ...                                         rand_len=8, drop_out_percent=0.2, is_training=True,
        ...                                         use_filter=False, white_list_len=10,
        ...                                         black_list_len=12, seed=1, lr=0.1)
        >>> out.shape
        (-1, 16)
    """
    ...

def sparse_embedding(input: Union[Variable, Sequence[Any]], size: Sequence[Any], padding_idx: Optional[int] = ..., is_test: bool = ..., entry: Any = ..., param_attr: Any = ..., dtype: str = ...) -> Variable:
    """Rows of a table on parameter servers that grows with the ids that come; input is [..., 1].
    entry: which ids get a row there, a paddle.distributed.CountFilterEntry or ProbabilityEntry;
    None: all. Without servers it is an embedding of `size`, and all have one.

    Args:
        input (Variable or list of Variable): What it is computed from.
        size (list of int): Rows and columns of the table.
        padding_idx (int, optional): The id whose row is 0 and is not learned. Default: None.
        is_test (bool): Whether the model is used, and not trained. Default: False.
        entry (CountFilterEntry or ProbabilityEntry, optional): When an id gets a row; None: at
            once. Default: None.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        dtype (str): The type of the elements, such as "float32" or "int64". Default: 'float32'.

    Returns:
        Variable: what is computed.

    Examples:
        >>> import paddle.fluid as fluid
        >>> ids = fluid.data("ids", [None, 1], "int64", lod_level=1)
        >>> out = fluid.contrib.sparse_embedding(ids, size=[1000, 16])
        >>> out.shape
        (-1, 16)
    """
    ...
