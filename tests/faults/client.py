"""A client by hand (docs/protocol.md), for what no honest one does: it asks much and reads slowly.
It has no key, and its heartbeats come from a thread."""
import os
import socket
import struct
import threading

from proxy import HEADER, KINDS, MAGIC, METHODS, VERSION, Frame, crc32c

TOOL = 3


def seal(kind, body=b"", method="", number=0):
    """A frame as it goes over the wire."""
    header = HEADER.pack(MAGIC, VERSION, KINDS.index(kind), 0, METHODS.index(method), 0,
                         crc32c(body) if body else 0, number, len(body), 0)[:32]
    return header + struct.pack("<I", crc32c(header)) + body


def text(value):
    return struct.pack("<I", len(value)) + value.encode()


class Client(object):
    """A tool: it may look, and takes no part."""

    def __init__(self, endpoint, receive_bytes=0):
        host, port = endpoint.rsplit(":", 1)
        self._where = (host, int(port))
        self._session = int.from_bytes(os.urandom(8), "little")
        self._stop = threading.Event()
        self.asked = 0
        self.sock = self._enter(1, receive_bytes)
        self._pulse = threading.Thread(target=self._beat, daemon=True)
        self._pulse.start()

    def _enter(self, purpose, receive_bytes=0):
        sock = socket.socket()
        if receive_bytes:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        sock.settimeout(20)
        sock.connect(self._where)
        hello = (os.urandom(32) + struct.pack("<QIIiIQ", self._session, purpose, TOOL, -1, 0, 0) +
                 b"\0" * 32 + struct.pack("<III", os.getpid(), 0, 0) + text("") + text("by hand") +
                 text("here"))
        sock.sendall(seal("HELLO", hello))
        assert self.read(sock).kind == "CHALLENGE"
        sock.sendall(seal("PROOF", b"\0" * 32))
        welcome = self.read(sock)
        assert welcome.kind == "WELCOME", welcome.body
        return sock

    def _beat(self):
        number = 0
        try:
            with self._enter(2) as sock:
                while not self._stop.wait(0.2):
                    number += 1
                    sock.sendall(seal("PING", number=number))
                    self.read(sock)
        except (EOFError, OSError):
            pass  # the server has gone

    def read(self, sock=None):
        """The next frame."""
        sock = sock or self.sock
        data, wanted = b"", HEADER.size
        while len(data) < wanted:
            more = sock.recv(min(wanted - len(data), 1 << 16))
            if not more:
                raise EOFError(data)
            data += more
            if len(data) == HEADER.size:
                wanted += Frame(data, None, "down").length
        frame = Frame(data[:HEADER.size], None, "down")
        frame.bytes = data
        return frame

    def ask(self, method, body=b""):
        """Sends a request; its answer is for who reads."""
        self.asked += 1
        self.sock.sendall(seal("REQUEST", body, method, self.asked))

    def get(self, name):
        self.ask("GET", text(name) + struct.pack("<Qq", 0, -1))

    def close(self):
        self._stop.set()
        self._pulse.join()
        self.sock.close()
