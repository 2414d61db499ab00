# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

class MultiSlotDataGenerator(DataGenerator):
    r"""Samples are [(name, [int or float, ...]), ...]; the first fixes the names.

    Examples:
        >>> import paddle.fluid.incubate.data_generator as dg
        >>> class Words(dg.MultiSlotDataGenerator):
        ...     def generate_sample(self, line):
        ...         def samples():
        ...             ids = [int(word) for word in line.split()]
        ...             yield [("words", ids[:-1]), ("label", ids[-1:])]
        ...         return samples
        ...
        >>> with open("raw", "w") as f:
        ...     _ = f.write("7 8 1\n9 0\n")
        ...
        >>> import io, sys
        >>> sys.stdin = open("raw")
        >>> Words().run_from_stdin()
        2 7 8 1 1
        1 9 1 0
    """
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class MultiSlotStringDataGenerator(DataGenerator):
    """Samples are [(name, [str, ...]), ...], written as they are: nothing is checked.

    Examples:
        >>> import paddle.fluid.incubate.data_generator as dg
        >>> class Words(dg.MultiSlotStringDataGenerator):
        ...     def generate_sample(self, line):
        ...         def samples():
        ...             yield [("words", line.split())]
        ...         return samples
        ...
        >>> generator = Words()
    """
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class DataGenerator:
    """Reads lines, asks generate_sample() for samples, and writes them as text."""
    batch_size_: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def set_batch(self, batch_size: int) -> Any:
        """Samples that generate_batch() is given together.

        Args:
            batch_size (int): Samples in a batch.
        """
        ...

    def run_from_memory(self) -> Any:
        """Write what generate_sample(None) gives."""
        ...

    def run_from_stdin(self) -> Any:
        """Write what generate_sample(line) gives for each line of the standard input."""
        ...

    def generate_sample(self, line: str) -> Any:
        """Override it: a function that gives the samples of a line.

        Args:
            line (str): A line of the data.
        """
        ...

    def generate_batch(self, samples: Sequence[Any]) -> Any:
        """Overridden to change samples together, such as to pad them to one length.

        Args:
            samples (list): Samples of a batch.
        """
        ...
