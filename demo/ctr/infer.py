"""Judge a model that train.py wrote, on logs that it has not seen.

    python infer.py --model output/ctr/epoch1.model FILE..."""
import argparse
import json
import os

import paddle.fluid as fluid

import auc_counters
from train import open_dataset, pipe_command


def buckets_of(program):
    """How many rows the model's table has."""
    tables = [op.input("W")[0] for op in program.global_block().ops
              if op.type.startswith("lookup_table")]
    return program.global_block().var(tables[0]).shape[0]


def infer(model, files, batch_size=512, thread_num=1, pipe="native"):
    """(AUC, examples)."""
    with fluid.scope_guard(fluid.Scope()):
        exe = fluid.Executor(fluid.CPUPlace())
        program, slots, _ = fluid.io.load_inference_model(model, exe)
        block = program.global_block()
        dataset = open_dataset([block.var(name) for name in slots],
                               pipe_command(pipe, buckets_of(program)), batch_size, thread_num)
        dataset.set_filelist(files)
        auc_counters.reset(program)  # they came with the model
        exe.infer_from_dataset(program=program, dataset=dataset)
        auc, examples = auc_counters.read(program)
    return auc, examples


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", required=True, help="an epochN.model folder")
    parser.add_argument("--pipe", choices=["native", "python"], default="native")
    parser.add_argument("--thread_num", type=int, default=os.cpu_count() or 1)
    parser.add_argument("files", nargs="+", help="raw Criteo logs")
    args = parser.parse_args()
    auc, examples = infer(args.model, args.files, thread_num=args.thread_num, pipe=args.pipe)
    print(json.dumps({"model": args.model, "examples": examples, "auc": round(auc, 6)}))


if __name__ == "__main__":
    main()
