"""Datasets: files of multi-slot text, read while they are trained on or held in memory."""
from .. import _core
from .core import VarDesc
from .data_feed_desc import FeedDesc, Slot
from .framework import Variable, default_main_program

__all__ = ["DatasetFactory", "InMemoryDataset", "QueueDataset"]

_DTYPES = {VarDesc.VarType.FP32: ("float32", "float"), VarDesc.VarType.INT64: ("int64", "uint64")}
_NO_PV = "page views (instances merged by search id, rank offsets) are not implemented"


class DatasetFactory:
    """Makes datasets by the names of their classes."""

    def __init__(self):
        pass

    def create_dataset(self, datafeed_class="QueueDataset"):
        try:
            kind = {"QueueDataset": QueueDataset, "InMemoryDataset": InMemoryDataset,
                    "FileInstantDataset": FileInstantDataset,
                    "BoxPSDataset": BoxPSDataset}[datafeed_class]
        except KeyError:
            raise ValueError("datafeed class %s does not exist" % datafeed_class)
        return kind()


class DatasetBase:
    """What all datasets can be told."""
    _kind, _feed = "queue", "MultiSlotDataFeed"

    def __init__(self):
        self.proto_desc = FeedDesc(self._feed, "cat")
        self.dataset = _core.Dataset(self._kind)
        self.thread_num = 1
        self.filelist = []
        self.use_vars, self._slots = [], None
        self.fea_eval = False

    def set_pipe_command(self, pipe_command):
        """A shell command that every file goes through; `cat` reads files as they are."""
        if not isinstance(pipe_command, str):
            raise TypeError("set_pipe_command: pipe_command is %r, and must be text, a command of "
                            "the shell" % (pipe_command,))
        self.dataset.set_pipe(pipe_command)
        self.proto_desc.pipe_command = pipe_command

    def set_batch_size(self, batch_size):
        self.dataset.set_batch_size(batch_size)
        self.proto_desc.batch_size = batch_size

    def set_thread(self, thread_num):
        """Threads that read or load, and trainer threads unless train_from_dataset says so."""
        self.dataset.set_threads(thread_num)
        self.thread_num = thread_num

    def set_filelist(self, filelist, lease=False):
        """The files that are read. lease=True, in a job with parameter servers: all files of all
        workers, the same list in each; servers deal ranges of them to the workers, and what one that
        died had goes to the others (docs/data.md)."""
        if isinstance(filelist, (str, bytes)):
            raise TypeError("set_filelist: filelist is %r, and must be a list of file names: "
                            "set_filelist([%r])" % (filelist, filelist))
        if not hasattr(filelist, "__iter__"):
            raise TypeError("set_filelist: filelist is %r, and must be a list of file names"
                            % (filelist,))
        names = list(filelist)
        for i, name in enumerate(names):
            if not isinstance(name, str):
                raise TypeError("set_filelist: filelist[%d] is %r, and must be a file's name as "
                                "text" % (i, name))
        self.dataset.set_leased(lease)
        self.dataset.set_files(names)
        self.filelist = filelist

    def set_use_var(self, var_list):
        """The slots of a line, in order: dense where lod_level is 0, else sequences."""
        slots, shown = [], []
        for var in var_list:
            if not isinstance(var, Variable):
                raise TypeError("set_use_var: %r is a %s, and must be a variable, as fluid.data() "
                                "makes one" % (var, type(var).__name__))
            if var.dtype not in _DTYPES:
                raise ValueError("Currently, fluid.dataset only supports dtype=float32 and "
                                 "dtype=int64; %s is %s" % (var.name, var.dtype))
            dtype, name = _DTYPES[var.dtype]
            dense = var.lod_level == 0
            slots.append((var.name, dtype, True, tuple(var.shape) if dense else None))
            shown.append(Slot(var.name, name, dense or None, True, var.shape if dense else ()))
        if slots != self._slots:  # a script may say the same again while data is in memory
            self.dataset.set_slots(slots)
        self._slots = slots
        self.use_vars = list(var_list)
        self.proto_desc.slots = shown

    def set_hdfs_config(self, fs_name, fs_ugi):
        """How `hadoop fs` reaches files named hdfs:... or afs:..."""
        self.dataset.set_remote(fs_name, fs_ugi, None)

    def set_download_cmd(self, download_cmd):
        """A command that prints such a file, its name being the last argument."""
        self.dataset.set_remote(None, None, download_cmd)

    def set_fea_eval(self, record_candidate_size, fea_eval=True):
        """Allow slots_shuffle. All instances are candidates: record_candidate_size is a bound
        for real Paddle's memory."""
        self.fea_eval = bool(fea_eval)

    def slots_shuffle(self, slots):
        """Exchange the values of these slots between instances, to see what they are worth."""
        if not self.fea_eval:
            raise RuntimeError("slots_shuffle: call set_fea_eval(record_candidate_size) first")
        self.dataset.shuffle_slots(sorted(set(slots)), default_main_program().random_seed)

    def set_rank_offset(self, rank_offset):
        raise NotImplementedError("set_rank_offset: " + _NO_PV)

    def set_pv_batch_size(self, pv_batch_size):
        raise NotImplementedError("set_pv_batch_size: " + _NO_PV)

    def _repr_html_(self):
        from .notebook import dataset_html
        return dataset_html(self)

    def desc(self):
        """The description as text of data_feed.proto."""
        return str(self.proto_desc)


