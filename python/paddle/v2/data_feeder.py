"""DataFeeder: samples as a feed of the program of a model."""
from paddle.trainer.feeder import Feeder

__all__ = ["DataFeeder", "default_feeding_map"]


def default_feeding_map(data_types):
    """{name: place in a sample} in the order of the data layers."""
    return {name: place for place, (name, _) in enumerate(data_types)}


class DataFeeder(Feeder):
    """data_types: [(name, type)], as Topology.data_type() gives them."""

    def __init__(self, data_types, feeding=None):
        Feeder.__init__(self, dict(data_types), feeding)

    def convert(self, dat, argument=None):
        if argument is not None:
            raise NotImplementedError("DataFeeder.convert: argument= was a structure of v2's core; "
                                      "leave it out")
        return self(dat)
