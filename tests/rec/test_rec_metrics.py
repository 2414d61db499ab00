"""paddlerec.core.metrics against what real PaddleRec 1.8.5.1 gives (record_metrics.py)."""
import json
import os
import re

import numpy as np
import pytest

import metric_cases
import paddle.fluid as fluid
from paddlerec.core.metrics import AUC, RecallK

with open(os.path.join(os.path.dirname(__file__), "metrics_golden.json")) as f:
    GOLDEN = json.load(f)


def numbers(line):
    return [float(x) for x in re.findall(r"-?\d+\.?\d*(?:e[+-]?\d+)?", line)]


@pytest.mark.parametrize("name", metric_cases.NAMES)
def test_a_metric_gives_what_real_paddlerec_gives(name):
    shown, line = metric_cases.run(name)
    wanted, wanted_line = GOLDEN[name]
    assert sorted(shown) == sorted(wanted)
    for key in wanted:
        np.testing.assert_allclose(shown[key], wanted[key], rtol=1e-5, atol=1e-6, err_msg=key)
    if wanted_line is not None:  # its PosNegRatio fails there
        words = re.sub(r"[-\d.\s]+", " ", line), re.sub(r"[-\d.\s]+", " ", wanted_line)
        assert words[0] == words[1]
        np.testing.assert_allclose(numbers(line), numbers(wanted_line), rtol=1e-4, atol=2e-6)
    else:
        assert re.match(r"RightCnt=\d+\.0 WrongCnt=\d+\.0 PN=", line)


def test_an_argument_that_is_no_variable_is_refused():
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        with pytest.raises(ValueError, match="input must be Variable"):
            RecallK(3, fluid.data("label", [None, 1], "int64"))


def test_a_cleared_auc_counts_from_nothing():
    """Its bins are whole numbers, and stay so: the next batch alone is what it then shows."""
    scope, main, startup = fluid.Scope(), fluid.Program(), fluid.Program()
    with fluid.scope_guard(scope), fluid.program_guard(main, startup):
        p, label = fluid.data("p", [None, 2]), fluid.data("label", [None, 1], "int64")
        metric = AUC(p, label)
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        for right in (0.9, 0.2, 0.1):
            metric.clear()
            exe.run(main, feed={"p": np.array([[1 - right, right], [0.5, 0.5]], "float32"),
                                "label": np.array([[1], [0]], "int64")})
            assert "AUC=%.6f" % (right > 0.5) in metric.calc_global_metrics(None)
            bins = np.array(scope.find_var(
                metric._global_metric_state_vars["stat_pos"][0]).get_tensor())
            assert bins.dtype == np.int64 and bins.sum() == 1
