"""Hosts on this machine: a head and three nodes, each with its own network, processes, name and
files (Linux namespaces, a root laid over the machine's), with sshd and the users paddle and
tutorial. A file or a process on one is not on the others; /shared is one folder of all. They end with
the test, and take all that ran or was written on them along; the machine's own network is not touched."""
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from built import BUILD, ROOT

NODES = ["192.168.100.17", "192.168.100.18", "192.168.100.19"]  # as the texts number theirs
HEAD = "192.168.100.10"
USERS = {"root": "/root", "paddle": "/home/paddle", "tutorial": "/home/tutorial"}
PYTHON = os.path.join(ROOT, ".venv", "bin")
PATH = ":".join([PYTHON, BUILD, "/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"])
SSHD = """Port 22
Port 9090
HostKey /etc/ssh/host_test
PidFile /run/sshd.pid
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
MaxStartups 100
SetEnv PATH=%s
Subsystem sftp internal-sftp
"""
TRY = """mount -t tmpfs tmpfs /mnt; cd /mnt; mkdir upper work root
mount -t overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work overlay root
ip link add eth0 type bridge"""


def _do(*arguments):
    done = subprocess.run([str(a) for a in arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode != 0:
        raise OSError("%s: %s" % (" ".join(map(str, arguments)), done.stdout.decode()))


class Host(object):
    def __init__(self, name, address, folder):
        self.name, self.address, self._folder = name, address, folder
        self._unshare = self.pid = None

    def open(self, files):
        root = os.path.join(self._folder, "root-" + self.name)
        os.makedirs(root)
        shared = os.path.join(self._folder, "shared")
        os.makedirs(shared, exist_ok=True)
        os.chmod(shared, 0o1777)
        paths = {ROOT, os.path.realpath(BUILD), sys.prefix, sys.base_prefix}
        self._unshare = subprocess.Popen(
            ["unshare", "--net", "--pid", "--uts", "--mount", "--ipc", "--fork", "--kill-child",
             "bash", os.path.join(ROOT, "tests", "clusters", "host.sh"), self.name, root, files,
             shared] + sorted(paths), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True)

    def ready(self):
        if self._unshare.stdout.readline() != b"ready\n":
            raise OSError("the host %s did not start: %s" % (
                self.name, self._unshare.stderr.read().decode()))
        with open("/proc/%d/task/%d/children" % ((self._unshare.pid,) * 2)) as file:
            self.pid = int(file.read().split()[0])

    def enter(self):
        return ["nsenter", "-t", str(self.pid), "--net", "--pid", "--uts", "--mount", "--ipc"]

    def command(self, script, user, cwd=None, **env):
        """The command that runs a line of shell here, as a user who has logged in."""
        given = ["%s=%s" % pair for pair in sorted(env.items())]
        return self.enter() + [
            "setpriv", "--reuid", user, "--regid", user, "--init-groups", "env", "-i", "-C",
            cwd or USERS[user], "HOME=" + USERS[user], "USER=" + user, "LOGNAME=" + user,
            "SHELL=/bin/bash", "LANG=C.UTF-8", "PATH=" + PATH] + given + ["bash", "-c", script]

    def start(self, script, user="tutorial", cwd=None, stdout=subprocess.PIPE,
              stderr=subprocess.STDOUT, **env):
        """In a session of its own, so that a test can press Ctrl+C: interrupt()."""
        return subprocess.Popen(self.command(script, user, cwd, **env), stdin=subprocess.DEVNULL,
                                stdout=stdout, stderr=stderr, start_new_session=True)

    def run(self, script, user="tutorial", cwd=None, timeout=120, check=True, **env):
        """What a line of shell printed; it must succeed unless told otherwise."""
        job = self.start(script, user, cwd, **env)
        try:
            out = job.communicate(timeout=timeout)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGKILL)
            raise AssertionError("%s: %s did not end in %d s: %s" % (
                self.name, script, timeout, job.communicate()[0].decode(errors="replace")))
        if check:
            assert job.returncode == 0, "%s: %s: status %d\n%s" % (
                self.name, script, job.returncode, out)
            return out
        return job.returncode, out

    def path(self, path):
        """Where a file of this host is seen from the machine."""
        return "/proc/%d/root%s" % (self.pid, path)

    def read(self, path):
        with open(self.path(path), errors="replace") as file:
            return file.read()

    def write(self, path, text, user="root", mode=0o644):
        with open(self.path(path), "w") as file:
            file.write(text)
        os.chmod(self.path(path), mode)
        uid = int(self.run("id -u " + user, "root"))
        os.chown(self.path(path), uid, uid)

    def processes(self):
        """{pid here: command line} of what runs on this host but its own sshd and first process."""
        found = {}
        for line in self.run("exec ps -eo pid=,stat=,args=", "root").splitlines():
            pid, state, words = line.split(None, 2)
            own = pid == "1" or words == "sleep 1" or words.startswith(
                ("sshd: ", "/usr/sbin/sshd ", "ps -eo "))
            if not own and not state.startswith("Z"):
                found[int(pid)] = words.strip()
        return found

    def close(self):
        if self._unshare is not None:
            self._unshare.kill()  # the kernel ends all that is in the pid namespace
            self._unshare.communicate()


class Cluster(object):
    """head, and nodes[0..2]; all know each other's names and keys."""

    def __init__(self, folder):
        self.folder = str(folder)
        self.head = Host("head", HEAD, self.folder)
        self.nodes = [Host("node%d" % i, address, self.folder)
                      for i, address in enumerate(NODES)]
        self.hosts = [self.head] + self.nodes

    def open(self):
        self._keys()
        for host in self.hosts:
            host.open(self._files(host))
        for host in self.hosts:
            host.ready()
        self._wire()
        for host in self.hosts:
            self._wait_for_sshd(host)
        return self

    def _keys(self):
        for name in ["user"] + [h.name for h in self.hosts]:
            _do("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f",
                os.path.join(self.folder, "key-" + name))

    def _key(self, name):
        with open(os.path.join(self.folder, "key-" + name)) as file:
            return file.read()

    def _files(self, host):
        """A folder with what a host has in /etc, and what each user has in .ssh."""
        files = os.path.join(self.folder, "files-" + host.name)
        known = "".join("%s,%s %s" % (h.name, h.address, self._key(h.name + ".pub"))
                        for h in self.hosts)
        texts = {"etc/ssh/sshd_test": (SSHD % PATH, 0o600),
                 "etc/ssh/host_test": (self._key(host.name), 0o600),
                 "etc/hostname": (host.name + "\n", 0o644),
                 "etc/hosts": ("127.0.0.1 localhost\n" + "".join(
                     "%s %s\n" % (h.address, h.name) for h in self.hosts), 0o644),
                 "ssh/authorized_keys": (self._key("user.pub"), 0o600),
                 "ssh/id_ed25519": (self._key("user"), 0o600),
                 "ssh/id_ed25519.pub": (self._key("user.pub"), 0o644),
                 "ssh/known_hosts": (known, 0o644)}
        for path, (text, mode) in texts.items():
            path = os.path.join(files, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write(text)
            os.chmod(path, mode)
        os.chmod(os.path.join(files, "ssh"), 0o700)
        return files

    def _wire(self):
        """A bridge on the head, eth0 of every node plugged into it."""
        inside = self.head.enter()[:3] + ["--net"]  # ip of the machine, network of the head
        _do(*inside + ["ip", "link", "add", "eth0", "type", "bridge"])
        _do(*inside + ["ip", "addr", "add", HEAD + "/24", "dev", "eth0"])
        _do(*inside + ["ip", "link", "set", "eth0", "up"])
        for i, node in enumerate(self.nodes):
            port = "port%d" % i
            _do(*inside + ["ip", "link", "add", port, "type", "veth", "peer", "name", "eth0",
                           "netns", node.pid])
            _do(*inside + ["ip", "link", "set", port, "master", "eth0", "up"])
            there = node.enter()[:3] + ["--net"]
            _do(*there + ["ip", "addr", "add", node.address + "/24", "dev", "eth0"])
            _do(*there + ["ip", "link", "set", "eth0", "up"])

    def plug(self, i, up):
        """Takes the cable out of node i, or puts it back."""
        _do(*self.head.enter()[:3] + ["--net", "ip", "link", "set", "port%d" % i,
                                      "up" if up else "down"])

    def _wait_for_sshd(self, host):
        end = time.monotonic() + 20
        while ":0016 " not in open("/proc/%d/net/tcp" % host.pid).read():
            if time.monotonic() > end:
                raise OSError("sshd of %s does not listen: %s" % (
                    host.name, host.read("/run/sshd.log")))
            time.sleep(0.02)

    def close(self):
        for host in self.hosts:
            host.close()


def why_not():
    """Why there can be no such hosts here; None where there can."""
    if os.geteuid() != 0:
        return "hosts in namespaces are made by root"
    for command, package in (("unshare", "util-linux"), ("ip", "iproute2"), ("ssh", "openssh-client"),
                             ("/usr/sbin/sshd", "openssh-server")):
        if shutil.which(command) is None:
            return "there is no %s (Debian: %s)" % (command, package)
    tried = subprocess.run(["unshare", "--net", "--pid", "--uts", "--mount", "--ipc", "--fork",
                            "sh", "-ec", TRY], stderr=subprocess.PIPE)
    if tried.returncode != 0:
        return "namespaces with overlays cannot be made here: " + tried.stderr.decode()
    return None


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    made = Cluster(tmp_path_factory.mktemp("hosts"))
    try:
        yield made.open()
    finally:
        made.close()
