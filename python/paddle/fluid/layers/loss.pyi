# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Variable as Variable)
from paddle.fluid.param_attr import (ParamAttr as ParamAttr)

def __getattr__(name: str) -> Any: ...

def cross_entropy(input: Variable, label: Variable, soft_label: bool = ..., ignore_index: Union[int, Variable] = ...) -> Variable:
    """The loss of probabilities; see softmax_with_cross_entropy() for that of logits.

    Args:
        input (Variable): What it is computed from. Of float16, float32 or float64.
        label (Variable): Classes, [..., 1]; soft: like input.
        soft_label (bool): Label is a distribution. Default: False.
        ignore_index (int): This label has no loss and no gradient. Default: -100.

    Returns:
        Variable: [..., 1].

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> label = fluid.data("label", [None, 1], "int64")
        >>> out = fluid.layers.cross_entropy(fluid.layers.softmax(x), label)
        >>> out.shape
        (-1, 1)
    """
    ...

def softmax_with_cross_entropy(logits: Variable, label: Variable, soft_label: bool = ..., ignore_index: Union[int, Variable] = ..., numeric_stable_mode: bool = ..., return_softmax: bool = ..., axis: Union[int, Variable] = ...) -> Variable:
    """The loss, or (loss, softmax).

    Args:
        logits (Variable): Any numbers, the classes along axis.
        label (Variable): Classes, 1 along axis; soft: like Logits.
        soft_label (bool): Label is a distribution. Default: False.
        ignore_index (int): This label has no loss. Default: -100.
        numeric_stable_mode (bool): Always so here. Default: True.
        return_softmax (bool): Whether the softmax comes back too. Default: False.
        axis (int): The dimension of the classes. Default: -1.

    Returns:
        Variable: the cost of each row; with return_softmax also the softmax.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> label = fluid.data("label", [None, 1], "int64")
        >>> out = fluid.layers.softmax_with_cross_entropy(x, label)
        >>> out.shape
        (-1, 1)
    """
    ...

def sigmoid_cross_entropy_with_logits(x: Variable, label: Variable, ignore_index: Union[int, Variable] = ..., name: Optional[str] = ..., normalize: bool = ...) -> Variable:
    """The cross entropy of the sigmoid of numbers, element by element.

    Args:
        x (Variable): Any numbers. Of float16, float32 or float64.
        label (Variable): Chances in [0, 1], like x.
        ignore_index (int): This label has no loss. Default: -100.
        name (str, optional): The beginning of the names of what is made. Default: None.
        normalize (bool): Divide by the elements counted. Default: False.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.sigmoid_cross_entropy_with_logits(x, y)
        >>> out.shape
        (-1, 8)
    """
    ...

def sampled_softmax_with_cross_entropy(logits: Variable, label: Variable, num_samples: Union[int, Variable], num_true: Union[int, Variable] = ..., remove_accidental_hits: bool = ..., use_customized_samples: bool = ..., customized_samples: Optional[Variable] = ..., customized_probabilities: Optional[Variable] = ..., seed: Union[int, Variable] = ...) -> Variable:
    """The softmax loss over the true class and `num_samples` drawn ones.

    Args:
        logits (Variable): [batch, classes].
        label (Variable): Classes, 1 along axis; soft: like Logits.
        num_samples (int): How many are drawn.
        num_true (int): True classes of an example. Default: 1.
        remove_accidental_hits (bool): A drawn class that is true does not count. Default: True.
        use_customized_samples (bool): Samples are given. Default: False.
        customized_samples (Variable): True and drawn classes, int64. Default: None.
        customized_probabilities (Variable): Their chances. Default: None.
        seed (int): 0: the program's or the process's. Default: 0.

    Returns:
        Variable: the shape of X.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> label = fluid.data("label", [None, 1], "int64")
        >>> out = fluid.layers.sampled_softmax_with_cross_entropy(x, label, num_samples=4)
        >>> out.shape
        (-1, 1)
    """
    ...

