"""Jobs of real processes on this host, for tests."""
import os
import signal
import subprocess
import sys
import time

import pytest

from paddle import _core

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SCRIPT = os.path.join(HERE, "ps_script.py")


def clean_env(**more):
    """This environment without any job in it."""
    drop = set(_core.job_env_names()) | {"http_proxy", "https_proxy"}
    env = {k: v for k, v in os.environ.items() if k not in drop}
    env.update(PADDLE_DATASET="synthetic", PYTHONUNBUFFERED="1", **more)
    return env


def free_endpoints(n):
    """On addresses of their own, so that no two jobs meet."""
    ports = []
    while len(ports) < n:
        port = _core.port_find("127.0.0.1")
        if port not in ports:
            ports.append(port)
    return ["127.0.0.1:%d" % port for port in ports]


class Process(object):
    def __init__(self, name, folder, command, env):
        self.name, self.command, self.env = name, command, env
        self.log = os.path.join(str(folder), name + ".log")
        with open(self.log, "w") as out:
            self._child = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT,
                                           cwd=str(folder), env=env)

    def text(self):
        with open(self.log, errors="replace") as file:
            return file.read()

    @property
    def pid(self):
        return self._child.pid

    @property
    def status(self):
        """None while it runs."""
        return self._child.poll()

    def signal(self, number):
        """Of SIGSTOP: until all threads stand; each stops when it is its turn to run."""
        self._child.send_signal(number)
        end = time.monotonic() + 30
        while number == signal.SIGSTOP and set(self._states()) - set("Tt"):
            assert time.monotonic() < end, "%s was not stopped" % self.name
            time.sleep(0.005)

    def _states(self):
        folder = "/proc/%d/task" % self.pid
        for task in os.listdir(folder):
            with open(os.path.join(folder, task, "stat")) as stat:
                yield stat.read().rpartition(")")[2].split()[0]

    def wait_for(self, text, seconds=60):
        """Until it has printed the text."""
        end = time.monotonic() + seconds
        while text not in self.text():
            assert self.status is None, "%s ended with %s:\n%s" % (self.name, self.status,
                                                                  self.text())
            assert time.monotonic() < end, "%s did not print %r:\n%s" % (self.name, text,
                                                                         self.text())
            time.sleep(0.02)

    def wait(self, seconds):
        self._child.wait(seconds)
        return self.status

    def end(self):
        if self.status is None:
            for number in (signal.SIGCONT, signal.SIGKILL):
                self._child.send_signal(number)
            self._child.wait(10)


class Cluster(object):
    """Processes that are all ended when the test is."""

    def __init__(self, folder):
        self.folder = folder
        self.processes = []

    def run(self, name, command, **env):
        self.processes.append(Process(name, self.folder, command, clean_env(**env)))
        return self.processes[-1]

    def start(self, name, arguments, under=(), **env):
        """A Python script. under: what the command begins with."""
        return self.run(name, list(under) + [sys.executable] + arguments, **env)

    def again(self, name):
        """The process of this name once more, as someone would start it by hand."""
        old = self.named(name)
        self.processes.append(Process(name + "-again", self.folder, old.command, old.env))
        return self.processes[-1]

    def shell(self, name, command, under=(), **env):
        """A line "VARIABLE=value ... python script" as people type it."""
        path = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
        return self.run(name, list(under) + ["sh", "-c", "exec env " + command], PATH=path, **env)

    def finish(self, seconds=120):
        """Wait for all, and demand that each succeeds."""
        end = time.monotonic() + seconds
        for process in self.processes:
            try:
                process.wait(max(0.1, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                pytest.fail("%s still runs:\n%s" % (process.name, self.logs()))
        bad = [p.name for p in self.processes if p.status != 0]
        assert not bad, "%s failed:\n%s" % (bad, self.logs())

    def logs(self):
        return "\n".join("---- %s, status %s\n%s" % (p.name, p.status, p.text()[-3000:])
                         for p in self.processes)

    def fleet(self, servers, workers, arguments, script=SCRIPT, env=None, own=None, through=None):
        """Servers and workers, told who they are as launch_ps does. own: {name: variables}.
        through: of a server's endpoint, the one that workers are told instead (a proxy's)."""
        endpoints = free_endpoints(servers)
        common = dict(PADDLE_PSERVERS_IP_PORT_LIST=",".join(endpoints),
                      PADDLE_TRAINERS_NUM=str(workers))
        common.update(env or {})
        for i, endpoint in enumerate(endpoints):
            host, port = endpoint.split(":")
            more = dict(common, TRAINING_ROLE="PSERVER", POD_IP=host, PADDLE_PORT=port)
            more.update((own or {}).get("server%d" % i, {}))
            self.start("server%d" % i, [script] + arguments, **more)
        reached = [through(endpoint) for endpoint in endpoints] if through is not None else None
        for i in range(workers):
            more = dict(common, TRAINING_ROLE="TRAINER", PADDLE_TRAINER_ID=str(i))
            if through is not None:
                more.update(PADDLE_PSERVERS_IP_PORT_LIST=",".join(reached),
                            FLAGS_rpc_transport="tcp")
            more.update((own or {}).get("worker%d" % i, {}))
            self.start("worker%d" % i, [script] + arguments, **more)
        return self

    def named(self, name):
        return [p for p in self.processes if p.name == name][0]

    def close(self):
        for process in self.processes:
            process.end()


@pytest.fixture
def cluster(tmp_path):
    one = Cluster(tmp_path)
    yield one
    one.close()


def launch_ps(folder, arguments, workers=2, servers=2, timeout=180, **env):
    """The result of launch_ps; with the logs of all its children in stdout on failure."""
    port = free_endpoints(1)[0].split(":")[1]
    command = [sys.executable, "-m", "paddle.distributed.launch_ps", "--print_config", "0",
               "--worker_num", str(workers), "--server_num", str(servers), "--start_port", port,
               "--log_dir", os.path.join(str(folder), "logs")]
    return subprocess.run(command + arguments, cwd=str(folder), env=clean_env(**env),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=timeout)
