"""A TCP proxy between clients and a server that knows frames (docs/protocol.md), and does to them
what networks, and people on the way, do.

In a test; FLAGS_rpc_transport=tcp keeps clients of this host from going round it:

    with Proxy("127.0.0.1:7000") as proxy:          # clients go to proxy.endpoint
        rule = proxy.add("down PUSH nth=3 trainer=0 lose")
        rule.wait()                                  # until it has struck

From a shell:

    python tests/faults/proxy.py 127.0.0.1:7000 --listen 127.0.0.1:7100 "down PUSH nth=3 lose"

A rule is words: which frames, and one action. Each connection, way by way, does what the first
rule that fits a frame says.

    up, down            frames to the server, to the client; neither: both
    HELLO ... BYE       frames of this kind
    SCHEMA ... WAITS    requests and replies of this method; method=N: of the method with number N
    requests, pulse     on connections of this purpose
    trainer=N           of this trainer; tools: -1
    fresh, resent       requests without and with the flag RESENT
    nth=N               the N-th that fits, counted from 1 over all connections
    from=N, every=N     the N-th and all after it; each N-th

    lose                it does not arrive: the connection is cut in front of it
    cut=N               N bytes pass, counted from its first, and the connection is cut
    delay=MS            it passes so much later, and what follows behind it
    rate=N              from it on, N bytes a second pass this way
    stall, stall=both   from it on nothing passes this way, or either; heal() ends it. The ends hear
                        nothing of each other meanwhile, not even that the other has gone
    dup                 it passes twice
    flip=N              a bit of its N-th byte is turned; negative: counted from its end
    forge=N:M           bits M of the N-th byte of its header and body are turned, and checksums
                        are made right again
    pass                nothing happens (for counting, and for waiting)

heal() lets everything pass again; cut() cuts all connections; shut() does so and lets none in until
heal(). With record=True `frames` is what has passed; again() sends one of them once more on the
connection it came on, and replay() bytes on a new one."""
import argparse
import asyncio
import socket
import struct
import sys
import threading
import time

HEADER = struct.Struct("<IHBBHHIQQI")
MAGIC = 0x31544752
VERSION = 4
SEAL = 16  # bytes of a tag
KINDS = ["", "HELLO", "CHALLENGE", "PROOF", "WELCOME", "REFUSE", "REQUEST", "REPLY", "PING",
         "PONG", "BYE"]
METHODS = ["", "SCHEMA", "PULL", "ROWS", "PUSH", "GET", "BARRIER", "REDUCE", "LEAVE", "FAIL",
           "PROGRAM", "STATS", "SET", "SHRINK", "CLEAR", "SAVE", "POST", "FETCH",
           "WAITS"]
UNCHECKED, RESENT = 1, 2
PIECE = 1 << 16
PATIENCE = 60  # seconds that wait() waits


class Frame(object):
    """One frame as it came. `bytes` is all of it where it is recorded, else its first ones."""

    def __init__(self, header, connection, way):
        (self.magic, self.version, kind, self.status, self.method, self.flags, self.crc, self.id,
         self.length, self.header_crc) = HEADER.unpack(header)
        self.kind = KINDS[kind] if kind < len(KINDS) else str(kind)
        self.connection, self.way = connection, way
        self.bytes = header
        self.sealed = False

    @property
    def method_name(self):
        return METHODS[self.method] if self.method < len(METHODS) else str(self.method)

    @property
    def body(self):
        start = HEADER.size + (SEAL if self.sealed else 0)
        return self.bytes[start:start + self.length]

    def __repr__(self):
        return "<%s %s %s id=%d flags=%d status=%d %d bytes>" % (
            self.way, self.kind, self.method_name, self.id, self.flags, self.status, self.length)


