# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.framework import (Program as Program)

def __getattr__(name: str) -> Any: ...

def draw_block_graphviz(block: Any, highlights: Optional[Sequence[Any]] = ..., path: str = ...) -> None:
    """Write the graph of a block for Graphviz (dot -Tpdf FILE). highlights: patterns of names of
    variables and ops that are drawn in orange.

    Args:
        block (Block): A block of a program.
        highlights (list of str, optional): Patterns of names that are coloured. Default: None.
        path (str): The file that is written. Default: './temp.dot'.

    Returns:
        None: nothing.

    Examples:
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.fc(fluid.data("x", [None, 8]), 1)
        >>> fluid.debugger.draw_block_graphviz(fluid.default_main_program().global_block(),
        ...                                    path="net.dot")
    """
    ...

def pprint_program_codes(program_desc: Program) -> None:
    """Print a program's blocks, with all their ops.

    Args:
        program_desc (Program): A program.

    Returns:
        None: nothing.

    Examples:
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.mean(fluid.data("x", [None, 8]))
        >>> fluid.debugger.pprint_program_codes(fluid.default_main_program())
        block 0 {
            x: LOD_TENSOR fp32 [-1, 8]
            mean_0.tmp_0: LOD_TENSOR fp32 [1]
        <BLANKLINE>
            {Out=[mean_0.tmp_0]} = mean(X=[x])
        }
    """
    ...

def pprint_block_codes(block_desc: Any, show_backward: bool = ...) -> None:
    """Print a block: its variables, and its ops without gradients and updates, or with them.

    Args:
        block_desc (Block): A block of a program.
        show_backward (bool): Whether gradients and updates are shown. Default: False.

    Returns:
        None: nothing.

    Examples:
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.mean(fluid.data("x", [None, 8]))
        >>> fluid.debugger.pprint_block_codes(fluid.default_main_program().global_block())
        block 0 {
            x: LOD_TENSOR fp32 [-1, 8]
            mean_0.tmp_0: LOD_TENSOR fp32 [1]
        <BLANKLINE>
            {Out=[mean_0.tmp_0]} = mean(X=[x])
        }
    """
    ...
