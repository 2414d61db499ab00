"""Train the CTR-DNN on one machine, as the Fleet quick start's single-machine job does.

    python train.py --raw_data FOLDER [--epochs N] [--pipe native|python] [--plot FILE.png] ...

The folder holds raw Criteo logs, part-0, part-1, ... Four fifths of the files are trained on, in
each epoch; then the model is written to MODEL_OUTPUT_DIR/epochN.model, for infer.py."""
import argparse
import os
import sys

import paddle.fluid as fluid

import auc_counters
from ctr_dnn_model_dataset import ctr_dnn_model_dataset

HERE = os.path.dirname(os.path.abspath(__file__))
DENSE_FEATURE_DIM = 13


def parse_args(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--raw_data", default="raw_data", help="folder of raw Criteo logs")
    parser.add_argument("--model_output_dir", default="output/ctr")
    parser.add_argument("--embedding_size", type=int, default=10)
    parser.add_argument("--sparse_feature_dim", type=int, default=1000001,
                        help="rows of the table: what categories are hashed into")
    parser.add_argument("--optimizer", default="Adam", help="a class of fluid.optimizer")
    parser.add_argument("--learning_rate", type=float, default=1e-3)
    parser.add_argument("--batch_size", type=int, default=512)
    parser.add_argument("--thread_num", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--pipe", choices=["native", "python"], default="native",
                        help="what reads raw lines: `paddle criteo`, or criteo_reader.py")
    parser.add_argument("--points", type=int, default=16,
                        help="points of the AUC curve in an epoch")
    parser.add_argument("--plot", metavar="FILE.png", help="draw the AUC curve")
    parser.add_argument("--best_auc", type=float, default=None,
                        help="what a perfect model would reach; drawn, if known")
    return parser.parse_args(argv)


def inputs():
    """The slots of a line, in their order."""
    dense_input = fluid.layers.data(name="dense_input", shape=[DENSE_FEATURE_DIM], dtype="float32")
    sparse_input_ids = [fluid.layers.data(name="C" + str(i), shape=[1], lod_level=1, dtype="int64")
                        for i in range(1, 27)]
    label = fluid.layers.data(name="label", shape=[1], dtype="int64")
    return dense_input, sparse_input_ids, label


def pipe_command(kind, buckets):
    if kind == "native":
        return "paddle criteo --hash %d" % buckets
    return "%s %s %d" % (sys.executable, os.path.join(HERE, "criteo_reader.py"), buckets)


def open_dataset(use_vars, command, batch_size, thread_num):
    dataset = fluid.DatasetFactory().create_dataset()
    dataset.set_use_var(use_vars)
    dataset.set_pipe_command(command)
    dataset.set_batch_size(batch_size)
    dataset.set_thread(thread_num)
    return dataset


def part_files(folder):
    names = [name for name in os.listdir(folder) if name.startswith("part-")]
    if not names:
        raise SystemExit("train.py: %s holds no files part-0, part-1, ..." % folder)
    return [os.path.join(folder, name) for name in sorted(names, key=lambda n: int(n[5:]))]


def train(args):
    """[(examples seen, AUC of the examples since the point before)] of all epochs. In the first
    epoch every example is judged before it is learnt from."""
    os.makedirs(args.model_output_dir, exist_ok=True)
    dense_input, sparse_input_ids, label = inputs()
    loss, auc_var, _ = ctr_dnn_model_dataset(dense_input, sparse_input_ids, label,
                                             args.embedding_size, args.sparse_feature_dim)
    getattr(fluid.optimizer, args.optimizer)(learning_rate=args.learning_rate).minimize(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    slots = [dense_input] + sparse_input_ids + [label]
    dataset = open_dataset(slots, pipe_command(args.pipe, args.sparse_feature_dim),
                           args.batch_size, args.thread_num)
    files = part_files(args.raw_data)
    files = files[:max(1, int(0.8 * len(files)))]
    program, curve, seen = fluid.default_main_program(), [], 0
    stride = max(1, len(files) // args.points)
    for epoch in range(args.epochs):
        for i in range(0, len(files), stride):
            auc_counters.reset(program)
            dataset.set_filelist(files[i:i + stride])
            exe.train_from_dataset(program=program, dataset=dataset)
            auc, examples = auc_counters.read(program)
            seen += examples
            curve.append((seen, auc))
        model = os.path.join(args.model_output_dir, "epoch%d.model" % (epoch + 1))
        fluid.io.save_inference_model(model, [v.name for v in slots], [loss, auc_var], exe)
        print("epoch %d: AUC %.4f over its last %d examples; model: %s"
              % (epoch + 1, curve[-1][1], examples, model), flush=True)
    return curve


def plot(curve, path, best=None, held_out=None):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    seen, auc = [point[0] / 1e3 for point in curve], [point[1] for point in curve]
    figure, axes = pyplot.subplots(figsize=(6, 3.5))
    axes.plot(seen, auc, color="#1f5fa8", label="while training")
    if held_out is not None:
        axes.plot(seen[-1:], [held_out], "o", color="#c0392b", label="held out: %.4f" % held_out)
    if best is not None:
        axes.axhline(best, color="#888888", linestyle="--", label="the true model: %.4f" % best)
    axes.set(title="CTR-DNN", xlabel="examples (thousands)", ylabel="AUC")
    axes.grid(True, alpha=0.3)
    axes.legend(loc="lower right", fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    print("AUC curve: %s" % path)


def main():
    args = parse_args()
    curve = train(args)
    if args.plot:
        plot(curve, args.plot, args.best_auc)


if __name__ == "__main__":
    main()
