"""A command on a terminal of its own."""
import os
import pty
import subprocess


def on_a_terminal(arguments, **popen):
    """(status, what it wrote) of a command whose stdout and stderr are a terminal."""
    ours, theirs = pty.openpty()
    job = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
                           **popen)
    os.close(theirs)
    seen = b""
    try:
        while True:
            piece = os.read(ours, 65536)
            if not piece:
                break
            seen += piece
    except OSError:  # how a terminal says that nobody writes any more
        pass
    os.close(ours)
    return job.wait(timeout=60), seen
