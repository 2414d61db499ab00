"""Parameters that trainers of sync read where a server of their host has them: whatever a trainer
does with them, and whoever goes, they are what they would be as copies."""
import os
import signal

from cluster import Cluster, cluster  # noqa: F401

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT, FORKED = (os.path.join(HERE, name) for name in ("shown_script.py", "shown_fork_script.py"))
WORKERS = ("worker0", "worker1")


def told(folder, **env):
    """What the workers have printed, each; the server is told to end when worker 0 has left, and
    worker 1 has not."""
    os.mkdir(str(folder))
    job = Cluster(folder)
    try:
        job.fleet(1, 2, [str(folder)], script=SCRIPT, env=env)
        job.named("worker1").wait_for("ready")
        job.named("server0").signal(signal.SIGTERM)
        job.named("server0").wait(30)
        open(os.path.join(str(folder), "gone"), "w").close()
        assert [job.named(name).wait(60) for name in WORKERS] == [0, 0], job.logs()
        return [[line for line in job.named(name).text().splitlines()
                 if line.startswith(("step ", "in between", "filled", "after ", "without "))]
                for name in WORKERS]
    finally:
        job.close()


def test_parameters_read_where_the_server_has_them(tmp_path):
    shown = told(tmp_path / "shown")
    assert [len(lines) for lines in shown] == [12 + 3 + 2, 16 + 4 + 1]
    assert shown == told(tmp_path / "copied", FLAGS_rpc_shared_memory="0")


def test_children_that_are_forked_read_them(cluster):  # noqa: F811
    """After steps, and while another thread makes some: none dies of it, nor does their parent."""
    cluster.fleet(1, 1, [], script=FORKED).finish(60)
    assert "70 children []" in cluster.named("worker0").text(), cluster.logs()
