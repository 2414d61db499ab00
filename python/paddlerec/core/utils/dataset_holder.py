"""Data that come as folders by day and hour, as of online training."""
import abc
import datetime
import os
import time
import zlib

import paddle.fluid as fluid

from paddlerec.core.utils import util
from paddlerec.core.utils.fs import FileHandler

__all__ = ["DatasetHolder", "TimeSplitDatasetHolder"]


class DatasetHolder(abc.ABC):
    def __init__(self, config):
        self._datasets, self._config = {}, config

    @abc.abstractmethod
    def check_ready(self, params):
        """Whether the data are there."""

    @abc.abstractmethod
    def load_dataset(self, params):
        """The dataset, in memory."""

    @abc.abstractmethod
    def preload_dataset(self, params):
        """Begin to load it."""

    @abc.abstractmethod
    def release_dataset(self, params):
        """Drop it."""


class TimeSplitDatasetHolder(DatasetHolder):
    """config: data_path and data_donefile, in which %Y%m%d/%H%M stand for a part's time (a part is
    whole once its done file is there); split_interval, the minutes of a part; filename_prefix;
    dataset_type, batch_size, load_thread, preload_thread, data_converter (a pipe command),
    data_vars, fs_name and fs_ugi. params: begin_time, time_window_min, node_num, node_idx."""

    def __init__(self, config):
        super().__init__(config)
        if not config.get("data_donefile"):
            config["data_donefile"] = config["data_path"] + "/to.hadoop.done"
        self._path_generator = util.PathGenerator({"templates": [
            {"name": "data_path", "template": config["data_path"]},
            {"name": "donefile_path", "template": config["data_donefile"]}]})
        self._split_interval = int(config["split_interval"])
        self._data_file_handler = FileHandler(config)

    def _format_data_time(self, daytime_str, time_window_mins):
        """(the time of the first whole part, the minutes from there); None, 0: there is none."""
        begin = util.make_datetime(daytime_str)
        late = -(begin.hour * 60 + begin.minute) % self._split_interval
        if late >= time_window_mins:
            return None, 0
        return begin + datetime.timedelta(minutes=late), time_window_mins - late

    def _paths(self, template, daytime_str, time_window_mins):
        """Of each part that begins in the window."""
        begin, minutes = self._format_data_time(daytime_str, time_window_mins)
        return [self._path_generator.generate_path(template, {
            "time_format": begin + datetime.timedelta(minutes=m)})
            for m in range(0, minutes, self._split_interval)]

    def check_ready(self, daytime_str, time_window_mins):
        return all(self._data_file_handler.is_exist(path)
                   for path in self._paths("donefile_path", daytime_str, time_window_mins))

    def get_file_list(self, daytime_str, time_window_mins, node_num=1, node_idx=0):
        """The files of the window that are this node's: by the number after the prefix, else by
        a checksum of the name, which every node computes alike."""
        prefix, files = self._config.get("filename_prefix", ""), []
        for folder in self._paths("data_path", daytime_str, time_window_mins):
            for entry in self._data_file_handler.ls(folder):
                name = self._data_file_handler.get_file_name(entry)
                if not name.startswith(prefix) or name == os.path.basename(
                        self._config["data_donefile"]):
                    continue
                rest = name[len(prefix):]
                number = int(rest) if rest.isdigit() else zlib.crc32(name.encode())
                if number % node_num == node_idx:
                    files.append(entry if "/" in entry else os.path.join(folder, entry))
        return files

    def _alloc_dataset(self, file_list):
        get = self._config.get
        dataset = fluid.DatasetFactory().create_dataset(get("dataset_type", "InMemoryDataset"))
        dataset.set_batch_size(int(self._config["batch_size"]))
        dataset.set_thread(int(get("load_thread", 1)))
        if get("fs_name"):
            dataset.set_hdfs_config(get("fs_name"), get("fs_ugi"))
        if get("data_converter"):
            dataset.set_pipe_command(get("data_converter"))
        dataset.set_filelist(file_list)
        dataset.set_use_var(self._config["data_vars"])
        return dataset

    def _make(self, params):
        dataset = self._alloc_dataset(self.get_file_list(
            params["begin_time"], params["time_window_min"], params.get("node_num", 1),
            params.get("node_idx", 0)))
        self._datasets[params["begin_time"]] = dataset
        return dataset

    def load_dataset(self, params):
        """Waits for the data, and says so each half minute."""
        begin = params["begin_time"]
        if begin in self._datasets:
            self._datasets[begin].wait_preload_done()
            return self._datasets[begin]
        while not self.check_ready(begin, params["time_window_min"]):
            print("dataset not ready, time:" + begin, flush=True)
            time.sleep(30)
        self._make(params).load_into_memory()
        return self._datasets[begin]

    def preload_dataset(self, params):
        """Whether it has begun: not where it has before, or the data are not there yet."""
        begin = params["begin_time"]
        if begin in self._datasets or not self.check_ready(begin, params["time_window_min"]):
            return False
        self._make(params).preload_into_memory(int(self._config.get("preload_thread", 1)))
        return True

    def release_dataset(self, params):
        dataset = self._datasets.pop(params["begin_time"], None)
        if dataset is not None:
            dataset.release_memory()
