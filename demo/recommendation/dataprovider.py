"""Ratings, each with all that is known of its user and its movie."""
from paddle.trainer.PyDataProvider2 import *

import common_utils


def name_slots(settings, meta, **kwargs):
    """Before the first file: what the samples have in them."""
    settings.meta = meta
    settings.input_types = {name: kind for table in ("movie", "user")
                            for name, _, kind in common_utils.slots(meta, table)}
    settings.input_types["rating"] = dense_vector(1)


@provider(init_hook=name_slots, cache=CacheType.CACHE_PASS_IN_MEM)
def process(settings, filename):
    with open(filename) as lines:
        for at, line in enumerate(lines, 1):
            try:
                user, movie, stars = line.split("::")[:3]
                sample = common_utils.features(settings.meta, "movie", int(movie))
                sample.update(common_utils.features(settings.meta, "user", int(user)))
                sample["rating"] = [common_utils.to_label(float(stars))]
            except (KeyError, ValueError) as error:
                raise ValueError("%s:%d: no rating of a known movie by a known user: %r (%s: %s)"
                                 % (filename, at, line, type(error).__name__, error))
            yield sample
