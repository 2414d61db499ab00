"""As infer.py, in Paddle 2.6: its static.load_inference_model reads the combined files.

    PYTHON-WITH-PADDLE-2.6 infer_2_6.py FOLDER"""
import os
import sys

import numpy as np
import paddle

paddle.enable_static()
folder = sys.argv[1]
with np.load(os.path.join(folder, "case.npz")) as case:
    answer = case["answer"]
    given = {key[3:]: case[key] for key in case.files if key.startswith("in/")}
feed = {}
for name, value in given.items():
    lengths = given.get(name + "@lengths")
    if lengths is not None:
        feed[name] = paddle.base.create_lod_tensor(value, [lengths.tolist()], paddle.CPUPlace())
    elif not name.endswith("@lengths"):
        feed[name] = value
exe = paddle.static.Executor(paddle.CPUPlace())
program, _, targets = paddle.static.load_inference_model(
    os.path.join(folder, "combined"), exe, model_filename="model", params_filename="params")
value, = exe.run(program, feed=feed, fetch_list=targets)
print("largest difference %g" % np.abs(value - answer).max())
