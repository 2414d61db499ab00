"""The devices that a program may run on."""

__all__ = []


def get_places(device_count=None, device_type=None):
    """A list of CPUPlaces: device_count of them, or CPU_NUM."""
    from ..framework import cpu_places
    if device_type not in (None, "AUTO", "CPU"):
        raise ValueError("get_places(device_type=%r): Regatta runs on the CPU" % (device_type,))
    return cpu_places(device_count)
