"""Every name of paddle-rec 1.8.5.1 that a model, a reader or a trainer could import is here with the same
arguments (names.txt, which record_names.py has written), or is refused by name."""
import importlib
import inspect
import os
import subprocess
import sys

import pytest

import record_names
from paddle._names import NotSupported, _Refused

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "names.txt")) as _file:
    LINES = [line.split(" cannot be imported")[0] for line in _file.read().splitlines()]
MODULES = [line for line in LINES if " " not in line]
OWN = {"paddlerec.tools.tools lasttime"}  # when progress() last wrote
REFUSED = {"paddlerec.run": 16, "paddlerec.core.factory": 3, "paddlerec.core.engine.cluster_utils": 9,
           "paddlerec.core.engine.local_mpi": 1, "paddlerec.core.engine.cluster.cluster": 6,
           "paddlerec.core.modules.modul.layers": 8}


def arguments(value):
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    return "(self)" if value is object.__init__ else record_names.arguments(value)


@pytest.mark.parametrize("module", MODULES)
def test_a_module_has_the_names_that_paddle_rec_has(module):
    here, refused = importlib.import_module(module), set()
    for line in LINES:
        where, _, rest = line.partition(" ")
        if where != module or not rest or line in OWN:
            continue
        name, _, given = rest.partition("(")
        top, _, member = name.partition(".")
        value = getattr(here, top)
        if isinstance(value, _Refused):
            refused.add(top)
            with pytest.raises(NotSupported, match="%s.%s is not implemented: " % (module, top)):
                value()
            continue
        if member:
            value = inspect.getattr_static(value, member)
        if given:
            assert arguments(value) == "(" + given, line
    assert len(refused) == REFUSED.get(module, 0), refused


def test_pairs_in_order_are_counted(tmp_path):
    """The numbers and lines are paddle-rec's of this file."""
    path = tmp_path / "scores"
    path.write_text("0\t12.78\t1\n0\t-1.48\t0\n0\t3\t0\nx\n1\t1\t1\n1\t2\t0\n1\t1\t0\n2\t5\t2\n"
                    "2\t4\t1\n2\t4\t0\n")

    def run(*words):
        done = subprocess.run([sys.executable, "-m", "paddlerec.tools.cal_pos_neg", *map(str, words)],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
                              env=dict(os.environ, PYTHONIOENCODING="utf-8"))
        return done.returncode, done.stdout
    assert run(path) == (0, "pnr:4.0\nquery_num:3\npair_num:7 , 7\nequal_num:2\n正序率: 0.8\n"
                            "pos_num: 4 , neg_num: 1\n")
    path.write_text("0\t1\t1\n")
    assert run(path) == (0, "pos_num: 0 , neg_num: 0\n")
    path.write_text("0\t1\tx\n")
    assert run(path) == (2, "cal_pos_neg: %s: line 1: wanted query, score and label, not "
                            "'0\\t1\\tx'\n" % path)
    assert run()[0] == 2
