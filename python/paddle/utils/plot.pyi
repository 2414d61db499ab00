# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

class Ploter:
    """Ploter("train cost", "test cost"): a curve for each title. With DISABLE_PLOT=True in the
    environment points are taken and nothing is drawn.

    Args:
        *args (LayerOutput): More of them.

    Examples:
        >>> import os
        >>> import paddle.v2 as paddle
        >>> os.environ["DISABLE_PLOT"] = "True"
        >>> ploter = paddle.plot.Ploter("train cost", "test cost")
        >>> ploter.append("train cost", 0, 2.5)
        >>> ploter.plot()
    """
    def __init__(self, *args: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def append(self, title: str, step: Callable[..., Any], value: float) -> Any:
        """One point more.

        Args:
            title (str): The curve.
            step (callable): Makes one step of one layer for each input.
            value (float): A factor.
        """
        ...

    def plot(self, path: Optional[str] = ...) -> Any:
        """Draw into a file; without a path on the screen, or in the notebook.

        Args:
            path (str, optional): Where the picture goes; None: it is shown. Default: None.
        """
        ...

    def reset(self) -> Any:
        """Forget all points."""
        ...
