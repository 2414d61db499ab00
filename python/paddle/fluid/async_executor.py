"""fluid.AsyncExecutor of Fluid 1.1 to 1.5, before train_from_dataset: trainer threads over files
that a DataFeedDesc describes."""
from .data_feed_desc import DataFeedDesc
from .dataset import QueueDataset
from .executor import Executor
from .framework import default_main_program

__all__ = ["AsyncExecutor"]

_TYPES = {"uint64": "int64", "int64": "int64", "float": "float32"}


def _dataset(data_feed, program, filelist, threads):
    """The description as a dataset; what a dense slot has in a line is the variable's shape."""
    desc = data_feed.proto_desc
    dataset, block = QueueDataset(), program.global_block()
    slots = []
    for slot in desc.slots or ():
        if slot.type not in _TYPES:
            raise ValueError("DataFeedDesc: slot %s has the type %r, and there are %s"
                             % (slot.name, slot.type, ", ".join(sorted(_TYPES))))
        shape = None
        if slot.is_dense:
            shape = tuple(slot.shape) or \
                (tuple(block.var(slot.name).shape) if block.has_var(slot.name) else (-1, 1))
        slots.append((slot.name, _TYPES[slot.type], slot.is_used, shape))
    dataset.dataset.set_slots(slots)
    dataset.set_batch_size(32 if desc.batch_size is None else desc.batch_size)
    dataset.set_pipe_command(desc.pipe_command or "cat")
    dataset.set_thread(threads)
    dataset.set_filelist(filelist)
    return dataset


class AsyncExecutor:
    """Trains a program on files with several threads, which update parameters as they go."""

    def __init__(self, place=None, run_mode=""):
        self._executor = Executor(place)
        self._refuse(run_mode)

    @staticmethod
    def _refuse(mode):
        if mode:
            raise NotImplementedError(
                "AsyncExecutor: mode %r is of pslib, which is not in Regatta; use "
                "paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler" % (mode,))

    def run(self, program, data_feed, filelist, thread_num, fetch, mode="", debug=False):
        """One pass over the files of filelist. debug: print fetch after each batch."""
        self._refuse(mode)
        program = default_main_program() if program is None else program
        if not isinstance(data_feed, DataFeedDesc):
            raise TypeError("AsyncExecutor.run: data_feed is %r, and must be a fluid.DataFeedDesc"
                            % (type(data_feed).__name__,))
        filelist = [filelist] if isinstance(filelist, str) else list(filelist)
        if not isinstance(thread_num, int) or thread_num < 1:
            raise ValueError("AsyncExecutor.run: thread_num is %r, and must be at least 1"
                             % (thread_num,))
        fetch = [] if fetch is None else fetch if isinstance(fetch, (list, tuple)) else [fetch]
        self._executor.train_from_dataset(
            program, _dataset(data_feed, program, filelist, thread_num), thread=thread_num,
            fetch_list=list(fetch) if debug else None, print_period=1)
