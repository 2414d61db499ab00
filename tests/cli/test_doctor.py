"""`paddle doctor`: what it finds on this machine and in a job's environment."""
import json
import os
import shutil
import socket
import subprocess

import pytest

from built import PADDLE
from ports import free_ports

JOB = ("PADDLE_", "TRAINING_ROLE", "PSERVERS", "FLAGS_", "REGATTA_", "POD_IP")


def doctor(*arguments, **env):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(JOB)}
    done = subprocess.run([PADDLE, "doctor"] + list(arguments), env=dict(clean, **env), text=True,
                          capture_output=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def findings(*arguments, **env):
    """(status, {check: [(level, seen, change)]})"""
    code, out, _ = doctor("--json", *arguments, **env)
    report, found = json.loads(out), {}
    for f in report["findings"]:
        found.setdefault(f["check"], []).append((f["level"], f["seen"], f["change"]))
        assert (f["change"] is None) == (f["level"] == "ok")
    assert report["problems"] == sum(f["level"] == "problem" for f in report["findings"])
    return code, found


def test_this_machine(tmp_path):
    port = free_ports(1)
    code, found = findings("--log_dir", str(tmp_path / "not" / "yet"),
                           PADDLE_PSERVERS_IP_PORT_LIST="127.0.0.1:%d" % port)
    assert code == 0
    assert set(found) == {"flags", "cpu", "gemm", "bf16", "gpu", "libraries", "memory", "huge_pages",
                          "disk", "descriptors", "names", "ports", "keys", "reach", "peers"}
    assert "GFLOP/s a core" in found["gemm"][0][1]
    for name in ("OpenBLAS", "oneDNN", "libuv", "OpenSSL"):
        assert name in found["libraries"][0][1]
    assert "1 port of this host is free" in found["ports"][0][1]
    assert os.listdir(tmp_path) == []  # nothing is left of the measurement


def test_a_port_that_is_taken_and_a_name_that_is_none():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(1)
        endpoint = "127.0.0.1:%d" % taken.getsockname()[1]
        code, out, _ = doctor("--only", "names,ports",
                              PADDLE_PSERVERS_IP_PORT_LIST=endpoint + ",no-such-host.invalid:6174")
    assert code == 1
    assert "problem  names        no-such-host.invalid:6174: host no-such-host.invalid has no" in out
    assert "problem  ports        something listens on %s already" % endpoint in out
    assert "-> end who listens there" in out and out.splitlines()[-1].startswith("2 problems, ")


def test_a_job_of_several_hosts_needs_addresses_that_all_reach_and_a_key():
    code, found = findings("--only", "names",
                           PADDLE_PSERVERS_IP_PORT_LIST="127.0.0.1:6174,192.0.2.1:6174")
    assert code == 1 and "other hosts cannot reach it" in found["environment"][0][1]
    env = dict(PADDLE_PSERVERS_IP_PORT_LIST="192.0.2.1:6174,192.0.2.2:6174")
    code, found = findings("--only", "keys", **env)
    assert code == 0
    assert found["keys"][0][:2] == ("warning", "the job is of several hosts, and has no key")
    assert findings("--only", "keys", REGATTA_JOB_KEY="5e" * 32, **env)[1]["keys"][0][0] == "ok"
    assert "digits" in findings("--only", "keys", REGATTA_JOB_KEY="ab", **env)[1]["keys"][0][1]


def test_memory_that_is_not_there(tmp_path):
    code, found = findings("--only", "memory", "--table_memory", "1024G", "--server_num", "2")
    assert code == 1 and "tables of 2 servers may take 1 TiB each" in found["memory"][0][1]
    code, found = findings("--only", "memory", "--table_memory=64M", "--table_rows=10000000",
                           "--table_dim=8", "--table_states=2", "--server_num=2")
    assert code == 1 and [f[0] for f in found["memory"]] == ["ok", "problem"]
    assert "10000000 rows of 8 floats take " in found["memory"][1][1]
    assert "--table_disk" in found["memory"][1][2]
    assert "as 8G" in findings("--only", "memory", FLAGS_ps_table_memory="lots")[1]["memory"][0][1]


def test_secrets_flags_and_precision(tmp_path):
    key = tmp_path / "key.pem"
    key.write_text("secret")
    key.chmod(0o644)
    code, found = findings("--only", "keys,flags,bf16", FLAGS_rpc_tls_key=str(key),
                           FLAGS_rpc_deadlien="3", FLAGS_matmul_precision="bf17")
    assert code == 1
    assert "may be read by others than its owner" in found["keys"][0][1]
    assert found["flags"] == [("problem", "there is no flag FLAGS_rpc_deadlien", found["flags"][0][2])]
    assert "bf17" in found["bf16"][0][1]
    key.chmod(0o600)
    assert findings("--only", "keys", FLAGS_rpc_tls_key=str(key))[0] == 0


def test_two_doctors_measure_the_way_between_them():
    listener = subprocess.Popen([PADDLE, "doctor", "--listen", "127.0.0.1:0", "--seconds", "30"],
                                stdout=subprocess.PIPE, text=True)
    try:
        at = listener.stdout.readline().split()[-1]
        code, found = findings("--only", "peers", "--peers", at + "," + at)
    finally:
        listener.terminate()
        listener.wait(20)
        listener.stdout.close()
    assert code == 0 and len(found["peers"]) == 2
    level, seen, _ = found["peers"][0]
    assert seen.startswith(at + ": ") and "MB/s from here" in seen and "its clock is 0.0" in seen
    with socket.socket() as silent:  # somebody else is there
        silent.bind(("127.0.0.1", 0))
        silent.listen(1)
        code, found = findings("--only", "peers", "--timeout=1", "--peers",
                               "127.0.0.1:%d,%s" % (silent.getsockname()[1], at))
    assert code == 1
    assert "does not answer as a doctor does" in found["peers"][0][1]
    assert "no doctor answers at" in found["peers"][1][1]


@pytest.mark.parametrize("arguments, tells", [
    (["--onyl", "cpu"], "did you mean --only?"),
    (["--only", "cpu,gmem"], "no check"),
    (["--listen", "6174"], "--listen is HOST:PORT"),
    (["--table_dim", "0"], "goes from 1"),
])
def test_misuse(arguments, tells):
    code, out, err = doctor(*arguments)
    assert (code, out) == (2, "") and tells in err


def test_the_gpu_module_is_found_where_pip_puts_it(tmp_path):
    """bin/paddle, which may be called by a link, and Python's package of the same prefix."""
    (tmp_path / "bin").mkdir()
    package = tmp_path / "lib" / "python3.11" / "site-packages" / "paddle"
    package.mkdir(parents=True)
    shutil.copy(PADDLE, str(tmp_path / "bin" / "paddle"))
    os.symlink(str(tmp_path / "bin" / "paddle"), str(tmp_path / "paddle"))

    def says():
        return subprocess.run([str(tmp_path / "paddle"), "doctor", "--only", "gpu"], text=True,
                              stdout=subprocess.PIPE, timeout=60).stdout

    assert "this build has no GPU module" in says()
    (package / "libregatta_cuda.so").write_bytes(b"no library")
    assert "the GPU kernels cannot be loaded" in says()
