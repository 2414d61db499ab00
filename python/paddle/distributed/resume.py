"""What a job with a journal leaves beside it, so that launch_ps --resume can go on with it: its id,
by which servers know their journals, its endpoints, which are in the programs, and how often it was
started. job.json in the folder of the journals; a job that has ended well leaves nothing."""
import json
import os

__all__ = []

NAME = "job.json"


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
    return kept


def write(folder, kept):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, NAME)
    with open(path + ".new", "w") as file:
        json.dump(kept, file, indent=1, sort_keys=True)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".new", path)


def forget(folder):
    try:
        os.remove(os.path.join(folder, NAME))
    except OSError:
        pass
