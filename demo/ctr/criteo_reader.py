"""Pipe command: raw Criteo lines to multi-slot text. `paddle criteo --hash N` does the same,
byte for byte, and many times faster.

usage: python criteo_reader.py BUCKETS < raw > text

A raw line is label, 13 counts, 26 categories, tabs between them; any of them but the label may
be missing. A count v of field i becomes (v - LOW[i]) / SPAN[i], rounded to a millionth with
halves going up; a missing one 0.0. A category becomes crc32(number of its field and its text)
modulo BUCKETS: the fields are numbered from 0, the label, so categories are 14 to 39."""
import sys
import zlib

import paddle.fluid.incubate.data_generator as data_generator

LOW = [0, -3] + [0] * 11
SPAN = [20, 603, 100, 50, 64000, 500, 100, 50, 500, 10, 10, 10, 50]
NAMES = ["dense_input"] + ["C%d" % i for i in range(1, 27)] + ["label"]


def scale(text, low, span):
    """The count in millionths, reckoned in whole numbers: the result is the nearest float."""
    if not text:
        return 0.0
    if len(text.lstrip("-")) > 12:
        raise ValueError("got %r, wanted a whole number of at most 12 digits" % text)
    return ((int(text) - low) * 2000000 + span) // (2 * span) / 1000000


class CriteoReader(data_generator.MultiSlotDataGenerator):
    def __init__(self, buckets):
        super().__init__()
        self.buckets = buckets

    def generate_sample(self, line):
        def samples():
            fields = line.rstrip("\r\n").split("\t")
            if len(fields) != 40:
                raise ValueError("got %d fields, wanted 40 (label, 13 counts, 26 categories)"
                                 % len(fields))
            dense = [scale(*field) for field in zip(fields[1:14], LOW, SPAN)]
            ids = [[zlib.crc32(("%d%s" % (i, fields[i])).encode()) % self.buckets]
                   for i in range(14, 40)]
            yield list(zip(NAMES, [dense] + ids + [[int(fields[0])]]))
        return samples


if __name__ == "__main__":
    CriteoReader(int(sys.argv[1])).run_from_stdin()
