"""Record where real Paddle shows NaN and infinities, for tests/ops/test_nan.py.

    v/bin/python tests/ops/record_nan.py      (v: see record.py)
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def main():
    import paddle
    import paddle.fluid as fluid
    import opcase
    assert paddle.__version__ == "1.8.5", "golden values come from Paddle 1.8.5"
    opcase.check = lambda file, cases: None  # pytest is not needed here
    import nan_cases
    out = {}
    for name, c in nan_cases.smallest().items():
        found = {}
        for where, _, changed in nan_cases.variants(c):
            try:
                found[where] = nan_cases.described(fluid, changed)
            except Exception as e:  # an input that it refuses
                print("%s: %s: %s" % (name, where, str(e).strip().splitlines()[-1][-120:]))
        if found:
            out[name] = found
    with open(nan_cases.GOLDEN, "w") as f:
        json.dump(out, f, sort_keys=True, indent=0, separators=(",", ":"))
        f.write("\n")
    print("%d cases" % len(out))


if __name__ == "__main__":
    main()
