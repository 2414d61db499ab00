"""Several trainers of a job in one process: each has its own job, executor and scope."""
import os

from cluster import Cluster, cluster  # noqa: F401

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "together_script.py")


def results(one):
    lines = "".join(p.text() for p in one.processes if p.name.startswith("worker")).splitlines()
    return sorted(line for line in lines if line.startswith("trainer"))


def test_two_trainers_of_a_process_are_two_processes(cluster, tmp_path):  # noqa: F811
    apart = cluster.fleet(2, 2, [], script=SCRIPT)
    apart.finish()
    os.mkdir(str(tmp_path / "together"))
    together = Cluster(tmp_path / "together")
    try:
        together.fleet(2, 1, ["--together"], script=SCRIPT).finish()
        assert results(together) == results(apart)
    finally:
        together.close()
    assert len(results(apart)) == 2 * 13
