# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.incubate.data_generator import (MultiSlotDataGenerator as MultiSlotDataGenerator)

def __getattr__(name: str) -> Any: ...

class ReaderBase(MultiSlotDataGenerator):
    """A reader overrides init() and generate_sample(line), which returns a function whose values are
    lists of (slot, [values]).

    Args:
        config (str or dict): The configuration.

    Examples:
        >>> from paddlerec.core import reader
        >>> class Reader(reader.ReaderBase):
        ...     def init(self):
        ...         self.words = 1000
        ...     def generate_sample(self, line):
        ...         def samples():
        ...             yield [("words", [int(word) % self.words for word in line.split()])]
        ...         return samples
        ...
    """
    def __init__(self, config: Union[str, Dict[Any, Any]]) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def init(self) -> Any:
        """Read what the reader needs of the configuration."""
        ...

    def generate_sample(self, line: str) -> Any:
        """A function that gives the examples of this line.

        Args:
            line (str): A line of the data.
        """
        ...

class SlotReader(MultiSlotDataGenerator):
    """Lines of slot:value words in Python, for readers that are derived from it. (Datasets with
    sparse_slots or dense_slots are read in C.).

    Args:
        config (str or dict): The configuration.

    Examples:
        >>> from paddlerec.core import reader
        >>> class Reader(reader.ReaderBase):
        ...     def init(self):
        ...         self.words = 1000
        ...     def generate_sample(self, line):
        ...         def samples():
        ...             yield [("words", [int(word) % self.words for word in line.split()])]
        ...         return samples
        ...
    """
    def __init__(self, config: Union[str, Dict[Any, Any]]) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def init(self, sparse_slots: str, dense_slots: str, padding: int = ...) -> Any:
        """Say which slots there are.

        Args:
            sparse_slots (str): The slots of a line.
            dense_slots (str): The slots of a line.
            padding (int): The id of a slot that is empty. Default: 0.
        """
        ...

    def generate_sample(self, l: str) -> Any:
        """A function that gives the samples of a line.

        Args:
            l (str): A line of the data.
        """
        ...
