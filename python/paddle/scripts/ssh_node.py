"""A node of an SSH cluster: its connection, what it says of itself, and the processes that the
launcher (ssh_cluster.py) runs on it through node.sh."""
import io
import os
import re
import shlex
import socket
import threading

import fabric
import paramiko

NODE_SH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "node.sh")
CONNECT_SECONDS = 10
SILENCE_MS = 30000  # a host that acknowledges nothing for so long is lost


class NodeError(Exception):
    """What is wrong with a node, and what to do."""


def parse_host(text):
    """(user or None, host, port or None) of user@host:port."""
    match = re.fullmatch(r"(?:([^@\s]+)@)?(\[[0-9A-Fa-f:]+\]|[^@:\s\[\]]+)(?::(\d+))?", text)
    if match is None or not (match.group(3) is None or 0 < int(match.group(3)) < 65536):
        raise ValueError("%r is not a host: write user@host or user@host:port" % text)
    user, host, port = match.groups()
    return user, host.strip("[]"), None if port is None else int(port)


class _AskOnce(paramiko.MissingHostKeyPolicy):
    """As ssh's StrictHostKeyChecking says: yes refuses a host that is not in known_hosts; otherwise
    it is taken, with its fingerprint shown. A key that has changed is always refused."""

    def __init__(self, node, strict):
        self._node, self._strict = node, strict

    def missing_host_key(self, client, hostname, key):
        if self._strict:
            raise paramiko.SSHException(
                "its key is not in ~/.ssh/known_hosts, and StrictHostKeyChecking is on: "
                "log in once with ssh, or ssh-keyscan %s >> ~/.ssh/known_hosts" % hostname)
        self._node.say("new host, %s key %s" % (key.get_name(), key.fingerprint))


class Node(object):
    def __init__(self, index, text, say):
        self.index, self.text, self._say = index, text, say
        user, self.host, port = parse_host(text)
        self._connection = fabric.Connection(self.host, user=user, port=port,
                                             connect_timeout=CONNECT_SECONDS)
        self.address = None  # what trainers reach its server by
        self.facts = {}

    @property
    def name(self):
        return "node %d (%s)" % (self.index, self.text)

    def ssh(self, command):
        """The line with which a person does the same."""
        login, _, port = self.text.partition(":")
        return "ssh %s%s %s" % ("-p %s " % port if port else "", login, command)

    def say(self, text):
        self._say("%s: %s" % (self.name, text))

    def open(self):
        strict = self._connection.ssh_config.get("stricthostkeychecking", "") == "yes"
        self._connection.client.load_system_host_keys()
        self._connection.client.set_missing_host_key_policy(_AskOnce(self, strict))
        try:
            self._connection.open()
        except paramiko.BadHostKeyException as error:
            raise NodeError("refused: its key is another than that in ~/.ssh/known_hosts (%s); if the "
                            "host was set up anew: ssh-keygen -R %s" % (error, self.host))
        except paramiko.PasswordRequiredException:
            raise NodeError("needs a key of yours that has a passphrase: start ssh-agent and ssh-add it")
        except paramiko.AuthenticationException:
            raise NodeError("lets user %s not in by key: ssh-copy-id %s, then try `%s`" % (
                self._connection.user, self.text.partition(":")[0], self.ssh("true")))
        except (OSError, EOFError, paramiko.SSHException) as error:
            raise NodeError("cannot be reached by SSH at port %d within %d s: %s" % (
                self._connection.port, CONNECT_SECONDS, error or type(error).__name__))
        transport = self._connection.transport
        transport.set_keepalive(5)
        transport.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, SILENCE_MS)
        try:
            self.address = socket.gethostbyname(self._connection.host)
        except OSError:  # a name that only the host in between knows (ProxyJump)
            pass

    def close(self):
        self._connection.close()

    # ---- commands that end soon ----

    def shell(self, *words):
        """(status, stdout) of a function of node.sh."""
        with open(NODE_SH) as file:
            text = file.read()
        return self.command(" ".join(shlex.quote(w) for w in ("sh", "-c", text, "node") + words))

    def command(self, line, stdin=()):
        """(status, stdout and stderr) of a command; stdin: an iterable of bytes."""
        channel = self.channel(line)
        feeder = _Feeder(channel, stdin)
        feeder.start()
        text = b"".join(iter(lambda: channel.recv(65536), b"")).decode(errors="replace")
        feeder.join()
        if feeder.error is not None:
            raise NodeError(str(feeder.error))
        status = channel.recv_exit_status()
        if status == -1:
            raise NodeError("the connection was lost")
        return status, text

    def must(self, *words):
        status, text = self.shell(*words)
        if status != 0:
            raise NodeError("%s failed: %s" % (words[0], text.strip() or "status %d" % status))
        return text

    def put(self, text, path):
        try:
            self._connection.put(io.BytesIO(text.encode()), path)
        except (OSError, EOFError, paramiko.SSHException) as error:
            raise NodeError("%s cannot be written: %s" % (path, error))

    def channel(self, line):
        try:
            channel = self._connection.transport.open_session(timeout=CONNECT_SECONDS)
            channel.set_combine_stderr(True)
            channel.exec_command(line)
        except (OSError, EOFError, paramiko.SSHException) as error:
            raise NodeError("the connection was lost: %s" % (error or type(error).__name__))
        return channel

    # ---- what the node says of itself ----

    def check(self, conf, workspace):
        """Raises NodeError unless a job can run here."""
        facts = {}
        for line in self.shell("check", conf.ROOT_DIR, conf.PADDLE_NIC, workspace or "")[1].splitlines():
            key, _, value = line.partition(" ")
            facts.setdefault(key, []).append(value.strip())
        self.facts = facts
        if "broken" in facts:
            raise NodeError("`paddle version` fails there: %s" % facts["broken"][0])
        if "version" not in facts:
            raise NodeError("has no command paddle on the PATH of an SSH session: install Regatta there, "
                            "for all users or in a folder that `%s` shows" % self.ssh("'echo $PATH'"))
        if "no_tool" in facts:
            raise NodeError("has no %s" % ", ".join(facts["no_tool"]))
        if "no_nic" in facts:
            raise NodeError("has no network interface %s, but %s: set PADDLE_NIC in conf.py" % (
                ", ".join(facts["no_nic"]), ", ".join(facts["interfaces"][0].split())))
        if workspace is None:
            if "root" not in facts:
                raise NodeError("has no folder %s: make it there, or set ROOT_DIR in conf.py"
                                % conf.ROOT_DIR)
            if "writable" not in facts:
                raise NodeError("user %s may not write to %s" % (self._connection.user, conf.ROOT_DIR))
        elif "workspace" not in facts:
            raise NodeError("has no folder %s: --job_workspace names one that is on every node; "
                            "--job_dispatch_package sends one" % workspace)
        elif "workspace_writable" not in facts:
            raise NodeError("user %s may not write to %s" % (self._connection.user, workspace))
        self._choose_address(" ".join(facts.get("addresses", ())).split())

    def _choose_address(self, addresses):
        """Servers listen on PADDLE_NIC: where SSH goes another way trainers must not."""
        if addresses and self.address not in addresses:
            self.say("trainers reach its server at %s, of its network interface" % addresses[0])
            self.address = addresses[0]
        if self.address is None:
            raise NodeError("has no address that is known here: set PADDLE_NIC in conf.py to an "
                            "interface that has one (%s)" % self.facts["interfaces"][0])

    # ---- processes ----

    def start(self, folder, name, libraries, ports, words, key, events):
        """A process that ends when it does, or when stop() is called or this launcher is gone."""
        line = ["sh", folder + "/.paddle_job/node.sh", "run", folder, name, libraries,
                " ".join(map(str, ports))] + list(words)
        return Process(self, name, " ".join(map(shlex.quote, line)), key, events)

    def tail(self, path, lines=20):
        try:
            return self.command("tail -n %d %s" % (lines, shlex.quote(path)))[1].rstrip()
        except NodeError as error:
            return "(%s)" % error


