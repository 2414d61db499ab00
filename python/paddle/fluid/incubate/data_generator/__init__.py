"""Data generators: programs that make multi-slot text, most often as a dataset's pipe command.

    class Reader(MultiSlotDataGenerator):
        def generate_sample(self, line):
            def samples():
                label, words = line.split("\\t")
                yield [("words", [int(w) for w in words.split()]), ("label", [int(label)])]
            return samples

    Reader().run_from_stdin()
"""
import itertools
import sys

from .... import _core

__all__ = ["MultiSlotDataGenerator", "MultiSlotStringDataGenerator"]


def _listed(sample):
    """A sample that is a zip or a generator of (name, values) as a list."""
    return list(sample) if hasattr(sample, "__next__") else sample


class DataGenerator:
    """Reads lines, asks generate_sample() for samples, and writes them as text."""

    # Here, too: a class of the user's may have an __init__ that does not call ours.
    batch_size_ = 32
    _line_limit = None

    def __init__(self):
        self._proto_info = None
        self.batch_size_ = 32

    def _set_line_limit(self, line_limit):
        """Lines of the standard input that are read; the rest is left."""
        if not isinstance(line_limit, int):
            raise ValueError("line_limit%s must be in int type" % type(line_limit))
        if line_limit < 1:
            raise ValueError("line_limit can not less than 1")
        self._line_limit = line_limit

    def set_batch(self, batch_size):
        """Samples that generate_batch() is given together."""
        self.batch_size_ = batch_size

    def _write(self, samples):
        write, text = sys.stdout.write, self._gen_str
        for sample in self.generate_batch(samples)():
            write(text(sample))

    def _run(self, iterators):
        held = []
        for samples in iterators:
            for sample in samples():
                if sample is None:
                    continue
                held.append(_listed(sample))
                if len(held) == self.batch_size_:
                    self._write(held)
                    held = []
        if held:
            self._write(held)
        sys.stdout.flush()

    def run_from_memory(self):
        """Write what generate_sample(None) gives."""
        self._run([self.generate_sample(None)])

    def run_from_stdin(self):
        """Write what generate_sample(line) gives for each line of the standard input."""
        self._run(map(self.generate_sample, itertools.islice(sys.stdin, self._line_limit)))

    def _gen_str(self, line):
        raise NotImplementedError("use MultiSlotDataGenerator or MultiSlotStringDataGenerator")

    def generate_sample(self, line):
        raise NotImplementedError("Please rewrite this function to return a list or tuple: "
                                  "[(name, [feasign, ...]), ...] or ((name, [feasign, ...]), ...)")

    def generate_batch(self, samples):
        """Overridden to change samples together, such as to pad them to one length."""
        def each():
            for sample in samples:
                yield sample
        return each


class MultiSlotDataGenerator(DataGenerator):
    """Samples are [(name, [int or float, ...]), ...]; the first fixes the names."""
    _text = None

    def _gen_str(self, line):
        if self._text is None:
            self._text = _core.SlotText()
        return self._text.line(_listed(line))

    @property
    def _proto_info(self):
        return None if self._text is None else self._text.proto()

    @_proto_info.setter
    def _proto_info(self, value):
        self._text = None


class MultiSlotStringDataGenerator(DataGenerator):
    """Samples are [(name, [str, ...]), ...], written as they are: nothing is checked."""

    def _gen_str(self, line):
        line = _listed(line)
        if not isinstance(line, (list, tuple)):
            raise ValueError("the output of process() must be in list or tuple type, such as "
                             "[('words', ['1926', '08', '17']), ('label', ['1'])]; it is %r"
                             % (line,))
        return " ".join("%d %s" % (len(values), " ".join(values)) if values else "0"
                        for _, values in line) + "\n"
