"""Waiting for servers."""
import socket
import sys
import time

from ... import _core

__all__ = ["wait_server_ready"]
__path__ = []  # real Paddle has a package here; _names.py answers for what is in it


def _is_up(endpoint):
    host, _, port = endpoint.rpartition(":")
    try:
        with socket.create_connection((host, int(port)), timeout=2):
            return True
    except OSError:
        return False


def wait_server_ready(endpoints):
    """Return when a connection can be made to every endpoint; every three seconds those that
    are missing are named, and after FLAGS_ps_join_seconds they are given up."""
    if isinstance(endpoints, str):
        raise TypeError("wait_server_ready: endpoints is a list of 'host:port'")
    seconds = int(_core.get_flag("ps_join_seconds")[1])
    began = said = time.monotonic()
    while True:
        absent = [endpoint for endpoint in endpoints if not _is_up(endpoint)]
        if not absent:
            return
        if 0 < seconds <= time.monotonic() - began:
            raise RuntimeError("no server listens at %s, and they were waited for for %d s "
                               "(FLAGS_ps_join_seconds); start them, or look at their logs"
                               % (", ".join(absent), seconds))
        if time.monotonic() - said >= 3:
            said = time.monotonic()
            sys.stderr.write("server not ready, wait 3 sec to retry...\n")
            sys.stderr.write("not ready endpoints:" + str(absent) + "\n")
            sys.stderr.flush()
        time.sleep(0.1)
