"""Readers of datasets: which files they read, and how lines become batches."""
import os

from paddle import _core
from paddle.fluid.core import VarDesc

from paddlerec.core.model import dense_slot, split_slots
from paddlerec.core.utils import envs, util

__all__ = ["dataloader_by_name", "slotdataloader_by_name"]


# ---- files ----

def data_folder(dataset_name):
    path = envs.get_global_env("dataset.%s.data_path" % dataset_name)
    if path.startswith("paddlerec::"):
        path = os.path.join(envs.package_base(), path.split("::", 1)[1])
    return path


def data_files(dataset_name, context):
    """The dataset's files in the order of their names: those of this worker where each of
    several reads its own. The list is also context["file_list"], and the loaders read what is
    in it when a pass begins."""
    from paddlerec.core.trainer import EngineMode
    hidden, files = util.check_filelist([], [], data_folder(dataset_name))
    if hidden:
        print("Warning:please make sure there are no hidden files in the dataset folder and "
              "check these hidden files:{}".format(hidden))
    files = sorted(files or [])
    if not files:
        raise IOError("dataset %s: there are no files in %s"
                      % (dataset_name, data_folder(dataset_name)))
    split = context["engine"] == EngineMode.LOCAL_CLUSTER or (
        context["engine"] == EngineMode.CLUSTER and context.get("cluster_type") == "K8S")
    if split:
        fleet = context["fleet"]
        files = util.split_files(files, fleet.worker_index(), fleet.worker_num())
    context.setdefault("file_lists", {})[dataset_name] = files
    context["file_list"] = files
    return files


# ---- slot lines ----

def has_slots(dataset_name):
    return bool(slot_names(dataset_name))


def slot_names(dataset_name):
    """Dense ones first, as the data layers."""
    name = "dataset.%s." % dataset_name
    dense = split_slots(envs.get_global_env(name + "dense_slots", ""))
    return [dense_slot(text)[0] for text in dense] + \
        split_slots(envs.get_global_env(name + "sparse_slots", ""))


def slot_batches(dataset_name, context, variables, batch_size):
    """A function that gives the batches of slot lines, read in C, for these data layers. None
    where they are not the slots' (a model may have made others)."""
    name = "dataset.%s." % dataset_name
    dense = [dense_slot(text) for text in
             split_slots(envs.get_global_env(name + "dense_slots", ""))]
    names = slot_names(dataset_name)
    if len(variables) != len(names):
        return None
    slots = []
    for i, (slot, var) in enumerate(zip(names, variables)):
        is_dense = i < len(dense)
        wanted = VarDesc.VarType.FP32 if is_dense else VarDesc.VarType.INT64
        if var.dtype != wanted or (var.lod_level == 0) != is_dense:
            return None
        shape = (-1,) + tuple(dense[i][1]) if is_dense else None
        slots.append((slot, "float32" if is_dense else "int64", True, shape))
    files = data_files(dataset_name, context)
    padding = float(envs.get_global_env(name + "padding", 0))

    def batches():
        dataset = _core.Dataset("queue")
        dataset.set_slot_lines(padding)
        dataset.set_slots(slots)
        dataset.set_batch_size(batch_size)
        dataset.set_files(list(files))
        reader = _core.Reader(dataset)
        try:
            batch = reader.next()
            while batch is not None and batch[0] == batch_size:  # the rest is dropped
                yield batch[1]
                batch = reader.next()
        finally:
            reader.close()
    return batches


# ---- Python's readers ----

def _samples(reader, files):
    """A function that gives the values of each example of the files."""
    def read():
        for file in files:
            with open(file) as f:
                for line in f:
                    for sample in reader.generate_sample(line.rstrip("\n"))():
                        if sample is not None:
                            yield [values for _, values in sample]
    return read


def dataloader_by_name(readerclass, dataset_name, yaml_file, context, reader_class_name="Reader"):
    """What a loader is given for a dataset with a data_converter."""
    files = data_files(dataset_name, context)
    reader = envs.lazy_instance_by_fliename(readerclass, reader_class_name)(yaml_file)
    reader.init()
    if hasattr(reader, "generate_batch_from_trainfiles"):
        return reader.generate_batch_from_trainfiles(files)
    samples = _samples(reader, files)
    if hasattr(reader, "batch_tensor_creator"):
        return reader.batch_tensor_creator(samples)
    return samples


def slotdataloader_by_name(readerclass, dataset_name, yaml_file, context):
    """The same for slot lines, in Python."""
    from paddlerec.core.reader import SlotReader
    name = "dataset.%s." % dataset_name
    reader = SlotReader(yaml_file)
    reader.init(envs.get_global_env(name + "sparse_slots", ""),
                envs.get_global_env(name + "dense_slots", ""),
                int(envs.get_global_env(name + "padding", 0)))
    return _samples(reader, data_files(dataset_name, context))
