"""Which ids of a table on servers get a row: for the entry of sparse_embedding()."""

__all__ = ["CountFilterEntry", "ProbabilityEntry"]


class EntryAttr(object):
    """What all of them are."""

    def _to_attr(self):
        raise NotImplementedError("an entry is a CountFilterEntry or a ProbabilityEntry")


class CountFilterEntry(EntryAttr):
    """An id gets a row by its count_filter-th push."""

    def __init__(self, count_filter):
        whole = isinstance(count_filter, int) and not isinstance(count_filter, bool)
        if not whole or count_filter < 1:
            raise ValueError("CountFilterEntry: count_filter is %r, and must be a whole number from "
                             "1 on" % (count_filter,))
        self._count = count_filter

    def _to_attr(self):
        return "count_filter_entry:%d" % self._count


class ProbabilityEntry(EntryAttr):
    """Each push of an id gives it a row with this probability."""

    def __init__(self, probability):
        if not isinstance(probability, float) or not 0 < probability < 1:
            raise ValueError("ProbabilityEntry: probability is %r, and must be a float above 0 and "
                             "below 1" % (probability,))
        self._probability = probability

    def _to_attr(self):
        return "probability_entry:%r" % self._probability
