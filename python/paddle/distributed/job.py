"""A job on this host: the environment of its processes, their logs, and running them.

What a process is told is in the words of every generation, so that one launcher serves scripts
of all of them; paddle._core (src/sys/job_env.c) is what reads it back."""
import argparse
import errno
import functools
import os
import shutil
import socket
import sys
import tempfile
import weakref

from .. import _core
from . import resume

__all__ = []


def note(text):
    sys.stderr.write("launch: note: %s\n" % text)
    sys.stderr.flush()


def refuse(text):
    """An option that cannot be honoured ends the launcher with status 2, as argparse does."""
    sys.stderr.write("launch: %s\n" % text)
    sys.exit(2)


def is_true(text):
    """The value of an option such as --print_config."""
    word = str(text).strip().lower()
    if word in ("true", "1", "yes", "on", "t", "y"):
        return True
    if word in ("false", "0", "no", "off", "f", "n", ""):
        return False
    raise argparse.ArgumentTypeError("%r is neither true nor false" % text)


def print_arguments(args):
    print("-----------  Configuration Arguments -----------")
    for name, value in sorted(vars(args).items()):
        print("%s: %s" % (name, value))
    print("------------------------------------------------")
    sys.stdout.flush()


def host_and_port(endpoint):
    host, colon, port = endpoint.rpartition(":")
    if not colon or not host or not port.isdigit() or not 0 < int(port) < 65536:
        raise ValueError("%r is not host:port" % endpoint)
    return host.strip("[]"), int(port)


def make_folder(option, folder):
    """The folder that an option names, or a ValueError that names the option."""
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as e:
        raise ValueError("%s=%s: the folder cannot be made: %s" % (option, folder, (
            "there is a file of that name" if isinstance(e, FileExistsError) else e.strerror)))
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ValueError("%s=%s: nothing may be written there" % (option, folder))


_marks = {}  # (host, port): a socket that says to other launchers of this host that it is ours


def _mark(host, port):
    """Whether no other launcher has chosen the port, whose server may not listen on it yet, or
    not again. The mark is a name that lasts as long as this process."""
    if (host, port) in _marks:
        return True
    mark = socket.socket(socket.AF_UNIX)
    try:
        mark.bind("\0regatta-port-%s:%d" % (host, port))
    except OSError as e:
        mark.close()
        return e.errno != errno.EADDRINUSE
    _marks[host, port] = mark
    return True


class Ports(object):
    """Ports that are free now, each given once."""

    def __init__(self):
        self._given = set()

    def _is_free(self, host, port):
        return ((host, port) not in self._given and _core.port_is_free(host, port)
                and _mark(host, port))

    def take(self, host, port, what):
        """`port`, or another one with a note where it is taken."""
        if port > 65535 or not self._is_free(host, port):
            free = self.any(host)
            note("port %d of %s is %s; %s uses %d"
                 % (port, host, "no port" if port > 65535 else "taken", what, free))
            return free
        self._given.add((host, port))
        return port

    def any(self, host):
        for _ in range(100):
            port = _core.port_find(host)
            if (host, port) not in self._given and _mark(host, port):
                self._given.add((host, port))
                return port
        raise OSError("no free port can be found at %s" % host)

    def common(self, hosts, first):
        """One port that is free on all of `hosts`; `first` if it is. None where there is none."""
        for port in [first] + [_core.port_find(hosts[0]) for _ in range(20)]:
            if all(self._is_free(host, port) for host in hosts):
                self._given.update((host, port) for host in hosts)
                return port
        return None


@functools.lru_cache(maxsize=None)
def _is_python2(script):
    if script.startswith("-") or not os.path.isfile(script):
        return False
    from .. import python2
    try:
        return python2.needs(script)
    except ImportError as e:
        refuse(str(e))


def _command(script):
    """What runs a script and its arguments: `paddle python` where it is Python 2."""
    runs = ["-m", "paddle.python2"] if _is_python2(script[0]) else []
    return [sys.executable, "-u"] + runs + script


