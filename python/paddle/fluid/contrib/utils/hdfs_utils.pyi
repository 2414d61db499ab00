# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid.incubate.fleet.utils.hdfs import (HDFSClient as HDFSClient)

def __getattr__(name: str) -> Any: ...

class HDFSClient(HDFSClient):
    """fluid.incubate.fleet.utils.hdfs.HDFSClient, of single files.

    Args:
        hadoop_home (str): The folder of bin/hadoop.
        configs (dict): Settings of Hadoop, by name.

    Examples:
        >>> import paddle.fluid as fluid
        >>> configs = {"fs.default.name": "hdfs://10.0.0.1:9000", "hadoop.job.ugi": "user,password"}
        >>> client = fluid.contrib.HDFSClient("/opt/hadoop", configs)
    """
    def __init__(self, hadoop_home: str, configs: Dict[Any, Any]) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def upload(self, hdfs_path: str, local_path: str, overwrite: bool = ..., retry_times: int = ...) -> Any:
        """A file into the folder hdfs_path. False: it is there, or it could not be put.

        Args:
            hdfs_path (str): A path there.
            local_path (str): A path here.
            overwrite (bool): Whether what is there is replaced. Default: False.
            retry_times (int): How often it is tried. Default: 5.

        Returns:
            Variable: what is computed.
        """
        ...

    def download(self, hdfs_path: str, local_path: str, overwrite: bool = ..., unzip: bool = ...) -> Any:
        """A file into the folder local_path. False: it is not there, or here already.

        Args:
            hdfs_path (str): A path there.
            local_path (str): A path here.
            overwrite (bool): Whether what is there is replaced. Default: False.
            unzip (bool): Whether archives are unpacked. Default: False.

        Returns:
            Variable: what is computed.
        """
        ...

    def lsr(self, hdfs_path: str, only_file: bool = ..., sort: bool = ...) -> Any:
        """What is below a folder, oldest first.

        Args:
            hdfs_path (str): A path there.
            only_file (bool): Whether folders are left out. Default: True.
            sort (bool): Whether they are sorted by time. Default: True.

        Returns:
            Variable: what is computed.
        """
        ...

def multi_download(client: Any, hdfs_path: str, local_path: str, trainer_id: int, trainers: int, multi_processes: int = ...) -> Sequence[Any]:
    """Trainer trainer_id's share of the files below hdfs_path, every trainers-th of them, into
    local_path; the paths here.

    Args:
        client (HDFSClient): Where from, or where to.
        hdfs_path (str): A path there.
        local_path (str): A path here.
        trainer_id (int): The number of this trainer, from 0 on.
        trainers (int): How many trainers there are.
        multi_processes (int): How many at once. Default: 5.

    Returns:
        list of str: the files.

    Examples:
        # a Hadoop is needed
        >>> import paddle.fluid as fluid  # doctest: +SKIP
        >>> files = fluid.contrib.multi_download(client, "/data/train", "train", trainer_id=0,  # doctest: +SKIP
        ...                                      trainers=2)  # doctest: +SKIP
    """
    ...

def multi_upload(client: Any, hdfs_path: str, local_path: str, multi_processes: int = ..., overwrite: bool = ..., sync: bool = ...) -> None:
    """All files below local_path, with their folders, into hdfs_path.

    Args:
        client (HDFSClient): Where from, or where to.
        hdfs_path (str): A path there.
        local_path (str): A path here.
        multi_processes (int): How many at once. Default: 5.
        overwrite (bool): Whether what is there is replaced. Default: False.
        sync (bool): Whether files are known when it returns. Default: True.

    Returns:
        None: nothing.

    Examples:
        # a Hadoop is needed
        >>> import paddle.fluid as fluid  # doctest: +SKIP
        >>> fluid.contrib.multi_upload(client, "/models/today", "model")  # doctest: +SKIP
    """
    ...
