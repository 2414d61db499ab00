"""Record what real Paddle's Python classes give for the cases of tests/python.

    python3.7 -m venv v && v/bin/pip install paddlepaddle==1.8.5 'protobuf<3.21'
    v/bin/python tests/python/record.py test_metrics.py
"""
import importlib
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)


def golden_path(name):
    return os.path.join(HERE, "golden", name.replace("test_", "", 1) + ".json")


def main():
    import paddle
    import paddle.fluid as fluid
    assert paddle.__version__ == "1.8.5", "golden values come from Paddle 1.8.5"
    for file in sys.argv[1:]:
        name = os.path.splitext(os.path.basename(file))[0]
        cases = importlib.import_module(name).CASES
        with open(golden_path(name), "w") as f:
            json.dump({case.__name__: case(fluid) for case in cases}, f, sort_keys=True, indent=1)
            f.write("\n")
        print("%s: %d cases" % (name, len(cases)))


if __name__ == "__main__":
    main()
