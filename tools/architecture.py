#!/usr/bin/env python3
"""Draws docs/architecture.svg from docs/architecture.txt. --check: fails where the picture is behind the text."""
import html
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCE, PICTURE = (os.path.join(ROOT, "docs", "architecture" + end) for end in (".txt", ".svg"))
WIDTH, LEFT, ROW, GAP = 1040, 130, 62, 8
OURS, FOREIGN = "#dbe9f6", "#eeeeee"


def rows(text):
    """[(name of the row, [(box, what it is)])]"""
    found = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("row "):
            found.append((line[4:], []))
        else:
            found[-1][1].append(tuple(part.strip() for part in line.split(":", 1)))
    return found


def box(x, y, width, title, note, colour):
    middle = x + width / 2
    return ('<rect x="%.0f" y="%.0f" width="%.0f" height="%d" rx="5" fill="%s" stroke="#7f8fa0"/>\n'
            '<text x="%.0f" y="%.0f" class="name">%s</text>\n<text x="%.0f" y="%.0f" class="note">%s</text>\n'
            % (x, y, width, ROW - GAP, colour, middle, y + 23, html.escape(title), middle, y + 41,
               html.escape(note)))


def draw(text):
    parts = rows(text)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif">\n'
           "<title>Regatta: what stands on what. A box uses the rows below it, never those above.</title>\n"
           "<style>.name{font-size:13px;font-weight:bold;text-anchor:middle}"
           ".note{font-size:10.5px;fill:#445;text-anchor:middle}.row{font-size:12px;fill:#667}</style>\n"
           % (WIDTH, len(parts) * ROW + GAP)]
    for number, (name, boxes) in enumerate(parts):
        y = GAP + number * ROW
        out.append('<text x="8" y="%d" class="row">%s</text>\n' % (y + 30, html.escape(name)))
        width = (WIDTH - LEFT - GAP) / len(boxes)
        for i, (title, note) in enumerate(boxes):
            out.append(box(LEFT + i * width, y, width - GAP, title, note,
                           FOREIGN if name == "libraries" else OURS))
    return "".join(out) + "</svg>\n"


def main(arguments):
    with open(SOURCE, encoding="utf-8") as f:
        picture = draw(f.read())
    if "--check" in arguments:
        with open(PICTURE, encoding="utf-8") as f:
            if f.read() != picture:
                print("docs/architecture.svg is behind its text: run tools/architecture.py", file=sys.stderr)
                return 1
        return 0
    with open(PICTURE, "w", encoding="utf-8") as f:
        f.write(picture)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
