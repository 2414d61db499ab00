# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

def __getattr__(name: str) -> Any: ...

class DatasetFactory:
    """Makes datasets by the names of their classes.

    Examples:
        >>> import paddle.fluid as fluid
        >>> dataset = fluid.DatasetFactory().create_dataset("QueueDataset")
        >>> dataset.set_batch_size(128)
        >>> type(dataset).__name__
        'QueueDataset'
    """
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def create_dataset(self, datafeed_class: str = ...) -> Any:
        """A new dataset of that class.

        Args:
            datafeed_class (str): "QueueDataset" or "InMemoryDataset". Default: 'QueueDataset'.
        """
        ...

class InMemoryDataset(DatasetBase):
    r"""Loads its files into memory, where they can be shuffled and read again and again.

    Examples:
        >>> import paddle.fluid as fluid
        >>> with open("part-0", "w") as f:
        ...     _ = f.write("1 7 1 0\n2 8 9 1 1\n")
        ...
        >>> words = fluid.data("words", [None, 1], "int64", lod_level=1)
        >>> label = fluid.data("label", [None, 1], "int64")
        >>> dataset = fluid.DatasetFactory().create_dataset("InMemoryDataset")
        >>> dataset.set_batch_size(2)
        >>> dataset.set_use_var([words, label])
        >>> dataset.set_filelist(["part-0"])
        >>> dataset.load_into_memory()
        >>> dataset.local_shuffle()
        >>> dataset.get_memory_data_size()
        2
    """
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def set_feed_type(self, data_feed_type: str) -> Any:
        """Say which class parses lines.

        Args:
            data_feed_type (str): The class that parses.
        """
        ...

    def set_queue_num(self, queue_num: int) -> Any:
        """Kept for scripts: trainer threads take the next batch from one queue, as many as there are.

        Args:
            queue_num (int): Queues between readers and trainers.
        """
        ...

    def set_parse_ins_id(self, parse_ins_id: bool) -> Any:
        """Lines begin with "1 ID".

        Args:
            parse_ins_id (bool): Whether lines begin with an id, or with content.
        """
        ...

    def set_parse_content(self, parse_content: bool) -> Any:
        """Lines have "1 TEXT" after the id.

        Args:
            parse_content (bool): Whether lines begin with an id, or with content.
        """
        ...

    def set_fleet_send_batch_size(self, fleet_send_batch_size: int = ...) -> Any:
        """Instances in a message of the global shuffle.

        Args:
            fleet_send_batch_size (int): Samples that are sent at once in a global shuffle. Default:
                1024.
        """
        ...

    def set_fleet_send_sleep_seconds(self, fleet_send_sleep_seconds: int = ...) -> Any:
        """A pause between the messages of the global shuffle.

        Args:
            fleet_send_sleep_seconds (int): Seconds between two sends. Default: 0.
        """
        ...

    def set_merge_by_lineid(self, merge_size: int = ...) -> Any:
        """global_shuffle joins the merge_size instances of each id, and drops ids that have fewer or more.
        After loading, only where the lines were read with their ids.

        Args:
            merge_size (int): Lines of one id that become one. Default: 2.
        """
        ...

    def set_parse_logkey(self, parse_logkey: bool) -> Any:
        """Refused: page views are of the library pslib."""
        ...

    def set_merge_by_sid(self, merge_by_sid: bool) -> Any:
        """Refused: page views are of the library pslib."""
        ...

    def set_enable_pv_merge(self, enable_pv_merge: bool) -> Any:
        """Refused: page views are of the library pslib."""
        ...

    def set_current_phase(self, current_phase: int) -> Any:
        """Refused: page views are of the library pslib."""
        ...

    def preprocess_instance(self) -> Any:
        """Refused: page views are of the library pslib."""
        ...

    def postprocess_instance(self) -> Any:
        """Refused: page views are of the library pslib."""
        ...

    def get_pv_data_size(self) -> Any:
        """Refused: page views are of the library pslib."""
        ...

    def set_generate_unique_feasigns(self, generate_uni_feasigns: bool, shard_num: int) -> Any:
        """Refused: ids are counted by the library pslib."""
        ...

    def generate_local_tables_unlock(self, table_id: int, fea_dim: int, read_thread_num: int, consume_thread_num: int, shard_num: int) -> Any:
        """Refused: it is of the library pslib."""
        ...

    def load_into_memory(self) -> Any:
        """Read all files. When one cannot be read whole, nothing is loaded."""
        ...

    def preload_into_memory(self, thread_num: Optional[int] = ...) -> Any:
        """Begin to load, with this many threads; wait_preload_done() ends it.

        Args:
            thread_num (int, optional): How many threads; None: as set_thread says. Default: None.
        """
        ...

    def wait_preload_done(self) -> Any:
        """Wait until preload_into_memory() has loaded all."""
        ...

    def release_memory(self) -> Any:
        """Forget the samples.

        Returns:
            None: nothing.
        """
        ...

    def local_shuffle(self) -> Any:
        """Another order, which the program's random_seed and the number of shuffles decide."""
        ...

    def global_shuffle(self, fleet: Any = ..., thread_num: Optional[int] = ...) -> Any:
        """Shuffle between the workers of a fleet; alone, as local_shuffle.

        Args:
            fleet (Fleet, optional): The workers that exchange samples; None: this one alone. Default:
                None.
            thread_num (int, optional): How many threads; None: as set_thread says. Default: 12.
        """
        ...

    def get_memory_data_size(self, fleet: Any = ...) -> Any:
        """Instances in memory, of all workers where a fleet is given.

        Args:
            fleet (Fleet, optional): The workers that exchange samples; None: this one alone. Default:
                None.
        """
        ...

    def get_shuffle_data_size(self, fleet: Any = ...) -> Any:
        """Instances here after the global shuffle, of all workers where a fleet is given.

        Args:
            fleet (Fleet, optional): The workers that exchange samples; None: this one alone. Default:
                None.
        """
        ...

