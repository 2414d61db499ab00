#!/usr/bin/env python3
"""Write the man pages of the command `paddle` and of each of its commands, from what it says itself.

    python3 tools/man_pages.py build/paddle build/man    paddle.1, paddle-train.1, ...

The list of commands is that of `paddle help`, a page's text that of `paddle COMMAND --help`; one
that cannot be asked here (a command in Python, where there is no Python) has its line alone."""
import os
import re
import subprocess
import sys


def ask(command, *arguments):
    """What it prints; "" where it cannot be asked."""
    try:
        return subprocess.run([command] + list(arguments), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60,
                              universal_newlines=True, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return ""


def commands(paddle):
    """[(name, what it does)] in the order of `paddle help`."""
    return re.findall(r"^    ([a-z][a-z0-9_-]*) +(.*)$", ask(paddle, "help"), re.M)


def escaped(text):
    """A line of text as troff takes it."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def head(title, line):
    return [".TH %s 1 \"\" \"Regatta\" \"paddle\"" % escaped(title).upper(), ".SH NAME",
            "%s \\- %s" % (escaped(title), escaped(line))]


def body(text):
    """Help as a page: paragraphs, options with their meaning, everything else as it is printed."""
    lines, plain = [], False
    for line in text.splitlines():
        option = re.match(r"^  +(-[^ ].*?)(?:  +(.*))?$", line)
        if option:
            lines += [".fi"] * plain + [".TP", ".B " + escaped(option[1]), escaped(option[2] or "")]
            plain = False
        elif line.startswith(" "):
            lines += [] if plain else [".nf"]
            lines.append(escaped(line))
            plain = True
        else:
            lines += [".fi"] * plain + [escaped(line) if line else ".PP"]
            plain = False
    return lines + [".fi"] * plain


def page(paddle, name, line):
    told = ask(paddle, name, "--help").strip("\n")
    usage = re.match(r"usage: (.*(?:\n +.*)*)\n*", told)
    synopsis = usage[1] if usage else "paddle " + name
    rest = told[usage.end():] if usage else told
    return head("paddle-" + name, line) + [".SH SYNOPSIS", ".nf"] + [
        escaped(each) for each in synopsis.splitlines()] + [".fi", ".SH DESCRIPTION"] + (
            body(rest) or [escaped(line)]) + [".SH SEE ALSO", "paddle(1)"]


def overview(found):
    lines = head("paddle", "distributed training of PaddlePaddle 1.x scripts") + [
        ".SH SYNOPSIS", ".B paddle", "COMMAND [options]", ".SH COMMANDS"]
    for name, line in found:
        lines += [".TP", ".B " + escaped(name), escaped(line)]
    return lines + [".SH ENVIRONMENT", "Settings are variables FLAGS_*: `paddle flags` lists them.",
                    ".SH SEE ALSO", ", ".join(escaped("paddle-%s(1)" % n) for n, _ in found)]


def main(paddle, folder):
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(folder):
        if name.endswith(".1"):
            os.remove(os.path.join(folder, name))
    found = commands(paddle)
    pages = {"paddle": overview(found)}
    pages.update(("paddle-" + name, page(paddle, name, line)) for name, line in found)
    for name, lines in pages.items():
        with open(os.path.join(folder, name + ".1"), "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
