"""ReaderBase: what the class Reader of a reader.py is derived from."""
import abc

import paddle.fluid.incubate.data_generator as dg

from paddlerec.core.utils import envs

__all__ = ["ReaderBase", "SlotReader"]


class ReaderBase(dg.MultiSlotDataGenerator):
    """A reader overrides init() and generate_sample(line), which returns a function whose values
    are lists of (slot, [values])."""

    def __init__(self, config):
        super().__init__()
        envs.set_global_envs(envs.load_yaml(config))

    @abc.abstractmethod
    def init(self):
        """Read what the reader needs of the configuration."""

    @abc.abstractmethod
    def generate_sample(self, line):
        """A function that gives the examples of this line."""


class SlotReader(dg.MultiSlotDataGenerator):
    """Lines of slot:value words in Python, for readers that are derived from it. (Datasets with
    sparse_slots or dense_slots are read in C.)"""

    def __init__(self, config):
        super().__init__()
        envs.set_global_envs(envs.load_yaml(config))

    def init(self, sparse_slots, dense_slots, padding=0):
        from paddlerec.core.model import dense_slot, split_slots
        self.sparse_slots = split_slots(sparse_slots)
        dense = [dense_slot(text) for text in split_slots(dense_slots)]
        self.dense_slots = [name for name, _ in dense]
        self.dense_slots_shape = []
        for _, dims in dense:
            width = 1
            for n in dims:
                width *= n
            self.dense_slots_shape.append(width)
        self.slots = self.dense_slots + self.sparse_slots
        self.slot2index = {slot: i for i, slot in enumerate(self.slots)}
        self.padding = padding

    def generate_sample(self, l):
        def read():
            values = [[] for _ in self.slots]
            for word in l.split():
                slot, _, rest = word.partition(":")
                i = self.slot2index.get(slot)
                if i is not None:
                    number = rest.split(":")[0]
                    values[i].append(float(number) if i < len(self.dense_slots) else int(number))
            for i, found in enumerate(values):
                if not found:
                    count = self.dense_slots_shape[i] if i < len(self.dense_slots) else 1
                    found.extend([self.padding] * count)
            yield list(zip(self.slots, values))
        return read
