"""Tests of clusters that take long are for make test-full."""
import os

import pytest


def pytest_configure(config):
    config.addinivalue_line("markers", "full: only in make test-full (REGATTA_FULL=1)")


def pytest_collection_modifyitems(items):
    if os.environ.get("REGATTA_FULL") != "1":
        for item in items:
            if item.get_closest_marker("full"):
                item.add_marker(pytest.mark.skip(reason="takes long: make test-full"))
