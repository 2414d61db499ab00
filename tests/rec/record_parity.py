"""Record what real PaddleRec makes of rec_parity.py's cases, into parity_golden.json.

    python3.7 -m venv v && v/bin/pip install paddlepaddle==1.8.5 paddle-rec==1.8.5.1 'protobuf<3.21'
    PATH=$PWD/v/bin:$PATH v/bin/python tests/rec/record_parity.py
"""
import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

if __name__ == "__main__":
    import rec_parity as parity
    golden = {}
    for case in sorted(parity.CASES):
        with tempfile.TemporaryDirectory() as folder:
            golden[case] = parity.run(folder, case)
    with open(os.path.join(HERE, "parity_golden.json"), "w") as f:
        json.dump(golden, f, indent=1, sort_keys=True)
        f.write("\n")
