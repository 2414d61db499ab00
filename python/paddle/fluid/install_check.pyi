# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

def run_check() -> None:
    """Train a tiny model for one step and compare with numbers worked out by hand.

    Returns:
        None: nothing.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.install_check.run_check()
        Running Verify Fluid Program ... 
        Your Paddle Fluid works well on SINGLE GPU or CPU.
        Your Paddle Fluid is installed successfully! (Regatta 0.1.0, on the CPU)
    """
    ...
