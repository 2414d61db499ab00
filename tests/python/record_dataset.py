"""Records what real Paddle 1.8.5 reads from the files of dataset_files.py. Run it with that
Paddle's Python; it writes golden/dataset.json and golden/dataset_images.npz beside it."""
import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
home = tempfile.mkdtemp()
os.environ["HOME"] = home  # before paddle is imported
os.chdir(home)             # uci_housing draws a picture into the current folder

import dataset_cases  # noqa: E402
import dataset_files  # noqa: E402
import numpy as np  # noqa: E402

dataset_files.write(home)
import rarfile  # noqa: E402


class _Unpacked:
    """The files of MQ2007 are there already."""

    def __init__(self, path):
        pass

    def extractall(self, path):
        pass


rarfile.RarFile = _Unpacked
import paddle.dataset as D  # noqa: E402
dataset_files.patch(D, home)

golden = {name: case(D) for name, case in dataset_cases.CASES.items()}
folder = os.path.join(HERE, "golden")
if not os.path.isdir(folder):
    os.makedirs(folder)
with open(os.path.join(folder, "dataset.json"), "w") as f:
    f.write("{\n" + ",\n".join("%s: %s" % (json.dumps(k), json.dumps(golden[k]))
                               for k in sorted(golden)) + "\n}\n")
np.savez_compressed(os.path.join(folder, "dataset_images.npz"),
                    **{name: case(D) for name, case in dataset_cases.IMAGES.items()})
