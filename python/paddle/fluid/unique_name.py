"""Names that no two variables share: fc_0, fc_1, ..."""
import contextlib

__all__ = ["generate", "switch", "guard"]


class UniqueNameGenerator:
    """Counts each key from 0, with a prefix in front."""

    def __init__(self, prefix=None):
        self.ids = {}
        self.prefix = prefix or ""

    def __call__(self, key):
        n = self.ids.get(key, 0)
        self.ids[key] = n + 1
        return "%s%s_%d" % (self.prefix, key, n)


generator = UniqueNameGenerator()


def generate(key):
    return generator(key)


def generate_with_ignorable_key(key):
    return generator(key)


def switch(new_generator=None):
    """Use another generator from now on; the old one is returned."""
    global generator
    old = generator
    generator = UniqueNameGenerator() if new_generator is None else new_generator
    return old


@contextlib.contextmanager
def guard(new_generator=None):
    """Count anew, or with a prefix, inside the block."""
    if isinstance(new_generator, bytes):
        new_generator = new_generator.decode()
    if isinstance(new_generator, str):
        new_generator = UniqueNameGenerator(new_generator)
    old = switch(new_generator)
    try:
        yield
    finally:
        switch(old)
