"""The pages for engineers name files and symbols that exist, and the picture is of its text."""
import os
import re
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHECK = os.path.join(ROOT, "tools", "check_docs.py")


def run(*command):
    return subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, text=True)


def test_every_path_and_symbol_exists():
    done = run(CHECK)
    assert done.returncode == 0, done.stderr


def test_what_is_not_there_is_named_with_its_line(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("`src/base/status.h`, `rg_fail`, `make test`\n`src/base/nothing.h`\n`rg_no_such_thing()` `make nonsense`\n"
                    "# Not yet\n`src/base/planned.h`\n")
    done = run(CHECK, str(page))
    assert done.returncode == 1
    assert re.findall(r"page\.md:(\d+): ([^:]+):", done.stderr) == [
        ("2", "src/base/nothing.h"), ("3", "rg_no_such_thing()"), ("3", "make nonsense")]


def test_links_and_pictures_lead_somewhere(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A heading\n[a](page.md#a-heading) [b](page.md#other)\n![c](none.png) `[d](x)`\n")
    done = run(CHECK, str(page))
    assert done.returncode == 1
    assert re.findall(r"page\.md:(\d+): (\S+):", done.stderr) == [
        ("2", "page.md#other"), ("3", "none.png")]


def pushed_sideways(folder):
    """Pages of the site that are wider than their window, on a screen or a phone."""
    sys.path.insert(0, os.path.join(ROOT, "tests", "watch"))
    import browser as web
    one, wide = web.open_browser(), []
    for width in (1280, 360):
        web.look(one, width)
        for path in sorted(folder.glob("*.html")):
            one.get("file://%s" % path)
            if path.name != "404.html" and one.execute_script(
                    "const e = document.documentElement; return e.scrollWidth > e.clientWidth"):
                wide.append("%s at %d" % (path.name, width))
    one.quit()
    return wide


@pytest.mark.skipif(not os.environ.get("REGATTA_FULL"), reason="half a minute of MkDocs")
def test_the_site_has_no_dead_link_and_loads_nothing_from_elsewhere(tmp_path):
    done = run(os.path.join(ROOT, "tools", "site.py"), "--links", str(tmp_path))
    assert done.returncode == 0, done.stderr
    shown = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000",
         "--dump-dom", "file://%s/index.html?q=sequence_pool" % tmp_path], capture_output=True,
        text=True, timeout=120).stdout
    assert re.search(r"[1-9]\d* matching documents", shown)  # search, with no server at all
    assert pushed_sideways(tmp_path) == []


def test_pictures_are_small():
    folder = os.path.join(ROOT, "docs", "pictures")
    assert all(os.path.getsize(os.path.join(folder, n)) < 60000 for n in os.listdir(folder))


def test_the_picture_is_of_its_text():
    assert run(os.path.join(ROOT, "tools", "architecture.py"), "--check").returncode == 0


def test_the_picture_shows_every_folder_of_the_sources():
    with open(os.path.join(ROOT, "docs", "architecture.txt"), encoding="utf-8") as f:
        shown = set(re.findall(r"src/\w+", f.read()))
    assert shown == {"src/" + name for name in os.listdir(os.path.join(ROOT, "src"))
                     if os.path.isdir(os.path.join(ROOT, "src", name))}