class Rule(object):
    """Which frames, and what is done to them; see the top of this file."""

    ACTIONS = ("lose", "cut", "delay", "rate", "stall", "dup", "flip", "forge", "pass")

    def __init__(self, text):
        self.text = text
        self.way = self.kind = self.method = self.purpose = self.trainer = self.resent = None
        self.nth = self.start = self.every = self.action = None
        self.amount = 0
        self.fitted = self.hits = 0
        self._struck = threading.Event()
        for word in text.split():
            self._read(*word.partition("="))
        if self.action is None:
            raise ValueError("the rule %r says not what shall be done" % text)

    def _read(self, word, equals, value):
        if word in self.ACTIONS:
            self.action = word
            self.amount = (value if word == "stall" else
                           tuple(map(int, value.split(":"))) if word == "forge" else
                           int(value or 0))
        elif word in ("up", "down"):
            self.way = word
        elif word in KINDS:
            self.kind = word
        elif word in METHODS or word == "method":
            self.method = METHODS.index(word) if word in METHODS else int(value)
        elif word in ("requests", "pulse"):
            self.purpose = word
        elif word in ("fresh", "resent"):
            self.resent = word == "resent"
        elif word in ("trainer", "nth", "from", "every") and equals:
            setattr(self, {"from": "start"}.get(word, word), int(value))
        else:
            raise ValueError("%r in the rule %r" % (word, self.text))

    def fits(self, frame, connection):
        """Whether it is this rule's turn; counts the frames that are like it."""
        for wanted, has in ((self.way, frame.way), (self.kind, frame.kind),
                            (self.purpose, connection.purpose),
                            (self.trainer, connection.trainer)):
            if wanted is not None and wanted != has:
                return False
        if self.method is not None and (frame.kind not in ("REQUEST", "REPLY") or
                                        frame.method != self.method):
            return False
        if self.resent is not None and (frame.kind != "REQUEST" or
                                        bool(frame.flags & RESENT) != self.resent):
            return False
        self.fitted += 1
        return ((self.nth is None or self.fitted == self.nth) and
                (self.start is None or self.fitted >= self.start) and
                (self.every is None or self.fitted % self.every == 0))

    def strike(self):
        self.hits += 1
        self._struck.set()

    def wait(self, seconds=PATIENCE):
        """Until it has struck."""
        assert self._struck.wait(seconds), "the rule %r has not struck" % self.text


def _table():
    for n in range(256):
        for _ in range(8):
            n = (n >> 1) ^ 0x82F63B78 if n & 1 else n >> 1
        yield n


TABLE = list(_table())


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = (crc >> 8) ^ TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def forged(frame, where, bits):
    """The bytes of a frame with one changed, as someone does it who knows the protocol."""
    data = bytearray(frame.bytes)
    data[where + (SEAL if frame.sealed and where >= HEADER.size else 0)] ^= bits
    if not frame.flags & UNCHECKED:
        struct.pack_into("<I", data, 12, crc32c(data[HEADER.size:]) if frame.length else 0)
    struct.pack_into("<I", data, 32, crc32c(data[:32]))
    return data


