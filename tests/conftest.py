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


# ---- keys in what tests print and log ----

# Those of jobs that tests start; launchers make their own (tests/faults/test_secrets.py).
SECRETS = [(byte * 32).encode() for byte in ("5e", "5a", "a5")]
LOG_BYTES = 1 << 22
_shown = []  # tests that showed one


def _secret_in(data):
    return any(secret in data.lower() for secret in SECRETS)


def _logs_below(folder):
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            if "log" in name.lower() and os.path.isfile(path):
                yield path


def pytest_sessionfinish(session):
    """Row 33: no key in any log, nor in what was captured."""
    factory = getattr(session.config, "_tmp_path_factory", None)
    base = getattr(factory, "_basetemp", None)  # None: no test had a folder
    for path in _logs_below(str(base)) if base is not None else ():
        with open(path, "rb") as file:
            if _secret_in(file.read(LOG_BYTES)):
                _shown.append(path)
    if _shown:
        session.exitstatus = 1


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
    _shown.extend(report.nodeid for _, text in report.sections if _secret_in(text.encode()))
    rows = dict(report.user_properties).get("promise")
    if rows and (report.when == "call" or report.failed):
        _promised.extend((row, report.outcome) for row in rows)


def pytest_terminal_summary(terminalreporter):
    for where in _shown:
        terminalreporter.write_line("FAILED: the job's key is shown in %s" % where)
    _tell_promises(terminalreporter)


def _tell_promises(terminalreporter):
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
