"""Fit a line to the Boston housing data: the first chapter of the book, with a loss curve.

    python train.py [--passes N] [--plot FILE.png] [--model FOLDER]

The data are the real ones if they are in the cache or can be downloaded; without a network set
PADDLE_DATASET=synthetic to use a generated set of the same form."""
import argparse
import os
import sys
import time

import numpy as np
import paddle
import paddle.fluid as fluid


def build():
    x = fluid.layers.data(name="x", shape=[13], dtype="float32")
    y = fluid.layers.data(name="y", shape=[1], dtype="float32")
    predicted = fluid.layers.fc(input=x, size=1, act=None)
    loss = fluid.layers.mean(fluid.layers.square_error_cost(input=predicted, label=y))
    return x, y, predicted, loss


def batches(batch_size):
    shuffled = paddle.reader.shuffle(paddle.dataset.uci_housing.train(), buf_size=500)
    return paddle.batch(shuffled, batch_size=batch_size)


def train(exe, feeder, loss, passes, batch_size=20):
    """The mean loss of every pass."""
    reader = batches(batch_size)
    curve, steps, start = [], 0, time.perf_counter()
    for number in range(passes):
        losses = []
        for batch in reader():
            value, = exe.run(fluid.default_main_program(), feed=feeder.feed(batch),
                             fetch_list=[loss])
            losses.append(value[0])
        curve.append(float(np.mean(losses)))
        steps += len(losses)
        if number % max(1, passes // 10) == 0 or number == passes - 1:
            print("pass %3d  loss %8.3f" % (number, curve[-1]))
    took = time.perf_counter() - start
    print("%d steps in %.2f s, the reader included: %.0f steps/s" % (steps, took, steps / took))
    return curve


def plot(curve, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    figure, axes = pyplot.subplots(figsize=(6, 3.5))
    axes.plot(range(len(curve)), curve, color="#1f5fa8")
    axes.set(title="fit a line: mean squared error", xlabel="pass", ylabel="loss", yscale="log")
    axes.grid(True, alpha=0.3)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    print("loss curve: %s" % path)


def text_plot(curve, width=60, height=10):
    """The curve in characters, for a terminal."""
    points = np.interp(np.linspace(0, len(curve) - 1, width), range(len(curve)), np.log(curve))
    low, high = points.min(), points.max()
    rows = ((points - low) / max(high - low, 1e-9) * (height - 1)).round().astype(int)
    for level in range(height - 1, -1, -1):
        mark = np.exp(low + (high - low) * level / (height - 1))
        print("%8.2f |%s" % (mark, "".join("*" if r == level else " " for r in rows)))
    print("         +" + "-" * width)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--passes", type=int, default=100)
    parser.add_argument("--plot", metavar="FILE.png", help="draw the loss curve")
    parser.add_argument("--model", metavar="FOLDER", default="output/fit_a_line.model",
                        help="where the inference model goes")
    args = parser.parse_args()
    x, y, predicted, loss = build()
    test_program = fluid.default_main_program().clone(for_test=True)
    fluid.optimizer.SGD(learning_rate=0.001).minimize(loss)
    place = fluid.CPUPlace()
    exe = fluid.Executor(place)
    exe.run(fluid.default_startup_program())
    feeder = fluid.DataFeeder(place=place, feed_list=[x, y])
    curve = train(exe, feeder, loss, args.passes)
    text_plot(curve)
    if args.plot:
        plot(curve, args.plot)
    test = list(paddle.dataset.uci_housing.test()())
    value, = exe.run(test_program, feed=feeder.feed(test), fetch_list=[loss])
    print("test loss %.3f" % value[0])
    fluid.io.save_inference_model(args.model, ["x"], [predicted], exe)
    print("inference model: %s" % args.model)
    return 0 if curve[-1] < curve[0] else 1


if __name__ == "__main__":
    sys.exit(main())
