"""Kernels read slots and attributes by name: each name is one that the op has."""
import re

import pytest

import kernels

CALLS = {
    "in": re.compile(r'rg_gpu_(?:in|in_data|in_slot|labels)\(ctx, "([^"]+)"'),
    "out": re.compile(r'rg_gpu_out(?:_data|_slot)?\(ctx, "([^"]+)"'),
    "attr": re.compile(r'rg_gpu_attr\(ctx, "([^"]+)"'),
}
# Read under a condition that another op of the same function does not meet.
ELSEWHERE = {
    ("sequence_expand_as", "ref_level"), ("sequence_expand_as_grad", "ref_level"),
    ("bmm", "transpose_X"), ("bmm", "transpose_Y"), ("bmm", "alpha"),
    ("bmm_grad", "transpose_X"), ("bmm_grad", "transpose_Y"), ("bmm_grad", "alpha"),
    ("cross_entropy2", "soft_label"), ("cross_entropy_grad2", "soft_label"),
}


def reached(functions, name):
    """The bodies of a function and of those that it calls, as far as they are in the file."""
    todo, seen = [name], {}
    while todo:
        name = todo.pop()
        if name in functions and name not in seen:
            seen[name] = functions[name]
            todo += re.findall(r"\b(\w+)\(", functions[name])
    return "\n".join(seen.values())


def uses():
    """(op, what, name) of every name that a kernel reads."""
    for path in kernels.sources():
        text = kernels.read(path)
        functions = dict(kernels.FUNCTION.findall(text))
        for kind, run in kernels.KERNEL.findall(text):
            body = reached(functions, run)
            for what, call in CALLS.items():
                for name in set(call.findall(body)):
                    yield kind, what, name


def names_of(schema, what):
    listed = schema[{"in": "inputs", "out": "outputs", "attr": "attrs"}[what]]
    return {item if isinstance(item, str) else item["name"] if isinstance(item, dict) else item[0]
            for item in listed}


def test_every_name_is_one_of_the_ops():
    core = pytest.importorskip("paddle._core")
    found = list(uses())
    wrong = [(kind, what, name) for kind, what, name in found
             if name not in names_of(core.op_schema(kind), what) and (kind, name) not in ELSEWHERE]
    assert len(found) > 500
    assert not wrong
