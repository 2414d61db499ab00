"""Gradients that are sent from where they are, and not copied: every one of them counts once, as it
was computed, though the next step's are computed while it is on its way."""
import os

import pytest
from cluster import cluster  # noqa: F401

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lent_script.py")


@pytest.mark.parametrize("mode, more, env", [
    ("async", [], {}),
    ("async", ["--fetch"], {}),  # whoever looks at a gradient sees it, sent or not
    ("async", [], {"FLAGS_ps_loops": "2"}),
    ("half_async", [], {}),
    ("sync", [], {}),
])
def test_gradients_that_are_not_copied(cluster, mode, more, env):  # noqa: F811
    job = cluster.fleet(2, 1, ["--mode", mode] + more, script=SCRIPT, env=env)
    job.finish()
    assert "weights are off by 0.0, gradients by 0.0" in job.named("worker0").text()
