"""What a job with a journal leaves beside it, so that launch_ps --resume can go on with it: its id,
by which servers know their journals, its endpoints, which are in the programs, and how often it was
started. job.json in the folder of the journals; a job that has ended well leaves nothing.

With other numbers of servers or workers the journals are brought to one moment first, and written as a
snapshot from which each new server takes its share (src/dist/stopped.h, serve_take_over.c). That and the
new journals are in a folder of their own, deal-1, deal-2 and so on; job.json, written last and
at once, says which counts. So whatever happens either the old journals are the job's, or the
snapshot is, and the old ones go only when each new server has a snapshot of its own."""
import fcntl
import json
import os
import shutil
import time

from .. import _core

__all__ = []

NAME = "job.json"
SNAPSHOT = "snapshot"
HOLD_SECONDS = 3  # processes of a launcher that was killed are gone by then


def folder_of(given):
    """The journals' folder, of which people may name the log folder."""
    for folder in (given, os.path.join(given, "journal")):
        if os.path.isfile(os.path.join(folder, NAME)):
            return folder
    raise ValueError("--resume=%s: there is no %s in it, nor in its folder journal: nothing is left to "
                     "go on with, or the job had no journal (--journal)" % (given, NAME))


def read(folder):
    path = os.path.join(folder, NAME)
    with open(path) as file:
        try:
            kept = json.load(file)
        except ValueError as e:
            raise ValueError("%s: %s" % (path, e))
    kinds = {"id": str, "endpoints": list, "workers": int, "mode": str, "incarnation": int}
    for name, kind in kinds.items():
        if not isinstance(kept, dict) or not isinstance(kept.get(name), kind):
            raise ValueError("%s does not say %r as it should" % (path, name))
    deal = kept.get("deal", 0)
    if not isinstance(deal, int) or deal < 0:
        raise ValueError("%s does not say 'deal' as it should" % path)
    return kept


def hold(folder, seconds):
    """(a lock, whether nobody else has it) of the folder itself, which lasts until the lock is closed or
    this process is gone; seconds: how long to wait for it. None where the file system has no such locks:
    then nobody is known."""
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    end = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock, True
        except BlockingIOError:
            if time.monotonic() > end:
                os.close(lock)
                return None, False
            time.sleep(0.05)
        except OSError:
            os.close(lock)
            return None, True


def share(lock, folder):
    """A lock of hold(), or none, becomes one that others may have too: who holds next is not the only
    one."""
    if lock is None:
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:  # none of these either
        pass
    return lock


def hold_journals(folder):
    """Two jobs would put each other's journals aside, and lose what they have learned."""
    os.makedirs(folder, exist_ok=True)
    lock, is_free = hold(folder, HOLD_SECONDS)
    if not is_free:
        raise ValueError("another job that runs has its journals in %s: end it first, or give this one "
                         "a folder of its own (--log_dir or --journal_dir)" % folder)
    return lock


def put_aside(folder, id):
    """What a --resume of another job needs is kept beside it, as servers keep its journals. Whether
    there was such a job."""
    path = os.path.join(folder, NAME)
    try:
        with open(path) as file:
            kept = json.load(file)
        if kept.get("id") == id or not can_go_on(folder, kept):
            return False
    except FileNotFoundError:
        return False
    except (ValueError, AttributeError, KeyError, TypeError):  # damaged: another's in any case
        pass
    os.replace(path, path + ".previous")
    return True


def write(folder, kept):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, NAME)
    with open(path + ".new", "w") as file:
        json.dump(kept, file, indent=1, sort_keys=True)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".new", path)


def journals(folder, deal):
    """Where the servers' journals are: in the folder itself until the job was dealt anew."""
    return os.path.join(folder, "deal-%d" % deal) if deal else folder


def snapshot(folder, deal):
    """What servers without a journal of their own begin with; "": there is none."""
    path = os.path.join(journals(folder, deal), SNAPSHOT) if deal else ""
    return path if os.path.isdir(path) else ""


def deal_anew(folder, kept):
    """The snapshot of a job that goes on with other numbers; the number of the deal, and what is in
    it (_core.stopped_write)."""
    deal = kept.get("deal", 0) + 1
    shutil.rmtree(journals(folder, deal), ignore_errors=True)  # of one that did not come so far
    os.makedirs(journals(folder, deal))
    about = _core.stopped_write(_whole(folder, kept), os.path.join(journals(folder, deal), SNAPSHOT))
    return deal, about


def _whole(folder, kept):
    """The journals, or, where not every server has come to one of its own, what they began with:
    nobody has trained since."""
    deal = kept.get("deal", 0)
    own = journals(folder, deal)
    if deal and not _all_have_begun(own, len(kept["endpoints"])):
        return os.path.join(own, SNAPSHOT)
    return own


def _all_have_begun(own, servers):
    for i in range(servers):
        place = os.path.join(own, "server-%d" % i)
        if not os.path.isdir(place) or not any(
                name.startswith("ckpt-") and "." not in name for name in os.listdir(place)):
            return False
    return True


def has_stopped(folder, kept):
    """Its processes were ended by the launcher, and not with the machine: all that they have written
    is there. What it was dealt from is not needed where each server has a journal."""
    write(folder, dict(kept, stopped=True))
    deal = kept.get("deal", 0)
    own = journals(folder, deal)
    if not deal or not _all_have_begun(own, len(kept["endpoints"])):
        return
    _remove_others(folder, deal)
    shutil.rmtree(os.path.join(own, SNAPSHOT), ignore_errors=True)


def can_go_on(folder, kept):
    """Whether a server had come as far as its journal: else the job would only begin again."""
    deal = kept.get("deal", 0)
    own = journals(folder, deal)
    return bool(snapshot(folder, deal)) or any(
        os.listdir(os.path.join(own, "server-%d" % i)) for i in range(len(kept["endpoints"]))
        if os.path.isdir(os.path.join(own, "server-%d" % i)))


def _remove_others(folder, deal):
    for name in os.listdir(folder):
        old = name.startswith("server-") and not name.endswith(".previous") if deal else False
        if old or (name.startswith("deal-") and name != "deal-%d" % deal):
            shutil.rmtree(os.path.join(folder, name), ignore_errors=True)


def forget(folder, kept):
    """It has ended well."""
    try:
        os.remove(os.path.join(folder, NAME))
    except OSError:
        pass
    if kept.get("deal", 0):
        _remove_others(folder, kept["deal"])
        shutil.rmtree(journals(folder, kept["deal"]), ignore_errors=True)