class QueueDataset(DatasetBase):
    r"""Reads its files while they are trained on; with one thread, in the order of the lines.

    Examples:
        >>> import paddle.fluid as fluid
        >>> with open("part-0", "w") as f:
        ...     _ = f.write("1 7 1 0\n2 8 9 1 1\n")
        ...
        >>> words = fluid.data("words", [None, 1], "int64", lod_level=1)
        >>> label = fluid.data("label", [None, 1], "int64")
        >>> dataset = fluid.DatasetFactory().create_dataset("QueueDataset")
        >>> dataset.set_batch_size(2)
        >>> dataset.set_use_var([words, label])
        >>> dataset.set_filelist(["part-0"])
        >>> exe = fluid.Executor()
        >>> exe.train_from_dataset(fluid.default_main_program(), dataset)
    """
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def local_shuffle(self) -> Any:
        """Refused: samples that are not in memory are not shuffled."""
        ...

    def global_shuffle(self, fleet: Any = ...) -> Any:
        """Refused: samples that are not in memory are not shuffled."""
        ...

    def slots_shuffle(self, slots: Sequence[Any]) -> Any:
        """Exchange the values of these slots between instances, to see what they are worth.

        Args:
            slots (list of str): Slots whose values are exchanged between samples.
        """
        ...

class DatasetBase:
    """What all datasets can be told."""
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def set_pipe_command(self, pipe_command: str) -> Any:
        """A shell command that every file goes through; `cat` reads files as they are.

        Args:
            pipe_command (str): Each file goes through it first.
        """
        ...

    def set_batch_size(self, batch_size: int) -> Any:
        """Set the number of samples in a batch.

        Args:
            batch_size (int): Samples in a batch.
        """
        ...

    def set_thread(self, thread_num: Optional[int]) -> Any:
        """Threads that read or load, and trainer threads unless train_from_dataset says so.

        Args:
            thread_num (int, optional): How many threads; None: as set_thread says.
        """
        ...

    def set_filelist(self, filelist: Sequence[Any], lease: bool = ...) -> Any:
        """The files that are read. lease=True, in a job with parameter servers: all files of all workers,
        the same list in each; servers deal ranges of them to the workers, and what one that died had
        goes to the others (docs/data.md).

        Args:
            filelist (list of str): The files.
            lease (bool): Whether the servers of a job deal the files to its trainers, each example once
                (docs/data.md). Default: False.
        """
        ...

    def set_use_var(self, var_list: Sequence[Any]) -> Any:
        """The slots of a line, in order: dense where lod_level is 0, else sequences.

        Args:
            var_list (list of Variable): What a line's slots are, in their order.
        """
        ...

    def set_hdfs_config(self, fs_name: str, fs_ugi: str) -> Any:
        """How `hadoop fs` reaches files named hdfs:... or afs:...

        Args:
            fs_name (str): Where Hadoop is, and as whom.
            fs_ugi (str): Where Hadoop is, and as whom.
        """
        ...

    def set_download_cmd(self, download_cmd: str) -> Any:
        """A command that prints such a file, its name being the last argument.

        Args:
            download_cmd (str): A command whose output is the file.
        """
        ...

    def set_fea_eval(self, record_candidate_size: int, fea_eval: bool = ...) -> Any:
        """Allow slots_shuffle. All instances are candidates: record_candidate_size is a bound for real
        Paddle's memory.

        Args:
            record_candidate_size (int): Samples among which values are exchanged.
            fea_eval (bool): Whether slots are shuffled for their evaluation. Default: True.
        """
        ...

    def slots_shuffle(self, slots: Sequence[Any]) -> Any:
        """Exchange the values of these slots between instances, to see what they are worth.

        Args:
            slots (list of str): Slots whose values are exchanged between samples.
        """
        ...

    def set_rank_offset(self, rank_offset: str) -> Any:
        """Refused: page views are of the library pslib."""
        ...

    def set_pv_batch_size(self, pv_batch_size: int) -> Any:
        """Refused: page views are of the library pslib."""
        ...

    def desc(self) -> Any:
        """The description as text of data_feed.proto."""
        ...
