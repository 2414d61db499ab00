"""python -m paddle.utils.plotcurve -i train.log > plot.png: the curves of a `paddle train`.

Of each pass the figures that its log has, AvgCost unless others are named
(classification_error_evaluator), and those of its tests."""
import argparse
import io
import re
import sys

__all__ = ["plot_paddle_curve", "main"]

_NUMBER = r"=(-?(?:nan|inf|[0-9.]+(?:e[-+]?[0-9]+)?))"
_TEST_NAMES = {"AvgCost": "cost"}  # what a line of a test calls it


def _figures(line, keys):
    """The numbers of a line by key, or None where it does not have all."""
    found = [re.search(r"(?<![\w.])" + re.escape(key) + _NUMBER, line) for key in keys]
    return [float(each.group(1)) for each in found] if all(found) else None


def read_curves(keys, lines):
    """(passes, tests): of each a list of (pass, figures of the keys)."""
    passes, tests, number = [], [], None
    test_keys = [_TEST_NAMES.get(key, key) for key in keys]
    for line in lines:
        of_pass = re.search(r" Pass=([0-9]+) ", line)
        figures = _figures(line, keys) if of_pass else None
        if of_pass:
            number = int(of_pass.group(1))
        if figures:
            passes.append((number, figures))
        elif " Test samples=" in line and number is not None:
            figures = _figures(line, test_keys)
            if figures and not (tests and tests[-1][0] == number):  # the first one after a pass
                tests.append((number, figures))
    return passes, tests


def plot_paddle_curve(keys, inputfile, outputfile, format="png", show_fig=False):
    """Draw the curves of an open log into an open file (of bytes)."""
    keys = list(keys) or ["AvgCost"]
    passes, tests = read_curves(keys, inputfile)
    if not passes:
        raise ValueError("plotcurve: no line of the log has Pass= and %s, as `paddle train` writes "
                         "them after each pass" % " and ".join(key + "=" for key in keys))
    try:
        import matplotlib
        if not show_fig:
            matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plotcurve draws with Matplotlib: pip install matplotlib") from None
    for i, key in enumerate(keys):
        for what, curve in (("train", passes), ("test", tests)):
            if curve:
                pyplot.plot([n for n, _ in curve], [figures[i] for _, figures in curve],
                            label="%s %s" % (what, key), marker="o" if len(curve) == 1 else None)
    pyplot.xlabel("pass")
    pyplot.legend(loc="best")
    if show_fig:
        pyplot.show()
    pyplot.savefig(outputfile, format=format, bbox_inches="tight")
    pyplot.close()


def main(argv):
    """The command; argv without its name."""
    parser = argparse.ArgumentParser(
        prog="python -m paddle.utils.plotcurve",
        description="Draw the curves of training and tests from the log of a `paddle train`.")
    parser.add_argument("-i", "--input", help="the log; standard input unless given")
    parser.add_argument("-o", "--output", help="the picture; standard output unless given")
    parser.add_argument("--format", default="png", help="png, pdf, ps, eps or svg")
    parser.add_argument("key", nargs="*", help="figures of the log to draw (AvgCost)")
    told = parser.parse_args(argv)
    picture = io.BytesIO()  # nothing is written before all is well
    try:
        with open(told.input, errors="replace") if told.input else sys.stdin as log:
            plot_paddle_curve(told.key, log, picture, told.format)
        with open(told.output, "wb") if told.output else sys.stdout.buffer as out:
            out.write(picture.getvalue())
    except (OSError, ValueError, ImportError) as error:
        parser.exit(1, "plotcurve: %s\n" % str(error).replace("plotcurve: ", ""))


if __name__ == "__main__":
    main(sys.argv[1:])
