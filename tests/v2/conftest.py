"""What tests of paddle.v2 share."""
import os

import pytest


@pytest.fixture
def fresh(monkeypatch):
    """paddle.v2 as a script meets it: no layers, no PADDLE_INIT_*, init() not called."""
    import paddle.v2 as v2
    from paddle.trainer_config_helpers.graph import Graph, use_graph
    from paddle.v2 import flags
    for name in list(os.environ):
        if name.startswith("PADDLE_INIT_"):
            monkeypatch.delenv(name)
    monkeypatch.setattr(flags, "_values", None)
    with use_graph(Graph(one_network=False)):
        yield v2
