# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.trainer_config_helpers.graph import (LayerOutput as LayerOutput)

def __getattr__(name: str) -> Any: ...

def define_py_data_sources2(train_list: str, test_list: str, module: str, obj: str, args: Optional[Dict[Any, Any]] = ...) -> LayerOutput:
    """The data of training and test; either list may be None. module, obj and args may be pairs, the
    first for training.

    Args:
        train_list (str): A file with the names of data files, or such names.
        test_list (str): A file with the names of data files, or such names.
        module (str): The module of the provider.
        obj (str): The provider's name.
        args (dict, optional): Handed to the provider. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> define_py_data_sources2("train.list", "test.list", module="provider", obj="process")
    """
    ...

def define_py_data_sources(train_list: str, test_list: str, module: str, obj: str, args: Optional[Dict[Any, Any]] = ..., train_async: bool = ..., data_cls: Any = ...) -> LayerOutput:
    """As define_py_data_sources2, which it was before; its providers are those of PyDataProvider2.
    train_async is how data were loaded, and data_cls another kind of provider.

    Args:
        train_list (str): A file with the names of data files, or such names.
        test_list (str): A file with the names of data files, or such names.
        module (str): The module of the provider.
        obj (str): The provider's name.
        args (dict, optional): Handed to the provider. Default: None.
        train_async (bool): Taken: data is always read ahead. Default: False.
        data_cls (object, optional): As v1's had it. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> define_py_data_sources2("train.list", "test.list", module="provider", obj="process")
    """
    ...

def define_py_data_source(file_list: str, cls: str, module: str, obj: str, args: Optional[Dict[Any, Any]] = ..., async_: bool = ..., data_cls: Any = ...) -> LayerOutput:
    """One of the two: cls is 'train' or 'test' (or TrainData, TestData).

    Args:
        file_list (str): A file with the names of data files, or such names.
        cls (str): 'train' or 'test'.
        module (str): The module of the provider.
        obj (str): The provider's name.
        args (dict, optional): Handed to the provider. Default: None.
        async_ (bool): Taken: data is always read ahead. Default: False.
        data_cls (object, optional): As v1's had it. Default: None.

    Returns:
        LayerOutput: the layer, to be the input of others.

    Examples:
        >>> from paddle.trainer_config_helpers import *
        >>> define_py_data_source("train.list", "train", module="provider", obj="process")
    """
    ...
