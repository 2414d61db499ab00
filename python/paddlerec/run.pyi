# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

def main(argv: Optional[Sequence[Any]] = ...) -> int:
    """The command `python -m paddlerec.run`: trains or uses the model of a config.yaml.

    Args:
        argv (list of str, optional): The arguments; None: those of the command. Default: None.

    Returns:
        int: the exit status.

    Examples:
        # it is the command `python -m paddlerec.run`
        >>> from paddlerec import run  # doctest: +SKIP
        >>> run.main(["-m", "config.yaml"])  # doctest: +SKIP
    """
    ...
