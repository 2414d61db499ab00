#!/usr/bin/env python3
"""Make the documentation site: docs/*.md, a page for each public module, and what is refused.

    .venv/bin/python tools/site.py [FOLDER]     make it (build/site)
    .venv/bin/python tools/site.py --links      and fail where a link of it leads nowhere

MkDocs does the work (tools/mkdocs.yml). The pages of modules are made of the same docstrings as
help() shows; where a page names another as `docs/x.md` the site has a link."""
import glob
import html.parser
import os
import re
import shutil
import subprocess
import sys
import textwrap
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "help"))
import yaml  # noqa: E402
from public import MODULES, ROOT, entries  # noqa: E402

WORK = os.path.join(ROOT, "build", "site-pages")
# How pages are grouped; what is in no group comes last.
GROUPS = [
    ("Start", ["index", "tutorial", "gallery", "migrate-from-paddle-1.8", "not-supported", "python2"]),
    ("Guides", ["guide-*", "launch", "data", "datasets", "v2"]),
    ("Reference", ["ops", "layers", "formats", "transpiler", "protocol", "promises"]),
    ("Speed", ["performance*"]),
    ("For engineers", ["design", "reading-order", "style", "adding-an-op"]),
]


# ---- pages of modules ----

def signature(entry):
    names = []
    for p in entry.parameters() or []:
        stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        default = "" if p.default is p.empty else "=" + (
            "..." if " at 0x" in repr(p.default) else repr(p.default))
        names.append(stars + p.name + default)
    indent = " " * (len(entry.name) + 1)
    return entry.name + "(" + "\n".join(textwrap.wrap(
        ", ".join(names), 76, subsequent_indent=indent, break_long_words=False)).strip() + ")"


def as_markdown(text):
    """A docstring as Markdown: Args and Returns as lists, examples as sessions."""
    parts = re.split(r"^(Args|Returns|Examples):\n", text, flags=re.M)
    lines = [escaped(parts[0].strip()), ""]
    for title, body in zip(parts[1::2], parts[2::2]):
        body = "\n".join(line[4:] for line in body.rstrip().split("\n"))
        lines.append("**%s**\n" % title)
        if title == "Examples":
            lines.append("```pycon\n%s\n```\n" % body)
        elif title == "Returns":
            kind, _, what = " ".join(body.split()).partition(": ")
            lines.append("- *%s*: %s\n" % (kind, escaped(what)))
        else:
            for item in re.split(r"\n(?! )", body):
                match = re.match(r"(\**\w+)(?: \(([^)]*)\))?: ?(.*)$", " ".join(item.split()))
                lines.append("- `%s`%s: %s" % (match[1], " (*%s*)" % match[2] if match[2] else "",
                                               escaped(match[3])))
            lines.append("")
    return "\n".join(lines)


def escaped(text):
    return text.replace("<", "&lt;").replace("*", "\\*").replace("|", "\\|").replace("_", "\\_") \
        if "`" not in text else text.replace("<", "&lt;")


def section(entry, level):
    import inspect
    text = as_markdown(inspect.getdoc(entry.value) or "")
    lines = ["%s %s" % ("#" * level, entry.name.replace("_", "\\_")), "",
             "```python\n%s\n```" % signature(entry), "", text]
    for method in entry.methods():
        doc = inspect.getdoc(method.value) or ""
        lines += ["%s %s.%s" % ("#" * (level + 1), entry.name, method.name.replace("_", "\\_")), "",
                  "```python\n%s\n```" % signature(method), "", as_markdown(doc)]
    return "\n".join(lines)


def module_pages():
    """{file: (title, text)}: a page for a module, of many names for each file that defines some."""
    by_page = {}
    for entry in entries():
        module = entry.full.rpartition(".")[0]
        if entry.support or module not in MODULES:
            continue
        many = sum(e.full.rpartition(".")[0] == module for e in entries()) > 60
        title = module if not many or entry.home == module else \
            "%s (%s)" % (module, entry.home.rpartition(".")[2])
        by_page.setdefault(title, []).append(entry)
    found = {}
    for title, names in by_page.items():
        module = sys.modules[title.partition(" ")[0]]
        about = (module.__doc__ or "").strip() if "(" not in title else ""
        text = ["# %s" % title, "", escaped(about.split("\n\n")[0]), ""]
        text += [section(entry, 2) for entry in names]
        file = "api/%s.md" % title.replace(" (", ".").rstrip(")")
        found[file] = (title, "\n".join(text))
    return found


# ---- what is refused ----

def refused_page():
    """The end of the migration page: what 1.8.5 has that is refused here, by reason."""
    sys.path.insert(0, os.path.join(ROOT, "tools"))
    import not_supported
    lines = ["", "## Every name that is refused", "",
             "Made from the registry: the names of 1.8.5, why they are not here, and what to use.", "",
             "| why, and what to use | names |", "|---|---|"]
    for reason, modules in sorted(not_supported.refused().items(), key=lambda item: sorted(item[1])):
        names = ["%s.%s" % (module, name) for module, own in sorted(modules.items()) for name in own]
        few = ", ".join("`%s`" % name for name in names[:6])
        more = " and %d more (`docs/not-supported.md`)" % (len(names) - 6) if len(names) > 6 else ""
        lines.append("| %s | %s%s |" % (reason.replace("|", "\\|"), few, more))
    return "\n".join(lines) + "\n"


