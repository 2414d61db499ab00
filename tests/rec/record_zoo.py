"""Record what real PaddleRec makes of the models in zoo/, into zoo_golden.json: all, or those named.

    python3.7 -m venv v && v/bin/pip install paddlepaddle==1.8.5 paddle-rec==1.8.5.1 'protobuf<3.21'
    PATH=$PWD/v/bin:$PATH v/bin/python tests/rec/record_zoo.py [NAME...]
"""
import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

if __name__ == "__main__":
    import zoo_parity as zoo
    path = os.path.join(HERE, "zoo_golden.json")
    golden = {}
    if sys.argv[1:]:
        with open(path) as f:
            golden = json.load(f)
    for name in sys.argv[1:] or zoo.NAMES:
        with tempfile.TemporaryDirectory() as folder:
            golden[name] = zoo.run(folder, name)
    with open(path, "w") as f:
        # A line for each model and runner.
        f.write("{\n" + ",\n".join(
            '"%s": {\n%s}' % (name, ",\n".join(
                ' "%s": %s' % (runner, json.dumps(golden[name][runner], sort_keys=True))
                for runner in sorted(golden[name]))) for name in sorted(golden)) + "\n}\n")
