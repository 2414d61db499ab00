"""The proxy that other tests of faults stand on: each of its rules does what it says."""
import os
import socket
import socketserver
import subprocess
import sys
import threading
import time

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from proxy import (HEADER, KINDS, MAGIC, METHODS, VERSION, Frame, Proxy, Rule,  # noqa: E402
                   frames_in, replay)


def frame(kind, method="", number=0, body=b"", flags=0):
    return HEADER.pack(MAGIC, VERSION, KINDS.index(kind), 0, METHODS.index(method), flags, 0, number,
                       len(body), 0) + body


def hello(trainer, purpose=1):
    return frame("HELLO", body=b"n" * 40 + purpose.to_bytes(4, "little") +
                 (1).to_bytes(4, "little") + trainer.to_bytes(4, "little", signed=True))


def read_exactly(sock, n):
    data = b""
    while len(data) < n:
        more = sock.recv(n - len(data))
        if not more:
            raise EOFError(data)
        data += more
    return data


def read_frame(sock):
    header = read_exactly(sock, HEADER.size)
    one = Frame(header, None, "down")
    try:
        one.bytes += read_exactly(sock, one.length)
    except EOFError as end:
        raise EOFError(header + end.args[0])
    return one


class Server(object):
    """Answers each request with its body, and notes what has come."""

    def __init__(self):
        noted = self.noted = []
        self.ended = ended = threading.Event()

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                try:
                    while True:
                        one = read_frame(self.request)
                        noted.append(one.bytes)
                        if one.kind == "REQUEST":
                            self.request.sendall(frame("REPLY", one.method_name, one.id, one.body))
                except (EOFError, OSError) as end:
                    if isinstance(end, EOFError) and end.args[0]:
                        noted.append(end.args[0])
                    ended.set()
        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.endpoint = "127.0.0.1:%d" % self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server():
    one = Server()
    yield one
    one.close()


def connect(proxy, trainer=0, purpose=1):
    host, port = proxy.endpoint.split(":")
    sock = socket.create_connection((host, int(port)), timeout=10)
    sock.sendall(hello(trainer, purpose))
    return sock


def ask(sock, method, number, body=b"", flags=0):
    sock.sendall(frame("REQUEST", method, number, body, flags))
    return read_frame(sock)


def test_it_passes_what_no_rule_names(server):
    with Proxy(server.endpoint) as proxy, connect(proxy) as sock:
        body = bytes(range(256)) * 4096
        assert ask(sock, "PUSH", 1, body).body == body
        assert ask(sock, "PULL", 2).id == 2


def test_a_reply_is_lost(server):
    with Proxy(server.endpoint, ["down PUSH nth=2 trainer=3 lose"]) as proxy:
        with connect(proxy, 1) as other, connect(proxy, 3) as sock:
            for i in range(3):
                ask(other, "PUSH", i)
            ask(sock, "PULL", 1)
            ask(sock, "PUSH", 2)
            with pytest.raises((EOFError, ConnectionError)):
                ask(sock, "PUSH", 3)
            assert server.noted[-1] == frame("REQUEST", "PUSH", 3)
            assert ask(other, "PUSH", 4).id == 4
        with connect(proxy, 3) as sock:
            assert ask(sock, "PUSH", 3, flags=2).id == 3


def test_a_connection_breaks_after_any_byte(server):
    request = frame("REQUEST", "PUSH", 1, b"12345")
    for n in (0, 1, 35, 36, 40, len(request)):
        with Proxy(server.endpoint, ["up REQUEST nth=1 cut=%d" % n]) as proxy:
            del server.noted[:]
            server.ended.clear()
            with connect(proxy) as sock:
                sock.sendall(request)
                with pytest.raises((EOFError, ConnectionError)):
                    read_frame(sock)
                    read_frame(sock)
            assert server.ended.wait(10)
            assert b"".join(server.noted) == hello(0) + request[:n]


def test_frames_are_doubled_turned_and_late(server):
    with Proxy(server.endpoint, ["up method=4 dup", "up PULL flip=-1", "up GET flip=36",
                                 "down SET delay=200"]) as proxy, connect(proxy) as sock:
        assert ask(sock, "PUSH", 1, b"a").body == b"a"
        assert read_frame(sock).body == b"a"
        assert ask(sock, "PULL", 2, b"\0\0").body == b"\0\4"
        assert ask(sock, "GET", 3, b"\0\0").body == b"\4\0"
        begun = time.monotonic()
        ask(sock, "SET", 4)
        assert time.monotonic() - begun >= 0.2


def test_one_way_stalls_until_it_is_healed(server):
    with Proxy(server.endpoint) as proxy, connect(proxy) as sock:
        rule = proxy.add("down stall")
        sock.sendall(frame("REQUEST", "PUSH", 1))
        rule.wait()
        sock.sendall(frame("REQUEST", "PUSH", 2))
        sock.settimeout(0.1)
        with pytest.raises(socket.timeout):
            read_frame(sock)
        assert len(server.noted) == 3  # that way all is well
        sock.settimeout(10)
        proxy.heal()
        assert [read_frame(sock).id for _ in range(2)] == [1, 2]


def test_a_rate_is_kept(server):
    with Proxy(server.endpoint, ["down rate=10000"]) as proxy, connect(proxy) as sock:
        begun = time.monotonic()
        ask(sock, "PUSH", 1, b"x" * 4000)
        assert time.monotonic() - begun > 0.3


def test_connections_are_cut_and_kept_out(server):
    with Proxy(server.endpoint) as proxy:
        with connect(proxy) as sock:
            ask(sock, "PUSH", 1)
            assert proxy.shut() == 1
            with pytest.raises((EOFError, ConnectionError)):
                read_frame(sock)
        with connect(proxy) as sock, pytest.raises((EOFError, ConnectionError)):
            read_frame(sock)
        proxy.heal()
        with connect(proxy) as sock:
            assert ask(sock, "PUSH", 2).id == 2


def test_what_was_recorded_is_sent_again(server):
    with Proxy(server.endpoint, record=True) as proxy, connect(proxy) as sock:
        ask(sock, "PUSH", 7, b"abc")
        pushed = [f for f in proxy.frames if f.kind == "REQUEST"][0]
        assert (pushed.way, pushed.method_name, pushed.id, pushed.body) == ("up", "PUSH", 7, b"abc")
        proxy.again(pushed)
        assert read_frame(sock).id == 7
        assert server.noted.count(pushed.bytes) == 2
        got = frames_in(replay(server.endpoint, pushed.bytes * 2, 0.2))
        assert [f.id for f in got] == [7, 7]


@pytest.mark.parametrize("text", ["", "up PUSH", "up PUSH nth=x lose", "sideways lose", "nth lose"])
def test_a_rule_that_says_nothing_is_refused(text):
    with pytest.raises(ValueError):
        Rule(text)


def test_it_runs_by_itself(server):
    command = [sys.executable, os.path.join(HERE, "proxy.py"), server.endpoint,
               "up PUSH nth=1 flip=36"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        endpoint = process.stdout.readline().split()[-1]
        sock = socket.create_connection(("127.0.0.1", int(endpoint.split(":")[1])), timeout=10)
        with sock:
            assert ask(sock, "PUSH", 1, b"\0").body == b"\4"
    finally:
        process.kill()
        process.wait(10)
