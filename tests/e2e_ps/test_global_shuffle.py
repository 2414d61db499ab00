"""dataset.global_shuffle(fleet): every example is at one worker afterwards, and not where it was."""
import os
import re

import pytest

from cluster import HERE, cluster  # noqa: F401

SCRIPT = os.path.join(HERE, "shuffle_script.py")
WORKERS, EXAMPLES = 3, 5000


def examples(cluster):  # noqa: F811
    """Of each worker, in its order."""
    held = []
    for i in range(WORKERS):
        text = cluster.named("worker%d" % i).text()
        here = [int(x) for x in re.search(r"mine\t.*?data: \[([\d ]+)\]", text,
                                          re.DOTALL).group(1).split()]
        assert "all %d here %d" % (WORKERS * EXAMPLES, len(here)) in text
        held.append(here)
    return held


def run(cluster, **env):  # noqa: F811
    cluster.fleet(2, WORKERS, [], script=SCRIPT, env=env)
    cluster.finish()
    return examples(cluster)


def test_each_example_is_at_one_worker_and_they_are_mixed(cluster):  # noqa: F811
    held = run(cluster)
    assert sorted(sum(held, [])) == list(range(WORKERS * EXAMPLES))
    for worker, here in enumerate(held):
        assert abs(len(here) - EXAMPLES) < EXAMPLES / 10
        for owner in range(WORKERS):
            part = sum(1 for x in here if x // EXAMPLES == owner)
            assert abs(part - EXAMPLES / WORKERS) < EXAMPLES / 10, (worker, owner, part)
        assert here != sorted(here)
    del cluster.processes[:]
    assert run(cluster) == held  # the same every time


def test_examples_of_one_id_come_together(cluster):  # noqa: F811
    """Each id is at all three workers before."""
    held = run(cluster, NAMED="1")
    assert sorted(sum(held, [])) == list(range(WORKERS * EXAMPLES))
    ids = [set(x % EXAMPLES for x in here) for here in held]
    assert sum(map(len, ids)) == EXAMPLES
    assert all(len(here) == WORKERS * len(own) for here, own in zip(held, ids))


def test_workers_that_train_in_step_shuffle_between_epochs(cluster):  # noqa: F811
    """The first that is done waits, and takes no part in the steps of the others."""
    assert sorted(sum(run(cluster, MODE="sync"), [])) == list(range(WORKERS * EXAMPLES))


def test_who_has_left_is_not_waited_for(cluster):  # noqa: F811
    cluster.fleet(1, WORKERS, [], script=SCRIPT, env={"ABSENT": "1"})
    for i in (0, 2):
        assert cluster.named("worker%d" % i).wait(60) != 0
        assert "trainer 1 " in cluster.named("worker%d" % i).text()
        assert "took no part in this global shuffle" in cluster.logs()
        # What is on the way cannot be told from what would come now.
        assert "has failed, and its examples are on the way: start the job again" in \
            cluster.named("worker%d" % i).text()