def nce(input: Variable, label: Variable, num_total_classes: Union[int, Variable], sample_weight: Optional[Variable] = ..., param_attr: Any = ..., bias_attr: Any = ..., num_neg_samples: Optional[Union[int, Variable]] = ..., name: Optional[str] = ..., sampler: Union[int, Variable] = ..., custom_dist: Optional[Sequence[Any]] = ..., seed: Union[int, Variable] = ..., is_sparse: bool = ...) -> Variable:
    """The loss of many classes from the true one and a few drawn ones.

    Args:
        input (Variable): Examples, [batch, width]. Of float32 or float64.
        label (Variable): The true classes, [batch, n]. Of int64.
        num_total_classes (int): How many classes.
        sample_weight (Variable): Of the examples. Default: None.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        bias_attr (ParamAttr, str, Initializer or False, optional): The same of the bias; False:
            there is none. Default: None.
        num_neg_samples (int): How many are drawn. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.
        sampler (int): 0 uniform, 1 log_uniform, 2 custom. Default: 'uniform'.
        custom_dist (list of float, optional): The probability of each class to be drawn. Default:
            None.
        seed (int): 0: the program's or the process's. Default: 0.
        is_sparse (bool): The gradient holds only rows read. Default: False.

    Returns:
        Variable: [batch, 1].

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> label = fluid.data("label", [None, 1], "int64")
        >>> out = fluid.layers.nce(x, label, num_total_classes=20, num_neg_samples=5)
        >>> out.shape
        (-1, 1)
    """
    ...

def hsigmoid(input: Variable, label: Variable, num_classes: Union[int, Variable], param_attr: Any = ..., bias_attr: Any = ..., name: Optional[str] = ..., path_table: Optional[Variable] = ..., path_code: Optional[Variable] = ..., is_custom: bool = ..., is_sparse: bool = ...) -> Variable:
    """The loss of many classes as a walk down a binary tree: a complete one, or with is_custom the one
    that path_table and path_code describe.

    Args:
        input (Variable): What it is computed from. Of float32 or float64.
        label (Variable): The true class, [batch, 1]. Of int64.
        num_classes (int): How many classes.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights. Default: None.
        bias_attr (ParamAttr, str, Initializer or False, optional): The same of the bias; False:
            there is none. Default: None.
        name (str, optional): The beginning of the names of what is made. Default: None.
        path_table (Variable): Nodes from the root, [batch, levels]. Default: None.
        path_code (Variable): The bit at each. Default: None.
        is_custom (bool): Whether path_table and path_code say the tree. Default: False.
        is_sparse (bool): The gradient holds only rows read. Default: False.

    Returns:
        Variable: [batch, 1].

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> label = fluid.data("label", [None, 1], "int64")
        >>> out = fluid.layers.hsigmoid(x, label, num_classes=6)
        >>> out.shape
        (-1, 1)
    """
    ...

