"""Record what real PaddleRec's metrics give for metric_cases.py, beside it.

    python3.7 -m venv v && v/bin/pip install paddlepaddle==1.8.5 paddle-rec==1.8.5.1 'protobuf<3.21'
    v/bin/python tests/rec/record_metrics.py
"""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

if __name__ == "__main__":
    import metric_cases
    import paddle
    assert paddle.__version__ == "1.8.5", "golden values come from Paddle 1.8.5"
    golden = {name: metric_cases.run(name) for name in metric_cases.NAMES}
    with open(os.path.join(HERE, "metrics_golden.json"), "w") as f:
        json.dump(golden, f, indent=1, sort_keys=True)
        f.write("\n")