class Way(object):
    """One direction of a connection: a task reads frames, another writes what is to pass."""

    def __init__(self, connection, name, reader, writer):
        self.connection, self.name = connection, name
        self.reader, self.writer = reader, writer
        self.queue = asyncio.Queue(64)
        self.turn = asyncio.Lock()  # frames are not mixed
        self.due = self.rate = 0
        self.flows = asyncio.Event()
        self.flows.set()
        self.left = None  # bytes until the connection is cut
        writer.transport.set_write_buffer_limits(0)  # drain() waits until the kernel has it all

    async def put(self, data):
        """Queue bytes; at the place where the connection is cut, the cut instead."""
        if self.left is not None:
            data = data[:self.left]
            self.left -= len(data)
        if data:
            await self.queue.put((self.due, data))
        if self.left == 0:
            await self.queue.put((self.due, None))
            await asyncio.Event().wait()  # until the connection is closed

    def apply(self, rule, frame):
        """What a rule changes before the frame passes; the rest see in frame()."""
        rule.strike()
        if rule.action == "lose":
            self.left = 0
        elif rule.action == "cut":
            self.left = rule.amount
        elif rule.action == "delay":
            self.due = max(self.due, asyncio.get_running_loop().time() + rule.amount / 1e3)
        elif rule.action == "rate":
            self.rate = rule.amount
        elif rule.action == "stall":
            for way in self.connection.ways if rule.amount == "both" else [self]:
                way.flows.clear()

    async def frame(self, header):
        frame = Frame(header, self.connection, self.name)
        proxy = self.connection.proxy
        shaking = KINDS.index(frame.kind) <= 5 if frame.kind in KINDS else False
        if shaking:  # they say whose connection it is
            frame.bytes += await self.reader.readexactly(frame.length)
        elif self.connection.sealed:
            frame.sealed = True
            frame.bytes += await self.reader.readexactly(SEAL)
        rest = frame.length + (SEAL if frame.sealed and frame.length > 0 else 0)
        if shaking:
            self.connection.learn(frame)
        rule = proxy.rule_for(frame, self.connection)
        if rule is not None:
            self.apply(rule, frame)
        action = rule.action if rule else None
        whole = proxy.record or shaking or action in ("dup", "flip", "forge")
        if whole and not shaking:
            frame.bytes += await self.reader.readexactly(rest)
        async with self.turn:
            data = bytearray(frame.bytes)
            if action == "flip":
                data[rule.amount] ^= 4
            elif action == "forge":
                data = forged(frame, *rule.amount)
            await self.put(bytes(data))
            if action == "dup":
                await self.put(bytes(data))
            left = 0 if whole else rest
            while left > 0:
                piece = await self.reader.read(min(left, PIECE))
                if not piece:
                    raise asyncio.IncompleteReadError(piece, left)
                left -= len(piece)
                await self.put(piece)
        if proxy.record:
            proxy.frames.append(frame)

    async def read(self):
        try:
            while True:
                header = await self.reader.readexactly(HEADER.size)
                if struct.unpack_from("<I", header)[0] != MAGIC:
                    raise asyncio.IncompleteReadError(header, None)  # it is not ours
                await self.frame(header)
        except asyncio.IncompleteReadError as end:
            await self.put(end.partial)
            while end.expected is None:  # what is not in frames passes as it is
                await self.put(await self.reader.read(PIECE) or b"")
                if self.reader.at_eof():
                    break
        except (ConnectionError, OSError):
            pass
        await self.queue.put((0, None))

    async def write(self):
        while True:
            due, data = await self.queue.get()
            await asyncio.sleep(max(0, due - asyncio.get_running_loop().time()))
            await self.flows.wait()
            if data is None:
                return
            step = max(1, self.rate // 10) if self.rate else len(data)
            for at in range(0, len(data), step):
                self.writer.write(data[at:at + step])
                await self.writer.drain()
                if self.rate:
                    await asyncio.sleep(len(data[at:at + step]) / self.rate)
                await self.flows.wait()


class Connection(object):
    """A client's connection and the one to the server that belongs to it."""

    def __init__(self, proxy):
        self.proxy = proxy
        self.purpose = self.trainer = None
        self.sealed = False
        self.ways, self.writers, self.task = [], [], None

    def learn(self, frame):
        if frame.kind == "HELLO" and len(frame.body) >= 52:
            purpose, _, self.trainer = struct.unpack_from("<IIi", frame.body, 40)
            self.purpose = {1: "requests", 2: "pulse"}.get(purpose)
        elif frame.kind == "WELCOME" and len(frame.body) >= 36:
            self.trainer = struct.unpack_from("<i", frame.body, 32)[0]
            self.sealed = bool(struct.unpack_from("<I", frame.body, 68)[0] & 1)

    async def run(self, reader, writer):
        self.writers.append(writer)
        try:
            there, back = await asyncio.open_connection(*self.proxy.target)
            self.writers.append(back)
            self.ways = [Way(self, "up", reader, back), Way(self, "down", there, writer)]
            reads = [asyncio.ensure_future(way.read()) for way in self.ways]
            writes = [asyncio.ensure_future(way.write()) for way in self.ways]
            try:
                await asyncio.wait(writes, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in reads + writes:
                    task.cancel()
                await asyncio.gather(*reads, *writes, return_exceptions=True)
        except OSError:
            pass  # nobody is there
        finally:
            for each in self.writers:
                each.transport.abort()


class Proxy(object):
    """Runs in a thread of its own, from its making to close()."""

    def __init__(self, target, rules=(), listen="127.0.0.1:0", record=False):
        host, port = target.rsplit(":", 1)
        self.target = (host, int(port))
        self.record, self.frames = record, []
        self._rules = [Rule(text) for text in rules]
        self._connections = set()
        self._closed_door = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        host, port = listen.rsplit(":", 1)
        self._server = self._do(asyncio.start_server(self._accept, host, int(port)))
        self.endpoint = "%s:%d" % self._server.sockets[0].getsockname()[:2]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _do(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(PATIENCE)

    async def _accept(self, reader, writer):
        if self._closed_door:
            writer.transport.abort()
            return
        connection = Connection(self)
        connection.task = asyncio.current_task()
        self._connections.add(connection)
        try:
            await connection.run(reader, writer)
        except asyncio.CancelledError:
            pass
        finally:
            self._connections.discard(connection)

    def rule_for(self, frame, connection):
        fitting = [rule for rule in self._rules if rule.fits(frame, connection)]
        return fitting[0] if fitting else None

    def add(self, text):
        """A rule from now on."""
        rule = Rule(text)

        async def append():
            self._rules.append(rule)
        self._do(append())
        return rule

    def heal(self):
        """No rules any more, and nothing stands still."""
        async def heal():
            del self._rules[:]
            self._closed_door = False
            for connection in self._connections:
                for way in connection.ways:
                    way.rate = 0
                    way.flows.set()
        self._do(heal())

    def cut(self, shut=False):
        """All connections; how many there were."""
        async def cut():
            self._closed_door = shut or self._closed_door
            connections = list(self._connections)
            for connection in connections:
                connection.task.cancel()
            return len(connections)
        return self._do(cut())

    def shut(self):
        return self.cut(shut=True)

    def again(self, frame):
        """A recorded frame, once more on the connection and the way it came."""
        async def again():
            way = frame.connection.ways[0 if frame.way == "up" else 1]
            async with way.turn:
                await way.put(frame.bytes)
        self._do(again())

    def close(self):
        async def close():
            self._server.close()
            tasks = [connection.task for connection in self._connections]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        self._do(close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def replay(endpoint, data, seconds=1.0):
    """Sends bytes on a connection of their own; what comes back until it is closed, or nothing
    comes for so long."""
    host, port = endpoint.rsplit(":", 1)
    answer = b""
    with socket.create_connection((host, int(port)), timeout=seconds) as there:
        try:
            there.sendall(data)
            while True:
                more = there.recv(PIECE)
                if not more:
                    break
                answer += more
        except (ConnectionError, socket.timeout):
            pass
    return answer


def frames_in(data, way="down"):
    """The whole frames that bytes begin with."""
    frames = []
    while len(data) >= HEADER.size:
        frame = Frame(data[:HEADER.size], None, way)
        end = HEADER.size + frame.length
        if frame.magic != MAGIC or end > len(data):
            break
        frame.bytes, data = data[:end], data[end:]
        frames.append(frame)
    return frames


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server", help="HOST:PORT of the server")
    parser.add_argument("rules", nargs="*")
    parser.add_argument("--listen", default="127.0.0.1:0", help="HOST:PORT for clients")
    args = parser.parse_args()
    proxy = Proxy(args.server, args.rules, listen=args.listen)
    print("Proxy listening on %s" % proxy.endpoint)
    sys.stdout.flush()
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        proxy.close()


if __name__ == "__main__":
    main()
