"""The counters behind fluid.layers.auc: they go on from run to run and are saved with a model, so
whoever wants the AUC of some examples alone sets them to zero first."""
import numpy as np
import paddle.fluid as fluid


def _tensors(program, sliding):
    """The positives' and the negatives' counters of the program's auc ops."""
    find = fluid.global_scope().find_var
    return [find(op.input(slot)[0]).get_tensor()
            for op in program.global_block().ops
            if op.type == "auc" and (sliding or op.attr("slide_steps") == 0)
            for slot in ("StatPos", "StatNeg")]


def reset(program):
    for tensor in _tensors(program, sliding=True):
        tensor.set(np.zeros(tensor.shape(), "int64"), fluid.CPUPlace())


def read(program):
    """(AUC, examples) since the reset: trapezoids from the highest prediction down."""
    positive, negative = [np.array(t).ravel()[::-1] for t in _tensors(program, sliding=False)]
    above, below = np.cumsum(positive), np.cumsum(negative)
    area = float(np.sum((2 * above - positive) * negative)) / 2
    pairs = float(above[-1]) * float(below[-1])
    return area / pairs if pairs else 0.0, int(above[-1] + below[-1])