class QueueDataset(DatasetBase):
    """Reads its files while they are trained on; with one thread, in the order of the lines."""

    def local_shuffle(self):
        raise NotImplementedError("QueueDataset does not support local shuffle, please use "
                                  "InMemoryDataset for local_shuffle")

    def global_shuffle(self, fleet=None):
        raise NotImplementedError("QueueDataset does not support global shuffle, please use "
                                  "InMemoryDataset for global_shuffle")

    def slots_shuffle(self, slots):
        raise NotImplementedError("QueueDataset does not support slots_shuffle, please use "
                                  "InMemoryDataset")


class InMemoryDataset(DatasetBase):
    """Loads its files into memory, where they can be shuffled and read again and again."""
    _kind, _feed = "memory", "MultiSlotInMemoryDataFeed"

    def __init__(self):
        super().__init__()
        self.fleet_send_batch_size = self.fleet_send_sleep_seconds = None
        self.is_user_set_queue_num, self.queue_num = False, None
        self.parse_ins_id = self.parse_content = self.merge_by_lineid = False
        self.merge_size = 2
        self._shuffled = 0

    # ---- settings ----

    def set_feed_type(self, data_feed_type):
        if data_feed_type != self._feed:
            raise NotImplementedError("set_feed_type(%r): an InMemoryDataset reads %s"
                                      % (data_feed_type, self._feed))

    def set_queue_num(self, queue_num):
        """Kept for scripts: trainer threads take the next batch from one queue, as many as
        there are."""
        if not isinstance(queue_num, int) or queue_num < 1:
            raise ValueError("queue_num is %r, and must be a positive int" % (queue_num,))
        self.is_user_set_queue_num, self.queue_num = True, queue_num

    def set_parse_ins_id(self, parse_ins_id):
        """Lines begin with "1 ID"."""
        self.dataset.set_texts(parse_ins_id, self.parse_content)
        self.parse_ins_id = bool(parse_ins_id)

    def set_parse_content(self, parse_content):
        """Lines have "1 TEXT" after the id."""
        self.dataset.set_texts(self.parse_ins_id, parse_content)
        self.parse_content = bool(parse_content)

    def set_fleet_send_batch_size(self, fleet_send_batch_size=1024):
        """Instances in a message of the global shuffle."""
        self.fleet_send_batch_size = fleet_send_batch_size

    def set_fleet_send_sleep_seconds(self, fleet_send_sleep_seconds=0):
        """A pause between the messages of the global shuffle."""
        self.fleet_send_sleep_seconds = fleet_send_sleep_seconds

    def set_merge_by_lineid(self, merge_size=2):
        """global_shuffle joins the merge_size instances of each id, and drops ids that have
        fewer or more. After loading, only where the lines were read with their ids."""
        if not self.parse_ins_id:
            if self.dataset.rows() > 0:
                raise RuntimeError("set_merge_by_lineid: the lines in memory were read without "
                                   "ids; call set_parse_ins_id(True), or this, before "
                                   "load_into_memory()")
            self.set_parse_ins_id(True)
        self.merge_by_lineid, self.merge_size = True, merge_size

    def set_parse_logkey(self, parse_logkey):
        if parse_logkey:
            raise NotImplementedError("set_parse_logkey: " + _NO_PV)

    def set_merge_by_sid(self, merge_by_sid):
        if not merge_by_sid:
            raise NotImplementedError("set_merge_by_sid(False): " + _NO_PV)

    def set_enable_pv_merge(self, enable_pv_merge):
        if enable_pv_merge:
            raise NotImplementedError("set_enable_pv_merge: " + _NO_PV)

    def set_current_phase(self, current_phase):
        raise NotImplementedError("set_current_phase: " + _NO_PV)

    def preprocess_instance(self):
        raise NotImplementedError("preprocess_instance: " + _NO_PV)

    def postprocess_instance(self):
        raise NotImplementedError("postprocess_instance: " + _NO_PV)

    def get_pv_data_size(self):
        raise NotImplementedError("get_pv_data_size: " + _NO_PV)

    def set_generate_unique_feasigns(self, generate_uni_feasigns, shard_num):
        if generate_uni_feasigns:
            raise NotImplementedError("set_generate_unique_feasigns: rows of a sparse table are "
                                      "made when they are first used, not from lists of ids")

    def generate_local_tables_unlock(self, table_id, fea_dim, read_thread_num,
                                     consume_thread_num, shard_num):
        raise NotImplementedError("generate_local_tables_unlock: rows of a sparse table are made "
                                  "when they are first used, not from lists of ids")

    # ---- data ----

    def load_into_memory(self):
        """Read all files. When one cannot be read whole, nothing is loaded."""
        self.preload_into_memory()
        self.wait_preload_done()

    def preload_into_memory(self, thread_num=None):
        """Begin to load, with this many threads; wait_preload_done() ends it."""
        self._shuffled = 0
        self.dataset.preload(self.thread_num if thread_num is None else thread_num)

    def wait_preload_done(self):
        self.dataset.wait_preload()

    def release_memory(self):
        self._shuffled = 0
        self.dataset.release()

    def local_shuffle(self):
        """Another order, which the program's random_seed and the number of shuffles decide."""
        self.dataset.shuffle(default_main_program().random_seed)

    def global_shuffle(self, fleet=None, thread_num=12):
        """Shuffle between the workers of a fleet; alone, as local_shuffle."""
        if fleet is not None and fleet.worker_num() > 1:
            self._shuffle_between_workers()
        else:
            self.local_shuffle()
        if self.merge_by_lineid:
            self.dataset.merge(self.merge_size)
        self._shuffled = self.dataset.rows()

    def _shuffle_between_workers(self):
        """Through the servers of the job. Examples of one ins_id come to one worker."""
        if _core.job_who() is None:
            raise RuntimeError("global_shuffle: examples travel through the servers of the job; "
                               "call fleet.init_worker() first")
        _core.job_shuffle(self.dataset, default_main_program().random_seed,
                          self.fleet_send_batch_size or 1024, self.fleet_send_sleep_seconds or 0.0)

    def get_memory_data_size(self, fleet=None):
        """Instances in memory, of all workers where a fleet is given."""
        return _total(self.dataset.rows(), fleet)

    def get_shuffle_data_size(self, fleet=None):
        """Instances here after the global shuffle, of all workers where a fleet is given."""
        return _total(self._shuffled, fleet)


def _total(here, fleet):
    if fleet is None or fleet.worker_num() <= 1:
        return here
    import numpy
    mine, total = numpy.array([here]), numpy.array([0])
    fleet._role_maker.all_reduce_worker(mine, total)
    return int(total[0])


class FileInstantDataset(DatasetBase):
    def __init__(self):
        raise NotImplementedError("FileInstantDataset reads a binary format of its own; write "
                                  "multi-slot text and use a QueueDataset")


class BoxPSDataset(InMemoryDataset):
    def __init__(self):
        raise NotImplementedError("BoxPSDataset belongs to BoxPS, a parameter server of real "
                                  "Paddle's that is not part of it; use an InMemoryDataset")
