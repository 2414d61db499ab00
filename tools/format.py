#!/usr/bin/env python3
"""clang-format all C files, but for what it cannot lay out: the definitions of ops (`const rg_op`
tables) and macros of several lines, which stand as they were written.

    format.py          change the files
    format.py --check  say which would change, and fail"""
import subprocess
import sys

PATTERNS = ["src/*.[ch]", "include/*.h", "python/_core/*.[ch]", "tests/*.[ch]", "fuzz/*.c",
            "bench/*.c", "demo/*.c"]


def ranges(lines):
    """The line ranges (from 1) that are formatted."""
    keep, start, skipping = [], 1, None
    for number, line in enumerate(lines, 1):
        if skipping is None:
            if line.startswith("const rg_op "):
                skipping = "table"
            elif line.startswith("#define") and line.rstrip().endswith("\\"):
                skipping = "macro"
            if skipping and number > start:
                keep.append((start, number - 1))
        if skipping == "table" and line.startswith("};"):
            skipping, start = None, number + 1
        elif skipping == "macro" and not line.rstrip().endswith("\\"):
            skipping, start = None, number + 1
    if skipping is None and start <= len(lines):
        keep.append((start, len(lines)))
    return keep


def formatted(path, text):
    lines = ["--lines=%d:%d" % pair for pair in ranges(text.splitlines())]
    return subprocess.run(["clang-format", "--assume-filename=" + path] + lines, input=text,
                          stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout


def main():
    check = sys.argv[1:] == ["--check"]
    files = subprocess.run(["git", "ls-files"] + PATTERNS, stdout=subprocess.PIPE, check=True,
                           universal_newlines=True).stdout.split()
    changed = 0
    for path in files:
        with open(path) as f:
            text = f.read()
        new = formatted(path, text)
        if new == text:
            continue
        changed += 1
        print(path + (": not formatted (make format)" if check else ""))
        if not check:
            with open(path, "w") as f:
                f.write(new)
    return 1 if check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
