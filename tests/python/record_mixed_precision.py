"""Record what Paddle 1.8.5 makes of mixed_precision_cases.py:

    PADDLE-1.8.5-PYTHON tests/python/record_mixed_precision.py"""
import json
import os

import mixed_precision_cases

if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "golden", "mixed_precision.json"), "w") as out:
        json.dump(mixed_precision_cases.record(), out, indent=0, sort_keys=True)
