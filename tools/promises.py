#!/usr/bin/env python3
"""The table of docs/promises.md: each promise under faults, and the tests that prove it.

A test says which rows of the matrix it proves: in Python by `@pytest.mark.promise(9)` (several
numbers are allowed; `pytestmark = pytest.mark.promise(9)` is for a whole file), in C by a comment
`/* promise 9 */` in the line before the test, in a script by `# promise 34`.

    tools/promises.py                writes the table
    tools/promises.py --check        fails where the table is not what the tests say
    tools/promises.py --results DIR  prints the rows with what pytest wrote there (tests/conftest.py)
"""
import argparse
import ast
import json
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "promises.md")
BEGIN, END = "<!-- made by tools/promises.py -->\n", "<!-- end -->\n"

# Number: the fault, what is promised, and what of it no test proves yet ("" for nothing).
ROWS = {
    1: ("a trainer is killed at any step and started again",
        "sync: the same bits; else: each push counted once", ""),
    2: ("a trainer dies for good",
        "sync: all end, within the lease and 5 s, and name it; async with `min_trainers`: the rest finish",
        ""),
    3: ("a trainer is stopped for longer than the lease, and wakes up",
        "replaced: it is told so and ends; not replaced: it goes on, or the job has ended and said why", ""),
    4: ("a server is killed in the middle of a push", "sync: the same bits, no step twice, none lost",
        ""),
    5: ("all servers are killed at once", "as 4", ""),
    6: ("a server is stopped for less than the lease", "trainers wait and go on; the same bits", ""),
    7: ("the launcher is killed", "all its processes are gone in 2 s", ""),
    8: ("a host is cut off, and is back within the lease", "the same bits", ""),
    9: ("a line is dead one way; the other end's machine is gone without a word",
        "found out by the lease; nobody waits for ever", ""),
    10: ("loss, delay, doubled frames, a line of 1 Mbit", "the same result, only later", ""),
    11: ("a connection breaks after any byte of a frame",
         "nothing is applied in part or twice; the same result", ""),
    12: ("someone asks much and reads slowly",
         "a server's memory is bounded, others are not held up, the slow one is cut off", ""),
    13: ("the disk is full in a save", "the caller hears of it, what was saved before is whole", ""),
    14: ("a crash at each write, fsync and rename of a save; power cut",
         "the old save or the new one, whole; a save that returned is on the disk", ""),
    15: ("any byte of a save is changed", "refused, the file named", ""),
    16: ("a save that is cut short, mixed up with another, or has a file missing",
         "refused by name", ""),
    17: ("fsync fails once", "the save fails; it is not tried again on the same file", ""),
    18: ("the n-th allocation fails, for all n", "an error, no leak, no crash, nothing changed", ""),
    19: ("a table outgrows its memory", "the push is refused whole, the server lives", ""),
    20: ("no descriptors are left", "accepting pauses; who is connected goes on", ""),
    21: ("the wall clock jumps; monotonic time begins elsewhere", "nothing expires", ""),
    22: ("hostile frames: random, mutated, out of order, of another version",
         "the connection is closed with one line; nothing else", ""),
    23: ("huge declared lengths, counts and shapes", "refused before memory is taken", ""),
    24: ("recorded frames, and whole sessions, come again; frames are changed on the way",
         "refused; nothing changes", ""),
    25: ("a trainer of another job, role, number; a number twice",
         "refused with the reason; the job goes on", ""),
    26: ("TLS: expired, self-signed, another CA, another name, no client certificate, plain text",
         "refused, each with its own message; never without TLS instead", ""),
    27: ("1,000 connections that say nothing, or a byte now and then",
         "at most 64 KiB each, closed after 5 s; trainers do not notice", ""),
    28: ("malformed data files", "the row is refused with file, line and slot; never a crash", ""),
    29: ("malformed programs", "an error that names the field, before anything runs", ""),
    30: ("malicious pickles", "never run: refused by name", ""),
    31: ("paths in input that lead elsewhere", "refused; nothing outside the folder is touched", ""),
    32: ("shell characters in names, hosts, folders, variables", "they are characters", ""),
    33: ("secrets in logs, arguments, saves", "none", ""),
    34: ("data races", "none reported", ""),
}


