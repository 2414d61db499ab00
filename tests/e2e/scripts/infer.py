"""Load a model that another process left, both ways, and compare its answers.

    python infer.py FOLDER

Prints the largest absolute difference."""
import os
import sys

import numpy as np
import paddle.fluid as fluid

from book import unpacked

folder = sys.argv[1]
with np.load(os.path.join(folder, "case.npz")) as case:
    answer = case["answer"]
    feed = unpacked({key[3:]: case[key] for key in case.files if key.startswith("in/")})
exe = fluid.Executor(fluid.CPUPlace())
worst = 0.0
for name, files in (("model", {}),
                    ("combined", {"model_filename": "model", "params_filename": "params"})):
    with fluid.scope_guard(fluid.Scope()):
        program, feeds, targets = fluid.io.load_inference_model(os.path.join(folder, name), exe,
                                                                **files)
        assert feeds == sorted(feed), (feeds, sorted(feed))
        value, = exe.run(program, feed=feed, fetch_list=targets, return_numpy=False)
        value = np.array(value)
        assert value.shape == answer.shape and value.dtype == answer.dtype
        worst = max(worst, float(np.abs(value - answer).max()))
print("largest difference %g" % worst)