class Job(object):
    """The processes of one job, and what they share."""

    def __init__(self, log_dir, append=False, log_name="%slog.%d", id=None):
        self.log_dir = log_dir
        self.log_name = log_name  # of role and number
        self.append = append
        self.processes = []
        # How often a worker that died is started again, servers too, and how many workers must
        # be left for the job to go on (0: all).
        self.restarts, self.restarts_servers, self.least_workers = 0, False, 0
        self.join_dir = None  # where one more worker is asked for; None: none is added
        self.id = id or "%s-%d" % (os.urandom(6).hex(), os.getpid())
        self.keeps = None  # the folder where it is noted for a --resume, and what is noted
        self.goes_on_by = "launch_ps --resume %s, with the same script and arguments"
        self.watched = True  # processes write how they are to watch/ in the log folder
        self.stall_seconds = 10
        self.grace_ms = 0  # how long all may take to end when the launcher is told to; 0: 4 s
        self.page = None  # (host, port, token): where the job is shown to browsers
        self._key = os.urandom(32).hex()
        self._held = []  # locks of folders (resume.hold), until it has run
        if log_dir:
            make_folder("--log_dir", log_dir)
            self._take_logs(is_another=not id)
        self._run_dir = tempfile.mkdtemp(prefix="regatta-")
        self._leave = weakref.finalize(self, shutil.rmtree, self._run_dir, True)

    def _take_logs(self, is_another):
        lock, is_free = resume.hold(self.log_dir, seconds=0.5)
        # Those that append may be launchers of one job, on hosts that share the folder.
        if not is_free and not self.append:
            note("another job that runs has its logs in %s too: its logs are %s.1 and so on from now "
                 "on, and `paddle top`, `page` and `doctor` show this one; --log_dir gives each job "
                 "its own folder" % (self.log_dir, self.log_name % ("worker", 0)))
        if is_another and (lock is not None or not self.append):
            shutil.rmtree(self._watch_dir, ignore_errors=True)
        self.hold(resume.share(lock, self.log_dir))

    def hold(self, lock):
        """A lock of resume.hold() that is given back when the job has run."""
        if lock is not None:
            self._held.append(lock)

    @property
    def _watch_dir(self):
        return os.path.join(os.path.abspath(self.log_dir), "watch")

    def _environment(self, own):
        # Nothing of an outer job reaches ours, nor a proxy that would stand between its parts.
        drop = set(_core.job_env_names()) | {"http_proxy", "https_proxy"}
        env = {k: v for k, v in os.environ.items() if k not in drop}
        env.update(REGATTA_JOB_ID=self.id, REGATTA_JOB_KEY=self._key,
                   REGATTA_RUN_DIR=self._run_dir)
        if self.log_dir:
            env["REGATTA_LOG_DIR"] = os.path.abspath(self.log_dir)
        if self.log_dir and self.watched and ("FLAGS_watch_dir" not in env or
                                              "REGATTA_JOB_ID" in os.environ):
            env["FLAGS_watch_dir"] = self._watch_dir
        env.update(own)
        return ["%s=%s" % item for item in env.items()]

    def add(self, role, index, script, env, log_index=None, echo=False, spare=False):
        """role: worker or server. A process without a log folder shows its output here. spare: it is
        started when one more is asked for."""
        log = None
        if self.log_dir:
            log = os.path.join(self.log_dir, self.log_name
                               % (role, index if log_index is None else log_index))
        env = dict(env, REGATTA_BECAUSE=os.path.join(self._run_dir,
                                                     "%s.%d.because" % (role, index)))
        self.processes.append((role, index, _command(list(script)),
                               self._environment(env), log, self.append, echo or log is None, spare))

    def _watch(self):
        if not self.log_dir or not self.watched:
            return None
        shown_at = tuple(self.page or (None, 0, None))
        return (self._watch_dir, float(self.stall_seconds)) + shown_at

    def run(self, server_wait_ms=0):
        """The exit status the launcher should end with."""
        try:
            sys.stdout.flush()
            sys.stderr.flush()
            status = _core.launch(self.processes, self.log_dir, self._run_dir, server_wait_ms,
                                  self.restarts, self.restarts_servers, self.least_workers,
                                  self.join_dir, self._watch(), self.grace_ms)
            if self.keeps and status == 0:
                resume.forget(*self.keeps)
            elif self.keeps:
                resume.has_stopped(*self.keeps)
                if resume.can_go_on(*self.keeps):
                    sys.stderr.write("launch: to go on where it was: %s\n"
                                     % (self.goes_on_by % self.keeps[0]))
            return status
        finally:
            self._leave()
            while self._held:
                os.close(self._held.pop())
