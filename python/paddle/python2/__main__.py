"""`paddle python FILE ARGUMENTS`: runs a script, Python 2 or 3."""
import os
import sys

from . import run

_HERE = os.path.dirname(os.path.abspath(__file__))


def _without_us(traceback):
    """A traceback from the user's first frame on."""
    at = traceback
    while at is not None and not (
            os.path.dirname(os.path.abspath(at.tb_frame.f_code.co_filename)) != _HERE and
            "importlib" not in at.tb_frame.f_code.co_filename and
            "runpy" not in at.tb_frame.f_code.co_filename):
        at = at.tb_next
    return at or traceback


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print("usage: paddle python FILE [ARGUMENTS]\n"
              "Runs a script. Python 2 sources are translated in memory, and so are the modules\n"
              "beside them; nothing is written there.", file=sys.stderr)
        return 2 if len(sys.argv) < 2 else 0
    path = sys.argv[1]
    if path.startswith("-"):
        print("paddle python: it runs a file, and has no option %s; start python itself for its "
              "options" % path, file=sys.stderr)
        return 2
    if not os.path.isfile(path):
        print("paddle python: there is no file %s" % path, file=sys.stderr)
        return 2
    try:
        run(path, sys.argv[2:])
    except Exception as error:
        error = error.with_traceback(_without_us(error.__traceback__))
        sys.excepthook(type(error), error, error.__traceback__)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
