# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

class DataFeedDesc:
    r"""Reads the description from a file; batch size, dense and used slots can be changed.

    Args:
        proto_file (str): A file with the description, as text.

    Examples:
        >>> import paddle.fluid as fluid
        >>> with open("feed.prototxt", "w") as f:
        ...     _ = f.write('name: "MultiSlotDataFeed"\nbatch_size: 2\nmulti_slot_desc {\n  slots { name: "words" type: "uint64" }\n}\n')
        ...
        >>> desc = fluid.DataFeedDesc("feed.prototxt")
        >>> desc.set_batch_size(128)
        >>> desc.set_use_slots(["words"])
    """
    def __init__(self, proto_file: str) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def set_batch_size(self, batch_size: int) -> Any:
        """Set the number of samples in a batch.

        Args:
            batch_size (int): Samples in a batch.
        """
        ...

    def set_dense_slots(self, dense_slots_name: Sequence[Any]) -> Any:
        """Say which slots are dense.

        Args:
            dense_slots_name (list of str): The slots that are dense.
        """
        ...

    def set_use_slots(self, use_slots_name: Sequence[Any]) -> Any:
        """Say which slots are read.

        Args:
            use_slots_name (list of str): The slots that are read.
        """
        ...

    def desc(self) -> Any:
        """The description as text."""
        ...
