# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Program as Program)

def __getattr__(name: str) -> Any: ...

class DataFeeder:
    """Turns lists of samples into {name: LoDTensor}, in the order of feed_list.

    Args:
        feed_list (list of Variable): The variables that are fed, in the order of a sample's parts.
        place (CPUPlace or CUDAPlace, optional): Where programs run; None: the CPU.
        program (Program, optional): The program that is meant; None: the default main program.
            Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 2])
        >>> label = fluid.data("label", [None, 1], "int64")
        >>> feeder = fluid.DataFeeder(feed_list=[x, label], place=fluid.CPUPlace())
        >>> feed = feeder.feed([([0.5, 0.1], [1]), ([0.2, 0.9], [0])])
        >>> sorted(feed)
        ['label', 'x']
    """
    def __init__(self, feed_list: Sequence[Any], place: Any, program: Optional[Program] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def feed(self, iterable: Any) -> Any:
        """A batch of samples as {name: LoDTensor}.

        Args:
            iterable (iterable): Samples, each a tuple with a part for every variable of feed_list.
        """
        ...

    def feed_parallel(self, iterable: Any, num_places: Optional[int] = ...) -> Any:
        """One feed for each place.

        Args:
            iterable (iterable): Samples, each a tuple with a part for every variable of feed_list.
            num_places (int, optional): Into how many parts; None: as many as there are places. Default:
                None.
        """
        ...

    def decorate_reader(self, reader: Callable[..., Any], multi_devices: bool, num_places: Optional[int] = ..., drop_last: bool = ...) -> Any:
        """A reader of what feed() makes of each batch.

        Args:
            reader (callable): A function whose call gives an iterator over samples.
            multi_devices (bool): Whether each batch is divided among places.
            num_places (int, optional): Into how many parts; None: as many as there are places. Default:
                None.
            drop_last (bool): Whether a last batch that is too small is left out. Default: True.
        """
        ...
