"""A script of the tests, in which one process meets a fault in its first life: FAULT_OF is its role
and number ("TRAINER1"), FAULT the point (sys/fault.h). Other words are the script and its
arguments."""
import os
import runpy
import sys

who = os.environ["TRAINING_ROLE"] + os.environ.get("PADDLE_TRAINER_ID",
                                                   os.environ.get("PADDLE_PSERVER_ID", ""))
os.environ.pop("RG_FAULT", None)
if os.environ.get("FAULT_OF") == who and not os.environ.get("REGATTA_INCARNATION"):
    os.environ["RG_FAULT"] = os.environ["FAULT"]
sys.argv = sys.argv[1:]
sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[0])))
runpy.run_path(sys.argv[0], run_name="__main__")
