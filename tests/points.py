"""The fault points that there are in the sources (src/sys/fault.h), found by their calls: a new one
is tested without anybody's remembering it."""
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CALL = r'\brg_(?:fault|injected)\(\s*"([a-z_.]+)"\s*\)'


def points(played=False):
    """All; played: those where something fails when they are told so, and which are not only for
    kills and pauses."""
    call = re.compile("(?<!\\(void\\))" + CALL if played else CALL)
    found = set()
    for folder, _, names in os.walk(os.path.join(ROOT, "src")):
        for name in names:
            if name.endswith(".c"):
                with open(os.path.join(folder, name)) as file:
                    found.update(call.findall(file.read()))
    assert "file.sync" in found
    return sorted(found)


def of_saves():
    """Those on the way of a save: of files and folders, but for reading, and for journals."""
    return [point for point in points() if point.split(".")[0] in ("file", "dir") and
            point not in ("file.read", "file.append", "file.block", "file.cut")]
