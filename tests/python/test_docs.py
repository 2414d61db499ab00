"""The pages for engineers name files and symbols that exist, and the picture is of its text."""
import os
import re
import subprocess
import sys

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


def test_the_picture_is_of_its_text():
    assert run(os.path.join(ROOT, "tools", "architecture.py"), "--check").returncode == 0


def test_the_picture_shows_every_folder_of_the_sources():
    with open(os.path.join(ROOT, "docs", "architecture.txt"), encoding="utf-8") as f:
        shown = set(re.findall(r"src/\w+", f.read()))
    assert shown == {"src/" + name for name in os.listdir(os.path.join(ROOT, "src"))
                     if os.path.isdir(os.path.join(ROOT, "src", name))}
