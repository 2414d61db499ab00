"""`paddle table DIR` with --picture or --to parquet: what Python's libraries draw and write. The
numbers are those of the command itself (src/cli/table.c), which is asked for them."""
import argparse
import json
import os
import subprocess
import sys
import tempfile


def _command():
    beside = os.path.join(os.path.dirname(sys.executable), "paddle")
    return os.environ.get("REGATTA_PADDLE") or (beside if os.path.exists(beside) else "paddle")


def _refuse(text):
    print("paddle table: %s" % text, file=sys.stderr)
    return 1


def _draw(folder, rest, path):
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        return _refuse("--picture needs Matplotlib: pip install matplotlib; without it the histogram "
                       "is text")
    done = subprocess.run([_command(), "table", folder, "--json"] + rest, stdout=subprocess.PIPE,
                          text=True)
    if done.returncode != 0:
        return done.returncode
    found = json.loads(done.stdout)
    norms = found["norms"]
    figure, axes = pyplot.subplots(figsize=(8, 4.5), dpi=120)
    axes.stairs(found["histogram"], found["edges"], fill=True)
    axes.axvline(norms["median"], color="black", linewidth=1, label="median %.4g" % norms["median"])
    axes.set_xlabel("norm of a row")
    axes.set_ylabel("rows")
    axes.set_title("%s: %d rows of %d, %d zero" % (found["name"], found["rows"], found["dim"],
                                                   found["zero"]["rows"]))
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)
    print("the histogram of %s is in %s" % (found["name"], path))
    return 0


def _parquet(folder, rest, path):
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        return _refuse("--to parquet needs pyarrow: pip install pyarrow; or use --to npy or word2vec")
    import numpy
    with tempfile.TemporaryDirectory() as temporary:
        npy = os.path.join(temporary, "rows.npy")
        done = subprocess.run([_command(), "table", folder, "--to", "npy", "--out", npy] + rest,
                              stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            return done.returncode
        rows = numpy.load(npy)
        ids = (numpy.load(npy + ".ids.npy") if os.path.exists(npy + ".ids.npy") else
               numpy.arange(len(rows), dtype="int64"))
        values = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(rows.ravel()), rows.shape[1])
        pyarrow.parquet.write_table(pyarrow.table({"id": pyarrow.array(ids), "row": values}), path)
    print("%s: %d rows of %d floats are in %s" % (folder, rows.shape[0], rows.shape[1], path))
    return 0


def main(arguments):
    parser = argparse.ArgumentParser(prog="paddle table", allow_abbrev=False)
    for name in ("--picture", "--to", "--out", "--name", "--start", "--k"):
        parser.add_argument(name)
    args = parser.parse_args(arguments[1:])  # checked before, by the command
    rest = ["--name=" + args.name] if args.name else []
    if args.to:
        return _parquet(arguments[0], rest, args.out)
    rest += ["--start=" + args.start] if args.start else []
    return _draw(arguments[0], rest, args.picture)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
