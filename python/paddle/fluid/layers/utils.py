"""Variables in lists, tuples and dicts, at any depth."""

__all__ = []


def is_sequence(seq):
    """Whether it is a list, a tuple or a dict, and not a leaf."""
    return isinstance(seq, (list, tuple, dict))


def _parts(structure):
    """What is directly in it; of a dict by sorted keys."""
    if isinstance(structure, dict):
        return [structure[key] for key in sorted(structure)]
    return list(structure)


def flatten(nest):
    """The leaves, in order."""
    if not is_sequence(nest):
        return [nest]
    return [leaf for part in _parts(nest) for leaf in flatten(part)]


def pack_sequence_as(structure, flat_sequence):
    """The same structure with other leaves."""
    leaves = flatten(flat_sequence)
    if len(leaves) != len(flatten(structure)):
        raise ValueError("pack_sequence_as: the structure has %d leaves, and %d are given"
                         % (len(flatten(structure)), len(leaves)))
    rest = iter(leaves)

    def build(part):
        if isinstance(part, dict):
            made = {key: build(part[key]) for key in sorted(part)}
            return type(part)((key, made[key]) for key in part)
        if isinstance(part, tuple) and hasattr(part, "_fields"):
            return type(part)(*[build(p) for p in part])
        if isinstance(part, (list, tuple)):
            return type(part)(build(p) for p in part)
        return next(rest)
    return build(structure)


def map_structure(func, *structure):
    """func of the leaves that stand at one place, in the structure of the first."""
    return pack_sequence_as(structure[0],
                            [func(*leaves) for leaves in zip(*map(flatten, structure))])


def hold_mutable_vars(structure):
    """Whether one of the parts is a list, a tuple or a dict."""
    return any(is_sequence(part) for part in structure)


def copy_mutable_vars(structure):
    """New lists and dicts around the same leaves."""
    return pack_sequence_as(structure, flatten(structure))


def assert_same_structure(nest1, nest2, check_types=True):
    """ValueError where one has other leaves than the other, TypeError where lists, tuples and
    dicts do not match."""
    if is_sequence(nest1) != is_sequence(nest2):
        raise ValueError("The two structures don't have the same nested structure: %s and %s"
                         % (nest1, nest2))
    if not is_sequence(nest1):
        return
    if len(flatten(nest1)) != len(flatten(nest2)):
        raise ValueError("The two structures don't have the same number of elements: %s has %d, "
                         "%s has %d" % (nest1, len(flatten(nest1)), nest2, len(flatten(nest2))))
    if check_types and type(nest1) is not type(nest2):
        raise TypeError("The two structures don't have the same sequence type: %s and %s"
                        % (type(nest1), type(nest2)))
    if check_types and isinstance(nest1, dict) and set(nest1) != set(nest2):
        raise ValueError("The two dictionaries don't have the same set of keys: %s and %s"
                         % (sorted(nest1), sorted(nest2)))
    for part1, part2 in zip(_parts(nest1), _parts(nest2)):
        assert_same_structure(part1, part2, check_types)


def convert_to_list(value, n, name, dtype=int):
    """One number n times, or the n numbers that were given."""
    if isinstance(value, dtype):
        return [value] * n
    try:
        values = list(value)
        for each in values:
            dtype(each)
    except (TypeError, ValueError):
        raise ValueError("The %s's type must be a list or tuple of %d %s, and it is %r"
                         % (name, n, dtype.__name__, value)) from None
    if len(values) != n:
        raise ValueError("The %s's length must be %d. Received: %r" % (name, n, value))
    return values
