"""Names of Fluid 0.11 to 1.7 that 1.8.5 had no more: where they are now, or what to write instead.
_names.py answers with them."""

__all__ = ["MOVED", "TAKEN", "REMOVED"]

# A module's old name -> the module. Parts below it move with it.
MOVED = {
    "paddle.v2.fluid": "paddle.fluid",
    "paddle.fluid.trainer": "paddle.fluid.contrib.trainer",
    "paddle.fluid.inferencer": "paddle.fluid.contrib.inferencer",
    "paddle.fluid.debuger": "paddle.fluid.debugger",
    "paddle.fluid.distribute_transpiler": "paddle.fluid.transpiler.distribute_transpiler",
    "paddle.fluid.learning_rate_decay": "paddle.fluid.layers.learning_rate_scheduler",
}

_TRAINER = ("Trainer", "BeginEpochEvent", "EndEpochEvent", "BeginStepEvent", "EndStepEvent",
            "CheckpointConfig")

# {module: {name: the module that has it}}
TAKEN = {
    "paddle.fluid": dict({name: "paddle.fluid.contrib.trainer" for name in _TRAINER},
                         Inferencer="paddle.fluid.contrib.inferencer",
                         AsyncExecutor="paddle.fluid.async_executor"),
    "paddle.fluid.contrib": dict({name: "paddle.fluid.contrib.trainer" for name in _TRAINER},
                                 Inferencer="paddle.fluid.contrib.inferencer"),
}

_RECORDIO = ("RecordIO files are not read; give the reader to fluid.layers.py_reader, or to "
             "fluid.io.DataLoader.from_generator, as it is")
_DECORATED = "decorate the Python reader: paddle.reader.shuffle, paddle.batch, paddle.reader.buffered"
_CSP = "channels and Go blocks were taken out of Fluid in 1.0; use Python threads and queues"
_PARALLEL_DO = ("it became fluid.ParallelExecutor: build the model once, and run it with "
                "fluid.ParallelExecutor(use_cuda=False, loss_name=loss.name)")
_CHECKPOINT = "save with fluid.io.save_persistables, and load with fluid.io.load_persistables"
_SERVERS = ("servers, and what is exchanged with them, are made by fluid.DistributeTranspiler or "
            "fleet")
_CTR_READER = ("read such files with fluid.DatasetFactory().create_dataset() and "
               "exe.train_from_dataset, or a Python reader")
_INFERENCE = "programs are fused as they run; use program.clone(for_test=True) as it is"

# A full name -> what to write instead.
REMOVED = {
    "paddle.fluid.recordio_writer": _RECORDIO,
    "paddle.fluid.core.RecordIOWriter": _RECORDIO,
    "paddle.fluid.layers.open_recordio_file": _RECORDIO,
    "paddle.fluid.layers.io.open_recordio_file": _RECORDIO,
    "paddle.fluid.layers.open_files": _RECORDIO,
    "paddle.fluid.layers.io.open_files": _RECORDIO,
    "paddle.fluid.layers.shuffle": _DECORATED,
    "paddle.fluid.layers.batch": _DECORATED,
    "paddle.fluid.layers.parallel": _DECORATED,
    "paddle.fluid.layers.Preprocessor": _DECORATED,
    "paddle.fluid.layers.io.shuffle": _DECORATED,
    "paddle.fluid.layers.io.batch": _DECORATED,
    "paddle.fluid.layers.io.Preprocessor": _DECORATED,
    "paddle.fluid.layers.random_data_generator":
        "make random batches in a Python reader, or with fluid.layers.uniform_random",
    "paddle.fluid.layers.get_places": _PARALLEL_DO,
    "paddle.fluid.layers.ParallelDo": _PARALLEL_DO,
    "paddle.fluid.layers.Send": _SERVERS,
    "paddle.fluid.layers.Recv": _SERVERS,
    "paddle.fluid.layers.ListenAndServ": _SERVERS,
    "paddle.fluid.layers.append_LARS": "use fluid.optimizer.LarsMomentum",
    "paddle.fluid.layers.detection_map": "it is of object detection, which is not here",
    "paddle.fluid.evaluator.Auc": "use fluid.layers.auc, or fluid.metrics.Auc",
    "paddle.fluid.get_var": "use program.global_block().var(name)",
    "paddle.fluid.framework.get_var": "use program.global_block().var(name)",
    "paddle.fluid.switch_scope": "use `with fluid.scope_guard(scope)`",
    "paddle.fluid.io.save_checkpoint": _CHECKPOINT,
    "paddle.fluid.io.load_checkpoint": _CHECKPOINT,
    "paddle.fluid.io.clean_checkpoint": _CHECKPOINT,
    "paddle.fluid.io.save_persist_vars_without_grad": _CHECKPOINT,
    "paddle.fluid.io.load_persist_vars_without_grad": _CHECKPOINT,
    "paddle.fluid.io.get_latest_checkpoint_serial": _CHECKPOINT,
    "paddle.fluid.InferenceTranspiler": _INFERENCE,
    "paddle.fluid.transpiler.InferenceTranspiler": _INFERENCE,
    "paddle.fluid.DistributeTranspilerSimple": "use fluid.DistributeTranspiler",
    "paddle.fluid.SimpleDistributeTranspiler": "use fluid.DistributeTranspiler",
    "paddle.fluid.transpiler.SimpleDistributeTranspiler": "use fluid.DistributeTranspiler",
    "paddle.fluid.concurrency": _CSP,
    "paddle.fluid.Go": _CSP,
    "paddle.fluid.Select": _CSP,
    "paddle.fluid.make_channel": _CSP,
    "paddle.fluid.channel_send": _CSP,
    "paddle.fluid.channel_recv": _CSP,
    "paddle.fluid.channel_close": _CSP,
    "paddle.fluid.imperative": "there is no dygraph; build the model with fluid.layers",
    "paddle.fluid.contrib.reader.ctr_reader": _CTR_READER,
    "paddle.fluid.contrib.ctr_reader": _CTR_READER,
    "paddle.fluid.contrib.int8_inference": "programs run in floating point",
    "paddle.fluid.GPUPlace": "use fluid.CUDAPlace",
    "paddle.fluid.core.GPUPlace": "use fluid.CUDAPlace",
    "paddle.fluid.core.is_compile_gpu": "use fluid.core.is_compiled_with_cuda()",
}
