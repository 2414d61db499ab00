"""`paddle profile`: run a script, or a whole job, and show where its time goes.

    paddle profile train.py [its arguments]
    paddle profile -m paddle.distributed.launch_ps --worker_num 2 train.py
    paddle profile --job DIR      put together what processes on several hosts have left in DIR

Every process that it starts writes a trace when it ends (FLAGS_profile_dir); they are put together
as DIR/trace.json, which https://ui.perfetto.dev and chrome://tracing open."""
import argparse
import glob
import os
import subprocess
import sys
import time

from paddle import _core

KEYS = ("total", "calls", "max", "min", "ave")


def _parse(arguments):
    parser = argparse.ArgumentParser(
        prog="paddle profile", allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="paddle profile [--out DIR] [--sorted KEY] (SCRIPT | -m MODULE) [arguments]\n"
              "       paddle profile --job DIR [--sorted KEY]",
        description=__doc__.partition("\n\n")[2])
    parser.add_argument("--out", default="profile", metavar="DIR",
                        help="where traces go; those of an earlier run there are replaced: profile")
    parser.add_argument("--sorted", default="total", choices=KEYS, help="order of the table: total")
    parser.add_argument("--job", metavar="DIR", help="run nothing: traces that are there already")
    parser.add_argument("-m", dest="module", nargs=argparse.REMAINDER, metavar="MODULE",
                        help="run a module, as python -m does, with all arguments behind it")
    parser.add_argument("rest", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    args = parser.parse_args(arguments)
    if bool(args.job) == bool(args.rest or args.module):
        parser.error("a script, -m MODULE or --job DIR is needed, and one of them alone")
    return args


def _run(args):
    """The status of the script, which has its own way with signals: Ctrl+C reaches it, too."""
    folder = os.path.abspath(args.out)
    for kind in ("worker.*", "server.*", "process-*"):
        for old in glob.glob(os.path.join(glob.escape(folder), kind + ".json")):
            os.remove(old)
    os.makedirs(folder, exist_ok=True)
    env = dict(os.environ, FLAGS_profile_dir=folder, REGATTA_PROFILE_ZERO=str(time.time_ns()))
    command = [sys.executable] + (["-m"] + args.module if args.module else args.rest)
    with subprocess.Popen(command, env=env) as process:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                pass


def main(arguments):
    args = _parse(arguments)
    try:
        status = 0 if args.job else _run(args)
    except OSError as error:
        print("paddle profile: --out=%s: %s" % (args.out, error.strerror), file=sys.stderr)
        return 2
    folder = args.job or args.out
    try:
        names = _core.profile_merge(folder)
    except Exception as error:
        print("paddle profile: %s" % error, file=sys.stderr)
        return status or 1
    print(_core.profile_table(args.sorted))
    print(_core.profile_steps())
    print("trace of %s: %s (open it at https://ui.perfetto.dev or chrome://tracing)"
          % (names, os.path.join(folder, "trace.json")))
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
