"""Variables in lists, tuples and dicts, at any depth."""


def flatten(structure):
    """The leaves, in order; of a dict by sorted keys."""
    if isinstance(structure, dict):
        return [leaf for key in sorted(structure) for leaf in flatten(structure[key])]
    if isinstance(structure, (list, tuple)):
        return [leaf for part in structure for leaf in flatten(part)]
    return [structure]


def pack_as(structure, leaves):
    """The same structure with other leaves."""
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
