"""What the scripts share: training until a loss is reached, and leaving a model behind with
inputs and the outputs that it gave for them."""
import os

import numpy as np
import paddle.fluid as fluid


def train(exe, batches, loss, goal, passes):
    """The mean loss of the last pass, which must be under the goal."""
    for number in range(passes):
        losses = [float(np.ravel(exe.run(feed=feed, fetch_list=[loss])[0])[0])
                  for feed in batches()]
        mean = sum(losses) / len(losses)
        print("pass %d loss %.4f" % (number, mean))
        if mean < goal:
            return mean
    raise SystemExit("the loss is %.4f after %d passes, and was to be under %g"
                     % (mean, passes, goal))


def packed(feed):
    """The feed as plain arrays, with the lengths of sequences beside them."""
    out = {}
    for name, value in feed.items():
        out[name] = np.array(value)
        if not isinstance(value, np.ndarray):
            for level, lengths in enumerate(value.recursive_sequence_lengths()):
                out["%s@lengths%d" % (name, level)] = np.array(lengths, "int64")
    return out


def unpacked(arrays):
    feed = {}
    for name, value in arrays.items():
        if "@lengths" in name:
            continue
        levels = sorted(key for key in arrays if key.startswith(name + "@lengths"))
        feed[name] = value if not levels else fluid.create_lod_tensor(
            value, [arrays[level].tolist() for level in levels], fluid.CPUPlace())
    return feed


def leave(folder, exe, feed, target, test_program):
    """Save the model a file for each variable and in two files, and what it answers to `feed`."""
    names = sorted(feed)
    value, = exe.run(test_program, feed=feed, fetch_list=[target], use_prune=True,
                     return_numpy=False)
    fluid.io.save_inference_model(os.path.join(folder, "model"), names, [target], exe,
                                  main_program=test_program)
    fluid.io.save_inference_model(os.path.join(folder, "combined"), names, [target], exe,
                                  main_program=test_program, model_filename="model",
                                  params_filename="params")
    np.savez(os.path.join(folder, "case.npz"), answer=np.array(value),
             **{"in/" + name: array for name, array in packed(feed).items()})
