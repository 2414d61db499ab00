"""Record golden/collective.json: see record.py for the environment. The release without GPUs has
no op that starts a group: those two of the startup program are left out."""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

if __name__ == "__main__":
    import collective_programs
    from paddle.fluid.transpiler import collective
    collective.Collective._init_communicator = lambda self, *args: None
    with open(os.path.join(HERE, "golden", "collective.json"), "w") as f:
        json.dump(collective_programs.programs(), f, indent=0, sort_keys=True)
        f.write("\n")
