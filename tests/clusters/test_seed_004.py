"""The cluster_train configuration of the documents, on this machine, over SSH and under MPI: it learns
the same wherever it runs, in all four strategies."""
import pytest

import seed_004
from hosts import cluster  # noqa: F401
from mpi_job import make_cluster, need_mpi

STRATEGIES = ("sync", "async", "half_async", "geo")


def test_it_trains_over_ssh_as_written(cluster):  # noqa: F811
    jobs = seed_004.Jobs(cluster, 400)
    assert seed_004.config("async") == seed_004.CONFIG
    assert "done: all 3 trainers have ended well" in jobs.run("SSH", "async")
    judged = jobs.judge("SSH")
    assert set(judged) == {1, 3}
    assert judged[3] > 0.9, judged


@pytest.mark.full
def test_it_learns_the_same_on_every_backend_in_every_strategy(cluster):  # noqa: F811
    need_mpi()
    jobs = seed_004.Jobs(cluster, 4000)
    found = {}
    for kind in ("Local", "SSH", "MPI"):
        if kind == "MPI":
            make_cluster(cluster)
        for strategy in STRATEGIES:
            jobs.run(kind, strategy)
            found[kind, strategy] = jobs.judge(kind)[3]
            print(kind, strategy, found[kind, strategy], flush=True)
    assert len(found) == 12
    assert max(found.values()) - min(found.values()) < 0.005, found
    assert min(found.values()) > 0.98, found
