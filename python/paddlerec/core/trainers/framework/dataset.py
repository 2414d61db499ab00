"""Where a phase's examples come from."""
import os
import shlex
import sys

import paddle.fluid as fluid

from paddlerec.core.utils import dataloader_instance, envs

__all__ = ["DatasetBase", "DataLoader", "QueueDataset"]


class DatasetBase(object):
    def __init__(self, context):
        pass

    def get_dataset(self, context):
        """The dataset, for classes that have one."""


class DataLoader(DatasetBase):
    """type: DataLoader. Slot lines are read in C, others by the user's reader."""

    def get_dataloader(self, context, dataset_name, dataloader):
        name = "dataset.%s." % dataset_name
        batch_size = int(envs.get_global_env(name + "batch_size"))
        if dataloader_instance.has_slots(dataset_name):
            batches = dataloader_instance.slot_batches(dataset_name, context,
                                                       dataloader._feed_list, batch_size)
            if batches is not None:
                dataloader.set_batch_generator(batches)
            else:
                dataloader.set_sample_generator(dataloader_instance.slotdataloader_by_name(
                    "", dataset_name, context["config_yaml"], context), batch_size)
            return dataloader
        converter = envs.get_global_env(name + "data_converter")
        class_name = envs.get_global_env(name + "reader_class_name", "Reader")
        made = dataloader_instance.dataloader_by_name(converter, dataset_name,
                                                      context["config_yaml"], context, class_name)
        reader_class = envs.lazy_instance_by_fliename(converter, class_name)
        if hasattr(reader_class, "generate_batch_from_trainfiles"):
            dataloader.set_sample_list_generator(made)
        elif hasattr(reader_class, "batch_tensor_creator"):
            dataloader.set_batch_generator(made)
        else:
            dataloader.set_sample_generator(made, batch_size)
        return dataloader


class QueueDataset(DatasetBase):
    """type: QueueDataset. train_from_dataset in C, with thread_num threads."""

    def create_dataset(self, dataset_name, context):
        return self._get_dataset(dataset_name, context)

    def _get_dataset(self, dataset_name, context):
        name = "dataset.%s." % dataset_name
        phase = next(p for p in context["phases"] if p["dataset_name"] == dataset_name)
        model = context["model"][phase["name"]]["model"]
        variables = model.get_infer_inputs() if context["is_infer"] else model.get_inputs()
        dataset = fluid.DatasetFactory().create_dataset("QueueDataset")
        dataset.set_batch_size(int(envs.get_global_env(name + "batch_size")))
        if dataloader_instance.has_slots(dataset_name):
            slots = dataloader_instance.slot_names(dataset_name)
            if [v.name for v in variables] != slots:
                raise ValueError("dataset %s: the model's data layers are %s, and its slots %s"
                                 % (dataset_name, [v.name for v in variables], slots))
            dataset.dataset.set_slot_lines(float(envs.get_global_env(name + "padding", 0)))
        else:
            dataset.set_pipe_command(" ".join(map(shlex.quote, (
                sys.executable, "-m", "paddlerec.core.utils.dataset_instance",
                envs.get_global_env(name + "data_converter"),
                envs.get_global_env(name + "reader_class_name", "Reader"),
                os.path.abspath(context["config_yaml"])))))
        dataset.set_use_var(variables)
        dataset.set_thread(int(phase.get("thread_num") or 1))
        dataset.set_filelist(dataloader_instance.data_files(dataset_name, context))
        return dataset
