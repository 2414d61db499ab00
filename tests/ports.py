"""Ports for the servers of tests."""
from paddle import _core


def free_ports(n):
    """The first of n ports in a row that nobody listens on, on any address."""
    while True:
        first = _core.port_find("0.0.0.0")
        if first + n <= 65536 and all(_core.port_is_free("0.0.0.0", first + i) for i in range(n)):
            return first