class Process(object):
    """events gets (process, "ready", None), then (process, "ended", (status or None, note))."""

    def __init__(self, node, name, line, key, events):
        self.node, self.name, self._events = node, name, events
        self.status, self.ended, self.ready = None, False, False
        self._channel = node.channel(line)
        self._channel.sendall((key + "\n").encode())
        threading.Thread(target=self._follow, daemon=True).start()

    @property
    def who(self):
        return "the %s of %s" % ("server" if self.name == "server" else "trainer", self.node.name)

    def _follow(self):
        end, other = (None, ""), []
        try:
            for line in self._channel.makefile("r"):
                word, _, rest = line.rstrip("\n").partition(" ")
                if word == "ready":
                    self._events.put((self, "ready", None))
                elif word == "ended":
                    status, _, note = rest.partition(" ")
                    end = (int(status), note)
                else:
                    other.append(line)
        except (OSError, EOFError, paramiko.SSHException):
            pass
        if end[0] is None:
            end = (None, "".join(other).strip())
        self._events.put((self, "ended", end))

    def alive(self):
        """The dot that node.sh waits for."""
        try:
            self._channel.sendall(b".")
        except (OSError, EOFError, paramiko.SSHException):
            pass  # _follow says it

    def stop(self):
        """Lets go of the line: node.sh ends the process, and what it has started."""
        try:
            self._channel.shutdown_write()
        except (OSError, EOFError, paramiko.SSHException):
            pass


class _Feeder(threading.Thread):
    """Writes a command's stdin beside the one who reads its output."""

    def __init__(self, channel, pieces):
        threading.Thread.__init__(self, daemon=True)
        self._channel, self._pieces, self.error = channel, pieces, None

    def run(self):
        pieces = iter(self._pieces)
        while True:
            try:
                piece = next(pieces, None)
            except OSError as error:  # a file of ours
                self.error = error
                piece = None
            try:
                if piece is None:
                    self._channel.shutdown_write()
                    return
                self._channel.sendall(piece)
            except (OSError, EOFError, paramiko.SSHException):
                return  # the command has ended, and its status says why
