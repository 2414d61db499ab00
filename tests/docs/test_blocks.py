"""Every block of code on every page: what it shows runs as it is pasted (pages.py says how)."""
import functools
import json
import os
import re
import shutil
import signal
import subprocess
import threading

import pytest
import yaml

import command_flags
from demo_job import environment
from pages import DATA, ROOT, SHELL, blocks, matches, pages, unfenced

FULL = os.environ.get("REGATTA_FULL") == "1"
HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = 900 if FULL else 200
# A network of its own: ports that pages name are free there, and what is left running is ended.
ALONE = ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c",
         'ip link set lo up && exec "$@"', "sh"]
END, GONE = "-- end of a block --", "-- end of the shell --"


@functools.lru_cache(maxsize=None)
def alone():
    may = subprocess.run(ALONE + ["true"], capture_output=True).returncode == 0
    return ALONE if may else []


class Reader:
    """Who pastes the blocks of a page into a shell, one after the other, in a folder like a checkout."""

    def __init__(self, folder):
        self.folder, self.printed, self.of_job = str(folder), "", []
        for name in ("demo", "Makefile"):
            source = os.path.join(ROOT, name)
            (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, folder / name)
        (folder / "paddle").mkdir()
        shutil.copytree(os.path.join(ROOT, "python/paddle/scripts"), folder / "paddle/scripts")
        for name in os.listdir(os.path.join(HERE, "reader")):  # files of the reader's own
            shutil.copy(os.path.join(HERE, "reader", name), folder)
        (folder / "home").mkdir()
        env = environment(HOME=str(folder / "home"), CPU_NUM="1", HERE=HERE, PYTHONPATH=HERE,
                          MPLCONFIGDIR=os.path.join(ROOT, "build", "matplotlib"))
        self.shell = subprocess.Popen(
            alone() + ["bash"], cwd=folder, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, start_new_session=True)
        # A block that hangs ends with its shell, and what it had printed is shown.
        self.watch = threading.Timer(SECONDS, self.shell.kill)
        self.watch.start()
        self.shell.stdin.write("set -e -o pipefail\ntrap \"echo '%s'\" EXIT\n" % GONE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.watch.cancel()
        try:
            os.killpg(self.shell.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.shell.communicate()

    def typed(self, script):
        """Whether all of it has succeeded; what it printed is in self.printed."""
        lines, ended = [], None
        try:
            self.shell.stdin.write("{\n%s\n} < /dev/null\necho '%s'\n" % (script.rstrip("\n"), END))
            self.shell.stdin.flush()
        except BrokenPipeError:
            return False
        # To the mark, not to the end: what runs in the background keeps the pipe open.
        while ended is None:
            line = self.shell.stdout.readline()
            ended = next((mark for mark in (END, GONE) if line.endswith(mark + "\n")),
                         None if line else GONE)
            lines.append(line[:-len(ended) - 1] if ended and line else line)
        self.printed = "".join(lines)
        return ended == END

    def run(self, block):
        if block.job:
            self.of_job.append(block)
        elif block.file:
            with open(os.path.join(self.folder, block.file), "w", encoding="utf-8") as f:
                f.write(block.before + block.code)
            assert not block.then or self.typed(block.then), "%s\n%s" % (block, self.printed)
        elif block.language == "python":
            self.run_python(block.before + block.code, block)
        elif block.language == "console":
            self.run_console(block)
        elif block.language in SHELL:
            code = "(\n%s\n) &" % block.code if block.background else block.code
            assert self.typed(block.before + code), "%s\n%s" % (block, self.printed)
        else:
            self.look_at(block)

    def run_python(self, code, where, command="python"):
        path = os.path.join(self.folder, "block.py")
        with open(path, "w", encoding="utf-8") as f:
            f.write(code)
        assert self.typed("%s %s" % (command, path)), "%s\n%s" % (where, self.printed)

    def run_job(self):
        """All that workers of a job run, in one job."""
        if self.of_job:
            code = "\n".join("print('%s')\n%s%s" % (b, b.before, b.code) for b in self.of_job)
            self.run_python("from in_job import *\n%s\nprint('all of it')" % code, self.of_job[0],
                            "python -m paddle.distributed.launch_ps --worker_num 2 --server_num 1")
            with open(os.path.join(self.folder, "logs", "workerlog.0"), encoding="utf-8") as f:
                said = f.read()
            assert "all of it" in said, said

    def run_console(self, block):
        """Each command prints the lines below it."""
        before = block.before
        for part in re.split(r"^\$ ", block.code, flags=re.M)[1:]:
            command, _, expected = part.partition("\n")
            self.typed(before + command + " || true")
            self.has_printed(block, expected)
            before = ""

    def has_printed(self, block, expected):
        lines = self.printed.split("\n")
        for line in filter(str.strip, expected.split("\n")):
            assert any(matches(line, seen, block.exact) for seen in lines), \
                "%s: nothing printed is like\n%s\nbut\n%s" % (block, line, self.printed)

    def look_at(self, block):
        if block.output:
            self.has_printed(block, block.code)
        elif block.language == "yaml":
            assert list(yaml.safe_load_all(block.code)), block
        elif block.language == "json":
            assert [json.loads(line) for line in block.code.splitlines()], block
        elif block.language == "c":
            done = subprocess.run(
                ["cc", "-std=c17", "-fsyntax-only", "-I", os.path.join(ROOT, "include"), "-I",
                 os.path.join(ROOT, "src"), "-x", "c", "-"], input=block.before + block.code,
                capture_output=True, text=True)
            assert done.returncode == 0, "%s\n%s" % (block, done.stderr)


def runs(block):
    return not block.not_run and (FULL or not block.slow) and (block.language != "text" or block.output)


@pytest.mark.parametrize("page", [p for p in pages() if any(runs(b) for b in blocks(p))])
def test_what_a_page_shows_runs(page, tmp_path):
    with Reader(tmp_path) as reader:
        was_run = True
        for block in blocks(page):
            # The output of a block that was not run is not looked for either.
            was_run = runs(block) and (was_run or not block.output)
            if was_run:
                reader.run(block)
        reader.run_job()


@pytest.mark.parametrize("page", pages())
def test_every_block_says_what_it_is(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as f:
        text = f.read()
    assert ["%s:%d" % (page, line) for line in unfenced(text)] == [], "code without a fence"
    for block in blocks(page):
        assert block.language in ("python",) + SHELL + DATA, "%s: language '%s'" % (
            block, block.language)
        assert block.not_run is None or len(block.not_run) > 8, "%s: not run, but why?" % block


def shown(page):
    """(where, command): lines of shell blocks, and what stands in backticks in the text."""
    with open(os.path.join(ROOT, page), encoding="utf-8") as f:
        text = f.read()
    for block in blocks(page, text):
        if block.language in SHELL:
            yield from ((str(block), line) for line in block.typed())
    for number, line in enumerate(re.sub(r"^ *```.*?^ *```", lambda m: "\n" * m[0].count("\n"), text,
                                         flags=re.M | re.S).split("\n"), 1):
        yield from (("%s:%d" % (page, number), code) for code in re.findall(r"`([^`]+)`", line)
                    if re.match(r"(paddle|make|python3? -m paddle\S*) ", code))


def test_every_command_that_pages_show_is_there():
    wrong = ["%s: %s: %s" % (where, line, problem) for page in pages() for where, line in shown(page)
             for problem in command_flags.problems(line)]
    assert not wrong, "\n".join(wrong)


def test_a_wrong_block_is_found(tmp_path):
    page = ("```console\n$ echo 7 of 9\n8 of ...\n```\n\n```console\n$ echo a\nb\n```\n\n```yaml\na: [\n```\n\n"
            "```c\nint a = ;\n```\n\n```python\n1 / 0\n```\n\n<!-- not run: it needs a moon -->\n\n"
            "```bash\npaddle top --onec LOG_DIR\n```\n")
    found = []
    with Reader(tmp_path) as reader:
        for block in [b for b in blocks("page.md", page) if runs(b)]:
            try:
                reader.run(block)
            except (AssertionError, yaml.YAMLError):
                found.append(block.line)
    assert found == [6, 11, 15, 19]
    assert blocks("page.md", page)[-1].not_run == "it needs a moon"
    assert list(unfenced("# A\n    x = 1\n- b\n\n    c\n\nd\n\n    e\n")) == [2, 9]


@pytest.mark.parametrize("line, problem", [
    ("FOO=1 paddle top --onec LOG_DIR | cat", "paddle top has no --onec"),
    ("kubectl exec a -- paddle tip", "paddle has no command tip"),
    ("make demmo", "make has no target demmo"),
    ("python -m paddle.distributed.launch_ps --worker_nmu 2 x.py",
     "paddle.distributed.launch_ps has no --worker_nmu"),
    ("python -m paddle.distributed.lunch x.py", "No module named paddle.distributed.lunch")])
def test_a_wrong_command_is_found(line, problem):
    found, = command_flags.problems(line)
    assert problem in found
