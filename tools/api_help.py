#!/usr/bin/env python3
"""Write the stubs of the public modules, python/**/*.pyi, which hold their docstrings too.

    .venv/bin/python tools/api_help.py            write them
    .venv/bin/python tools/api_help.py --check    fail where they are not up to date
    .venv/bin/python tools/api_help.py --lacks    what nobody has written yet
    .venv/bin/python tools/api_help.py --run [N]  run the examples of the docstrings; every Nth

Where the parts come from: tools/help (compose.py says which, examples.py how examples are written)."""
import doctest
import inspect
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "help"))
import compose  # noqa: E402
import examples  # noqa: E402
import stubs  # noqa: E402
from public import PYTHON, entries  # noqa: E402


def existing():
    """The stubs that are there, by their path below python/."""
    found = {}
    for folder, _, files in os.walk(PYTHON):
        for name in files:
            if name.endswith(".pyi"):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as f:
                    found[os.path.relpath(path, PYTHON)] = f.read()
    return found


def lacking():
    """'NAME: what is missing' of every public name; examples are those of a class for its methods."""
    known = examples.load()
    for entry in compose.all_entries():
        parts = compose.lacks(entry)
        if entry.owner is None and not entry.support and entry.full not in known and \
                not compose.is_refused(entry):
            parts = parts + ["an example"]
        for part in parts:
            yield "%s: %s" % (entry.full, part)


def without_outputs(text):
    """A stub but for what examples show, which takes running them to know."""
    return re.sub(r"^ *(>>>|\.\.\.|(?<=\n)) .*\n", "", re.sub(
        r"\n +Examples:\n(.*\n)*?(?= +\"\"\"\n)", "\n", text), flags=re.M)


def stale():
    """The stubs that are not up to date, examples aside."""
    fresh = stubs.stubs({name: [">>> example"] for name in examples.load()})
    old = existing()
    return sorted(path for path in set(fresh) | set(old) if without_outputs(
        fresh.get(path, "")) != without_outputs(old.get(path, "")))


def run(step=1):
    """Run the examples of the docstrings, as users read them; the names of those that fail."""
    failed, told = [], []
    known = examples.load()
    chosen = [e for e in entries() if e.full in known][::step]
    if step > 1:  # data sets take their time
        chosen = [e for e in chosen if not e.full.startswith("paddle.dataset.")]
    for entry in chosen:
        with examples.apart():
            test = doctest.DocTestParser().get_doctest(
                inspect.getdoc(entry.value) or "", {}, entry.full, entry.full, 0)
            runner = doctest.DocTestRunner(verbose=False)
            runner.run(test, out=told.append)
        if runner.failures or not runner.tries and "+SKIP" not in (inspect.getdoc(entry.value) or ""):
            failed.append(entry.full)
    return failed, "".join(told), len(chosen)


def main():
    if sys.argv[1:2] == ["--run"]:
        failed, told, count = run(int(sys.argv[2]) if sys.argv[2:] else 1)
        print("%s%d examples, %d failed: %s" % (told, count, len(failed), " ".join(failed)))
        return 1 if failed else 0
    if sys.argv[1:] == ["--lacks"]:
        print("\n".join(lacking()))
        return 0
    fresh, old = stubs.stubs(), existing()
    if sys.argv[1:] == ["--check"]:
        wrong = sorted(path for path in set(fresh) | set(old) if fresh.get(path) != old.get(path))
        if wrong:
            print("not up to date, run tools/api_help.py: " + ", ".join(wrong), file=sys.stderr)
        return 1 if wrong else 0
    for path in set(old) - set(fresh):
        os.remove(os.path.join(PYTHON, path))
    for path, text in fresh.items():
        if old.get(path) != text:
            with open(os.path.join(PYTHON, path), "w", encoding="utf-8") as f:
                f.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
