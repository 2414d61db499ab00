# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.executor import (Executor as Executor)
from paddle.fluid.framework import (Program as Program, Variable as Variable)

def __getattr__(name: str) -> Any: ...

class Accuracy(Evaluator):
    """Accuracy of the k best, over all batches since reset(); of Fluid 0.11 and 0.12.

    Args:
        input (Variable): What it is computed from.
        label (Variable): What is true.
        k (int): How many are looked at. Default: 1.
        **kwargs (dict): Handed to layers.edit_distance.

    Examples:
        >>> import paddle.fluid as fluid
        >>> predict = fluid.layers.fc(fluid.data("x", [None, 8]), 3, act="softmax")
        >>> evaluator = fluid.evaluator.Accuracy(predict, fluid.data("label", [None, 1], "int64"))
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
        >>> evaluator.reset(exe)
    """
    def __init__(self, input: Variable, label: Variable, k: int = ..., **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def eval(self, executor: Executor, eval_program: Optional[Program] = ...) -> Any:
        """The value over all batches since reset().

        Args:
            executor (Executor): Runs what has to be run.
            eval_program (Program, optional): Where the result is computed. Default: None.
        """
        ...

class ChunkEvaluator(Evaluator):
    """(precision, recall, F1) of chunks, over all batches since reset().

    Args:
        input (Variable): What it is computed from.
        label (Variable): What is true.
        chunk_scheme (str): How tags mark chunks: "IOB", "IOE", "IOBES" or "plain".
        num_chunk_types (int): How many kinds of chunks there are.
        excluded_chunk_types (list of int, optional): Kinds that are not counted. Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> tags = fluid.data("tags", [None, 1], "int64", lod_level=1)
        >>> label = fluid.data("label", [None, 1], "int64", lod_level=1)
        >>> evaluator = fluid.evaluator.ChunkEvaluator(tags, label, chunk_scheme="IOB",
        ...                                            num_chunk_types=3)
        >>> exe = fluid.Executor()
        >>> exe.run(fluid.default_startup_program())
        []
        >>> evaluator.reset(exe)
    """
    def __init__(self, input: Variable, label: Variable, chunk_scheme: str, num_chunk_types: int, excluded_chunk_types: Optional[Sequence[Any]] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def eval(self, executor: Executor, eval_program: Optional[Program] = ...) -> Any:
        """The value over all batches since reset().

        Args:
            executor (Executor): Runs what has to be run.
            eval_program (Program, optional): Where the result is computed. Default: None.
        """
        ...

class EditDistance(Evaluator):
    """(mean distance, share of sequences that are not right), over all batches since reset().

    Args:
        input (Variable): What it is computed from.
        label (Variable): What is true.
        ignored_tokens (list of int, optional): Ids that are left out first. Default: None.
        **kwargs (dict): Handed to layers.edit_distance.

    Examples:
        >>> import paddle.fluid as fluid
        >>> words = fluid.data("words", [None, 1], "int64", lod_level=1)
        >>> label = fluid.data("label", [None, 1], "int64", lod_level=1)
        >>> evaluator = fluid.evaluator.EditDistance(words, label)
    """
    def __init__(self, input: Variable, label: Variable, ignored_tokens: Optional[Sequence[Any]] = ..., **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def eval(self, executor: Executor, eval_program: Optional[Program] = ...) -> Any:
        """The value over all batches since reset().

        Args:
            executor (Executor): Runs what has to be run.
            eval_program (Program, optional): Where the result is computed. Default: None.
        """
        ...

class DetectionMAP:
    """Detection is not among what Regatta trains: its ops are not there."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class Evaluator:
    """Its states are persistable variables, which each run of the program adds to: reset() sets them
    to zero, and eval() is made of them.

    Args:
        name (str, optional): The beginning of the names of what is made.
        **kwargs (dict): Handed to layers.edit_distance.
    """
    def __init__(self, name: Optional[str], **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def reset(self, executor: Executor, reset_program: Optional[Program] = ...) -> Any:
        """Set the counts to 0.

        Args:
            executor (Executor): Runs what has to be run.
            reset_program (Program, optional): Where the counts are set to 0. Default: None.
        """
        ...

    def eval(self, executor: Executor, eval_program: Optional[Program] = ...) -> Any:
        """The value over all batches since reset().

        Args:
            executor (Executor): Runs what has to be run.
            eval_program (Program, optional): Where the result is computed. Default: None.
        """
        ...
