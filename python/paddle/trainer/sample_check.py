"""What is wrong with a sample, in words: which slot, what was there and what was wanted."""
import numbers
from collections.abc import Iterable, Sized

_KINDS = {0: "dense", 1: "sparse binary", 2: "sparse", 3: "integer"}
_SHOWN = 80  # characters of a value that are shown


def bound(dim):
    """Above the integers of a slot. A range of 0 or 1 would leave nothing to say: models write it where
    no layer looks the integers up (a sequence that only has a length, which of two is better), and
    then they may be any from 0 on."""
    return dim if dim > 1 else 1 << 63


def shown(value):
    """A value in a message."""
    text = repr(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def _is_list(value):
    return isinstance(value, (Iterable, Sized)) and not isinstance(value, (str, bytes, dict))


def _is_index(value, dim):
    return isinstance(value, numbers.Integral) and 0 <= value < dim


def _wrong_places(places, dim):
    for place in places:
        if not isinstance(place, numbers.Integral):
            return "%s is not the place of a value: an integer is wanted" % shown(place)
        if not 0 <= place < dim:
            return "place %d is outside [0, %d)" % (place, dim)
    return None


def _wrong_dense(value, dim):
    if not _is_list(value):
        if dim == 1 and isinstance(value, numbers.Real):
            return None
        return "%s is not a list of %d floats" % (shown(value), dim)
    value = value.ravel() if hasattr(value, "ravel") else value
    if len(value) != dim:
        return "%d values where %d are wanted" % (len(value), dim)
    for number in value:
        if not isinstance(number, numbers.Real):
            return "%s is not a float" % shown(number)
    return None


def _wrong_sparse_binary(value, dim):
    if not _is_list(value):
        return "%s is not a list of places in [0, %d)" % (shown(value), dim)
    return _wrong_places(value, dim)


def _wrong_sparse(value, dim):
    if not _is_list(value):
        return "%s is not a list of (place, value)" % shown(value)
    for pair in value:
        if not _is_list(pair) or len(pair) != 2 or not isinstance(pair[1], numbers.Real):
            return "%s is not a pair (place, value)" % shown(pair)
    return _wrong_places([pair[0] for pair in value], dim)


def _wrong_index(value, dim):
    if hasattr(value, "item") and getattr(value, "size", 0) == 1:
        value = value.item()
    if not isinstance(value, numbers.Integral):
        return "%s is not an integer" % shown(value)
    if _is_index(value, bound(dim)):
        return None
    return "%d is outside [0, %d)" % (value, dim) if dim > 1 else "%d is below 0" % value


_WRONG = {0: _wrong_dense, 1: _wrong_sparse_binary, 2: _wrong_sparse, 3: _wrong_index}


def _wrong(value, kind, dim, depth):
    if hasattr(value, "__next__"):  # of Python 3's map and zip, which were lists
        return "%s can be read only once: write list(...) around it" % shown(value)
    if depth == 0:
        return _WRONG[kind](value, dim)
    if not _is_list(value):
        return "%s is not a sequence" % shown(value)
    for number, part in enumerate(value):
        wrong = _wrong(part, kind, dim, depth - 1)
        if wrong is not None:
            return "step %d: %s" % (number, wrong) if depth == 1 else \
                "sub-sequence %d: %s" % (number, wrong)
    return None


def wanted(input_type):
    """An input type in words."""
    kind = _KINDS[input_type.type]
    if input_type.type == 3:
        text = "an integer from 0 on" if input_type.dim <= 1 else \
            "an integer in [0, %d)" % input_type.dim
    else:
        text = "a %s vector of %d" % (kind, input_type.dim)
    return ["", "a sequence of ", "a sequence of sequences of "][input_type.seq_type] + text


def wrong(value, input_type):
    """None, or what is wrong with the value of one slot."""
    return _wrong(value, input_type.type, input_type.dim, input_type.seq_type)


def mismatch(sample, input_types, names=None):
    """None, or what is wrong with a sample."""
    if not _is_list(sample):
        return "a sample is %s: a list of %d values, one for each input, is wanted" % (
            shown(sample), len(input_types))
    if len(sample) != len(input_types):
        return "a sample has %d values, and there are %d inputs" % (len(sample), len(input_types))
    for number, (value, slot) in enumerate(zip(sample, input_types)):
        found = wrong(value, slot)
        if found is not None:
            name = " (%s)" % names[number] if names else ""
            return "slot %d%s: %s; the input type is %s" % (number, name, found, wanted(slot))
    return None
