"""Record what real Paddle computes for the cases of tests/ops.

    python3.7 -m venv v && v/bin/pip install paddlepaddle==1.8.5 'protobuf<3.21'
    v/bin/python tests/ops/record.py [test_mul.py ...]
"""
import glob
import importlib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)


def main():
    import numpy as np
    import opcase
    import paddle
    import paddle.fluid as fluid
    assert paddle.__version__ == "1.8.5", "golden values come from Paddle 1.8.5"
    opcase.check = lambda file, cases: None  # pytest is not needed here
    files = sys.argv[1:] or sorted(glob.glob(os.path.join(HERE, "test_*.py")))
    for file in files:
        name = os.path.splitext(os.path.basename(file))[0]
        module = importlib.import_module(name)
        out = {}
        for c in getattr(module, "CASES", []):
            if not c.golden:
                continue
            try:
                out.update(opcase.record(fluid, c))
            except Exception as e:
                print("%s: %s: %s" % (name, c.name, str(e)[-600:]))
                sys.exit(1)
        if out:
            np.savez_compressed(opcase.golden_path(file), **out)
            print("%s: %d values" % (name, len(out)))


if __name__ == "__main__":
    main()
