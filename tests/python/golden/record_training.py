"""Record what real Paddle's training gives for the cases of training_cases.py.

    python3.7 -m venv v && v/bin/pip install paddlepaddle==1.8.5 'protobuf<3.21'
    v/bin/python tests/python/golden/record_training.py
"""
import os

import numpy as np
import paddle
import paddle.fluid as fluid

import training_cases


def main():
    assert paddle.__version__ == "1.8.5", "golden values come from Paddle 1.8.5"
    out = {}
    for case in training_cases.CASES:
        for name, value in training_cases.run(fluid, case).items():
            out["%s/%s" % (case.name, name)] = value
    np.savez_compressed(os.path.join(os.path.dirname(os.path.abspath(__file__)), "training.npz"),
                        **out)
    print("%d cases, %d values" % (len(training_cases.CASES), len(out)))


if __name__ == "__main__":
    main()
