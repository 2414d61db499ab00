"""Which ops compute with 16 bits: always (white), never (black), as what they read was computed
(gray). Ops of no list are black."""
import copy

__all__ = ["AutoMixedPrecisionLists"]

white_list = {"conv2d", "matmul", "mul"}

black_list = {
    "cos_sim", "cross_entropy", "cross_entropy2", "exp", "log", "mean",
    "sigmoid_cross_entropy_with_logits", "softmax", "softmax_with_cross_entropy", "square", "sum",
}

gray_list = {
    "batch_norm", "cast", "dropout", "elementwise_add", "elementwise_div", "elementwise_floordiv",
    "elementwise_max", "elementwise_min", "elementwise_mod", "elementwise_mul", "elementwise_pow",
    "elementwise_sub", "fill_constant", "flatten2", "gather", "gaussian_random",
    "gaussian_random_batch_size_like", "get_tensor_from_selected_rows", "leaky_relu",
    "lookup_table", "pool2d", "pool3d", "rank", "relu", "relu6", "reshape2", "scale", "sigmoid",
    "sign", "slice", "soft_relu", "stack", "tanh", "top_k", "transpose2",
    "uniform_random_batch_size_like", "unstack",
}


class AutoMixedPrecisionLists:
    """The lists above with some ops moved; ops that touch a variable of custom_black_varnames are
    black."""

    def __init__(self, custom_white_list=None, custom_black_list=None, custom_black_varnames=None):
        self._custom_white_list = custom_white_list
        self._custom_black_list = custom_black_list
        self.white_list = copy.copy(white_list)
        self.black_list = copy.copy(black_list)
        self.gray_list = copy.copy(gray_list)
        self.black_varnames = copy.copy(custom_black_varnames)
        if set(custom_white_list or ()) & set(custom_black_list or ()):
            raise ValueError("Custom white list overlap custom black list")
        self._move(custom_white_list, self.white_list, self.black_list)
        self._move(custom_black_list, self.black_list, self.white_list)

    def _move(self, names, to, other):
        for name in names or ():
            other.discard(name)
            self.gray_list.discard(name)
            to.add(name)
