"""The trainer's log as glog wrote it: to stderr, or with GLOG_logtostderr=0 to files."""
import getpass
import logging
import os
import socket
import sys
import threading
import time

__all__ = ["Log"]


class _Handler(logging.Handler):
    def __init__(self, log):
        logging.Handler.__init__(self)
        self._log = log

    def emit(self, record):
        severity = "INFO" if record.levelno < logging.WARNING else \
            "WARNING" if record.levelno < logging.ERROR else "ERROR"
        self._log.write(severity, record.filename, record.lineno, self.format(record))


class Log:
    """log.info("text"): a line with its severity, time, thread and place, to stderr. With
    GLOG_logtostderr=0 lines go to paddle_trainer.INFO in GLOG_log_dir (/tmp unless set), a link to
    the file of this process, and those of errors to stderr too. Dots always go there."""

    def __init__(self, name="paddle_trainer"):
        self._name = name
        self._dots = False
        self._lock = threading.Lock()
        wish = os.environ.get("GLOG_logtostderr")
        folder = os.environ.get("GLOG_log_dir")
        if wish is None:
            to_stderr = True
        else:
            to_stderr = wish.lower() in ("1", "true", "t", "yes", "y")
        self._stderr = to_stderr
        self._folder = None if to_stderr else (folder or "/tmp")
        self._files = {}
        if not to_stderr:
            self._open("INFO")

    def _open(self, severity):
        """A file as glog names it, and a link of a short name to the newest."""
        os.makedirs(self._folder, exist_ok=True)
        try:
            user = getpass.getuser()
        except (KeyError, OSError):
            user = "unknown-user"
        name = "%s.%s.%s.log.%s.%s.%d" % (
            self._name, socket.gethostname(), user, severity,
            time.strftime("%Y%m%d-%H%M%S"), os.getpid())
        path = os.path.join(self._folder, name)
        made = open(path, "a", buffering=1, errors="surrogateescape")
        made.write("Log file created at: %s\nRunning on machine: %s\nLog line format: "
                   "[IWEF]mmdd hh:mm:ss.uuuuuu threadid file:line] msg\n"
                   % (time.strftime("%Y/%m/%d %H:%M:%S"), socket.gethostname()))
        link = os.path.join(self._folder, "%s.%s" % (self._name, severity))
        try:
            temporary = "%s.%d" % (link, os.getpid())
            os.symlink(name, temporary)
            os.replace(temporary, link)
        except OSError:  # a file system without links: the file itself is there
            pass
        self._files[severity] = made

    def _write(self, severity, message):
        frame = sys._getframe(2)
        self.write(severity, os.path.basename(frame.f_code.co_filename), frame.f_lineno, message)

    def write(self, severity, name, number, message):
        """A line that is said to come from line `number` of file `name`."""
        now = time.time()
        line = "%s%s.%06d %5d %s:%d] %s\n" % (
            severity[0], time.strftime("%m%d %H:%M:%S", time.localtime(now)), now % 1 * 1e6,
            threading.get_native_id(), name, number, message)
        with self._lock:
            if self._stderr or severity in ("ERROR", "FATAL"):
                if self._dots:
                    line = "\n" + line
                    self._dots = False
                sys.stderr.write(line)
                sys.stderr.flush()
            if not self._stderr:
                levels = ["INFO", "WARNING", "ERROR"]
                for each in levels[:levels.index(severity) + 1]:
                    if each not in self._files:
                        self._open(each)
                    self._files[each].write(line.lstrip("\n"))

    def info(self, message):
        self._write("INFO", message)

    def warning(self, message):
        self._write("WARNING", message)

    def error(self, message):
        self._write("ERROR", message)

    def take_logging(self):
        """What Python's logging is told (settings.logger of a provider is) goes here."""
        logging.getLogger().addHandler(_Handler(self))

    def dot(self):
        """A sign of life between lines."""
        with self._lock:
            sys.stderr.write(".")
            sys.stderr.flush()
            self._dots = True

    def end_dots(self):
        with self._lock:
            if self._dots:
                sys.stderr.write("\n")
                self._dots = False