def _numbers(call):
    """Of pytest.mark.promise(...), or None."""
    if (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and
            call.func.attr == "promise"):
        return [arg.value for arg in call.args]
    return None


def of_python(path, text):
    """(number, test) of each mark in a file."""
    tree = ast.parse(text)
    whole, found = [], []
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "pytestmark":
            marks = node.value.elts if isinstance(node.value, ast.List) else [node.value]
            whole += [n for mark in marks for n in _numbers(mark) or []]
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            found += [(n, "%s::%s" % (path, node.name))
                      for mark in node.decorator_list for n in _numbers(mark) or []]
    return [(n, path) for n in whole] + found


def of_c(path, text):
    """(number, test) of each comment; many test files name what they check in a comment, too."""
    found = []
    for match in re.finditer(r"/\* promise ([\d, ]+)(?:\.|:)?.*?\*/\s*static void (\w+)\(", text,
                             re.S):
        found += [(int(n), "%s::%s" % (path, match.group(2)))
                  for n in match.group(1).replace(",", " ").split()]
    return found


def of_script(path, text):
    return [(int(n), path) for line in re.findall(r"^# promise ([\d, ]+)$", text, re.M)
            for n in line.replace(",", " ").split()]


def collect():
    """Row number: the tests that carry it."""
    tests = {number: [] for number in ROWS}
    for folder, ways in (("tests", {".py": of_python, ".c": of_c}), ("tools", {".sh": of_script})):
        for where, folders, names in os.walk(os.path.join(ROOT, folder)):
            folders.sort()
            for name in sorted(names):
                way = ways.get(os.path.splitext(name)[1])
                path = os.path.join(where, name)
                if way is None:
                    continue
                with open(path, encoding="utf-8", errors="replace") as file:
                    text = file.read()
                if "promise" not in text or name == "promises.py":
                    continue
                for number, test in way(os.path.relpath(path, ROOT), text):
                    if number not in ROWS:
                        sys.exit("%s: there is no promise %r" % (test, number))
                    tests[number].append(test)
    return tests


def state(number, tests):
    missing = ROWS[number][2]
    return "not yet" if not tests else "partly: " + missing if missing else "held"


def table(tests):
    lines = ["| # | fault | promise | tests | state |", "|---|---|---|---|---|"]
    for number, (fault, promise, _) in sorted(ROWS.items()):
        names = ", ".join("`%s`" % test.replace("tests/", "", 1) for test in tests[number])
        lines.append("| %d | %s | %s | %s | %s |" % (number, fault, promise, names or "-",
                                                    state(number, tests[number])))
    return "\n".join(lines) + "\n"


def page(tests):
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    return text, text[:begin] + "\n" + table(tests) + "\n" + text[end:]


def show(folder, tests):
    """The rows, with how many of their Python tests ran here and how they ended. C tests and
    scripts have run before, and what follows a failure of theirs does not run."""
    ran = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name)) as file:
            for number, outcome in json.load(file):
                ran.setdefault(number, []).append(outcome)
    print("\nWhat is promised under faults (docs/promises.md):")
    for number, (fault, _, _) in sorted(ROWS.items()):
        outcomes = ran.get(number, [])
        bad = len([o for o in outcomes if o == "failed"])
        good = len([o for o in outcomes if o == "passed"])
        other = len([t for t in tests[number] if not t.split("::")[0].endswith(".py")])
        said = ("FAILED: %d of %d" % (bad, bad + good) if bad else
                "not yet" if not tests[number] else
                "did not run here" if good + other == 0 else
                "passed: %d" % (good + other))
        if tests[number] and ROWS[number][2]:
            said += " (in part)"
        print("  %2d  %-78s %s" % (number, fault[:78], said))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--results", metavar="DIR")
    args = parser.parse_args()
    tests = collect()
    if args.results:
        show(args.results, tests)
        return
    old, new = page(tests)
    if args.check and old != new:
        sys.exit("docs/promises.md is not what the tests say: run tools/promises.py")
    if not args.check:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(new)


if __name__ == "__main__":
    main()
