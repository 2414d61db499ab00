"""What all tests share."""
import json
import os
import signal

import pytest

# Whoever runs the tests in the background has Ctrl+C ignored, and children inherit that: those
# that are told to stop by it must hear it.
signal.signal(signal.SIGINT, signal.default_int_handler)

# ---- which rows of docs/promises.md were proved ----

_promised = []  # (row, "passed" or "failed")


def pytest_configure(config):
    config.addinivalue_line("markers", "promise(row, ...): rows of docs/promises.md it proves")
    config.addinivalue_line("markers", "full: only in make test-full (REGATTA_FULL=1)")


def pytest_collection_modifyitems(items):
    for item in items:
        rows = [row for mark in item.iter_markers("promise") for row in mark.args]
        if rows:
            item.user_properties.append(("promise", rows))
        if item.get_closest_marker("full") and os.environ.get("REGATTA_FULL") != "1":
            item.add_marker(pytest.mark.skip(reason="takes long: make test-full"))


def pytest_runtest_logreport(report):
    rows = dict(report.user_properties).get("promise")
    if rows and (report.when == "call" or report.failed):
        _promised.extend((row, report.outcome) for row in rows)


def pytest_terminal_summary(terminalreporter):
    """One line; where several run side by side (tools/test.sh), a file, and the table is for all."""
    folder = os.environ.get("REGATTA_PROMISES")
    if folder and _promised:
        with open(os.path.join(folder, "%d.json" % os.getpid()), "w") as file:
            json.dump(_promised, file)
    elif _promised:
        bad = sorted({row for row, outcome in _promised if outcome == "failed"})
        terminalreporter.write_line("rows of docs/promises.md: %s%s" % (
            " ".join(str(row) for row in sorted({row for row, _ in _promised})),
            "; FAILED: " + " ".join(map(str, bad)) if bad else ""))
