#!/usr/bin/env python3
"""Checks that every path and symbol that the pages for engineers name is there, and that the links
and pictures of all pages lead somewhere.

    tools/check_docs.py [PAGE ...]

Looks at what stands in backticks: `src/ps/table.h`, `serve_step.c`, `rg_plan_open`, `RG_OP_EFFECT`, `make lint`.
Below a heading "Not yet" anything may be named."""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGES = ["README.md", "CONTRIBUTING.md", "docs/design.md", "docs/style.md", "docs/reading-order.md",
         "docs/adding-an-op.md", "docs/protocol.md", "docs/transpiler.md"]
# Made by the build or by a job, or examples of a name.
MADE = re.compile(r"^(build|output|\.venv)/|NAME|FOLDER|[*<>{}$]|^(workerlog|serverlog)\.")
SUFFIXES = (".c", ".h", ".py", ".sh", ".md", ".txt", ".svg", ".cu")


def tracked():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout
    return [path for path in listed.splitlines() if os.path.exists(os.path.join(ROOT, path))]


def symbols(paths):
    """Every word of the C sources and of the Makefile."""
    found = set()
    for path in paths:
        if path.endswith((".c", ".h", ".cu")):
            with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as f:
                found.update(re.findall(r"\bRG_\w+|\brg_\w+", f.read()))
    return found


def targets():
    with open(os.path.join(ROOT, "Makefile"), encoding="utf-8") as f:
        return set(re.findall(r"^([\w-]+):", f.read(), re.M))


class Tree:
    def __init__(self):
        self.paths = tracked()
        self.files = set(self.paths)
        self.names = {os.path.basename(path) for path in self.paths}
        self.folders = {part for path in self.paths for part in parents(path)}
        self.symbols = symbols(self.paths)
        self.targets = targets()

    def has_path(self, path):
        path = path.rstrip("/")
        if path in self.files or path in self.folders or path in self.names:
            return True
        return any(known.endswith("/" + path) for known in self.files | self.folders)

    def lacks(self, word):
        """Why the word names nothing; None: it does, or is no name of ours."""
        if MADE.search(word):
            return None
        if re.fullmatch(r"(rg|RG)_\w*[a-zA-Z0-9](\(\))?", word):
            return None if word.rstrip("()") in self.symbols else "no such symbol"
        make = re.fullmatch(r"make ([\w-]+)", word)
        if make:
            return None if make.group(1) in self.targets else "no such target of make"
        path = re.fullmatch(r"[\w.-]+(/[\w.-]+)*/?", word)
        is_file = path and word.endswith(SUFFIXES)
        is_folder = path and re.match(r"(src|tests|tools|docs|bench|fuzz|python|include|demo)/", word)
        if (is_file or is_folder) and not self.has_path(word):
            return "no such file"
        return None


def parents(path):
    parts = path.split("/")[:-1]
    return ["/".join(parts[:i + 1]) for i in range(len(parts))]


def problems(tree, page, text):
    planned = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            planned = "not yet" in line.lower()
        for word in [] if planned else re.findall(r"`([^`]+)`", line):
            why = tree.lacks(word)
            if why:
                yield "%s:%d: %s: %s" % (page, number, word, why)


def anchors(text):
    """What headings of a page can be linked by."""
    return {re.sub(r"[^\w -]", "", line.lstrip("# ").lower()).strip().replace(" ", "-")
            for line in text.splitlines() if line.startswith("#")}


def dead_links(page, text):
    """Links and pictures, [text](target), whose file or heading is not there."""
    plain = re.sub(r"^```.*?^```", lambda m: "\n" * m[0].count("\n"), text, flags=re.M | re.S)
    for number, line in enumerate(plain.splitlines(), 1):
        for target in re.findall(r"(?<!`)\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
            path, _, place = target.partition("#")
            if "://" in target or target.startswith("mailto:"):
                continue
            full = os.path.join(os.path.dirname(os.path.join(ROOT, page)), path) if path else \
                os.path.join(ROOT, page)
            if not os.path.exists(full):
                yield "%s:%d: %s: no such file" % (page, number, target)
            elif place and full.endswith(".md"):
                with open(full, encoding="utf-8") as f:
                    if place not in anchors(f.read()):
                        yield "%s:%d: %s: no such heading" % (page, number, target)


def main(pages):
    tree = Tree()
    found = []
    for page in pages or ["README.md", "CONTRIBUTING.md"] + sorted(
            "docs/" + name for name in os.listdir(os.path.join(ROOT, "docs")) if name.endswith(".md")):
        with open(os.path.join(ROOT, page), encoding="utf-8") as f:
            found += dead_links(page, f.read())
    for page in pages or PAGES:
        with open(os.path.join(ROOT, page), encoding="utf-8") as f:
            found += problems(tree, page, f.read())
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
