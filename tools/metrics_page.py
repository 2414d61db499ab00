#!/usr/bin/env python3
"""Make the list of metrics in docs/guide-watch.md from the one there is (src/sys/metric_list.h).

    python3 tools/metrics_page.py          change the page
    python3 tools/metrics_page.py --check  fail where it is out of step"""
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
PAGE = ("docs", "guide-watch.md")
HEAD = "| metric | type | of | what it is |\n|---|---|---|---|\n"
TYPE = {"COUNTER": "counter", "SECONDS": "counter", "HISTOGRAM": "histogram", "GAUGE": "gauge", "MEAN": "gauge"}
OF = {"ANY": "all", "WORKER": "workers", "SERVER": "servers"}


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as f:
        return f.read()


def rows():
    found = re.findall(r'X\(\w+, (\w+), (\w+), "(\w+)", "((?:[^"\\]|\\.)*)", "([^"]*)"\)',
                       read("src", "sys", "metric_list.h"))
    for kind, whose, name, labels, text in found:
        labels = labels.replace('\\"', '"')
        labels = "{%s}" % (labels + '"…"' if labels.endswith("=") else labels) if labels else ""
        yield "| `%s%s` | %s | %s | %s |\n" % (name, labels, TYPE[kind], OF[whose], text)


def page():
    before, after = read(*PAGE).split(HEAD)
    return before + HEAD + "".join(rows()) + after[after.index("\n\n") + 1:]


def main():
    fresh = page()
    if sys.argv[1:] != ["--check"]:
        with open(os.path.join(ROOT, *PAGE), "w", encoding="utf-8") as f:
            f.write(fresh)
    elif fresh != read(*PAGE):
        sys.exit("docs/guide-watch.md is out of step with src/sys/metric_list.h: run "
                 "tools/metrics_page.py")


if __name__ == "__main__":
    main()
