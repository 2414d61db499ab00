#!/usr/bin/env python3
"""Make the list of methods in docs/protocol.md from the server's table (src/dist/commands.c).

    python3 tools/commands_page.py          change the page
    python3 tools/commands_page.py --check  fail where it is out of step"""
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
PAGE = os.path.join(ROOT, "docs", "protocol.md")
HEAD = "| method | | request | reply | who may |\n|---|---|---|---|---|\n"
WHO = {"ALL": "all", "TRAINERS": "trainers", "TRAINER_0": "trainer 0"}


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as f:
        return f.read()


def methods():
    """Names in the order of their numbers, which begin with 1."""
    body = re.search(r"enum rg_ps_method \{(.*?)\n\};", read("src", "dist", "protocol.h"), re.S)[1]
    return re.findall(r"^\s*RG_PS_(\w+)", body, re.M)


def rows():
    table = re.search(r"commands\[\] = \{\n(.*?)\n\};", read("src", "dist", "commands.c"), re.S)[1]
    found = {}
    for name, entry in re.findall(r"\[RG_PS_(\w+)\] = \{(.*?)\},?\n(?=\s*\[|\Z)", table + "\n", re.S):
        who = re.search(r"\b(ALL|TRAINERS|TRAINER_0)\b", entry)[1]
        # Texts that the formatter has cut stand side by side.
        label, request, reply = ["".join(re.findall(r'"([^"]*)"', part)) for part in
                                 re.findall(r'(?:"[^"]*"\s*)+', entry)]
        found[name] = (label, request, reply, WHO[who])
    return found


def page():
    named, found = methods(), rows()
    if set(named) != set(found):
        sys.exit("src/dist/commands.c and protocol.h differ: " + ", ".join(set(named) ^ set(found)))
    lines = ["| %d | %s | %s | %s | %s |\n" % ((i + 1,) + found[name]) for i, name in enumerate(named)]
    before, after = read("docs", "protocol.md").split(HEAD)
    return before + HEAD + "".join(lines) + after[after.index("\n\n") + 1:]


def main():
    fresh = page()
    if sys.argv[1:] != ["--check"]:
        with open(PAGE, "w", encoding="utf-8") as f:
            f.write(fresh)
    elif fresh != read("docs", "protocol.md"):
        sys.exit("docs/protocol.md is out of step with src/dist/commands.c: run tools/commands_page.py")


if __name__ == "__main__":
    main()
