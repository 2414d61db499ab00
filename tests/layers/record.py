"""Record what real Paddle's layer functions build for the cases of tests/layers.

    python3.7 -m venv v && v/bin/pip install paddlepaddle==1.8.5 'protobuf<3.21'
    v/bin/python tests/layers/record.py [test_nn.py ...]
"""
import glob
import importlib
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)


def main():
    import layercase
    import paddle
    assert paddle.__version__ == "1.8.5", "golden values come from Paddle 1.8.5"
    layercase.check = lambda *args, **kw: None  # pytest is not needed here
    for file in sys.argv[1:] or sorted(glob.glob(os.path.join(HERE, "test_*.py"))):
        name = os.path.splitext(os.path.basename(file))[0]
        module = importlib.import_module(name)
        out = {f.__name__: layercase.describe(f) for f in getattr(module, "CASES", [])}
        if out:
            with open(layercase.golden_path(file), "w") as f:
                json.dump(out, f, sort_keys=True, separators=(",", ":"))
                f.write("\n")
            print("%s: %d cases" % (name, len(out)))


if __name__ == "__main__":
    main()
