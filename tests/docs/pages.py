"""The pages of documentation and their blocks of code, as tests/docs/test_blocks.py runs them.

A block is fenced and has a language. Comments before it, which no reader sees, say how it is run:

    <!-- not run: WHY -->      only its commands and flags are looked up
    <!-- slow -->              make test-full alone runs it
    <!-- before: CODE -->      code of the same language that runs first, of as many lines as it takes
    <!-- then: SHELL -->       Python that is a file: what is typed once it is written
    <!-- background -->        shell: typed in another terminal, while the next blocks run
    <!-- job -->               Python: what a worker of a job runs; in_job.py is what is around it
    <!-- output -->            text: lines that the block above has printed; `...` is anything, and a
                               number any number, but for `output: exact`

A page has a folder, with what a checkout has, and a shell, in which its blocks run in turn. A block
of Python whose first line is `# NAME.py` is written there under that name. In a block of `console`
lines that begin with `$ ` are typed, and the others are what they print, as in `output`."""
import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHELL = ("bash", "sh", "console")
DATA = ("text", "yaml", "json", "c", "dockerfile")  # c is compiled, yaml and json are parsed
MARKS = ("not run", "slow", "before", "then", "background", "job", "output")
FENCE = re.compile(r"^( *)```([^\n]*)\n(.*?)^\1```[ ]*\n", re.M | re.S)
COMMENT = re.compile(r"<!--(.*?)-->", re.S)


def pages():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
                            cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [path for path in sorted(set(listed.split())) if os.path.exists(os.path.join(ROOT, path))]


class Block:
    def __init__(self, page, line, language, code, marks):
        self.page, self.line, self.language, self.code = page, line, language, code
        self.not_run = marks.get("not run")
        self.slow = "slow" in marks
        self.output, self.exact = "output" in marks, marks.get("output") == "exact"
        self.background, self.job = "background" in marks, "job" in marks
        self.before, self.then = marks.get("before", ""), marks.get("then", "")
        name = re.match(r"# ([\w-]+\.py)\n", code) if language == "python" else None
        self.file = name[1] if name else None

    def __str__(self):
        return "%s:%d" % (self.page, self.line)

    def typed(self):
        """The commands of a shell block, continued lines joined."""
        lines = self.code.replace("\\\n", " ").split("\n")
        if self.language == "console":
            lines = [line[2:] for line in lines if line.startswith("$ ")]
        return [line for line in lines if line.strip()]


def comments_before(text):
    """{word: what it says} of the comments that stand last in text."""
    found = {}
    while True:
        tail = re.search(r"<!--((?:(?!-->).)*)-->\s*\Z", text, re.S)
        if not tail:
            return found
        key, _, value = tail[1].strip().partition(":")
        if key not in MARKS:
            return found
        # What is indented as the list around it is not indented to its shell.
        lines = value.strip("\n").split("\n")
        indent = min([len(s) - len(s.lstrip()) for s in lines if s.strip()] or [0])
        found[key] = "\n".join(s[indent:] for s in lines).strip() + "\n" if key == "before" \
            else value.strip()
        text = text[:tail.start()]


def blocks(page, text=None):
    if text is None:
        with open(os.path.join(ROOT, page), encoding="utf-8") as f:
            text = f.read()
    found = []
    for match in FENCE.finditer(text):
        indent = len(match[1])
        code = "".join(s[indent:] if s.strip() else s for s in match[3].splitlines(True))
        found.append(Block(page, text[:match.start()].count("\n") + 1, match[2].strip(), code,
                           comments_before(text[:match.start()])))
    return found


def unfenced(text):
    """Lines of code that is only indented: nobody could say what language it is in."""
    plain = FENCE.sub(lambda m: "\n" * m[0].count("\n"), text)
    plain = COMMENT.sub(lambda m: "\n" * m[0].count("\n"), plain)
    last, before = "", ""
    for number, line in enumerate(plain.split("\n"), 1):
        in_list = re.match(r" *([-*]|\d+\.) ", last)
        begins = not before.strip() or before.startswith("#")
        if line.startswith("    ") and line.strip() and begins and not in_list:
            yield number
        if line.strip() and (not line.startswith(" ") or re.match(r" *([-*]|\d+\.) ", line)):
            last = line
        before = line


def matches(expected, printed, exact=False):
    """Whether a line may be the one that is expected: `...` is anything, a number any number unless
    `exact`, and blanks are as many as columns of other numbers need."""
    def words(text):
        text = re.escape(" ".join(text.split())).replace("\\ ", " +")
        return text if exact else re.sub(r"\d+(?:\\\.\d+)*", r"[\\d.]+", text)
    wanted = " *.* *".join(words(part) for part in expected.split("..."))
    return re.fullmatch(wanted, " ".join(printed.split())) is not None
