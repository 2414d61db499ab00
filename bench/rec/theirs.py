"""paddlerec.run of real paddle-rec 1.8.5.1 for the models of this repository, which need two things
it has not: paddlerec.models, and a PosNegRatio whose summary does not raise.

    PYTHON-WITH-PADDLE-REC theirs.py -m config.yaml"""
import os
import runpy

import paddlerec
import paddlerec.core.metrics as metrics

HERE = os.path.dirname(os.path.abspath(__file__))


def summary(self, values):
    right, wrong = float(values["right_cnt"][0]), float(values["wrong_cnt"][0])
    return "RightCnt=%s WrongCnt=%s PN=%s" % (right, wrong, (right + 1) / (wrong + 1))


if __name__ == "__main__":
    # Last, so that all but the models is paddle-rec's own.
    paddlerec.__path__.append(os.path.join(HERE, "..", "..", "python", "paddlerec"))
    metrics.PosNegRatio._calculate = summary
    runpy.run_module("paddlerec.run", run_name="__main__")
