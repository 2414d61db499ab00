"""Write exchange.zip: models saved by real Paddle 1.8.5, and what they answer.

    PYTHON-WITH-PADDLE-1.8.5 record_exchange.py

Or compare models that someone else has saved, and print the largest difference of each way:

    PYTHON-WITH-PADDLE-1.8.5 record_exchange.py FOLDER"""
import os
import sys
import tempfile
import traceback
import zipfile

import numpy as np
import paddle.fluid as fluid

import exchange_model

HERE = os.path.dirname(os.path.abspath(__file__))


def record():
    # 1.8.5 writes where each op was made into the program: paths of this machine.
    traceback.extract_stack = lambda *args, **kwargs: []
    with tempfile.TemporaryDirectory() as folder:
        exchange_model.save_all(fluid, folder)
        with zipfile.ZipFile(os.path.join(HERE, "exchange.zip"), "w", zipfile.ZIP_DEFLATED) as out:
            for root, _, files in sorted(os.walk(folder)):
                for name in sorted(files):
                    path = os.path.join(root, name)
                    info = zipfile.ZipInfo(os.path.relpath(path, folder))
                    info.compress_type = zipfile.ZIP_DEFLATED
                    with open(path, "rb") as f:
                        out.writestr(info, f.read())


def compare(folder):
    wanted = np.load(os.path.join(folder, "answer.npy"))
    for way, value in sorted(exchange_model.load_all(fluid, folder).items()):
        print("%s %g" % (way, np.abs(value - wanted).max()))


if __name__ == "__main__":
    compare(sys.argv[1]) if len(sys.argv) > 1 else record()
