"""The hosts that the other tests of this folder use are apart from each other."""
from hosts import NODES, cluster  # noqa: F401


def test_a_file_and_a_process_are_on_one_host(cluster):  # noqa: F811
    one, other = cluster.nodes[0], cluster.nodes[1]
    one.run("touch /home/paddle/here /tmp/here", "paddle")
    job = one.start("exec sleep 1000")
    assert one.run("ls /home/paddle /tmp").split().count("here") == 2
    assert "here" not in other.run("ls /home/paddle /tmp")
    assert any(words == "sleep 1000" for words in one.processes().values())
    assert other.processes() == {}
    one.run("kill %d" % list(one.processes())[0], "root")
    job.wait(timeout=20)
    assert one.processes() == {}


def test_all_users_log_in_to_all_hosts(cluster):  # noqa: F811
    for user in ("root", "paddle", "tutorial"):
        for i, address in enumerate(NODES):
            assert cluster.head.run("ssh %s 'hostname; id -un; command -v paddle'" % address,
                                    user).split()[:2] == ["node%d" % i, user]