def log_loss(input: Variable, label: Variable, epsilon: Union[float, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """The logistic loss of probabilities.

    Args:
        input (Variable): What it is computed from. Of float32 or float64.
        label (Variable): What is true. Of float32 or float64.
        epsilon (float): Added before the logarithm. Default: 0.0001.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of Predicted.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> target = fluid.data("target", [None, 1])
        >>> out = fluid.layers.log_loss(fluid.layers.fc(x, 1, act="sigmoid"), target)
        >>> out.shape
        (-1, 1)
    """
    ...

def mse_loss(input: Variable, label: Variable) -> Variable:
    """The mean of (input - label)^2.

    Args:
        input (Variable): What it is computed from. Of float32 or float64.
        label (Variable): What is true. Of float32 or float64.

    Returns:
        Variable: input without the reduced dimensions.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.mse_loss(x, y)
        >>> out.shape
        (1,)
    """
    ...

def huber_loss(input: Variable, label: Variable, delta: Union[float, Variable]) -> Variable:
    """A square near zero, a line beyond delta.

    Args:
        input (Variable): What it is computed from. Of float32 or float64.
        label (Variable): What is true. Of float32 or float64.
        delta (float): Where the line begins.

    Returns:
        Variable: label - input.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> target = fluid.data("target", [None, 1])
        >>> out = fluid.layers.huber_loss(fluid.layers.fc(x, 1), target, delta=1.0)
        >>> out.shape
        (-1, 1)
    """
    ...

def smooth_l1(x: Variable, y: Variable, inside_weight: Optional[Variable] = ..., outside_weight: Optional[Variable] = ..., sigma: Optional[Union[float, Variable]] = ...) -> Variable:
    """The distance of two rows: squares near zero, lines beyond.

    Args:
        x (Variable): [batch, ...]. Of float32 or float64.
        y (Variable): Like x. Of float32 or float64.
        inside_weight (Variable): Of the difference. Default: None.
        outside_weight (Variable): Of the loss. Default: None.
        sigma (float): 1 / sigma^2 is where the lines begin. Default: None.

    Returns:
        Variable: InsideWeight (x - y).

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.smooth_l1(x, y)
        >>> out.shape
        (-1, 1)
    """
    ...

def kldiv_loss(x: Variable, target: Variable, reduction: str = ..., name: Optional[str] = ...) -> Variable:
    """The divergence of a distribution, given as logarithms, from another.

    Args:
        x (Variable): Logarithms of probabilities. Of float32 or float64.
        target (Variable): Probabilities, like x. Of float32 or float64.
        reduction (str): None, mean, sum or batchmean. Default: 'mean'.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: [1]; the shape of x with none.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> out = fluid.layers.kldiv_loss(x, y)
        >>> out.shape
        (1,)
    """
    ...

def rank_loss(label: Variable, left: Variable, right: Variable, name: Optional[str] = ...) -> Variable:
    """The loss of two scores, given the chance that the first is the better.

    Args:
        label (Variable): The chance that Left is better, [batch, 1] or [batch]. Of float32.
        left (Variable): A score, as many. Of float32.
        right (Variable): Another, as many. Of float32.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: the shape of Label.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> target = fluid.data("target", [None, 1])
        >>> out = fluid.layers.rank_loss(target, fluid.layers.fc(x, 1), fluid.layers.fc(y, 1))
        >>> out.shape
        (-1, 1)
    """
    ...

def margin_rank_loss(label: Variable, left: Variable, right: Variable, margin: Union[float, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """The loss of two scores of which one should be larger by a margin.

    Args:
        label (Variable): 1: X1 should be larger; -1: X2. Of float32.
        left (Variable): The scores of one side.
        right (Variable): Those of the other.
        margin (float): By how much it should be larger. Default: 0.1.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: 1 where there is a loss.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> y = fluid.data("y", [None, 8])
        >>> target = fluid.data("target", [None, 1])
        >>> out = fluid.layers.margin_rank_loss(target, fluid.layers.fc(x, 1), fluid.layers.fc(y, 1))
        >>> out.shape
        (-1, 1)
    """
    ...

def bpr_loss(input: Variable, label: Variable, name: Optional[str] = ...) -> Variable:
    """The true class should score above every other.

    Args:
        input (Variable): What it is computed from. Of float16, float32 or float64.
        label (Variable): The true class, [..., 1].
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: [..., 1].

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> label = fluid.data("label", [None, 1], "int64")
        >>> out = fluid.layers.bpr_loss(x, label)
        >>> out.shape
        (-1, 1)
    """
    ...

def teacher_student_sigmoid_loss(input: Variable, label: Variable, soft_max_up_bound: Union[float, Variable] = ..., soft_max_lower_bound: Union[float, Variable] = ...) -> Variable:
    """Learn from clicks and from a teacher's scores.

    Args:
        input (Variable): What it is computed from. Of float32 or float64.
        label (Variable): Labels. Of float32 or float64.
        soft_max_up_bound (float): No gradient from here up. Default: 15.0.
        soft_max_lower_bound (float): No gradient from here down. Default: -15.0.

    Returns:
        Variable: the shape of input.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> target = fluid.data("target", [None, 1])
        >>> out = fluid.layers.teacher_student_sigmoid_loss(fluid.layers.fc(x, 1), target)
        >>> out.shape
        (-1, 1)
    """
    ...

def center_loss(input: Variable, label: Variable, num_classes: Union[int, Variable], alpha: Union[float, Variable], param_attr: Any, update_center: bool = ...) -> Variable:
    """Examples are drawn to the centre of their class, and the centres to them.

    Args:
        input (Variable): What it is computed from. Of float16, float32 or float64.
        label (Variable): The class of each.
        num_classes (int): How many classes there are.
        alpha (float): How fast the centres move.
        param_attr (ParamAttr, str, Initializer or False, optional): The name, start values and
            learning rate of the weights.
        update_center (bool): Whether they move. Default: True.

    Returns:
        Variable: the centres after this batch.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> label = fluid.data("label", [None, 1], "int64")
        >>> out = fluid.layers.center_loss(x, label, num_classes=10, alpha=0.1,
        ...                                param_attr=fluid.ParamAttr(name="centers"))
        >>> out.shape
        (-1, 1)
    """
    ...

def dice_loss(input: Variable, label: Variable, epsilon: Union[float, Variable] = ..., name: Optional[str] = ...) -> Variable:
    """1 less twice the overlap over the sum, of what was predicted and of the labels.

    Args:
        input (Variable): What it is computed from. Of int32, int64, float32 or float64.
        label (Variable): What is true. Of int32 or int64.
        epsilon (float): A small number that keeps divisors above 0. Default: 1e-05.
        name (str, optional): The beginning of the names of what is made. Default: None.

    Returns:
        Variable: input without the reduced dimensions.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> label = fluid.data("label", [None, 1], "int64")
        >>> out = fluid.layers.dice_loss(fluid.layers.softmax(x), label)
        >>> out.shape
        (1,)
    """
    ...

def npair_loss(anchor: Variable, positive: Variable, labels: Variable, l2_reg: Union[float, Variable] = ...) -> Variable:
    """Each anchor should be most like its own positive.

    Args:
        anchor (Variable): Of float32 or float64.
        positive (Variable): Of float32 or float64.
        labels (Variable): What is true. Of int64, float32 or float64.
        l2_reg (float): How much the length of the vectors counts. Default: 0.002.

    Returns:
        Variable: the shape of X.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [4, 8])
        >>> out = fluid.layers.npair_loss(x, x, fluid.data("labels", [4]))
        >>> out.shape
        (1,)
    """
    ...

def sigmoid_focal_loss(x: Variable, label: Variable, fg_num: Variable, gamma: Union[float, Variable] = ..., alpha: Union[float, Variable] = ...) -> Variable:
    """The sigmoid loss of many classes, with less weight on what is right already.

    Args:
        x (Variable): Any numbers, [batch, classes]. Of float32 or float64.
        label (Variable): 0: background; -1: not counted; [batch, 1]. Of int32.
        fg_num (Variable): Examples that are no background, [1]. Of int32.
        gamma (float): How fast the weight of what is right falls. Default: 2.0.
        alpha (float): The weight of the right class. Default: 0.25.

    Returns:
        Variable: the shape of x.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 8])
        >>> label = fluid.data("label", [None, 1], "int32")
        >>> count = fluid.data("count", [1], "int32")
        >>> out = fluid.layers.sigmoid_focal_loss(x, label, count)
        >>> out.shape
        (-1, 8)
    """
    ...

def edit_distance(input: Variable, label: Variable, normalized: bool = ..., ignored_tokens: Optional[Sequence[Any]] = ..., input_length: Optional[Variable] = ..., label_length: Optional[Variable] = ...) -> Sequence[Any]:
    """(distances [sequences, 1], how many sequences).

    Args:
        input (Variable): What it is computed from. Of int64.
        label (Variable): What is true. Of int64.
        normalized (bool): Over the length of Refs. Default: True.
        ignored_tokens (list of int, optional): Ids that are left out first. Default: None.
        input_length (Variable, optional): Lengths of the inputs, if they are padded. Default: None.
        label_length (Variable, optional): Lengths of the labels, if they are padded. Default: None.

    Returns:
        tuple of Variable: the distances, and the number of sequences.

    Examples:
        >>> import paddle.fluid as fluid
        >>> marks = fluid.data("marks", [None, 1], "int64", lod_level=1)
        >>> out = fluid.layers.edit_distance(marks,
        ...                                  fluid.data("label", [None, 1], "int64", lod_level=1))
        >>> [v.shape for v in out]
        [(-1, 1), (1,)]
    """
    ...

def warpctc(input: Variable, label: Variable, blank: Union[int, Variable] = ..., norm_by_times: bool = ..., input_length: Optional[Variable] = ..., label_length: Optional[Variable] = ...) -> Variable:
    """The loss of a sequence of labels, whichever steps of the input say them.

    Args:
        input (Variable): What it is computed from. Of float32.
        label (Variable): [total, 1] sequences, or [batch, longest]. Of int32.
        blank (int): The class that says nothing. Default: 0.
        norm_by_times (bool): The gradient is over the number of steps. Default: False.
        input_length (Variable, optional): Lengths of the inputs, if they are padded. Of int64.
            Default: None.
        label_length (Variable): Labels of each, [batch]. Of int64. Default: None.

    Returns:
        Variable: the gradient of each Loss by its Logits.

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 8], lod_level=1)
        >>> out = fluid.layers.warpctc(words, fluid.data("label", [None, 1], "int32", lod_level=1))
        >>> out.shape
        (-1, 1)
    """
    ...