# ---- the site ----

def linked(text, pages):
    """`docs/x.md`, and `x.md`, as links where the site has that page."""
    def link(match):
        name = os.path.basename(match[1])
        return "[%s](%s)" % (name[:-3], name) if name in pages else match[0]
    outside = re.split(r"(^```.*?^```\n|^(?:    .*\n)+)", text, flags=re.M | re.S)
    return "".join(part if i % 2 else re.sub(r"`((?:docs/)?[\w.-]+\.md)`", link, part)
                   for i, part in enumerate(outside))


def prepare():
    """All pages as Markdown in WORK; the navigation."""
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(os.path.join(WORK, "api"))
    pages = {os.path.basename(p): p for p in glob.glob(os.path.join(ROOT, "docs", "*.md"))}
    for name, path in pages.items():
        with open(path, encoding="utf-8") as f:
            text = f.read()
        if name == "migrate-from-paddle-1.8.md":
            text += refused_page()
        with open(os.path.join(WORK, name), "w", encoding="utf-8") as f:
            f.write(linked(text, pages))
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as f:
        front = f.read().replace("](docs/", "](")
    with open(os.path.join(WORK, "index.md"), "w", encoding="utf-8") as f:
        f.write(linked(front, pages))
    shutil.copytree(os.path.join(ROOT, "docs", "pictures"), os.path.join(WORK, "pictures"))
    for ending in ("svg", "png"):
        for picture in glob.glob(os.path.join(ROOT, "docs", "*." + ending)):
            shutil.copy(picture, WORK)
    shutil.copy(os.path.join(ROOT, "tools", "site.css"), WORK)
    made = module_pages()
    for file, (_, text) in made.items():
        with open(os.path.join(WORK, file), "w", encoding="utf-8") as f:
            f.write(text)
    return navigation(set(pages) | {"index.md"}, made)


def navigation(pages, made):
    left, nav = set(pages), []
    for title, patterns in GROUPS:
        here = []
        for pattern in patterns:
            match = re.compile(re.escape(pattern).replace("\\*", ".*") + r"\.md$")
            here += [p for p in sorted(left) if match.fullmatch(p) and p not in here]
        left -= set(here)
        nav.append({title: here})
    if left:
        nav.append({"More": sorted(left)})
    nav.append({"Modules": [{title: file} for file, (title, _) in sorted(made.items())]})
    return nav


def build(folder):
    nav = prepare()
    with open(os.path.join(ROOT, "tools", "mkdocs.yml"), encoding="utf-8") as f:
        config = yaml.safe_load(f)
    config.update(nav=nav, docs_dir=WORK, site_dir=folder)
    path = os.path.join(ROOT, "build", "mkdocs.yml")
    with open(path, "w", encoding="utf-8") as f:
        yaml.safe_dump(config, f)
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "-q", "-f", path], check=True,
                   env=dict(os.environ, NO_MKDOCS_2_WARNING="1"))


def without_network(folder):
    """The theme loads one script from elsewhere: ours in its place."""
    shutil.copy(os.path.join(ROOT, "tools", "site_worker.js"), os.path.join(folder, "assets"))
    for path in glob.glob(os.path.join(folder, "**", "*.html"), recursive=True):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        up = "../" * os.path.relpath(path, folder).count(os.sep)
        with open(path, "w", encoding="utf-8") as f:
            f.write(re.sub(r"https://unpkg.com/iframe-worker/shim", up + "assets/site_worker.js", text))


# ---- links ----

class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.ids = [], set()

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids.update(v for k, v in attrs.items() if k in ("id", "name") and v)
        for key in ("href", "src"):
            if attrs.get(key):
                self.links.append((tag, attrs[key]))


def broken(folder):
    """'PAGE: LINK: why' of links that lead nowhere, and of what is loaded from elsewhere."""
    pages = {}
    for path in glob.glob(os.path.join(folder, "**", "*.html"), recursive=True):
        pages[path] = Page()
        with open(path, encoding="utf-8") as f:
            pages[path].feed(f.read())
    for path, page in sorted(pages.items()):
        if os.path.basename(path) == "404.html":
            continue
        for tag, link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                if tag in ("script", "link", "img") and parts.scheme != "data":
                    yield "%s: %s: loaded from elsewhere" % (os.path.relpath(path, folder), link)
                continue
            target = path if not parts.path else os.path.normpath(
                os.path.join(os.path.dirname(path), urllib.parse.unquote(parts.path)))
            if os.path.isdir(target):
                target = os.path.join(target, "index.html")
            if not os.path.exists(target):
                yield "%s: %s: no such file" % (os.path.relpath(path, folder), link)
            elif parts.fragment and target in pages and \
                    urllib.parse.unquote(parts.fragment) not in pages[target].ids:
                yield "%s: %s: no such place" % (os.path.relpath(path, folder), link)


def main(arguments):
    links = "--links" in arguments
    given = [a for a in arguments if not a.startswith("--")]
    folder = os.path.abspath(given[0]) if given else os.path.join(ROOT, "build", "site")
    build(folder)
    without_network(folder)
    found = sorted(set(broken(folder))) if links else []
    for line in found:
        print(line, file=sys.stderr)
    print("site: %s" % os.path.join(folder, "index.html"))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
