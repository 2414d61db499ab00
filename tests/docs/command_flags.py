"""Whether the commands that pages show are there: subcommands of `paddle`, modules that are run by
`python -m`, targets of make, and the flags of all of them, as their --help has them."""
import functools
import glob
import os
import re
import shlex
import subprocess
import sys

from pages import ROOT

PADDLE = os.path.join(os.path.dirname(sys.executable), "paddle")
PLACEHOLDER = re.compile(r"[A-Z_]+|\[.*|.*\]|\.\.\.")
# Those who hand flags that are not their own to others.
OPEN = ("paddle train", "paddle usage", "paddle.py")


@functools.lru_cache(maxsize=None)
def said(*command):
    done = subprocess.run(command, capture_output=True, text=True, cwd="/", timeout=60)
    return done.returncode, done.stdout + done.stderr


@functools.lru_cache(maxsize=None)
def paddle_commands():
    return set(re.findall(r"^    ([\w-]+) ", said(PADDLE, "--help")[1], re.M))


@functools.lru_cache(maxsize=None)
def make_targets():
    with open(os.path.join(ROOT, "Makefile"), encoding="utf-8") as f:
        return set(re.findall(r"^([\w-]+):", f.read(), re.M))


@functools.lru_cache(maxsize=None)
def script_text(name):
    """What flags a script of ours may have: its text and that of what it imports beside it."""
    found = [p for p in glob.glob(os.path.join(ROOT, "demo", "**", "*.py"), recursive=True) +
             glob.glob(os.path.join(ROOT, "python", "paddle", "scripts", "**", "*.py"), recursive=True)
             if p.endswith("/" + name.lstrip("./"))]
    return "".join(open(p, encoding="utf-8").read() for p in found)


def words_of(line):
    try:
        return shlex.split(line, comments=True)
    except ValueError:
        return line.split()


def parts(line):
    """The single commands of a line of shell."""
    for part in re.split(r"\s(?:\|\||\||&&|;|&>|&|>|<<?)\s|[;&]\s*$", " " + line + " "):
        words = words_of(part)
        while words and (re.fullmatch(r"\w+=.*|\w+\$|sudo|nohup|stdbuf|-oL|/usr/bin/nohup", words[0])):
            words = words[1:]
        if words:
            yield words


def flags(words):
    for word in words:
        name = word.partition("=")[0]
        if re.fullmatch(r"--?[a-zA-Z][\w-]*", name) and not PLACEHOLDER.fullmatch(name):
            yield name


def lacking(names, text, what):
    known = set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", text))
    for name in names:
        if name not in known | {"--help"} and name.replace("_", "-") not in known and \
                name.replace("-", "_").replace("__", "--", 1) not in known:
            yield "%s has no %s" % (what, name)


def of_paddle(words):
    if len(words) < 2 or PLACEHOLDER.fullmatch(words[1]) or words[1].startswith("-"):
        return
    command = words[1]
    if command not in paddle_commands():
        yield "paddle has no command %s" % command
        return
    if "paddle " + command in OPEN:
        return
    rest = words[2:]
    if command in ("python", "profile", "check"):  # what follows the script is the script's
        own = []
        while rest and rest[0].startswith("-") and rest[0] != "-m":
            own.append(rest[0])
            rest = rest[1:]
        if rest and rest[0] == "-m":
            yield from of_module(rest[1:])
        rest = own
    yield from lacking(flags(rest), said(PADDLE, command, "--help")[1], "paddle " + command)


def of_module(words):
    module, rest = words[0], words[1:]
    if not module.startswith("paddle"):
        return
    status, text = said(sys.executable, "-m", module, "--help")
    if status != 0:
        yield "python -m %s --help: %s" % (module, text.strip().split("\n")[-1])
        return
    script = next((i for i, w in enumerate(rest) if w.endswith(".py")), len(rest))
    yield from lacking(flags(rest[:script]), text, module)
    if script < len(rest):
        yield from of_script(rest[script:])


def of_script(words):
    hands_on = os.path.basename(words[0]) in OPEN
    text = script_text(words[0]) if words[0].endswith(".py") and not hands_on else ""
    if text:
        asked = [n for n in flags(words[1:]) if n.lstrip("-") not in re.findall(r"\w+", text)]
        yield from ("%s has no %s" % (words[0], name) for name in asked)


def problems(line):
    """What the commands of a line name that is not there."""
    for words in parts(line):
        if "--" in words and words[0] in ("kubectl", "srun", "mpirun"):
            words = words[words.index("--") + 1:]
        if "paddle" in words[:4]:
            yield from of_paddle(words[words.index("paddle"):])
        elif words[0] == "make":
            yield from ("make has no target %s" % w for w in words[1:]
                        if re.fullmatch(r"[a-z-]+", w) and w not in make_targets())
        elif re.fullmatch(r"(.*/)?python3?", words[0]) and len(words) > 1:
            if words[1] == "-m" and len(words) > 2:
                yield from of_module(words[2:])
            elif words[1].endswith(".py"):
                yield from of_script(words[1:])
