"""Hosts of their own on this machine: network namespaces around a bridge, for tests."""
import os
import shutil
import subprocess

import pytest


def _ip(*arguments):
    subprocess.run(["ip"] + [str(a) for a in arguments], check=True, stdout=subprocess.PIPE,
                   stderr=subprocess.PIPE)


class Net(object):
    """Host i has addresses[i] and is called names[i]; all of them know all names."""

    def __init__(self, addresses, names):
        self.addresses, self.names = addresses, names
        self._made = []
        self._switch = "rgt%d-switch" % os.getpid()
        self._hosts = ["rgt%d-%d" % (os.getpid(), i) for i in range(len(addresses))]

    def open(self):
        self._add(self._switch)
        _ip("-n", self._switch, "link", "add", "bridge", "type", "bridge")
        _ip("-n", self._switch, "link", "set", "bridge", "up")
        table = "127.0.0.1 localhost\n" + "".join(
            "%s %s\n" % pair for pair in zip(self.addresses, self.names))
        for i, host in enumerate(self._hosts):
            self._add(host)
            folder = os.path.join("/etc/netns", host)  # ip netns exec puts it over /etc
            os.makedirs(folder)
            with open(os.path.join(folder, "hosts"), "w") as file:
                file.write(table)
            _ip("link", "add", "eth0", "netns", host, "type", "veth", "peer", "name",
                "port%d" % i, "netns", self._switch)
            _ip("-n", self._switch, "link", "set", "port%d" % i, "master", "bridge", "up")
            _ip("-n", host, "addr", "add", self.addresses[i] + "/24", "dev", "eth0")
            _ip("-n", host, "link", "set", "lo", "up")
            _ip("-n", host, "link", "set", "eth0", "up")
        return self

    def _add(self, name):
        _ip("netns", "add", name)
        self._made.append(name)

    def on(self, i):
        """What a command begins with that is to run on host i."""
        return ["ip", "netns", "exec", self._hosts[i]]

    def cut(self, i):
        _ip("-n", self._switch, "link", "set", "port%d" % i, "down")

    def mend(self, i):
        _ip("-n", self._switch, "link", "set", "port%d" % i, "up")

    def narrow(self, i, rate, limit):
        """To host i, and from it, so many bits a second pass; what does not fit into the limit is
        dropped, and sent again by TCP."""
        shape = ["root", "tbf", "rate", rate, "burst", "4kb", "limit", limit]
        subprocess.run(["tc", "-n", self._switch, "qdisc", "add", "dev", "port%d" % i] + shape,
                       check=True)
        subprocess.run(["tc", "-n", self._hosts[i], "qdisc", "add", "dev", "eth0"] + shape,
                       check=True)

    def dropped(self, i):
        """Packets on the way to host i."""
        shown = subprocess.run(["tc", "-n", self._switch, "-s", "qdisc", "show", "dev",
                                "port%d" % i], check=True, stdout=subprocess.PIPE, text=True).stdout
        return int(shown.split("(dropped ")[1].split(",")[0])

    def close(self):
        for name in reversed(self._made):
            subprocess.run(["ip", "netns", "del", name], check=False)
            shutil.rmtree(os.path.join("/etc/netns", name), ignore_errors=True)


@pytest.fixture
def three_hosts():
    """As the texts number and name theirs."""
    if os.geteuid() != 0:
        pytest.skip("network namespaces are made by root")
    if shutil.which("ip") is None:
        pytest.skip("there is no ip command (Debian: iproute2)")
    net = Net(["192.168.1.2", "192.168.1.3", "192.168.1.4"],
              ["ps0.paddlepaddle.com", "ps1.paddlepaddle.com", "trainer1.paddlepaddle.com"])
    try:
        net.open()
    except (OSError, subprocess.CalledProcessError) as error:
        net.close()
        pytest.skip("network namespaces cannot be made here: %s %s" % (
            error, getattr(error, "stderr", b"")))
    yield net
    net.close()
