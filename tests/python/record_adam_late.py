"""Record what Paddle 1.8.5 makes of adam_late_cases.py:

    PADDLE-1.8.5-PYTHON tests/python/record_adam_late.py

In some of its runs a row gets a gradient out of thin air (even rows that never had one): the
median of several runs is what it means to compute."""
import os

import numpy as np

import adam_late_cases

if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    np.savez_compressed(os.path.join(here, "golden", "adam_late.npz"),
                        golden=np.median([adam_late_cases.run_golden() for _ in range(9)], axis=0))
