"""`paddle doctor --hosts`: a doctor on each host, and each way between them."""
import json

from hosts import NODES, cluster  # noqa: F401


def test_each_host_and_each_way(cluster):  # noqa: F811
    hosts = ["root@" + NODES[0], "root@" + NODES[1]]
    out = cluster.head.run("paddle doctor --json --only peers,memory --hosts %s" % ",".join(hosts),
                           "root", timeout=120)
    report = json.loads(out[out.index("{"):])
    assert report["problems"] == 0 and report["failed"] == []
    assert [h["ssh"] for h in report["hosts"]] == hosts
    assert len({h["host"] for h in report["hosts"]}) == 2
    for i, host in enumerate(report["hosts"]):
        peers, = [f for f in host["findings"] if f["check"] == "peers"]
        assert peers["seen"].startswith(NODES[1 - i] + ":") and " MB/s from here" in peers["seen"]
    for node in cluster.nodes[:2]:  # the listeners are gone
        assert "doctor" not in node.run("ps -e -o args | grep '[d]octor --listen' || true", "root")
    # A host that cannot be reached is a problem, and the others are examined all the same.
    status, out = cluster.head.run("paddle doctor --only memory --hosts %s,root@%s:9"
                                   % (hosts[0], NODES[1]), "root", timeout=120, check=False)
    assert status == 1
    assert "ok       memory" in out and "cannot be reached by SSH" in out
    assert "2 hosts, 1 problem" in out
