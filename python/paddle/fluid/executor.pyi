# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid import (Scope as Scope)
from paddle.fluid.framework import (Program as Program)

def __getattr__(name: str) -> Any: ...

class Executor:
    """Runs a program on a place. Plans are made at the first run and kept. job: a trainer's place in a
    job with servers, a _core.Job(), where the process's own is not meant.

    Args:
        place (CPUPlace or CUDAPlace, optional): Where programs run; None: the CPU. Default: None.
        job (object, optional): The job of a trainer that lives in this process with others.
            Default: None.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> x = fluid.data("x", [None, 2])
        >>> total = fluid.layers.reduce_sum(x)
        >>> exe = fluid.Executor(fluid.CPUPlace())
        >>> exe.run(feed={"x": numpy.ones((3, 2), "float32")}, fetch_list=[total])[0].tolist()
        [6.0]
    """
    def __init__(self, place: Any = ..., job: Any = ...) -> None: ...
    def __enter__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __exit__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def run(self, program: Any = ..., feed: Optional[Dict[Any, Any]] = ..., fetch_list: Optional[Union[Sequence[Any], str]] = ..., feed_var_name: str = ..., fetch_var_name: str = ..., scope: Optional[Scope] = ..., return_numpy: bool = ..., use_program_cache: bool = ..., return_merged: bool = ..., use_prune: bool = ...) -> Any:
        """Run the program once; the values of fetch_list come back as a list.

        Args:
            program (Program or CompiledProgram, optional): The program that is run; None: the default
                main program. Default: None.
            feed (dict, optional): Arrays by the name of the variable that gets them. Default: None.
            fetch_list (list of Variable or str, optional): What comes back. Default: None.
            feed_var_name (str): The name of the variable that holds feeds. Default: 'feed'.
            fetch_var_name (str): The name of the variable that holds what is fetched. Default: 'fetch'.
            scope (Scope, optional): Where variables live; None: the global scope. Default: None.
            return_numpy (bool): Whether arrays come back, and not LoDTensors. Default: True.
            use_program_cache (bool): Taken: plans are always kept. Default: False.
            return_merged (bool): Whether the parts of parallel runs come back as one array. Default:
                True.
            use_prune (bool): Whether only what is fetched is computed. Default: False.
        """
        ...

    def train_from_dataset(self, program: Any = ..., dataset: Any = ..., scope: Optional[Scope] = ..., thread: int = ..., debug: bool = ..., fetch_list: Optional[Union[Sequence[Any], str]] = ..., fetch_info: Optional[Sequence[Any]] = ..., print_period: int = ..., fetch_handler: Any = ...) -> Any:
        """Run the program on every batch of the dataset, on `thread` threads (0: the dataset's). Variables
        of fetch_list are written to stdout every print_period batches, under their fetch_info; debug
        prints where the time of the steps went, and that of each op, at the end.

        Args:
            program (Program or CompiledProgram, optional): The program that is run; None: the default
                main program. Default: None.
            dataset (DatasetBase): The data. Default: None.
            scope (Scope, optional): Where variables live; None: the global scope. Default: None.
            thread (int): How many threads; 0: as the dataset says. Default: 0.
            debug (bool): Whether times are shown. Default: False.
            fetch_list (list of Variable or str, optional): What comes back. Default: None.
            fetch_info (list of str, optional): What the fetched variables are called when they are
                shown. Default: None.
            print_period (int): Batches between two lines. Default: 100.
            fetch_handler (FetchHandler, optional): Is shown variables while it runs. Default: None.
        """
        ...

    def infer_from_dataset(self, program: Any = ..., dataset: Any = ..., scope: Optional[Scope] = ..., thread: int = ..., debug: bool = ..., fetch_list: Optional[Union[Sequence[Any], str]] = ..., fetch_info: Optional[Sequence[Any]] = ..., print_period: int = ..., fetch_handler: Any = ...) -> Any:
        """The same without gradients and updates.

        Args:
            program (Program or CompiledProgram, optional): The program that is run; None: the default
                main program. Default: None.
            dataset (DatasetBase): The data. Default: None.
            scope (Scope, optional): Where variables live; None: the global scope. Default: None.
            thread (int): How many threads; 0: as the dataset says. Default: 0.
            debug (bool): Whether times are shown. Default: False.
            fetch_list (list of Variable or str, optional): What comes back. Default: None.
            fetch_info (list of str, optional): What the fetched variables are called when they are
                shown. Default: None.
            print_period (int): Batches between two lines. Default: 100.
            fetch_handler (FetchHandler, optional): Is shown variables while it runs. Default: None.
        """
        ...

    def close(self) -> Any:
        """Drop the plans. In a distributed job, tell the servers that this trainer is done."""
        ...

class FetchHandler:
    """Is shown variables while train_from_dataset runs: override handler(), which gets a dict of
    arrays by the keys of var_dict every period_secs seconds. As in 1.7 it may be made of
    fetch_target_names, a list of names; handler() then gets a list, of arrays or, with
    return_np=False, of LoDTensors.

    Args:
        var_dict (dict): Variables by what handler() is to call them. Default: None.
        period_secs (float): Seconds between two calls. Default: 60.
        return_np (bool): Whether handler() gets arrays. Default: True.
        fetch_target_names (list of str, optional): Names of variables; var_dict says the same.
            Default: None.

    Examples:
        >>> import paddle.fluid as fluid
        >>> class Show(fluid.FetchHandler):
        ...     def handler(self, res_dict):
        ...         print(res_dict)
        ...
        >>> handler = Show({"loss": "mean_0.tmp_0"}, period_secs=10)
    """
    fetch_target_names: Any
    def __init__(self, var_dict: Optional[Dict[Any, Any]] = ..., period_secs: float = ..., return_np: bool = ..., fetch_target_names: Optional[Sequence[Any]] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def handler(self, res_dict: Dict[Any, Any]) -> Any:
        """Override it: it is called with the values every period_secs seconds.

        Args:
            res_dict (dict): Arrays by name.
        """
        ...

    @staticmethod
    def help() -> Any:
        """Print how a handler is written."""
        ...

def global_scope() -> Scope:
    """The scope in use: where persistable variables live.

    Returns:
        Scope: the scope.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> y = fluid.layers.fc(fluid.data("x", [None, 8]), 1, param_attr="w")
        >>> fluid.Executor().run(fluid.default_startup_program())
        []
        >>> numpy.array(fluid.global_scope().find_var("w").get_tensor()).shape
        (8, 1)
    """
    ...

def scope_guard(scope: Optional[Scope]) -> Any:
    """Variables of programs that run inside the with block live in this scope.

    Args:
        scope (Scope, optional): Where variables live; None: the global scope.

    Returns:
        context manager: for a with block.

    Examples:
        >>> import paddle.fluid as fluid
        >>> scope = fluid.Scope()
        >>> with fluid.scope_guard(scope):
        ...     exe = fluid.Executor()
        ...     exe.run(fluid.default_startup_program())
        ...
        []
    """
    ...
