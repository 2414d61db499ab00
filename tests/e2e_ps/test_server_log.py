"""A server's log says now and then how it is."""
import re

from cluster import cluster  # noqa: F401


def test_rows_memory_and_pushes(cluster):  # noqa: F811
    cluster.fleet(2, 2, ["--steps", "30", "--pause", "0.1"], env={
        "FLAGS_ps_log_seconds": "1", "FLAGS_rpc_send_thread_num": "3"})
    cluster.finish()
    for server in ("server0", "server1"):
        told = re.findall(r"^20\S+Z server (\d): (\d+) rows in tables of ([\d.]+) MiB, ([\d.]+) MiB "
                          r"in all, (\d+) pushes, ([\d.]+) a second$",
                          cluster.named(server).text(), re.MULTILINE)
        assert told, cluster.named(server).text()
        assert cluster.named(server).text().count("_thread_num=3") == 1
        assert "rpc_send_thread_num=3 \"changes nothing" in cluster.named(server).text()
        number, rows, table, memory, pushes, rate = told[-1]
        assert number == server[-1] and int(rows) > 0 and float(memory) > float(table) > 0
        assert 0 < int(pushes) <= 60 and float(rate) > 0
