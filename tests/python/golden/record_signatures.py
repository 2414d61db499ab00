"""Record the signatures of real Paddle's optimizers, clips, regularizers and schedules.

    python3.7 -m venv v && v/bin/pip install paddlepaddle==1.8.5 'protobuf<3.21'
    v/bin/python tests/python/golden/record_signatures.py
"""
import inspect
import json
import os

MODULES = ["optimizer", "clip", "regularizer", "layers.learning_rate_scheduler",
           "contrib.extend_optimizer", "contrib.reader"]


def signatures(fluid):
    """{"optimizer.Adam": "(learning_rate=0.001, ...)", "optimizer.Adam.minimize": ...}"""
    out = {}
    for path in MODULES:
        module = fluid
        for part in path.split("."):
            module = getattr(module, part)
        for name in module.__all__:
            thing = getattr(module, name)
            out["%s.%s" % (path, name)] = str(inspect.signature(thing))
            if inspect.isclass(thing):
                for method, function in inspect.getmembers(thing, inspect.isfunction):
                    if not method.startswith("_"):
                        out["%s.%s.%s" % (path, name, method)] = str(inspect.signature(function))
    return out


def main():
    import paddle
    import paddle.fluid as fluid
    assert paddle.__version__ == "1.8.5", "signatures come from Paddle 1.8.5"
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "signatures.json"), "w") as f:
        json.dump(signatures(fluid), f, indent=0, sort_keys=True)
        f.write("\n")


if __name__ == "__main__":
    main()
