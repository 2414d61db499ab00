# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

class HDFSClient:
    """hadoop_home: the folder of bin/hadoop, '' for the one on PATH. configs: {name: value}, e.g.
    fs.default.name, each given as -Dname=value; those that are secret (hadoop.job.ugi has a
    password) in a file that only this user can read, as -conf, since all users see arguments.

    Args:
        hadoop_home (str): The folder of bin/hadoop.
        configs (dict): Settings of Hadoop, by name.

    Examples:
        >>> from paddle.fluid.incubate.fleet.utils import hdfs
        >>> configs = {"fs.default.name": "hdfs://10.0.0.1:9000", "hadoop.job.ugi": "user,password"}
        >>> client = hdfs.HDFSClient("/opt/hadoop", configs)
    """
    def __init__(self, hadoop_home: str, configs: Dict[Any, Any]) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def is_exist(self, hdfs_path: Optional[str] = ...) -> Any:
        """Whether it is there.

        Args:
            hdfs_path (str): A path there. Default: None.
        """
        ...

    def is_dir(self, hdfs_path: Optional[str] = ...) -> Any:
        """Whether it is a folder.

        Args:
            hdfs_path (str): A path there. Default: None.
        """
        ...

    def is_file(self, hdfs_path: Optional[str] = ...) -> Any:
        """Whether it is a file.

        Args:
            hdfs_path (str): A path there. Default: None.
        """
        ...

    def cat(self, hdfs_path: Optional[str] = ...) -> Any:
        """The text of a file without the last newline; '' where it is none.

        Args:
            hdfs_path (str): A path there. Default: None.
        """
        ...

    def ls(self, hdfs_path: str) -> Any:
        """The paths in a folder, files and folders.

        Args:
            hdfs_path (str): A path there.
        """
        ...

    def lsr(self, hdfs_path: str, excludes: Sequence[Any] = ...) -> Any:
        """The files below a folder, oldest first, without those whose name is in excludes.

        Args:
            hdfs_path (str): A path there.
            excludes (list of str): Names that are left out. Default: [].
        """
        ...

    def makedirs(self, hdfs_path: str) -> Any:
        """True: it is there now.

        Args:
            hdfs_path (str): A path there.
        """
        ...

    def delete(self, hdfs_path: str) -> Any:
        """Remove it.

        Args:
            hdfs_path (str): A path there.
        """
        ...

    def rename(self, hdfs_src_path: str, hdfs_dst_path: str, overwrite: bool = ...) -> Any:
        """Give it another name.

        Args:
            hdfs_src_path (str): A path there.
            hdfs_dst_path (str): A path there.
            overwrite (bool): Whether what is there is replaced. Default: False.
        """
        ...

    @staticmethod
    def make_local_dirs(local_path: str) -> Any:
        """Make a folder here.

        Args:
            local_path (str): A path here.
        """
        ...

    @staticmethod
    def split_files(files: Sequence[Any], trainer_id: int, trainers: int) -> Any:
        """Trainer trainer_id's block of `files`, as fleet.split_files() makes it.

        Args:
            files (list of str): All files.
            trainer_id (int): The number of this trainer, from 0 on.
            trainers (int): How many trainers there are.
        """
        ...

    def upload(self, hdfs_path: str, local_path: str, multi_processes: int = ..., overwrite: bool = ..., retry_times: int = ...) -> Any:
        """A file, or all files of a folder with their sub-folders, into the folder hdfs_path.

        Args:
            hdfs_path (str): A path there.
            local_path (str): A path here.
            multi_processes (int): How many at once. Default: 5.
            overwrite (bool): Whether what is there is replaced. Default: False.
            retry_times (int): How often it is tried. Default: 5.
        """
        ...

    def upload_dir(self, dest_dir: str, local_dir: str, overwrite: bool = ...) -> Any:
        """The folder itself into dest_dir.

        Args:
            dest_dir (str): A folder there.
            local_dir (str): A path here.
            overwrite (bool): Whether what is there is replaced. Default: False.
        """
        ...

    def download(self, hdfs_path: str, local_path: str, multi_processes: int = ..., overwrite: bool = ..., retry_times: int = ...) -> Any:
        """A file, or all files below a folder, into the folder local_path.

        Args:
            hdfs_path (str): A path there.
            local_path (str): A path here.
            multi_processes (int): How many at once. Default: 5.
            overwrite (bool): Whether what is there is replaced. Default: False.
            retry_times (int): How often it is tried. Default: 5.
        """
        ...
